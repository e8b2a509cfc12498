// Package parse reads serialized tf.Example messages into tensors without
// building the messages: one pass finds where the wanted features lie, others
// read their values.
package parse

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// The wire types of protocol buffers.
const (
	varint = 0
	fixed8 = 1
	bytes  = 2
	fixed4 = 5
)

// uvarint reads a number at s[i:]; next is negative for a malformed one.
func uvarint(s string, i int) (v uint64, next int) {
	for shift := uint(0); shift < 64; shift += 7 {
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

// field is one field of a message: its content lies at s[from:to].
type field struct {
	num, wire int
	from, to  int
}

// next reads the field at s[i:end]; ok is false for a malformed one.
func next(s string, i, end int) (f field, after int, ok bool) {
	tag, i := uvarint(s[:end], i)
	if i < 0 || tag>>3 == 0 || tag>>3 > 1<<29-1 {
		return f, 0, false
	}
	f = field{num: int(tag >> 3), wire: int(tag & 7), from: i}
	switch f.wire {
	case varint:
		if _, f.to = uvarint(s[:end], i); f.to < 0 {
			return f, 0, false
		}
	case fixed8:
		f.to = i + 8
	case fixed4:
		f.to = i + 4
	case bytes:
		n, at := uvarint(s[:end], i)
		if at < 0 || n > uint64(end-at) {
			return f, 0, false
		}
		f.from, f.to = at, at+int(n)
	default:
		return f, 0, false
	}
	return f, f.to, f.to <= end
}

// fields calls visit for every field of the message s[from:to]; false for a malformed one.
func fields(s string, from, to int, visit func(f field) bool) bool {
	for i := from; i < to; {
		f, after, ok := next(s, i, to)
		if !ok || !visit(f) {
			return false
		}
		i = after
	}
	return true
}

// Locate finds the features named keys in every example: spans[2*(e*len(keys)+k)]
// is where the Feature message begins in serialized[e] and the word after it its length, -1 when
// there is none. Of a name given twice the last counts. InvalidArgument for what is no Example.
func Locate(spans []int64, serialized, keys []string) error {
	for e, s := range serialized {
		own := spans[2*e*len(keys) : 2*(e+1)*len(keys)]
		for i := range own {
			own[i] = -1
		}
		ok := fields(s, 0, len(s), func(f field) bool {
			if f.num != 1 || f.wire != bytes {
				return true
			}
			return fields(s, f.from, f.to, func(f field) bool {
				if f.num != 1 || f.wire != bytes {
					return true
				}
				return entry(s, f, own, keys)
			})
		})
		if !ok {
			return tensor.Errorf(tensor.InvalidArgument, "Could not parse example input, value: %q", s[:min(len(s), 200)])
		}
	}
	return nil
}

// entry reads one entry of the map of features.
func entry(s string, m field, own []int64, keys []string) bool {
	key, from, to := "", m.to, m.to
	ok := fields(s, m.from, m.to, func(f field) bool {
		if f.wire == bytes && f.num == 1 {
			key = s[f.from:f.to]
		}
		if f.wire == bytes && f.num == 2 {
			from, to = f.from, f.to
		}
		return true
	})
	for k, name := range keys {
		if ok && name == key {
			own[2*k], own[2*k+1] = int64(from), int64(to-from)
		}
	}
	return ok
}

// kind is the list a Feature holds: 1 bytes, 2 float, 3 int64; 0 none.
func kind(s string, from, to int) (k int, list field, ok bool) {
	ok = fields(s, from, to, func(f field) bool {
		if f.wire == bytes && f.num >= 1 && f.num <= 3 {
			k, list = f.num, f
		}
		return true
	})
	return k, list, ok
}

// value is a type a Feature's list can hold.
type value interface{ float32 | int64 | string }

// kindOf is the number of T's list in a Feature.
func kindOf[T value]() int {
	var v T
	switch any(v).(type) {
	case float32:
		return 2
	case int64:
		return 3
	}
	return 1
}

// values calls yield with every element of a list; false for a malformed one.
func values[T value](s string, list field, yield func(T)) bool {
	switch y := any(yield).(type) {
	case func(string):
		return fields(s, list.from, list.to, func(f field) bool {
			if f.num == 1 && f.wire == bytes {
				y(s[f.from:f.to])
			}
			return true
		})
	case func(float32):
		return fields(s, list.from, list.to, func(f field) bool {
			if f.num != 1 || f.wire != bytes && f.wire != fixed4 {
				return true
			}
			if (f.to-f.from)%4 != 0 {
				return false
			}
			for i := f.from; i < f.to; i += 4 {
				y(math.Float32frombits(uint32(s[i]) | uint32(s[i+1])<<8 | uint32(s[i+2])<<16 | uint32(s[i+3])<<24))
			}
			return true
		})
	case func(int64):
		return fields(s, list.from, list.to, func(f field) bool {
			if f.num != 1 || f.wire != bytes && f.wire != varint {
				return true
			}
			for i := f.from; i < f.to; {
				v, at := uvarint(s[:f.to], i)
				if at < 0 {
					return false
				}
				y(int64(v))
				i = at
			}
			return true
		})
	}
	return false
}
