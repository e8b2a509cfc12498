// Package reduce holds reductions over an axis, and positions of extremes, on a GPU.
//
// A reduction treats its input as src[Outer, N, Inner] and reduces the middle: dst is
// [Outer, Inner] and never overlaps src. Floats are added in a fixed order, which depends on
// the sizes and on the number of the device's processors. Halves and float32 are added in
// float32. Integer sums wrap around. A NaN gives NaN. An empty reduction is 0 for a sum, NaN
// for a mean (0 for a complex one), 1 for a product, the lowest number for a maximum.
//
// Signed integers have no Sum and Prod: use those of unsigned integers of their size, since
// both wrap around.
package reduce

import "github.com/graphc/graphc/rt/device"

// Dims are the sizes of a search for extremes.
type Dims struct{ Outer, N, Inner int }

// Params describes a reduction.
type Params struct {
	Outer, N, Inner int
	// Scratch is scratch memory of the constant Scratch bytes. With it, long axes are reduced in
	// parts, by more threads than there are results. Its contents do not matter. 0 means one pass.
	Scratch device.Ptr
}

// Scratch is the size of Params.Scratch in bytes.
const Scratch = 1 << 20

// set holds the kernels of a reduction, for rows and for columns. If parts are wider than elements,
// the kernels rowsIn and colsIn compute parts, and rowsOut and colsOut join the parts.
type set struct {
	rows, cols       *device.Kernel
	rowsIn, colsIn   *device.Kernel
	rowsOut, colsOut *device.Kernel
}

// run reduces in one pass with mode whole, or in two with modes first and second. size is the
// bytes of a part.
func run(q *device.Queue, s set, dst, src device.Ptr, p Params, size int, whole, first, second int64) {
	d := Dims{p.Outer, p.N, p.Inner}
	results := d.Outer * d.Inner
	if results == 0 {
		return
	}
	parts := 1
	if rare := s.rows == nil; p.Scratch != 0 {
		blocks := results
		if d.Inner > 1 || rare {
			blocks = d.Outer * ((d.Inner + 31) / 32)
		}
		parts = max(1, min(8*q.Processors()/blocks, d.N/512, Scratch/size/results))
	}
	if parts == 1 {
		pass(q, s.rows, s.cols, dst, src, d, 1, whole)
		return
	}
	in, out := s, s
	if s.rowsIn != nil {
		in, out = set{rows: s.rowsIn, cols: s.colsIn}, set{rows: s.rowsOut, cols: s.colsOut}
	}
	pass(q, in.rows, in.cols, p.Scratch, src, d, parts, first)
	d.N = parts
	pass(q, out.rows, out.cols, dst, p.Scratch, d, 1, second)
}

// pass launches a kernel that reduces d.N elements to parts.
func pass(q *device.Queue, rows, cols *device.Kernel, dst, src device.Ptr, d Dims, parts int, mode int64) {
	if d.Inner > 1 || rows == nil {
		q.Launch(cols, device.Line(d.Outer*parts*((d.Inner+31)/32)), device.Dim{X: 32, Y: 8, Z: 1}, 0,
			uint64(dst), uint64(src), uint64(d.N), uint64(d.Inner), uint64(parts), uint64(mode))
		return
	}
	block := device.Dim{X: 32, Y: 8, Z: 1}
	if n := d.N / parts; n > 8192 {
		block = device.Dim{X: 512, Y: 1, Z: 1}
	} else if n > 512 {
		block = device.Dim{X: 128, Y: 1, Z: 1}
	}
	q.Launch(rows, device.Line((d.Outer*parts+block.Y-1)/block.Y), block, 0,
		uint64(dst), uint64(src), uint64(d.Outer), uint64(d.N), uint64(parts), uint64(mode))
}

// mean is the mode that divides by n.
func mean(n int) int64 { return int64(n) }

// plain is the mode of sums that are not divided.
const plain = -1

// The modes of sums of squares.
const (
	square = 1 << iota
	root
	half
)
