package array

import "github.com/graphc/graphc/rt/device"

// DiagParams describes Batch matrices [Rows, Cols] and their diagonals Lo to Hi, packed as [Batch,
// Hi-Lo+1, Len], the highest diagonal first. Diagonal k begins at column k for k ≥ 0, else at row -k.
// By default, a diagonal shorter than Len is aligned to the left of its packed row. SuperRight aligns
// diagonals above the main diagonal to the right, and SubRight those below it. The main diagonal is
// aligned to the right if both are set.
type DiagParams struct {
	Batch, Rows, Cols    int
	Lo, Hi, Len          int
	SuperRight, SubRight bool
}

// run launches a thread for each of n elements.
func (p *DiagParams) run(q *device.Queue, k *device.Kernel, n int, at ...device.Ptr) {
	var args []uint64
	for _, a := range at {
		args = append(args, uint64(a))
	}
	flags := uint64(0)
	if p.SuperRight {
		flags |= 1
	}
	if p.SubRight {
		flags |= 2
	}
	args = append(args, uint64(n), uint64(p.Rows), uint64(p.Cols), uint64(p.Lo), uint64(p.Hi), uint64(p.Len), flags)
	q.Launch(k, device.Line(device.Blocks(n, 256, 32*q.Processors())), device.Line(256), 0, args...)
}

func (p *DiagParams) part(q *device.Queue, k *device.Kernel, dst, src, padding device.Ptr) {
	p.run(q, k, p.Batch*(p.Hi-p.Lo+1)*p.Len, dst, src, padding)
}

func (p *DiagParams) whole(q *device.Queue, k *device.Kernel, dst, packed, base, padding device.Ptr) {
	p.run(q, k, p.Batch*p.Rows*p.Cols, dst, packed, base, padding)
}
