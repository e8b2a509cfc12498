package count

import "github.com/graphc/graphc/rt/tensor"

// The kernels below set dst to the counts, or sums of weights, of src's values by
// row; see Bins. weights has src's length or none. A negative value is
// InvalidArgument.

// F16I32 counts in tensor.F16 the values of an int32 tensor.
func F16I32(dst []tensor.F16, src []int32, weights []tensor.F16, p Bins) error {
	return half(dst, src, weights, p, getF16, tensor.ToF16)
}

// F16I64 counts in tensor.F16 the values of an int64 tensor.
func F16I64(dst []tensor.F16, src []int64, weights []tensor.F16, p Bins) error {
	return half(dst, src, weights, p, getF16, tensor.ToF16)
}

// BF16I32 counts in tensor.BF16 the values of an int32 tensor.
func BF16I32(dst []tensor.BF16, src []int32, weights []tensor.BF16, p Bins) error {
	return half(dst, src, weights, p, getBF16, tensor.ToBF16)
}

// BF16I64 counts in tensor.BF16 the values of an int64 tensor.
func BF16I64(dst []tensor.BF16, src []int64, weights []tensor.BF16, p Bins) error {
	return half(dst, src, weights, p, getBF16, tensor.ToBF16)
}

// F32I32 counts in float32 the values of an int32 tensor.
func F32I32(dst []float32, src []int32, weights []float32, p Bins) error {
	return count(dst, src, weights, p)
}

// F32I64 counts in float32 the values of an int64 tensor.
func F32I64(dst []float32, src []int64, weights []float32, p Bins) error {
	return count(dst, src, weights, p)
}

// F64I32 counts in float64 the values of an int32 tensor.
func F64I32(dst []float64, src []int32, weights []float64, p Bins) error {
	return count(dst, src, weights, p)
}

// F64I64 counts in float64 the values of an int64 tensor.
func F64I64(dst []float64, src []int64, weights []float64, p Bins) error {
	return count(dst, src, weights, p)
}

// I8I32 counts in int8 the values of an int32 tensor.
func I8I32(dst []int8, src []int32, weights []int8, p Bins) error {
	return count(dst, src, weights, p)
}

// I8I64 counts in int8 the values of an int64 tensor.
func I8I64(dst []int8, src []int64, weights []int8, p Bins) error {
	return count(dst, src, weights, p)
}

// I16I32 counts in int16 the values of an int32 tensor.
func I16I32(dst []int16, src []int32, weights []int16, p Bins) error {
	return count(dst, src, weights, p)
}

// I16I64 counts in int16 the values of an int64 tensor.
func I16I64(dst []int16, src []int64, weights []int16, p Bins) error {
	return count(dst, src, weights, p)
}

// I32I32 counts in int32 the values of an int32 tensor.
func I32I32(dst []int32, src []int32, weights []int32, p Bins) error {
	return count(dst, src, weights, p)
}

// I32I64 counts in int32 the values of an int64 tensor.
func I32I64(dst []int32, src []int64, weights []int32, p Bins) error {
	return count(dst, src, weights, p)
}

// I64I32 counts in int64 the values of an int32 tensor.
func I64I32(dst []int64, src []int32, weights []int64, p Bins) error {
	return count(dst, src, weights, p)
}

// I64I64 counts in int64 the values of an int64 tensor.
func I64I64(dst []int64, src []int64, weights []int64, p Bins) error {
	return count(dst, src, weights, p)
}

// U8I32 counts in uint8 the values of an int32 tensor.
func U8I32(dst []uint8, src []int32, weights []uint8, p Bins) error {
	return count(dst, src, weights, p)
}

// U8I64 counts in uint8 the values of an int64 tensor.
func U8I64(dst []uint8, src []int64, weights []uint8, p Bins) error {
	return count(dst, src, weights, p)
}

// U16I32 counts in uint16 the values of an int32 tensor.
func U16I32(dst []uint16, src []int32, weights []uint16, p Bins) error {
	return count(dst, src, weights, p)
}

// U16I64 counts in uint16 the values of an int64 tensor.
func U16I64(dst []uint16, src []int64, weights []uint16, p Bins) error {
	return count(dst, src, weights, p)
}

// U32I32 counts in uint32 the values of an int32 tensor.
func U32I32(dst []uint32, src []int32, weights []uint32, p Bins) error {
	return count(dst, src, weights, p)
}

// U32I64 counts in uint32 the values of an int64 tensor.
func U32I64(dst []uint32, src []int64, weights []uint32, p Bins) error {
	return count(dst, src, weights, p)
}

// U64I32 counts in uint64 the values of an int32 tensor.
func U64I32(dst []uint64, src []int32, weights []uint64, p Bins) error {
	return count(dst, src, weights, p)
}

// U64I64 counts in uint64 the values of an int64 tensor.
func U64I64(dst []uint64, src []int64, weights []uint64, p Bins) error {
	return count(dst, src, weights, p)
}

// C64I32 counts in complex64 the values of an int32 tensor.
func C64I32(dst []complex64, src []int32, weights []complex64, p Bins) error {
	return count(dst, src, weights, p)
}

// C64I64 counts in complex64 the values of an int64 tensor.
func C64I64(dst []complex64, src []int64, weights []complex64, p Bins) error {
	return count(dst, src, weights, p)
}

// C128I32 counts in complex128 the values of an int32 tensor.
func C128I32(dst []complex128, src []int32, weights []complex128, p Bins) error {
	return count(dst, src, weights, p)
}

// C128I64 counts in complex128 the values of an int64 tensor.
func C128I64(dst []complex128, src []int64, weights []complex128, p Bins) error {
	return count(dst, src, weights, p)
}
