package order

import "github.com/graphc/graphc/rt/device"

// SearchParams describes a search for Values numbers in each of Rows sorted rows of N.
type SearchParams struct{ Rows, N, Values int }

// each launches a thread for each of n results.
func each(q *device.Queue, k *device.Kernel, n int, args ...uint64) {
	q.Launch(k, device.Line(device.Blocks(n, 256, 32*q.Processors())), device.Line(256), 0, args...)
}

func search(q *device.Queue, k *device.Kernel, dst, sorted, values device.Ptr, size int, p SearchParams) {
	n := p.Rows * p.Values
	each(q, k, n, uint64(dst), uint64(sorted), uint64(values), uint64(n), uint64(p.N), uint64(p.Values), uint64(size))
}

// LowerBoundF32I32 sets dst[Rows, Values], int32, to how many of the sorted[Rows, N] of its row are
// below each of values.
func LowerBoundF32I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerF32, dst, sorted, values, 4, p)
}

// LowerBoundF32I64 is LowerBoundF32I32 for float32 and results of int64.
func LowerBoundF32I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerF32, dst, sorted, values, 8, p)
}

// LowerBoundF64I32 is LowerBoundF32I32 for float64.
func LowerBoundF64I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerF64, dst, sorted, values, 4, p)
}

// LowerBoundF64I64 is LowerBoundF32I32 for float64 and results of int64.
func LowerBoundF64I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerF64, dst, sorted, values, 8, p)
}

// LowerBoundF16I32 is LowerBoundF32I32 for binary16.
func LowerBoundF16I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerF16, dst, sorted, values, 4, p)
}

// LowerBoundF16I64 is LowerBoundF32I32 for binary16 and results of int64.
func LowerBoundF16I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerF16, dst, sorted, values, 8, p)
}

// LowerBoundBF16I32 is LowerBoundF32I32 for bfloat16.
func LowerBoundBF16I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerBF16, dst, sorted, values, 4, p)
}

// LowerBoundBF16I64 is LowerBoundF32I32 for bfloat16 and results of int64.
func LowerBoundBF16I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerBF16, dst, sorted, values, 8, p)
}

// LowerBoundI8I32 is LowerBoundF32I32 for int8.
func LowerBoundI8I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerI8, dst, sorted, values, 4, p)
}

// LowerBoundI8I64 is LowerBoundF32I32 for int8 and results of int64.
func LowerBoundI8I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerI8, dst, sorted, values, 8, p)
}

// LowerBoundU8I32 is LowerBoundF32I32 for uint8.
func LowerBoundU8I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerU8, dst, sorted, values, 4, p)
}

// LowerBoundU8I64 is LowerBoundF32I32 for uint8 and results of int64.
func LowerBoundU8I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerU8, dst, sorted, values, 8, p)
}

// LowerBoundI16I32 is LowerBoundF32I32 for int16.
func LowerBoundI16I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerI16, dst, sorted, values, 4, p)
}

// LowerBoundI16I64 is LowerBoundF32I32 for int16 and results of int64.
func LowerBoundI16I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerI16, dst, sorted, values, 8, p)
}

// LowerBoundU16I32 is LowerBoundF32I32 for uint16.
func LowerBoundU16I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerU16, dst, sorted, values, 4, p)
}

// LowerBoundU16I64 is LowerBoundF32I32 for uint16 and results of int64.
func LowerBoundU16I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerU16, dst, sorted, values, 8, p)
}

// LowerBoundI32I32 is LowerBoundF32I32 for int32.
func LowerBoundI32I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerI32, dst, sorted, values, 4, p)
}

// LowerBoundI32I64 is LowerBoundF32I32 for int32 and results of int64.
func LowerBoundI32I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerI32, dst, sorted, values, 8, p)
}

// LowerBoundU32I32 is LowerBoundF32I32 for uint32.
func LowerBoundU32I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerU32, dst, sorted, values, 4, p)
}

// LowerBoundU32I64 is LowerBoundF32I32 for uint32 and results of int64.
func LowerBoundU32I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerU32, dst, sorted, values, 8, p)
}

// LowerBoundI64I32 is LowerBoundF32I32 for int64.
func LowerBoundI64I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerI64, dst, sorted, values, 4, p)
}

// LowerBoundI64I64 is LowerBoundF32I32 for int64 and results of int64.
func LowerBoundI64I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerI64, dst, sorted, values, 8, p)
}

// LowerBoundU64I32 is LowerBoundF32I32 for uint64.
func LowerBoundU64I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerU64, dst, sorted, values, 4, p)
}

// LowerBoundU64I64 is LowerBoundF32I32 for uint64 and results of int64.
func LowerBoundU64I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &lowerU64, dst, sorted, values, 8, p)
}

// UpperBoundF32I32 sets dst[Rows, Values], int32, to how many of the sorted[Rows, N] of its row are
// not above each of values.
func UpperBoundF32I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperF32, dst, sorted, values, 4, p)
}

// UpperBoundF32I64 is UpperBoundF32I32 for float32 and results of int64.
func UpperBoundF32I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperF32, dst, sorted, values, 8, p)
}

// UpperBoundF64I32 is UpperBoundF32I32 for float64.
func UpperBoundF64I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperF64, dst, sorted, values, 4, p)
}

// UpperBoundF64I64 is UpperBoundF32I32 for float64 and results of int64.
func UpperBoundF64I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperF64, dst, sorted, values, 8, p)
}

// UpperBoundF16I32 is UpperBoundF32I32 for binary16.
func UpperBoundF16I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperF16, dst, sorted, values, 4, p)
}

// UpperBoundF16I64 is UpperBoundF32I32 for binary16 and results of int64.
func UpperBoundF16I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperF16, dst, sorted, values, 8, p)
}

// UpperBoundBF16I32 is UpperBoundF32I32 for bfloat16.
func UpperBoundBF16I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperBF16, dst, sorted, values, 4, p)
}

// UpperBoundBF16I64 is UpperBoundF32I32 for bfloat16 and results of int64.
func UpperBoundBF16I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperBF16, dst, sorted, values, 8, p)
}

// UpperBoundI8I32 is UpperBoundF32I32 for int8.
func UpperBoundI8I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperI8, dst, sorted, values, 4, p)
}

// UpperBoundI8I64 is UpperBoundF32I32 for int8 and results of int64.
func UpperBoundI8I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperI8, dst, sorted, values, 8, p)
}

// UpperBoundU8I32 is UpperBoundF32I32 for uint8.
func UpperBoundU8I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperU8, dst, sorted, values, 4, p)
}

// UpperBoundU8I64 is UpperBoundF32I32 for uint8 and results of int64.
func UpperBoundU8I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperU8, dst, sorted, values, 8, p)
}

// UpperBoundI16I32 is UpperBoundF32I32 for int16.
func UpperBoundI16I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperI16, dst, sorted, values, 4, p)
}

// UpperBoundI16I64 is UpperBoundF32I32 for int16 and results of int64.
func UpperBoundI16I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperI16, dst, sorted, values, 8, p)
}

// UpperBoundU16I32 is UpperBoundF32I32 for uint16.
func UpperBoundU16I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperU16, dst, sorted, values, 4, p)
}

// UpperBoundU16I64 is UpperBoundF32I32 for uint16 and results of int64.
func UpperBoundU16I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperU16, dst, sorted, values, 8, p)
}

// UpperBoundI32I32 is UpperBoundF32I32 for int32.
func UpperBoundI32I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperI32, dst, sorted, values, 4, p)
}

// UpperBoundI32I64 is UpperBoundF32I32 for int32 and results of int64.
func UpperBoundI32I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperI32, dst, sorted, values, 8, p)
}

// UpperBoundU32I32 is UpperBoundF32I32 for uint32.
func UpperBoundU32I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperU32, dst, sorted, values, 4, p)
}

// UpperBoundU32I64 is UpperBoundF32I32 for uint32 and results of int64.
func UpperBoundU32I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperU32, dst, sorted, values, 8, p)
}

// UpperBoundI64I32 is UpperBoundF32I32 for int64.
func UpperBoundI64I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperI64, dst, sorted, values, 4, p)
}

// UpperBoundI64I64 is UpperBoundF32I32 for int64 and results of int64.
func UpperBoundI64I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperI64, dst, sorted, values, 8, p)
}

// UpperBoundU64I32 is UpperBoundF32I32 for uint64.
func UpperBoundU64I32(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperU64, dst, sorted, values, 4, p)
}

// UpperBoundU64I64 is UpperBoundF32I32 for uint64 and results of int64.
func UpperBoundU64I64(q *device.Queue, dst, sorted, values device.Ptr, p SearchParams) {
	search(q, &upperU64, dst, sorted, values, 8, p)
}

// BucketF32 sets dst[count], int32, to how many of n rising edges, float32, are not above each of
// src: the bucket between edges it falls in. NaN falls in the last.
func BucketF32(q *device.Queue, dst, src, edges device.Ptr, count, n int) {
	each(q, &bucketF32, count, uint64(dst), uint64(src), uint64(edges), uint64(count), uint64(n))
}

// BucketF64 is BucketF32 for float64.
func BucketF64(q *device.Queue, dst, src, edges device.Ptr, count, n int) {
	each(q, &bucketF64, count, uint64(dst), uint64(src), uint64(edges), uint64(count), uint64(n))
}

// BucketI32 is BucketF32 for int32.
func BucketI32(q *device.Queue, dst, src, edges device.Ptr, count, n int) {
	each(q, &bucketI32, count, uint64(dst), uint64(src), uint64(edges), uint64(count), uint64(n))
}

// BucketI64 is BucketF32 for int64.
func BucketI64(q *device.Queue, dst, src, edges device.Ptr, count, n int) {
	each(q, &bucketI64, count, uint64(dst), uint64(src), uint64(edges), uint64(count), uint64(n))
}

// Bins says how values are counted: Rows of Cols values each, into Size bins a row. Binary
// marks bins instead of counting. Values outside are left out.
type Bins struct {
	Rows, Cols, Size int
	Binary           bool
}

func bins(q *device.Queue, k *device.Kernel, dst, src, weights device.Ptr, size, index int, p Bins) {
	q.Fill(dst, size*p.Rows*p.Size, 0)
	binary, n := uint64(0), p.Rows*p.Cols
	if p.Binary {
		binary = 1
	}
	each(q, k, n, uint64(dst), uint64(src), uint64(weights), uint64(n), uint64(p.Cols), uint64(p.Size), binary, uint64(index))
}

// BinsF32I32 sets dst[Rows, Size] to sums of the weights, or of ones where weights is 0, of the int32
// in src[Rows, Cols] that are the number of a bin. The order of sums is open.
func BinsF32I32(q *device.Queue, dst, src, weights device.Ptr, p Bins) {
	bins(q, &binsF32, dst, src, weights, 4, 4, p)
}

// BinsF32I64 is BinsF32I32 for float32 and int64 values.
func BinsF32I64(q *device.Queue, dst, src, weights device.Ptr, p Bins) {
	bins(q, &binsF32, dst, src, weights, 4, 8, p)
}

// BinsF64I32 is BinsF32I32 for float64.
func BinsF64I32(q *device.Queue, dst, src, weights device.Ptr, p Bins) {
	bins(q, &binsF64, dst, src, weights, 8, 4, p)
}

// BinsF64I64 is BinsF32I32 for float64 and int64 values.
func BinsF64I64(q *device.Queue, dst, src, weights device.Ptr, p Bins) {
	bins(q, &binsF64, dst, src, weights, 8, 8, p)
}

// BinsI32I32 is BinsF32I32 for int32.
func BinsI32I32(q *device.Queue, dst, src, weights device.Ptr, p Bins) {
	bins(q, &binsU32, dst, src, weights, 4, 4, p)
}

// BinsI32I64 is BinsF32I32 for int32 and int64 values.
func BinsI32I64(q *device.Queue, dst, src, weights device.Ptr, p Bins) {
	bins(q, &binsU32, dst, src, weights, 4, 8, p)
}

// BinsI64I32 is BinsF32I32 for int64.
func BinsI64I32(q *device.Queue, dst, src, weights device.Ptr, p Bins) {
	bins(q, &binsU64, dst, src, weights, 8, 4, p)
}

// BinsI64I64 is BinsF32I32 for int64 and int64 values.
func BinsI64I64(q *device.Queue, dst, src, weights device.Ptr, p Bins) {
	bins(q, &binsU64, dst, src, weights, 8, 8, p)
}
