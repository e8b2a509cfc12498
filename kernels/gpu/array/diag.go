package array

import "github.com/graphc/graphc/rt/device"

// DiagParams describes Batch matrices [Rows, Cols] and their diagonals Lo to Hi, packed as
// [Batch, Hi-Lo+1, Len], the highest first. Diagonal k begins at column k for k ≥ 0, else at
// row -k. Shorter ones lie at the left, or at the right of their row where SuperRight (for
// k > 0) or SubRight (for k < 0) says so; the main diagonal lies at the right where both do.
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

// DiagPart1 packs the diagonals of src, of elements of one byte, and *padding where they are
// shorter than Len.
func DiagPart1(q *device.Queue, dst, src, padding device.Ptr, p DiagParams) {
	p.part(q, &diagPartB1, dst, src, padding)
}

// DiagPart2 is DiagPart1 for elements of 2 bytes.
func DiagPart2(q *device.Queue, dst, src, padding device.Ptr, p DiagParams) {
	p.part(q, &diagPartB2, dst, src, padding)
}

// DiagPart4 is DiagPart1 for elements of 4 bytes.
func DiagPart4(q *device.Queue, dst, src, padding device.Ptr, p DiagParams) {
	p.part(q, &diagPartB4, dst, src, padding)
}

// DiagPart8 is DiagPart1 for elements of 8 bytes.
func DiagPart8(q *device.Queue, dst, src, padding device.Ptr, p DiagParams) {
	p.part(q, &diagPartB8, dst, src, padding)
}

// DiagPart16 is DiagPart1 for elements of 16 bytes.
func DiagPart16(q *device.Queue, dst, src, padding device.Ptr, p DiagParams) {
	p.part(q, &diagPartB16, dst, src, padding)
}

// Diag1 writes matrices with the packed diagonals, of elements of one byte, and *padding
// elsewhere.
func Diag1(q *device.Queue, dst, packed, padding device.Ptr, p DiagParams) {
	p.whole(q, &diagB1, dst, packed, 0, padding)
}

// Diag2 is Diag1 for elements of 2 bytes.
func Diag2(q *device.Queue, dst, packed, padding device.Ptr, p DiagParams) {
	p.whole(q, &diagB2, dst, packed, 0, padding)
}

// Diag4 is Diag1 for elements of 4 bytes.
func Diag4(q *device.Queue, dst, packed, padding device.Ptr, p DiagParams) {
	p.whole(q, &diagB4, dst, packed, 0, padding)
}

// Diag8 is Diag1 for elements of 8 bytes.
func Diag8(q *device.Queue, dst, packed, padding device.Ptr, p DiagParams) {
	p.whole(q, &diagB8, dst, packed, 0, padding)
}

// Diag16 is Diag1 for elements of 16 bytes.
func Diag16(q *device.Queue, dst, packed, padding device.Ptr, p DiagParams) {
	p.whole(q, &diagB16, dst, packed, 0, padding)
}

// SetDiag1 writes the matrices of src, of elements of one byte, with the packed diagonals in
// their places. dst may be src.
func SetDiag1(q *device.Queue, dst, src, packed device.Ptr, p DiagParams) {
	p.whole(q, &diagB1, dst, packed, src, 0)
}

// SetDiag2 is SetDiag1 for elements of 2 bytes.
func SetDiag2(q *device.Queue, dst, src, packed device.Ptr, p DiagParams) {
	p.whole(q, &diagB2, dst, packed, src, 0)
}

// SetDiag4 is SetDiag1 for elements of 4 bytes.
func SetDiag4(q *device.Queue, dst, src, packed device.Ptr, p DiagParams) {
	p.whole(q, &diagB4, dst, packed, src, 0)
}

// SetDiag8 is SetDiag1 for elements of 8 bytes.
func SetDiag8(q *device.Queue, dst, src, packed device.Ptr, p DiagParams) {
	p.whole(q, &diagB8, dst, packed, src, 0)
}

// SetDiag16 is SetDiag1 for elements of 16 bytes.
func SetDiag16(q *device.Queue, dst, src, packed device.Ptr, p DiagParams) {
	p.whole(q, &diagB16, dst, packed, src, 0)
}
