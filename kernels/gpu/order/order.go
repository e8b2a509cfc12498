// Package order selects the largest elements of rows, searches in sorted rows, and counts values in
// bins, on a GPU.
package order

import "github.com/graphc/graphc/rt/device"

// TopParams describes rows of N elements of which K, at most N, are selected.
type TopParams struct{ Rows, N, K int }

// top selects the K first elements of each row with one of three kernels. If K is 1, it uses the
// kernel best, which searches for a single element. If K is small and the rows are long, it uses the
// kernel choose, which finds the elements one after the other. Otherwise it uses the kernel rank,
// which computes the rank of every element. Either best or choose may be nil, and then it is not
// used.
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

// InTopKI32 sets each bool of dst[rows] to whether the target of a row is among the row's k largest
// predictions, that is whether fewer than k classes have a larger prediction. predictions are
// float32, targets int32. A target out of range, or a prediction that is not finite, gives false.
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
