package tensorproto

import "unicode/utf8"

// fixedSize is the number of bytes of a number in a repeated field of the
// TensorProto, 0 for a field of another kind.
func fixedSize(num int) int {
	switch num {
	case numFloat, numComplex:
		return 4
	case numDouble, numComplex2:
		return 8
	}
	return 0
}

// sound reports that s is a TensorProto, with all of the messages in it, and calls
// visit for every field.
func sound(s string, depth int, visit func(f *field) bool) bool {
	return fields(s, depth, func(f *field) bool {
		if f.wire == wireBytes {
			ok := true
			switch f.num {
			case numShape:
				ok = dims(f.body, depth+1, func(int) {})
			case numFloat, numDouble, numComplex, numComplex2:
				ok = len(f.body)%fixedSize(f.num) == 0
			case numInt, numInt64, numBool, numHalf, numUint32, numUint64:
				ok = f.varints(func(uint64) {})
			case numHandle:
				ok = handle(f.body, depth+1)
			case numVariant:
				ok = variant(f.body, depth+1)
			}
			if !ok {
				return false
			}
		}
		return visit(f)
	})
}

// dims calls yield with the dimensions of a TensorShapeProto; false for a malformed one.
func dims(s string, depth int, yield func(n int)) bool {
	return fields(s, depth, func(f *field) bool {
		if f.num != numDim || f.wire != wireBytes {
			return true
		}
		n := 0
		ok := fields(f.body, depth+1, func(f *field) bool {
			if f.num == numSize && f.wire == wireVarint {
				n = int(f.value)
			}
			return f.num != numName || f.text()
		})
		yield(n)
		return ok
	})
}

// text reports that a field, if it holds a string, holds UTF-8.
func (f *field) text() bool { return f.wire != wireBytes || utf8.ValidString(f.body) }

// handle reports that s is a ResourceHandleProto: device, container, name, a hash
// code, the name of a type, and types with shapes.
func handle(s string, depth int) bool {
	return fields(s, depth, func(f *field) bool {
		switch f.num {
		case 1, 2, 3, 5:
			return f.text()
		case 6:
			return f.wire != wireBytes || fields(f.body, depth+1, func(f *field) bool {
				return f.num != numShape || f.wire != wireBytes || dims(f.body, depth+2, func(int) {})
			})
		}
		return true
	})
}

// variant reports that s is a VariantTensorDataProto: the name of a type, bytes, and tensors.
func variant(s string, depth int) bool {
	return fields(s, depth, func(f *field) bool {
		switch {
		case f.num == 1:
			return f.text()
		case f.num == 3 && f.wire == wireBytes:
			return sound(f.body, depth+1, func(*field) bool { return true })
		}
		return true
	})
}
