package gather

import "github.com/graphc/graphc/rt/device"

// SparseParams describes sums of rows of Inner elements. Row indices[i] of a tensor with Limit rows
// is added to row ids[i] of a result with Rows rows, for all i < N. Rows with the same id are a
// segment. indices and ids are int32, or int64 with WideIndices and WideIds.
type SparseParams struct {
	N, Inner, Limit, Rows int
	WideIndices, WideIds  bool
	Scale                 int // divisor of a sum: 0 none, 1 the number of rows in the segment, 2 the square root of that number
}

// size returns the size of an index in bytes.
func size(wide bool) uint64 {
	if wide {
		return 8
	}
	return 4
}

// tally counts ids: for each r from 0 to rows-1, it sets counts[r] to the number of ids that equal
// r. counts holds int32 numbers.
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

// SparseProduct describes the product of a sparse matrix [Rows, K] and a dense matrix b[K, Cols]. The
// sparse matrix has N values. Row i of the tensor places[N, 2] holds the position of value i: its row
// and its column, or its column and its row if TransA is set. places holds int64 numbers if Wide is
// set, otherwise int32. If TransB is set, b is stored as [Cols, K].
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
