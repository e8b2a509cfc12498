package reduce

import "github.com/graphc/graphc/rt/device"

// ArgMaxF32 sets dst, int64, to the positions of the largest elements along the axis, the first
// where several are equal; NaN is passed over, and a row of nothing but -Inf and NaN gives 0,
// as in TensorFlow. Truth values are uint8.
func ArgMaxF32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxF32, dst, src, d, 8)
}

// ArgMaxF32To32 is ArgMaxF32 for float32 and positions in int32.
func ArgMaxF32To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxF32, dst, src, d, 4)
}

// ArgMaxF64 is ArgMaxF32 for float64.
func ArgMaxF64(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxF64, dst, src, d, 8)
}

// ArgMaxF64To32 is ArgMaxF32 for float64 and positions in int32.
func ArgMaxF64To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxF64, dst, src, d, 4)
}

// ArgMaxF16 is ArgMaxF32 for binary16.
func ArgMaxF16(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxF16, dst, src, d, 8)
}

// ArgMaxF16To32 is ArgMaxF32 for binary16 and positions in int32.
func ArgMaxF16To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxF16, dst, src, d, 4)
}

// ArgMaxBF16 is ArgMaxF32 for bfloat16.
func ArgMaxBF16(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxBF16, dst, src, d, 8)
}

// ArgMaxBF16To32 is ArgMaxF32 for bfloat16 and positions in int32.
func ArgMaxBF16To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxBF16, dst, src, d, 4)
}

// ArgMaxI8 is ArgMaxF32 for int8.
func ArgMaxI8(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxI8, dst, src, d, 8)
}

// ArgMaxI8To32 is ArgMaxF32 for int8 and positions in int32.
func ArgMaxI8To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxI8, dst, src, d, 4)
}

// ArgMaxU8 is ArgMaxF32 for uint8.
func ArgMaxU8(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxU8, dst, src, d, 8)
}

// ArgMaxU8To32 is ArgMaxF32 for uint8 and positions in int32.
func ArgMaxU8To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxU8, dst, src, d, 4)
}

// ArgMaxI16 is ArgMaxF32 for int16.
func ArgMaxI16(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxI16, dst, src, d, 8)
}

// ArgMaxI16To32 is ArgMaxF32 for int16 and positions in int32.
func ArgMaxI16To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxI16, dst, src, d, 4)
}

// ArgMaxU16 is ArgMaxF32 for uint16.
func ArgMaxU16(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxU16, dst, src, d, 8)
}

// ArgMaxU16To32 is ArgMaxF32 for uint16 and positions in int32.
func ArgMaxU16To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxU16, dst, src, d, 4)
}

// ArgMaxI32 is ArgMaxF32 for int32.
func ArgMaxI32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxI32, dst, src, d, 8)
}

// ArgMaxI32To32 is ArgMaxF32 for int32 and positions in int32.
func ArgMaxI32To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxI32, dst, src, d, 4)
}

// ArgMaxU32 is ArgMaxF32 for uint32.
func ArgMaxU32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxU32, dst, src, d, 8)
}

// ArgMaxU32To32 is ArgMaxF32 for uint32 and positions in int32.
func ArgMaxU32To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxU32, dst, src, d, 4)
}

// ArgMaxI64 is ArgMaxF32 for int64.
func ArgMaxI64(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxI64, dst, src, d, 8)
}

// ArgMaxI64To32 is ArgMaxF32 for int64 and positions in int32.
func ArgMaxI64To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxI64, dst, src, d, 4)
}

// ArgMaxU64 is ArgMaxF32 for uint64.
func ArgMaxU64(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxU64, dst, src, d, 8)
}

// ArgMaxU64To32 is ArgMaxF32 for uint64 and positions in int32.
func ArgMaxU64To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxU64, dst, src, d, 4)
}

// ArgMinF32 sets dst, int64, to the positions of the smallest elements along the axis, the first
// where several are equal; NaN is passed over, and a row of nothing but Inf and NaN gives 0,
// as in TensorFlow. Truth values are uint8.
func ArgMinF32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminF32, dst, src, d, 8)
}

// ArgMinF32To32 is ArgMinF32 for float32 and positions in int32.
func ArgMinF32To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminF32, dst, src, d, 4)
}

// ArgMinF64 is ArgMinF32 for float64.
func ArgMinF64(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminF64, dst, src, d, 8)
}

// ArgMinF64To32 is ArgMinF32 for float64 and positions in int32.
func ArgMinF64To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminF64, dst, src, d, 4)
}

// ArgMinF16 is ArgMinF32 for binary16.
func ArgMinF16(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminF16, dst, src, d, 8)
}

// ArgMinF16To32 is ArgMinF32 for binary16 and positions in int32.
func ArgMinF16To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminF16, dst, src, d, 4)
}

// ArgMinBF16 is ArgMinF32 for bfloat16.
func ArgMinBF16(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminBF16, dst, src, d, 8)
}

// ArgMinBF16To32 is ArgMinF32 for bfloat16 and positions in int32.
func ArgMinBF16To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminBF16, dst, src, d, 4)
}

// ArgMinI8 is ArgMinF32 for int8.
func ArgMinI8(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminI8, dst, src, d, 8)
}

// ArgMinI8To32 is ArgMinF32 for int8 and positions in int32.
func ArgMinI8To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminI8, dst, src, d, 4)
}

// ArgMinU8 is ArgMinF32 for uint8.
func ArgMinU8(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminU8, dst, src, d, 8)
}

// ArgMinU8To32 is ArgMinF32 for uint8 and positions in int32.
func ArgMinU8To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminU8, dst, src, d, 4)
}

// ArgMinI16 is ArgMinF32 for int16.
func ArgMinI16(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminI16, dst, src, d, 8)
}

// ArgMinI16To32 is ArgMinF32 for int16 and positions in int32.
func ArgMinI16To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminI16, dst, src, d, 4)
}

// ArgMinU16 is ArgMinF32 for uint16.
func ArgMinU16(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminU16, dst, src, d, 8)
}

// ArgMinU16To32 is ArgMinF32 for uint16 and positions in int32.
func ArgMinU16To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminU16, dst, src, d, 4)
}

// ArgMinI32 is ArgMinF32 for int32.
func ArgMinI32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminI32, dst, src, d, 8)
}

// ArgMinI32To32 is ArgMinF32 for int32 and positions in int32.
func ArgMinI32To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminI32, dst, src, d, 4)
}

// ArgMinU32 is ArgMinF32 for uint32.
func ArgMinU32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminU32, dst, src, d, 8)
}

// ArgMinU32To32 is ArgMinF32 for uint32 and positions in int32.
func ArgMinU32To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminU32, dst, src, d, 4)
}

// ArgMinI64 is ArgMinF32 for int64.
func ArgMinI64(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminI64, dst, src, d, 8)
}

// ArgMinI64To32 is ArgMinF32 for int64 and positions in int32.
func ArgMinI64To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminI64, dst, src, d, 4)
}

// ArgMinU64 is ArgMinF32 for uint64.
func ArgMinU64(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminU64, dst, src, d, 8)
}

// ArgMinU64To32 is ArgMinF32 for uint64 and positions in int32.
func ArgMinU64To32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminU64, dst, src, d, 4)
}

// ArgMaxBool is ArgMaxF32 for truth values.
func ArgMaxBool(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxU8, dst, src, d, 8)
}

// ArgMaxBoolTo32 is ArgMaxF32 for truth values and positions in int32.
func ArgMaxBoolTo32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argmaxU8, dst, src, d, 4)
}

// ArgMinBool is ArgMinF32 for truth values.
func ArgMinBool(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminU8, dst, src, d, 8)
}

// ArgMinBoolTo32 is ArgMinF32 for truth values and positions in int32.
func ArgMinBoolTo32(q *device.Queue, dst, src device.Ptr, d Dims) {
	find(q, &argminU8, dst, src, d, 4)
}
