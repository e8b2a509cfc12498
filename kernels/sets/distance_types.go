package sets

import "github.com/graphc/graphc/rt/tensor"

// The kernels below write the edit distance between the values of each group of the
// hypothesis h and of the truth t, sparse tensors that DistanceCheck has checked, whose groups
// are in order; 0 where both have none. A group without a truth is as far as it is
// long, or infinitely far where that is normalized. scratch has an element more than tv. Internal for a
// group outside of the output.

// DistanceF32 compares float32.
func DistanceF32(dst []float32, hi []int64, hv []float32, hs, ti []int64, tv []float32, ts []int64, scratch []int32, p DistanceParams) error {
	return distances(dst, hi, hv, hs, ti, tv, ts, scratch, p, equal[float32])
}

// DistanceF64 compares float64.
func DistanceF64(dst []float32, hi []int64, hv []float64, hs, ti []int64, tv []float64, ts []int64, scratch []int32, p DistanceParams) error {
	return distances(dst, hi, hv, hs, ti, tv, ts, scratch, p, equal[float64])
}

// DistanceF16 compares tensor.F16.
func DistanceF16(dst []float32, hi []int64, hv []tensor.F16, hs, ti []int64, tv []tensor.F16, ts []int64, scratch []int32, p DistanceParams) error {
	return distances(dst, hi, hv, hs, ti, tv, ts, scratch, p, equalF16)
}

// DistanceBF16 compares tensor.BF16.
func DistanceBF16(dst []float32, hi []int64, hv []tensor.BF16, hs, ti []int64, tv []tensor.BF16, ts []int64, scratch []int32, p DistanceParams) error {
	return distances(dst, hi, hv, hs, ti, tv, ts, scratch, p, equalBF16)
}

// DistanceC64 compares complex64.
func DistanceC64(dst []float32, hi []int64, hv []complex64, hs, ti []int64, tv []complex64, ts []int64, scratch []int32, p DistanceParams) error {
	return distances(dst, hi, hv, hs, ti, tv, ts, scratch, p, equal[complex64])
}

// DistanceC128 compares complex128.
func DistanceC128(dst []float32, hi []int64, hv []complex128, hs, ti []int64, tv []complex128, ts []int64, scratch []int32, p DistanceParams) error {
	return distances(dst, hi, hv, hs, ti, tv, ts, scratch, p, equal[complex128])
}

// DistanceI8 compares int8.
func DistanceI8(dst []float32, hi []int64, hv []int8, hs, ti []int64, tv []int8, ts []int64, scratch []int32, p DistanceParams) error {
	return distances(dst, hi, hv, hs, ti, tv, ts, scratch, p, equal[int8])
}

// DistanceI16 compares int16.
func DistanceI16(dst []float32, hi []int64, hv []int16, hs, ti []int64, tv []int16, ts []int64, scratch []int32, p DistanceParams) error {
	return distances(dst, hi, hv, hs, ti, tv, ts, scratch, p, equal[int16])
}

// DistanceI32 compares int32.
func DistanceI32(dst []float32, hi []int64, hv []int32, hs, ti []int64, tv []int32, ts []int64, scratch []int32, p DistanceParams) error {
	return distances(dst, hi, hv, hs, ti, tv, ts, scratch, p, equal[int32])
}

// DistanceI64 compares int64.
func DistanceI64(dst []float32, hi []int64, hv []int64, hs, ti []int64, tv []int64, ts []int64, scratch []int32, p DistanceParams) error {
	return distances(dst, hi, hv, hs, ti, tv, ts, scratch, p, equal[int64])
}

// DistanceU8 compares uint8.
func DistanceU8(dst []float32, hi []int64, hv []uint8, hs, ti []int64, tv []uint8, ts []int64, scratch []int32, p DistanceParams) error {
	return distances(dst, hi, hv, hs, ti, tv, ts, scratch, p, equal[uint8])
}

// DistanceU16 compares uint16.
func DistanceU16(dst []float32, hi []int64, hv []uint16, hs, ti []int64, tv []uint16, ts []int64, scratch []int32, p DistanceParams) error {
	return distances(dst, hi, hv, hs, ti, tv, ts, scratch, p, equal[uint16])
}

// DistanceU32 compares uint32.
func DistanceU32(dst []float32, hi []int64, hv []uint32, hs, ti []int64, tv []uint32, ts []int64, scratch []int32, p DistanceParams) error {
	return distances(dst, hi, hv, hs, ti, tv, ts, scratch, p, equal[uint32])
}

// DistanceU64 compares uint64.
func DistanceU64(dst []float32, hi []int64, hv []uint64, hs, ti []int64, tv []uint64, ts []int64, scratch []int32, p DistanceParams) error {
	return distances(dst, hi, hv, hs, ti, tv, ts, scratch, p, equal[uint64])
}

// DistanceBool compares bool.
func DistanceBool(dst []float32, hi []int64, hv []bool, hs, ti []int64, tv []bool, ts []int64, scratch []int32, p DistanceParams) error {
	return distances(dst, hi, hv, hs, ti, tv, ts, scratch, p, equal[bool])
}

// DistanceStr compares string.
func DistanceStr(dst []float32, hi []int64, hv []string, hs, ti []int64, tv []string, ts []int64, scratch []int32, p DistanceParams) error {
	return distances(dst, hi, hv, hs, ti, tv, ts, scratch, p, equal[string])
}
