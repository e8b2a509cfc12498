// Package order selects by size on a GPU.
package order

import "github.com/graphc/graphc/rt/device"

// TopParams describes rows of N elements of which K, at most N, are selected.
type TopParams struct{ Rows, N, K int }

// top chooses a kernel: for one element of each row a search; for few of long rows a search
// for each, where there is one for the type; otherwise each element is ranked.
func top(q *device.Queue, rank, choose, best *device.Kernel, values, places, src device.Ptr, index int, p TopParams) {
	if p.Rows == 0 || p.K == 0 {
		return
	}
	switch {
	case p.K == 1 && best != nil:
		q.Launch(best, device.Line(p.Rows), device.Line(256), 0, uint64(values), uint64(places), uint64(src), uint64(p.N), uint64(index))
	case choose != nil && p.K*min(p.Rows, 4*q.Processors())*4 < p.N:
		q.Launch(choose, device.Line(p.Rows), device.Line(512), 0, uint64(values), uint64(places), uint64(src), uint64(p.N), uint64(p.K), uint64(index))
	default:
		q.Launch(rank, device.Line(p.Rows*((p.N+255)/256)), device.Line(256), 0, uint64(values), uint64(places), uint64(src), uint64(p.N), uint64(p.K), uint64(index))
	}
}

// TopKF32I16 is TopKF32I32 for float32 and places of int16.
func TopKF32I16(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankF32, &chooseF32, &bestF32, values, places, src, 2, p)
}

// TopKF32I32 sets values[Rows, K] to the largest elements of each row of src, the first where
// several are equal, and places, int32, to where they stand. NaN comes first, but for a K of 1, where
// it comes last.
func TopKF32I32(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankF32, &chooseF32, &bestF32, values, places, src, 4, p)
}

// TopKF32I64 is TopKF32I32 for float32 and places of int64.
func TopKF32I64(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankF32, &chooseF32, &bestF32, values, places, src, 8, p)
}

// TopKF64I16 is TopKF32I32 for float64 and places of int16.
func TopKF64I16(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankF64, &chooseF64, &bestF64, values, places, src, 2, p)
}

// TopKF64I32 is TopKF32I32 for float64.
func TopKF64I32(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankF64, &chooseF64, &bestF64, values, places, src, 4, p)
}

// TopKF64I64 is TopKF32I32 for float64 and places of int64.
func TopKF64I64(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankF64, &chooseF64, &bestF64, values, places, src, 8, p)
}

// TopKF16I16 is TopKF32I32 for binary16 and places of int16.
func TopKF16I16(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankF16, &chooseF16, &bestF16, values, places, src, 2, p)
}

// TopKF16I32 is TopKF32I32 for binary16.
func TopKF16I32(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankF16, &chooseF16, &bestF16, values, places, src, 4, p)
}

// TopKF16I64 is TopKF32I32 for binary16 and places of int64.
func TopKF16I64(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankF16, &chooseF16, &bestF16, values, places, src, 8, p)
}

// TopKBF16I16 is TopKF32I32 for bfloat16 and places of int16.
func TopKBF16I16(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankBF16, &chooseBF16, &bestBF16, values, places, src, 2, p)
}

// TopKBF16I32 is TopKF32I32 for bfloat16.
func TopKBF16I32(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankBF16, &chooseBF16, &bestBF16, values, places, src, 4, p)
}

// TopKBF16I64 is TopKF32I32 for bfloat16 and places of int64.
func TopKBF16I64(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankBF16, &chooseBF16, &bestBF16, values, places, src, 8, p)
}

// TopKI32I16 is TopKF32I32 for int32 and places of int16.
func TopKI32I16(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankI32, &chooseI32, &bestI32, values, places, src, 2, p)
}

// TopKI32I32 is TopKF32I32 for int32.
func TopKI32I32(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankI32, &chooseI32, &bestI32, values, places, src, 4, p)
}

// TopKI32I64 is TopKF32I32 for int32 and places of int64.
func TopKI32I64(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankI32, &chooseI32, &bestI32, values, places, src, 8, p)
}

// TopKI64I16 is TopKF32I32 for int64 and places of int16.
func TopKI64I16(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankI64, &chooseI64, &bestI64, values, places, src, 2, p)
}

// TopKI64I32 is TopKF32I32 for int64.
func TopKI64I32(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankI64, &chooseI64, &bestI64, values, places, src, 4, p)
}

// TopKI64I64 is TopKF32I32 for int64 and places of int64.
func TopKI64I64(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankI64, &chooseI64, &bestI64, values, places, src, 8, p)
}

// TopKI8I16 is TopKF32I32 for int8 and places of int16.
func TopKI8I16(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankI8, nil, nil, values, places, src, 2, p)
}

// TopKI8I32 is TopKF32I32 for int8.
func TopKI8I32(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankI8, nil, nil, values, places, src, 4, p)
}

// TopKI8I64 is TopKF32I32 for int8 and places of int64.
func TopKI8I64(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankI8, nil, nil, values, places, src, 8, p)
}

// TopKU8I16 is TopKF32I32 for uint8 and places of int16.
func TopKU8I16(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankU8, nil, nil, values, places, src, 2, p)
}

// TopKU8I32 is TopKF32I32 for uint8.
func TopKU8I32(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankU8, nil, nil, values, places, src, 4, p)
}

// TopKU8I64 is TopKF32I32 for uint8 and places of int64.
func TopKU8I64(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankU8, nil, nil, values, places, src, 8, p)
}

// TopKI16I16 is TopKF32I32 for int16 and places of int16.
func TopKI16I16(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankI16, nil, nil, values, places, src, 2, p)
}

// TopKI16I32 is TopKF32I32 for int16.
func TopKI16I32(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankI16, nil, nil, values, places, src, 4, p)
}

// TopKI16I64 is TopKF32I32 for int16 and places of int64.
func TopKI16I64(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankI16, nil, nil, values, places, src, 8, p)
}

// TopKU16I16 is TopKF32I32 for uint16 and places of int16.
func TopKU16I16(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankU16, nil, nil, values, places, src, 2, p)
}

// TopKU16I32 is TopKF32I32 for uint16.
func TopKU16I32(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankU16, nil, nil, values, places, src, 4, p)
}

// TopKU16I64 is TopKF32I32 for uint16 and places of int64.
func TopKU16I64(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankU16, nil, nil, values, places, src, 8, p)
}

// TopKU32I16 is TopKF32I32 for uint32 and places of int16.
func TopKU32I16(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankU32, nil, nil, values, places, src, 2, p)
}

// TopKU32I32 is TopKF32I32 for uint32.
func TopKU32I32(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankU32, nil, nil, values, places, src, 4, p)
}

// TopKU32I64 is TopKF32I32 for uint32 and places of int64.
func TopKU32I64(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankU32, nil, nil, values, places, src, 8, p)
}

// TopKU64I16 is TopKF32I32 for uint64 and places of int16.
func TopKU64I16(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankU64, nil, nil, values, places, src, 2, p)
}

// TopKU64I32 is TopKF32I32 for uint64.
func TopKU64I32(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankU64, nil, nil, values, places, src, 4, p)
}

// TopKU64I64 is TopKF32I32 for uint64 and places of int64.
func TopKU64I64(q *device.Queue, values, places, src device.Ptr, p TopParams) {
	top(q, &rankU64, nil, nil, values, places, src, 8, p)
}

// InTopKI32 sets dst[rows], truth values, to whether less than k of the classes of a row of
// predictions, float32, are above that of its target, int32. A target outside, and a
// number that is not finite, give false.
func InTopKI32(q *device.Queue, dst, predictions, targets device.Ptr, rows, classes, k int) {
	inTopK(q, dst, predictions, targets, 4, rows, classes, k)
}

// InTopKI64 is InTopKI32 for targets of int64.
func InTopKI64(q *device.Queue, dst, predictions, targets device.Ptr, rows, classes, k int) {
	inTopK(q, dst, predictions, targets, 8, rows, classes, k)
}

func inTopK(q *device.Queue, dst, predictions, targets device.Ptr, size, rows, classes, k int) {
	q.Launch(&inTop, device.Line((rows+7)/8), device.Dim{X: 32, Y: 8, Z: 1}, 0,
		uint64(dst), uint64(predictions), uint64(targets), uint64(rows), uint64(classes), uint64(k), uint64(size))
}
