package frontend

import (
	"fmt"
	"path/filepath"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/graphc/graphc/frontend/pb"
)

// maxConfigDepth bounds the nesting of messages in a configuration.
const maxConfigDepth = 100

// ReadSessionConfig reads a ConfigProto from a file. If the extension of the file's name is one for
// text, the file is read as text; otherwise it is read as binary. If it cannot be read as binary
// but looks like text, it is read as text. The error is InvalidArgument for invalid input, which
// includes a field that ConfigProto does not have. For such a field, the error contains the field's
// line and column in a text, or its number in a binary file.
func ReadSessionConfig(path string) (*pb.ConfigProto, error) {
	raw, err := disk{}.readFile(path)
	if err != nil {
		return nil, err
	}
	c, err := parseSessionConfig(path, raw)
	return c, inFile(filepath.Base(path), err)
}

func parseSessionConfig(path string, raw []byte) (*pb.ConfigProto, error) {
	c := &pb.ConfigProto{}
	switch filepath.Ext(path) {
	case ".pbtxt", ".txt", ".prototxt", ".textproto":
		return c, sessionConfigText(raw, c)
	}
	err := proto.UnmarshalOptions{RecursionLimit: maxConfigDepth}.Unmarshal(raw, c)
	if err == nil {
		err = unknownFields(c.ProtoReflect(), "")
	}
	if err != nil && looksLikeText(raw) {
		text := &pb.ConfigProto{}
		if sessionConfigText(raw, text) == nil {
			return text, nil
		}
	}
	if err != nil {
		return nil, invalid("not a ConfigProto: %s", protoMessage(err))
	}
	return c, nil
}

func sessionConfigText(raw []byte, c *pb.ConfigProto) error {
	if err := textDepth(raw, maxConfigDepth); err != nil {
		return err
	}
	if err := prototext.Unmarshal(raw, c); err != nil {
		return invalid("not a ConfigProto in text form: %s", protoMessage(err))
	}
	return nil
}

// unknownFields returns an error for fields of m, or of messages in it, that are unknown. prefix is
// the path to m.
func unknownFields(m protoreflect.Message, prefix string) error {
	if raw := m.GetUnknown(); len(raw) > 0 {
		number, _, _ := protowire.ConsumeTag(raw)
		return fmt.Errorf("%s has no field %d%s", m.Descriptor().Name(), number, within(prefix))
	}
	var err error
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		path := prefix + string(f.Name())
		switch {
		case f.IsMap():
			if f.MapValue().Message() == nil {
				return true
			}
			v.Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
				err = unknownFields(v.Message(), path+".")
				return err == nil
			})
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				if err = unknownFields(v.List().Get(i).Message(), path+"."); err != nil {
					break
				}
			}
		default:
			err = unknownFields(v.Message(), path+".")
		}
		return err == nil
	})
	return err
}

func within(prefix string) string {
	if prefix == "" {
		return ""
	}
	return " in " + prefix[:len(prefix)-1]
}
