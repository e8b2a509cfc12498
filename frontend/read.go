package frontend

import (
	"bytes"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"github.com/graphc/graphc/frontend/formats"
	"github.com/graphc/graphc/frontend/pb"
	"github.com/graphc/graphc/ir"
)

// maxFile is the size of the largest message that the format allows: 2 GiB.
const maxFile = 1<<31 - 1

// unmarshal parses a message. If the extension of the file's name is one for text, it parses the
// message as text. Otherwise it parses the message as binary. If that fails and the bytes look like
// text, it tries to parse them as text. depth bounds the nesting of messages.
func unmarshal(path string, raw []byte, m proto.Message, depth int) error {
	var err error
	switch filepath.Ext(path) {
	case ".pbtxt", ".txt", ".prototxt", ".textproto":
		err = unmarshalText(raw, m, depth)
	default:
		err = unmarshalBinary(raw, m, depth)
		if err != nil && looksLikeText(raw) {
			if textErr := unmarshalText(raw, m, depth); textErr == nil {
				err = nil
			}
		}
	}
	if err != nil {
		if unread := formats.Unread(formats.Bytes(path, raw)); unread != nil {
			err = unread
		}
	}
	return inFile(filepath.Base(path), err)
}

func unmarshalBinary(raw []byte, m proto.Message, depth int) error {
	err := proto.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: depth}.Unmarshal(raw, m)
	if err == nil {
		return nil
	}
	if strings.Contains(err.Error(), "recursion depth") {
		return invalid("not a %s: messages nest more than %d deep; --%s raises the limit", m.ProtoReflect().Descriptor().Name(), depth, ir.FlagDepth)
	}
	return invalid("not a %s: %s", m.ProtoReflect().Descriptor().Name(), protoMessage(err))
}

// protoMessage returns the message of an error from the protobuf library, without its prefix. The
// library varies the space in this prefix between builds on purpose.
func protoMessage(err error) string {
	s := strings.ReplaceAll(err.Error(), "\u00a0", " ")
	return strings.TrimPrefix(s, "proto: ")
}

func looksLikeText(raw []byte) bool {
	head := raw[:min(len(raw), 512)]
	for i := range min(4, len(head)) { // the last rune may be incomplete
		if utf8.Valid(head[:len(head)-i]) {
			head = head[:len(head)-i]
			break
		}
	}
	if !utf8.Valid(head) {
		return false
	}
	for _, c := range head {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return bytes.ContainsAny(head, "{:")
}

func unmarshalText(raw []byte, m proto.Message, depth int) error {
	if err := textDepth(raw, depth); err != nil {
		return err
	}
	var o prototext.UnmarshalOptions
	switch m.(type) {
	case *pb.SavedModel, *pb.MetaGraphDef, *pb.XLAConfig: // package pb lacks many fields of these messages
		o.DiscardUnknown = true
	}
	raw = withoutUnread(raw)
	if err := o.Unmarshal(raw, m); err != nil {
		return invalid("not a %s in text form: %s", m.ProtoReflect().Descriptor().Name(), protoMessage(err))
	}
	return nil
}

// textDepth returns an error for text whose braces nest too deep, so that no parser recurses too
// deep. It skips strings and comments.
func textDepth(raw []byte, limit int) error {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; c {
		case '#':
			for i < len(raw) && raw[i] != '\n' {
				i++
			}
		case '"', '\'':
			for i++; i < len(raw) && raw[i] != c && raw[i] != '\n'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
		case '{', '<', '[':
			if depth++; depth > limit {
				return invalid("messages nest more than %d deep; --%s raises the limit", limit, ir.FlagDepth)
			}
		case '}', '>', ']':
			depth--
		}
	}
	return nil
}
