package proto

import (
	"slices"
	"unicode/utf8"

	"github.com/graphc/graphc/kernels/internal/wire"
)

// Normal appends the message msg of type typ as a library writes it that has parsed it: fields
// by their numbers, of those that are not repeated the last one, or all of them merged
// where they are messages, unknown ones at the end. False for a malformed message, one that lacks a
// required field, a string that is not UTF-8 where it must be, and messages more than a hundred deep.
func (s *Schema) Normal(dst []byte, msg string, typ int) ([]byte, bool) {
	return s.normal(dst, msg, typ, 0)
}

func (s *Schema) normal(dst []byte, msg string, typ, depth int) ([]byte, bool) {
	if depth > wire.MaxDepth {
		return dst, false
	}
	t := &s.Types[typ]
	var known []found
	var unknown []byte
	for i := 0; i < len(msg); {
		p, after := wire.Next(msg, i, depth)
		if after < 0 {
			return dst, false
		}
		raw := msg[i:after]
		i = after
		f := t.field(p.Num())
		switch {
		case f == nil:
			unknown = append(unknown, raw...)
		case p.Wire() == f.Kind.wire():
			if f.Kind == Enum && s.strange(f, p.Number()) {
				unknown = append(unknown, raw...)
				continue
			}
			known = append(known, found{f, p.Number(), p.Body, len(known)})
		case p.Wire() == wire.Bytes && f.Repeated && f.Kind.wire() != wire.Open:
			ok := wire.Numbers(p.Body, f.Kind.wire(), func(v uint64) {
				if f.Kind == Enum && s.strange(f, v) {
					unknown = wire.AppendUvarint(wire.AppendTag(unknown, f.Num, wire.Varint), v)
					return
				}
				known = append(known, found{f, v, "", len(known)})
			})
			if !ok {
				return dst, false
			}
		default:
			unknown = append(unknown, raw...)
		}
	}
	known = onlyLastOneof(known)
	slices.SortStableFunc(known, func(a, b found) int { return a.f.Num - b.f.Num })
	have := 0
	for i := 0; i < len(known); {
		f := known[i].f
		n := 1
		for i+n < len(known) && known[i+n].f == f {
			n++
		}
		var ok bool
		if dst, ok = s.write(dst, known[i:i+n], depth); !ok {
			return dst, false
		}
		if f.Required {
			have++
		}
		i += n
	}
	for i := range t.Fields {
		if t.Fields[i].Required {
			have--
		}
	}
	return append(dst, unknown...), have == 0
}

// found is a value of a known field.
type found struct {
	f    *Field
	v    uint64
	body string
	at   int // place among the known ones
}

// strange reports a number that a closed enumeration does not have.
func (s *Schema) strange(f *Field, v uint64) bool {
	return f.Enum >= 0 && s.Enums[f.Enum].Closed && !s.Enums[f.Enum].has(int32(v))
}

// onlyLastOneof leaves out of each oneof what is not of its last field.
func onlyLastOneof(known []found) []found {
	var last map[int]int // the last value of another field
	var kind map[int]*Field
	for i, k := range known {
		if o := k.f.Oneof; o != 0 {
			if kind == nil {
				last, kind = map[int]int{}, map[int]*Field{}
			}
			if kind[o] != nil && kind[o] != k.f {
				last[o] = i
			}
			kind[o] = k.f
		}
	}
	if last == nil {
		return known
	}
	return slices.DeleteFunc(known, func(k found) bool { return k.f.Oneof != 0 && k.at < last[k.f.Oneof] })
}

// write appends the values of one field.
func (s *Schema) write(dst []byte, l []found, depth int) ([]byte, bool) {
	f := l[0].f
	if f.Repeated && f.Packed {
		var body []byte
		for _, x := range l {
			body = appendValue(body, f.Kind, x.v)
		}
		return wire.AppendBytes(dst, f.Num, body), true
	}
	if !f.Repeated && len(l) > 1 {
		whole := l[len(l)-1]
		if (f.Kind == Message || f.Kind == Group) && f.Sub >= 0 {
			whole.body = ""
			for _, x := range l {
				whole.body += x.body // messages one after the other are merged
			}
		}
		l = []found{whole}
	}
	for _, x := range l {
		switch f.Kind {
		case Message, Group:
			body := []byte(x.body)
			if f.Sub >= 0 {
				var ok bool
				if body, ok = s.normal(nil, x.body, f.Sub, depth+1); !ok {
					return dst, false
				}
			}
			if f.Kind == Group {
				dst = append(wire.AppendTag(dst, f.Num, wire.Open), body...)
				dst = wire.AppendTag(dst, f.Num, wire.Close)
				continue
			}
			dst = wire.AppendBytes(dst, f.Num, body)
		case String, Bytes:
			if f.UTF8 && !utf8.ValidString(x.body) {
				return dst, false
			}
			if x.body == "" && !f.Presence && !f.Repeated {
				continue
			}
			dst = wire.AppendBytes(dst, f.Num, x.body)
		default:
			v := same(f.Kind, x.v)
			if v == 0 && !f.Presence && !f.Repeated {
				continue
			}
			dst = appendValue(wire.AppendTag(dst, f.Num, f.Kind.wire()), f.Kind, x.v)
		}
	}
	return dst, true
}

// same is the number a varint stands for, in the form it is written in.
func same(k Kind, v uint64) uint64 {
	switch k {
	case Int32, Enum:
		return uint64(int64(int32(v)))
	case Uint32, Sint32:
		return uint64(uint32(v))
	case Bool:
		if v != 0 {
			return 1
		}
	}
	return v
}

// appendValue appends a number without a tag.
func appendValue(b []byte, k Kind, v uint64) []byte {
	switch k.wire() {
	case wire.Fixed8:
		return append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24), byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56))
	case wire.Fixed4:
		return append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	return wire.AppendUvarint(b, same(k, v))
}

// Each calls visit for the fields of a message that Normal has written: number, the
// bytes of one that has a length, and all of it.
func Each(msg string, visit func(num int, body, raw string) error) error {
	for i := 0; i < len(msg); {
		p, after := wire.Next(msg, i, 0)
		if after < 0 {
			return nil
		}
		body := ""
		if p.Wire() == wire.Bytes {
			body = p.Body
		}
		if err := visit(p.Num(), body, msg[i:after]); err != nil {
			return err
		}
		i = after
	}
	return nil
}
