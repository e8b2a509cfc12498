// Package parse reads serialized tf.Example messages into tensors without building the messages.
// One pass over the bytes finds where the wanted features lie, and further passes read their
// values. The package also reads CSV, JSON and serialized tensors, and decompresses strings.
package parse

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/wire"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// fields calls the function visit for each field of the message s, until visit returns false.
// fields returns false if visit has returned false or if the message is malformed. A message that
// contains a group is treated as malformed, since TensorFlow's example reader accepts no groups.
func fields(s string, visit func(f wire.Field) bool) bool {
	return wire.Fields(s, wire.MaxDepth, visit)
}

// Locate finds features by their names, which are given in keys, in each serialized example. For
// key k and example e, let i = 2*(e*len(keys)+k). spans[i] is the position of the Feature message
// in serialized[e], or -1 if the example lacks the feature. spans[i+1] is the length of the
// message. If an example has several features with the same name, the last one is used. Locate
// returns InvalidArgument for bytes that are not an Example.
func Locate(run *mem.Budget, spans []int64, serialized, keys []string) error {
	return locateIn(run, spans, serialized, keys, 1)
}

// locateIn does the work of Locate and LocateLists. In each message, the fields with the number num
// hold a map. locateIn finds the values of the given keys in this map, and stores their positions
// and lengths in spans.
func locateIn(run *mem.Budget, spans []int64, serialized, keys []string, num int) error {
	call := run.Call()
	for e, s := range serialized {
		call.Work(entryWork + 2*len(keys))
		own := spans[2*e*len(keys) : 2*(e+1)*len(keys)]
		for i := range own {
			own[i] = -1
		}
		ok := fields(s, func(f wire.Field) bool {
			if f.Num() != num || f.Wire() != wire.Bytes {
				return true
			}
			return fields(f.Body, func(m wire.Field) bool {
				if m.Num() != 1 || m.Wire() != wire.Bytes {
					return true
				}
				call.Work(entryWork + 2*len(keys))
				return entry(m.Body, f.At+m.At, own, keys)
			})
		})
		if !ok {
			return tensor.Errorf(tensor.InvalidArgument, "Could not parse example input, value: %q", s[:min(len(s), 200)])
		}
	}
	return nil
}

// entryWork is the work counted for a map entry, in addition to the work for each key.
const entryWork = 64

// entry reads the map entry s of a message. The parameter at is the position of s in the message.
// If the key of the entry is keys[k], entry stores the position and the length of the value in
// own[2*k] and own[2*k+1].
func entry(s string, at int, own []int64, keys []string) bool {
	key, value := "", wire.Field{At: len(s)}
	ok := fields(s, func(f wire.Field) bool {
		if f.Wire() == wire.Bytes && f.Num() == 1 {
			key = f.Body
		}
		if f.Wire() == wire.Bytes && f.Num() == 2 {
			value = f
		}
		return true
	})
	for k, name := range keys {
		if ok && name == key {
			own[2*k], own[2*k+1] = int64(at+value.At), int64(len(value.Body))
		}
	}
	return ok
}

// kind returns the list that the Feature s holds and its kind: 1 bytes, 2 float, 3 int64, 0 none.
func kind(s string) (k int, list string, ok bool) {
	ok = fields(s, func(f wire.Field) bool {
		if f.Wire() == wire.Bytes && f.Num() >= 1 && f.Num() <= 3 {
			k, list = f.Num(), f.Body
		}
		return true
	})
	return k, list, ok
}

// value lists the types of the values in a Feature's list.
type value interface{ float32 | int64 | string }

// kindOf returns the field number of T's list in a Feature.
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

// values calls yield with every element of a list. It returns false for a malformed list.
func values[T value](list string, yield func(T)) bool {
	switch y := any(yield).(type) {
	case func(string):
		return fields(list, func(f wire.Field) bool {
			if f.Num() == 1 && f.Wire() == wire.Bytes {
				y(f.Body)
			}
			return true
		})
	case func(float32):
		return fields(list, func(f wire.Field) bool {
			if f.Num() != 1 || f.Wire() != wire.Bytes && f.Wire() != wire.Fixed4 {
				return true
			}
			if len(f.Body)%4 != 0 {
				return false
			}
			for i := 0; i < len(f.Body); i += 4 {
				y(math.Float32frombits(wire.Uint32(f.Body, i)))
			}
			return true
		})
	case func(int64):
		return fields(list, func(f wire.Field) bool {
			if f.Num() != 1 || f.Wire() != wire.Bytes && f.Wire() != wire.Varint {
				return true
			}
			for i := 0; i < len(f.Body); {
				v, at := wire.Uvarint(f.Body, i)
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
