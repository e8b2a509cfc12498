// Package cast converts between element types as TensorFlow's Cast does on x86: integers
// wrap around, floats truncate toward zero to integers, complex numbers lose their
// imaginary part, and any number but 0 is true.
//
// A kernel is named after its types, the source's first. dst has the source's length. If the two
// types are the same, dst may be the source itself. Otherwise the two must not overlap. The
// generated kernels call the loops of this file.
package cast

//go:generate go run -C ../_gen ./cast -kernels ../cast -ops ../../ops/bytype

import "math"

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type float interface{ float32 | float64 }

type realT interface{ integer | float }

// convert converts numbers as Go does: integers wrap around, and rounding to a float is half to even.
func convert[D, S realT](dst []D, src []S) {
	src = src[:len(dst)]
	for i, x := range src {
		dst[i] = D(x)
	}
}

// truncate converts floats to int32, and then to integers of up to 32 bits. NaN and numbers that
// int32 cannot hold become the least int32.
func truncate[D int8 | int16 | int32 | uint8 | uint16, S float](dst []D, src []S) {
	src = src[:len(dst)]
	for i, x := range src {
		v := int32(math.MinInt32)
		if x < 1<<31 && float64(x) > -1<<31-1 {
			v = int32(x)
		}
		dst[i] = D(v)
	}
}

// truncate64 converts floats to int64, and then to integers of type D. NaN and numbers that int64
// cannot hold become the least int64.
func truncate64[D int64 | uint32, S float](dst []D, src []S) {
	src = src[:len(dst)]
	for i, x := range src {
		v := int64(math.MinInt64)
		if x < 1<<63 && x >= -1<<63 {
			v = int64(x)
		}
		dst[i] = D(v)
	}
}

// truncateU64 converts floats to uint64. Negative numbers wrap around. NaN and numbers out
// of range become 2⁶³.
func truncateU64[S float](dst []uint64, src []S) {
	src = src[:len(dst)]
	for i, x := range src {
		switch {
		case x >= 1<<64 || x != x || x < -1<<63:
			dst[i] = 1 << 63
		case x >= 1<<63:
			dst[i] = uint64(int64(x-1<<63)) + 1<<63
		default:
			dst[i] = uint64(int64(x))
		}
	}
}

// nonZero converts numbers to bools; NaN is true.
func nonZero[S realT](dst []bool, src []S) {
	src = src[:len(dst)]
	for i, x := range src {
		dst[i] = x != 0
	}
}

// fromBool converts to 0 and 1.
func fromBool[D realT](dst []D, src []bool) {
	src = src[:len(dst)]
	for i, x := range src {
		var v D
		if x {
			v = 1
		}
		dst[i] = v
	}
}

// toC64 converts real numbers to complex ones.
func toC64[S realT](dst []complex64, src []S) {
	src = src[:len(dst)]
	for i, x := range src {
		dst[i] = complex(float32(x), 0)
	}
}

// toC128 converts real numbers to complex ones.
func toC128[S realT](dst []complex128, src []S) {
	src = src[:len(dst)]
	for i, x := range src {
		dst[i] = complex(float64(x), 0)
	}
}

// chop64 clears all mantissa bits of x except the first keep bits, where keep is the length of the
// destination's mantissa. Converting the result to the destination's type never rounds away from
// zero, except for denormals.
func chop64(x float64, keep uint) float64 {
	return math.Float64frombits(math.Float64bits(x) >> (52 - keep) << (52 - keep))
}

// chop32 is chop64 for float32.
func chop32(x float32, keep uint) float32 {
	return math.Float32frombits(math.Float32bits(x) >> (23 - keep) << (23 - keep))
}

// The lengths of mantissas.
const (
	mantissa32  = 23
	mantissa16  = 10
	mantissaB16 = 7
)

// chopRow64 sets dst to the results of chop64 for src, converted to float32.
func chopRow64(dst []float32, src []float64, keep uint) {
	src = src[:len(dst)]
	for i, x := range src {
		dst[i] = float32(chop64(x, keep))
	}
}

// chopRow32 sets dst to the results of chop32 for src.
func chopRow32(dst, src []float32, keep uint) {
	src = src[:len(dst)]
	for i, x := range src {
		dst[i] = chop32(x, keep)
	}
}
