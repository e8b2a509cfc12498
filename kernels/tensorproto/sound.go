package tensorproto

import (
	"unicode/utf8"

	"github.com/graphc/graphc/kernels/internal/wire"
)

// fixedSize returns how many bytes a number takes in the field num of a TensorProto. It returns 0
// if the field does not hold numbers of a fixed size.
func fixedSize(num int) int {
	switch num {
	case numFloat, numComplex:
		return 4
	case numDouble, numComplex2:
		return 8
	}
	return 0
}

// sound reports whether s, with all messages in it, is a valid TensorProto. It calls
// visit for every field.
func sound(s string, depth int, visit func(f wire.Field) bool) bool {
	return wire.Fields(s, depth, func(f wire.Field) bool {
		if f.Wire() == wire.Bytes {
			ok := true
			switch f.Num() {
			case numShape:
				ok = dims(f.Body, depth+1, func(int) {})
			case numFloat, numDouble, numComplex, numComplex2:
				ok = len(f.Body)%fixedSize(f.Num()) == 0
			case numInt, numInt64, numBool, numHalf, numUint32, numUint64:
				ok = wire.Numbers(f.Body, wire.Varint, func(uint64) {})
			case numHandle:
				ok = handle(f.Body, depth+1)
			case numVariant:
				ok = variant(f.Body, depth+1)
			}
			if !ok {
				return false
			}
		}
		return visit(f)
	})
}

// dims calls yield with the dimensions of a TensorShapeProto. It reports false for a
// malformed one.
func dims(s string, depth int, yield func(n int)) bool {
	return wire.Fields(s, depth, func(f wire.Field) bool {
		if f.Num() != numDim || f.Wire() != wire.Bytes {
			return true
		}
		n := 0
		ok := wire.Fields(f.Body, depth+1, func(f wire.Field) bool {
			if f.Num() == numSize && f.Wire() == wire.Varint {
				n = int(f.Number())
			}
			return f.Num() != numName || text(f)
		})
		yield(n)
		return ok
	})
}

// text returns false if field f has the wire type of a string but is not UTF-8.
func text(f wire.Field) bool { return f.Wire() != wire.Bytes || utf8.ValidString(f.Body) }

// handle reports whether s is a ResourceHandleProto: device, container, name, a hash
// code, the name of a type, and types with shapes.
func handle(s string, depth int) bool {
	return wire.Fields(s, depth, func(f wire.Field) bool {
		switch f.Num() {
		case 1, 2, 3, 5:
			return text(f)
		case 6:
			return f.Wire() != wire.Bytes || wire.Fields(f.Body, depth+1, func(f wire.Field) bool {
				return f.Num() != numShape || f.Wire() != wire.Bytes || dims(f.Body, depth+2, func(int) {})
			})
		}
		return true
	})
}

// variant reports whether s is a VariantTensorDataProto: the name of a type, bytes, and tensors.
func variant(s string, depth int) bool {
	return wire.Fields(s, depth, func(f wire.Field) bool {
		switch {
		case f.Num() == 1:
			return text(f)
		case f.Num() == 3 && f.Wire() == wire.Bytes:
			return sound(f.Body, depth+1, func(wire.Field) bool { return true })
		}
		return true
	})
}
