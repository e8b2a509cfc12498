package gather

import "github.com/graphc/graphc/rt/device"

// SparseParams describes N rows of Inner elements that are taken from a tensor of Limit
// rows, at indices[N], and summed in Rows segments, at ids[N]; both are int32 or, where
// they are wide, int64.
type SparseParams struct {
	N, Inner, Limit, Rows int
	WideIndices, WideIds  bool
	Scale                 int // a sum is divided by: 0 nothing, 1 the number of rows, 2 its root
}

// size is that of an index in bytes.
func size(wide bool) uint64 {
	if wide {
		return 8
	}
	return 4
}

// tally sets counts, int32, to how many ids name each of rows.
func tally(q *device.Queue, counts, ids device.Ptr, n, rows int, wide bool) {
	q.Fill(counts, 4*rows, 0)
	each(q, &count, n, uint64(counts), uint64(ids), uint64(n), uint64(rows), size(wide))
}

func sparseSegment(q *device.Queue, add, mean *device.Kernel, dst, data, indices, ids, counts device.Ptr, bytes int, p SparseParams) {
	q.Fill(dst, bytes*p.Rows*p.Inner, 0)
	each(q, add, p.N*p.Inner, uint64(dst), uint64(data), uint64(ids), uint64(indices), 0, uint64(p.N), uint64(p.Inner), uint64(p.Rows), uint64(p.Limit),
		size(p.WideIds), size(p.WideIndices), 0)
	if p.Scale != 0 {
		tally(q, counts, ids, p.N, p.Rows, p.WideIds)
		divide(q, mean, dst, counts, p.Rows, p.Inner, p.Scale == 2)
	}
}

func sparseSegmentGrad(q *device.Queue, add *device.Kernel, dst, grad, indices, ids, counts device.Ptr, bytes int, p SparseParams) {
	q.Fill(dst, bytes*p.Limit*p.Inner, 0)
	if p.Scale == 0 {
		counts = 0
	} else {
		tally(q, counts, ids, p.N, p.Rows, p.WideIds)
	}
	each(q, add, p.N*p.Inner, uint64(dst), uint64(grad), uint64(indices), uint64(ids), uint64(counts), uint64(p.N), uint64(p.Inner), uint64(p.Limit), uint64(p.Rows),
		size(p.WideIndices), size(p.WideIds), uint64(p.Scale))
}

// SparseSegmentF32 sets dst[Rows, Inner] to the sums of rows of data[Limit, Inner] in segments, by
// Scale divided; what is outside is left out. counts has Rows int32 for it, none for a Scale of 0.
// The order of sums is open.
func SparseSegmentF32(q *device.Queue, dst, data, indices, ids, counts device.Ptr, p SparseParams) {
	sparseSegment(q, &addRowsF32, &meanF32, dst, data, indices, ids, counts, 4, p)
}

// SparseSegmentF64 is SparseSegmentF32 for float64.
func SparseSegmentF64(q *device.Queue, dst, data, indices, ids, counts device.Ptr, p SparseParams) {
	sparseSegment(q, &addRowsF64, &meanF64, dst, data, indices, ids, counts, 8, p)
}

// SparseSegmentF16 is SparseSegmentF32 for binary16.
func SparseSegmentF16(q *device.Queue, dst, data, indices, ids, counts device.Ptr, p SparseParams) {
	sparseSegment(q, &addRowsF16, &meanF16, dst, data, indices, ids, counts, 2, p)
}

// SparseSegmentBF16 is SparseSegmentF32 for bfloat16.
func SparseSegmentBF16(q *device.Queue, dst, data, indices, ids, counts device.Ptr, p SparseParams) {
	sparseSegment(q, &addRowsBF16, &meanBF16, dst, data, indices, ids, counts, 2, p)
}

// SparseSegmentGradF32 sets dst[Limit, Inner] to the gradient of SparseSegmentF32's data, given that
// of its result, grad[Rows, Inner].
func SparseSegmentGradF32(q *device.Queue, dst, grad, indices, ids, counts device.Ptr, p SparseParams) {
	sparseSegmentGrad(q, &addRowsF32, dst, grad, indices, ids, counts, 4, p)
}

// SparseSegmentGradF64 is SparseSegmentGradF32 for float64.
func SparseSegmentGradF64(q *device.Queue, dst, grad, indices, ids, counts device.Ptr, p SparseParams) {
	sparseSegmentGrad(q, &addRowsF64, dst, grad, indices, ids, counts, 8, p)
}

// SparseSegmentGradF16 is SparseSegmentGradF32 for binary16.
func SparseSegmentGradF16(q *device.Queue, dst, grad, indices, ids, counts device.Ptr, p SparseParams) {
	sparseSegmentGrad(q, &addRowsF16, dst, grad, indices, ids, counts, 2, p)
}

// SparseSegmentGradBF16 is SparseSegmentGradF32 for bfloat16.
func SparseSegmentGradBF16(q *device.Queue, dst, grad, indices, ids, counts device.Ptr, p SparseParams) {
	sparseSegmentGrad(q, &addRowsBF16, dst, grad, indices, ids, counts, 2, p)
}

// CountI32 sets counts[rows], int32, to how many of n ids, int32, are each number; what is outside
// is left out.
func CountI32(q *device.Queue, counts, ids device.Ptr, n, rows int) {
	tally(q, counts, ids, n, rows, false)
}

// CountI64 sets counts[rows], int32, to how many of n ids, int64, are each number; what is outside
// is left out.
func CountI64(q *device.Queue, counts, ids device.Ptr, n, rows int) {
	tally(q, counts, ids, n, rows, true)
}

// SparseProduct describes the product of a sparse matrix of N values at places[N, 2], int32
// or wide, and b[K, Cols]: Rows by Cols. TransA says that places are (column, row), TransB
// that b is [Cols, K].
type SparseProduct struct {
	N, Rows, K, Cols     int
	TransA, TransB, Wide bool
	ConjA, ConjB         bool // complex types: conjugate
}

func sparseProduct(q *device.Queue, k *device.Kernel, out, places, values, b device.Ptr, bytes int, p SparseProduct) {
	q.Fill(out, bytes*p.Rows*p.Cols, 0)
	flags := uint64(0)
	if p.TransA {
		flags |= 1
	}
	if p.TransB {
		flags |= 2
	}
	if p.ConjA {
		flags |= 4
	}
	if p.ConjB {
		flags |= 8
	}
	each(q, k, p.N*p.Cols, uint64(out), uint64(places), uint64(values), uint64(b), uint64(p.N), uint64(p.Rows), uint64(p.K), uint64(p.Cols), flags, size(p.Wide))
}

// SparseProductF32 sets out[Rows, Cols] to a product; places outside are left out. The order
// of sums is open.
func SparseProductF32(q *device.Queue, out, places, values, b device.Ptr, p SparseProduct) {
	sparseProduct(q, &productF32, out, places, values, b, 4, p)
}

// SparseProductF64 is SparseProductF32 for float64.
func SparseProductF64(q *device.Queue, out, places, values, b device.Ptr, p SparseProduct) {
	sparseProduct(q, &productF64, out, places, values, b, 8, p)
}

// SparseProductC64 is SparseProductF32 for complex64.
func SparseProductC64(q *device.Queue, out, places, values, b device.Ptr, p SparseProduct) {
	sparseProduct(q, &productC64, out, places, values, b, 8, p)
}

// SparseProductC128 is SparseProductF32 for complex128.
func SparseProductC128(q *device.Queue, out, places, values, b device.Ptr, p SparseProduct) {
	sparseProduct(q, &productC128, out, places, values, b, 16, p)
}
