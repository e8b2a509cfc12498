// Package reduce computes reductions over an axis, and the positions of largest and smallest
// elements, on a GPU.
//
// A reduction treats its input as src[Outer, N, Inner] and reduces the middle axis: dst is [Outer,
// Inner] and never overlaps src. Floats are added in a fixed order, which depends on the sizes and on
// the number of the device's processors. Half-precision and float32 elements are added in float32.
// Integer sums wrap around. A NaN gives NaN. The result for an empty axis is 0 for a sum, NaN for a
// mean (0 for a complex one), 1 for a product, and the lowest number for a maximum.
//
// There is no Sum or Prod for signed integers: use the function for unsigned integers of the same
// size. The result has the same bits, since both wrap around.
package reduce

import "github.com/graphc/graphc/rt/device"

// Dims holds the dimensions [Outer, N, Inner] of a tensor. The functions that take it search for the
// positions of largest or smallest elements along the middle axis.
type Dims struct{ Outer, N, Inner int }

// Params describes a reduction.
type Params struct {
	Outer, N, Inner int
	// Scratch is the address of scratch memory of as many bytes as the constant Scratch. With it,
	// long axes are reduced in parts, by more threads than there are results. The memory's contents
	// do not matter. An address of 0 means one pass.
	Scratch device.Ptr
}

// Scratch is the size of the memory at Params.Scratch in bytes.
const Scratch = 1 << 20

// set holds the kernels of a reduction. The kernels whose names begin with rows require that Inner is
// 1, and those whose names begin with cols support any Inner. If partial results have a wider type
// than the elements, the kernels rowsIn and colsIn compute the partial results, and rowsOut and
// colsOut reduce the partial results to the final ones.
type set struct {
	rows, cols       *device.Kernel
	rowsIn, colsIn   *device.Kernel
	rowsOut, colsOut *device.Kernel
}

// run computes a reduction in one or two passes. Each pass needs a mode, an argument of the kernels
// that is explained in reduce.cu. The parameter whole is the mode of a single pass. If there are two
// passes, their modes are the parameters first and second, and size is the number of bytes of a
// partial result.
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

// pass launches a kernel that reduces the d.N elements along the axis to several partial results.
// Their number is given by the parameter parts.
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

// mean returns the mode of a pass that divides its sums by n.
func mean(n int) int64 { return int64(n) }

// plain is the mode of a pass that does not divide its sums.
const plain = -1

// Flags of the mode of a sum of squares: square the elements, take the root of the result, halve the
// result.
const (
	square = 1 << iota
	root
	half
)
