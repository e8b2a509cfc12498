package proto

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/graphc/graphc/kernels/internal/wire"
	"github.com/graphc/graphc/rt/mem"
)

// Normal appends the message msg of type typ in the form that a protobuf library writes after
// parsing it. Fields are sorted by number, with unknown ones at the end. If a field that is not
// repeated occurs several times, the last value is kept. Values that are messages are merged
// instead.
//
// Normal returns false for a malformed message, a missing required field, a string that must be
// UTF-8 but is not, and messages nested more than a hundred deep. Working memory and the bytes
// appended are counted against the run for the duration of the call.
func (s *Schema) Normal(run *mem.Budget, dst []byte, msg string, typ int) ([]byte, bool) {
	call := run.Call()
	defer call.Free()
	return s.normal(&call, dst, msg, typ, 0)
}

func (s *Schema) normal(call *mem.Call, dst []byte, msg string, typ, depth int) ([]byte, bool) {
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
		call.Work(fieldWork + len(t.Fields) + len(raw)/8)
		f := t.field(p.Num())
		switch {
		case f == nil:
			unknown = add(call, unknown, raw)
		case p.Wire() == f.Kind.wire():
			if f.Kind == Enum && s.strange(f, p.Number()) {
				unknown = add(call, unknown, raw)
				continue
			}
			known = mem.Append(call, known, found{f, p.Number(), p.Body, len(known)})
		case p.Wire() == wire.Bytes && f.Repeated && f.Kind.wire() != wire.Open:
			ok := wire.Numbers(p.Body, f.Kind.wire(), func(v uint64) {
				call.Work(fieldWork)
				if f.Kind == Enum && s.strange(f, v) {
					unknown = wire.AppendUvarint(wire.AppendTag(mem.Grow(call, unknown, mostNumber), f.Num, wire.Varint), v)
					return
				}
				known = mem.Append(call, known, found{f, v, "", len(known)})
			})
			if !ok {
				return dst, false
			}
		default:
			unknown = add(call, unknown, raw)
		}
	}
	known = onlyLastOneof(known)
	byNumber := func(a, b found) int {
		call.Work(8)
		return a.f.Num - b.f.Num
	}
	if !slices.IsSortedFunc(known, byNumber) {
		slices.SortStableFunc(known, byNumber)
	}
	have := 0
	for i := 0; i < len(known); {
		f := known[i].f
		n := 1
		for i+n < len(known) && known[i+n].f == f {
			n++
		}
		var ok bool
		if dst, ok = s.write(call, dst, known[i:i+n], depth); !ok {
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
	return append(mem.Grow(call, dst, len(unknown)), unknown...), have == 0
}

const (
	fieldWork  = 32 // work counted for a field that is read and written
	mostNumber = 20 // largest number of bytes of an encoded number with its tag
)

func add(call *mem.Call, b []byte, s string) []byte {
	return append(mem.Grow(call, b, len(s)), s...)
}

// found is a value of a known field.
type found struct {
	f    *Field
	v    uint64
	body string
	at   int // index of this value in the slice of all values of known fields
}

// strange reports whether v is an unknown number of an enumeration: the type of f is a closed
// enumeration that does not have the number v.
func (s *Schema) strange(f *Field, v uint64) bool {
	return f.Enum >= 0 && s.Enums[f.Enum].Closed && !s.Enums[f.Enum].has(int32(v))
}

// onlyLastOneof removes values of oneofs: if several fields of a oneof have values, only those of
// the last field are kept.
func onlyLastOneof(known []found) []found {
	var last map[int]int // maps the number of a oneof to the index, in the slice known, of its first value to keep
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
func (s *Schema) write(call *mem.Call, dst []byte, l []found, depth int) ([]byte, bool) {
	f := l[0].f
	if f.Repeated && f.Packed {
		var body []byte
		for _, x := range l {
			body = appendValue(mem.Grow(call, body, mostNumber), f.Kind, x.v)
		}
		return wire.AppendBytes(mem.Grow(call, dst, len(body)+mostNumber), f.Num, body), true
	}
	if !f.Repeated && len(l) > 1 {
		whole := l[len(l)-1]
		if (f.Kind == Message || f.Kind == Group) && f.Sub >= 0 {
			whole.body = merged(call, l)
		}
		l = []found{whole}
	}
	for _, x := range l {
		switch f.Kind {
		case Message, Group:
			if f.Sub < 0 {
				dst = enclose(mem.Grow(call, dst, len(x.body)+mostNumber), f, x.body)
				continue
			}
			mark := call.Mark()
			body, ok := s.normal(call, nil, x.body, f.Sub, depth+1)
			if !ok {
				return dst, false
			}
			call.Work(len(body) / 4)
			call.Release(mark) // release the memory used for body before dst grows, because the memory added to dst must stay counted
			dst = enclose(mem.Grow(call, dst, len(body)+mostNumber), f, body)
		case String, Bytes:
			if f.UTF8 && !utf8.ValidString(x.body) {
				return dst, false
			}
			if x.body == "" && !f.Presence && !f.Repeated {
				continue
			}
			dst = wire.AppendBytes(mem.Grow(call, dst, len(x.body)+mostNumber), f.Num, x.body)
		default:
			v := same(f.Kind, x.v)
			if v == 0 && !f.Presence && !f.Repeated {
				continue
			}
			dst = appendValue(wire.AppendTag(mem.Grow(call, dst, mostNumber), f.Num, f.Kind.wire()), f.Kind, x.v)
		}
	}
	return dst, true
}

// merged returns the concatenation of the encoded messages in l, which is an encoding of the merged
// message.
func merged(call *mem.Call, l []found) string {
	n := 0
	for _, x := range l {
		n += len(x.body)
	}
	call.Need(n)
	var b strings.Builder
	b.Grow(n)
	for _, x := range l {
		b.WriteString(x.body)
	}
	return b.String()
}

// enclose appends a message or a group.
func enclose[T string | []byte](dst []byte, f *Field, body T) []byte {
	if f.Kind == Group {
		return wire.AppendTag(append(wire.AppendTag(dst, f.Num, wire.Open), body...), f.Num, wire.Close)
	}
	return wire.AppendBytes(dst, f.Num, body)
}

// same returns the number to write for a value of kind k that was read as the varint v. A number of
// a 32-bit kind is cut to 32 bits, and Int32 and Enum are then sign-extended to 64 bits. A bool
// becomes 0 or 1.
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

// Each calls the function visit for each field of msg, a message that Normal has written. The
// arguments of this function are the number of the field, its content if its wire type is Bytes
// (otherwise an empty string), and the whole encoded field.
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
