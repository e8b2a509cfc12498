// Package wire reads the wire format of protocol buffers in a string, field by field. It
// copies and allocates nothing and builds no messages.
package wire

import "math/bits"

// The wire types.
const (
	Varint = 0
	Fixed8 = 1
	Bytes  = 2
	Open   = 3 // of a group
	Close  = 4
	Fixed4 = 5
)

// MaxDepth bounds how deep messages and groups may nest.
const MaxDepth = 100

// Uvarint reads a varint of at most ten bytes, which begins at s[i]. next is the position after the
// varint, or -1 if the varint is malformed. Bits beyond the 64th are ignored.
func Uvarint(s string, i int) (v uint64, next int) {
	for shift := uint(0); shift < 70; shift += 7 {
		if i >= len(s) {
			return 0, -1
		}
		b := s[i]
		i++
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v, i
		}
	}
	return 0, -1
}

// AppendUvarint appends the varint form of v.
func AppendUvarint(b []byte, v uint64) []byte {
	for ; v >= 0x80; v >>= 7 {
		b = append(b, byte(v)|0x80)
	}
	return append(b, byte(v))
}

// AppendTag appends the tag with which a field begins.
func AppendTag(b []byte, num, wire int) []byte {
	return AppendUvarint(b, uint64(num)<<3|uint64(wire))
}

// AppendBytes appends a field of the wire type Bytes.
func AppendBytes[T string | []byte](b []byte, num int, body T) []byte {
	return append(AppendUvarint(AppendTag(b, num, Bytes), uint64(len(body))), body...)
}

// UvarintLen returns the number of bytes of the varint form of v.
func UvarintLen(v uint64) int { return (bits.Len64(v|1) + 6) / 7 }

// Size returns the number of bytes of a number in the wire type Fixed8 or Fixed4. For other wire
// types, it returns 0.
func Size(wire int) int {
	switch wire {
	case Fixed8:
		return 8
	case Fixed4:
		return 4
	}
	return 0
}

// Fixed returns the number that s encodes in the wire type Fixed8 or Fixed4.
func Fixed(s string) uint64 {
	if len(s) == 8 {
		return uint64(Uint32(s, 0)) | uint64(Uint32(s, 4))<<32
	}
	return uint64(Uint32(s, 0))
}

// Uint32 returns the number that s[i:] encodes in the wire type Fixed4.
func Uint32(s string, i int) uint32 {
	return uint32(s[i]) | uint32(s[i+1])<<8 | uint32(s[i+2])<<16 | uint32(s[i+3])<<24
}

// Field is a field of a message. It is small enough for Go to keep it in registers.
type Field struct {
	tag uint64
	At  int // position in the message at which Body begins
	// Body is the encoded value: a number in its encoded form, the content of a field of the wire type
	// Bytes without its length, or the bytes between the two tags of a group.
	Body string
}

// Num returns the field's number.
func (f Field) Num() int { return int(f.tag >> 3) }

// Wire returns the field's wire type.
func (f Field) Wire() int { return int(f.tag & 7) }

// Number returns the value of a field of the wire type Varint, Fixed8 or Fixed4. For other wire
// types, it returns 0.
func (f Field) Number() uint64 {
	switch f.Wire() {
	case Varint:
		v, _ := Uvarint(f.Body, 0)
		return v
	case Fixed8, Fixed4:
		return Fixed(f.Body)
	}
	return 0
}

// Next reads the field that begins at s[i] in the message s. It returns the field and the position
// after it, or a negative position if the field is malformed. A group, with all fields inside it,
// is one field. depth is the nesting depth of the message s. A group whose nesting depth exceeds
// MaxDepth is malformed.
func Next(s string, i, depth int) (f Field, after int) {
	if f, after = simple(s, i); after < 0 && f.Wire() == Open {
		return group(s, f, depth)
	}
	return f, after
}

// simple reads a field as Next does, except for groups. For a group, it reads only the opening tag,
// and returns a Field without Body and a negative position. Most fields are not groups. To be fast
// for these, simple calls no function other than Uvarint.
func simple(s string, i int) (f Field, after int) {
	tag, at := Uvarint(s, i)
	if at < 0 || tag < 1<<3 || tag>>32 != 0 {
		return f, -1
	}
	size := 0
	switch tag & 7 {
	case Varint:
		if _, after = Uvarint(s, at); after < 0 {
			return f, -1
		}
		size = after - at
	case Fixed8:
		size = 8
	case Fixed4:
		size = 4
	case Bytes:
		n, to := Uvarint(s, at)
		if to < 0 || n > uint64(len(s)-to) {
			return f, -1
		}
		return Field{tag: tag, At: to, Body: s[to : to+int(n)]}, to + int(n)
	case Open:
		return Field{tag: tag, At: at}, -1
	default:
		return f, -1
	}
	if size > len(s)-at {
		return f, -1
	}
	return Field{tag: tag, At: at, Body: s[at : at+size]}, at + size
}

// group reads the rest of a group as Next does. f is the field that simple has returned for the
// opening tag of the group.
func group(s string, f Field, depth int) (Field, int) {
	if depth >= MaxDepth {
		return f, -1
	}
	for i := f.At; ; {
		tag, at := Uvarint(s, i)
		switch {
		case at < 0:
			return f, -1
		case tag == f.tag-Open+Close:
			f.Body = s[f.At:i]
			return f, at
		}
		if _, i = Next(s, i, depth+1); i < 0 { // malformed, for example another group's closing tag
			return f, -1
		}
	}
}

// Fields calls visit for each field of the message s, until visit returns false. depth is the
// nesting depth of the message. Fields returns false if visit has returned false, if the message is
// malformed, or if the nesting depth of the message or of a group in it exceeds MaxDepth.
func Fields(s string, depth int, visit func(f Field) bool) bool {
	if depth > MaxDepth {
		return false
	}
	for i := 0; i < len(s); {
		f, after := simple(s, i)
		if after < 0 && f.Wire() == Open {
			f, after = group(s, f, depth)
		}
		if after < 0 || !visit(f) {
			return false
		}
		i = after
	}
	return true
}

// Numbers calls yield with each number in s, which is the content of a packed field whose numbers
// have the given wire type. It returns false if s is malformed or the wire type is not numeric.
func Numbers(s string, wire int, yield func(v uint64)) bool {
	if wire == Varint {
		for i := 0; i < len(s); {
			v, at := Uvarint(s, i)
			if at < 0 {
				return false
			}
			yield(v)
			i = at
		}
		return true
	}
	size := Size(wire)
	if size == 0 || len(s)%size != 0 {
		return false
	}
	for i := 0; i < len(s); i += size {
		yield(Fixed(s[i : i+size]))
	}
	return true
}
