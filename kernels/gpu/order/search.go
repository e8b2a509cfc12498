package order

import "github.com/graphc/graphc/rt/device"

// SearchParams describes a search for Values numbers in each of Rows sorted rows of N elements.
type SearchParams struct{ Rows, N, Values int }

// each(q, k, n, args...) launches the kernel k with threads that loop over n items.
func each(q *device.Queue, k *device.Kernel, n int, args ...uint64) {
	q.Launch(k, device.Line(device.Blocks(n, 256, 32*q.Processors())), device.Line(256), 0, args...)
}

func search(q *device.Queue, k *device.Kernel, dst, sorted, values device.Ptr, size int, p SearchParams) {
	n := p.Rows * p.Values
	each(q, k, n, uint64(dst), uint64(sorted), uint64(values), uint64(n), uint64(p.N), uint64(p.Values), uint64(size))
}

// Bins describes a histogram for each of Rows rows: Cols values are counted in Size bins. If Binary
// is set, a bin is 1 if it has a value, else 0. Values out of range are skipped.
type Bins struct {
	Rows, Cols, Size int
	Binary           bool
	// Weights ([Rows, Cols], of dst's type) are added instead of counting 1 for each value. An
	// address of 0 means no weights.
	Weights device.Ptr
}

func bins(q *device.Queue, k *device.Kernel, dst, src device.Ptr, size, index int, p Bins) {
	q.Fill(dst, size*p.Rows*p.Size, 0)
	binary, n := uint64(0), p.Rows*p.Cols
	if p.Binary {
		binary = 1
	}
	each(q, k, n, uint64(dst), uint64(src), uint64(p.Weights), uint64(n), uint64(p.Cols), uint64(p.Size), binary, uint64(index))
}
