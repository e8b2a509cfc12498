package frontend

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/graphc/graphc/rt/tensor"
)

// base64Bytes returns the JSON form of a message in which every bytes field is encoded as base64.
// The first tfjs converters wrote such a field as a list of numbers. raw must be JSON that
// encoding/json has accepted. The result is raw itself if no bytes field is a list. The error is
// InvalidArgument if a number of a list is not a byte.
func base64Bytes(raw []byte, m protoreflect.MessageDescriptor, depth int) ([]byte, error) {
	r := bytesFields{in: raw, depth: depth}
	if err := r.message(m, 0); err != nil {
		return nil, err
	}
	if r.done == 0 {
		return raw, nil
	}
	return append(r.out, raw[r.done:]...), nil
}

// bytesFields walks through the JSON text of a message, together with the message's descriptor.
type bytesFields struct {
	in    []byte
	i     int    // index in the JSON text
	out   []byte // the converted form of in[:done]
	done  int
	depth int // largest nesting depth of messages
}

// message walks through the value at position i, which is a message.
func (r *bytesFields) message(m protoreflect.MessageDescriptor, level int) error {
	if level > r.depth {
		r.skip() // the value is nested too deep, and the parser will reject it
		return nil
	}
	return r.object(func(key string) error {
		f := m.Fields().ByJSONName(key)
		if f == nil {
			f = m.Fields().ByName(protoreflect.Name(key))
		}
		switch {
		case f == nil:
			r.skip()
		case f.IsMap():
			return r.object(func(string) error { return r.single(f.MapValue(), level) })
		case f.IsList():
			return r.list(func() error { return r.single(f, level) })
		default:
			return r.single(f, level)
		}
		return nil
	})
}

// single walks through one value of a field.
func (r *bytesFields) single(f protoreflect.FieldDescriptor, level int) error {
	switch f.Kind() {
	case protoreflect.MessageKind:
		return r.message(f.Message(), level+1)
	case protoreflect.BytesKind:
		if r.next() == '[' {
			return r.numbers(string(f.Name()))
		}
	}
	r.skip()
	return nil
}

// numbers replaces the list of numbers at position i by a base64 string.
func (r *bytesFields) numbers(field string) error {
	start := r.i
	var data []byte
	err := r.list(func() error {
		r.next()
		at := r.i
		r.skip()
		text := string(bytes.TrimSpace(r.in[at:r.i]))
		v, err := strconv.ParseUint(text, 10, 8)
		if err != nil {
			return invalid("element %d of the bytes %q is %s, not a number from 0 to 255", len(data), field, tensor.Clip(text))
		}
		data = append(data, byte(v))
		return nil
	})
	if err != nil {
		return err
	}
	r.out = append(r.out, r.in[r.done:start]...)
	r.out = append(r.out, '"')
	r.out = base64.StdEncoding.AppendEncode(r.out, data)
	r.out = append(r.out, '"')
	r.done = r.i
	return nil
}

// object calls the callback for each key of the JSON object at position i. The callback must move i
// past the value of the key. If there is no object at position i, the method moves i past the value
// that is there.
func (r *bytesFields) object(value func(key string) error) error {
	if r.next() != '{' {
		r.skip()
		return nil
	}
	for r.i++; r.next() == '"' || r.next() == ','; {
		if r.in[r.i] == ',' {
			r.i++
			continue
		}
		at := r.i
		r.skip()
		key := string(r.in[at+1 : r.i-1])
		if bytes.IndexByte(r.in[at:r.i], '\\') >= 0 {
			_ = json.Unmarshal(r.in[at:r.i], &key)
		}
		if r.next() == ':' {
			r.i++
		}
		if err := value(key); err != nil {
			return err
		}
	}
	r.i = min(r.i+1, len(r.in))
	return nil
}

// list calls the callback once for each element of the JSON list at position i. The callback must
// move i past the element. If there is no list at position i, the method moves i past the value
// that is there.
func (r *bytesFields) list(element func() error) error {
	if r.next() != '[' {
		r.skip()
		return nil
	}
	for r.i++; r.next() != ']' && r.next() != 0; {
		if r.in[r.i] == ',' {
			r.i++
			continue
		}
		if err := element(); err != nil {
			return err
		}
	}
	r.i = min(r.i+1, len(r.in))
	return nil
}

// next moves i to the next byte that is not space and returns this byte, or 0 at the end of the
// text.
func (r *bytesFields) next() byte {
	for ; r.i < len(r.in); r.i++ {
		switch c := r.in[r.i]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// skip moves i past the value that begins at position i.
func (r *bytesFields) skip() {
	r.next()
	for open := 0; r.i < len(r.in); {
		switch r.in[r.i] {
		case '"':
			for r.i++; r.i < len(r.in) && r.in[r.i] != '"'; r.i++ {
				if r.in[r.i] == '\\' {
					r.i++
				}
			}
			r.i = min(r.i+1, len(r.in))
		case '{', '[':
			open++
			r.i++
		case '}', ']':
			if open == 0 {
				return
			}
			open--
			r.i++
		case ',', ':', ' ', '\t', '\r', '\n':
			if open == 0 {
				return
			}
			r.i++
			continue
		default: // a number, true, false or null
			for r.i < len(r.in) && bytes.IndexByte([]byte(",:]} \t\r\n"), r.in[r.i]) < 0 {
				r.i++
			}
		}
		if open == 0 {
			return
		}
	}
}
