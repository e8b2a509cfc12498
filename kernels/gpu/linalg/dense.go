// Package linalg decomposes and solves batches of dense matrices, real and complex, on a GPU. All
// sums are computed in float64 or complex128. Matrices of narrower types are first converted to one
// of these types, in scratch memory that the caller provides.
//
// Matrices are factored in panels of 32 columns, with a block of threads for each matrix. After each
// panel, a product of matrices updates the remaining columns. Matrices of up to 64 rows are factored
// in one step.
package linalg

import (
	"github.com/graphc/graphc/kernels/gpu/gemm"
	"github.com/graphc/graphc/rt/device"
)

// Params describes a batch of square matrices [N,N] with right-hand sides [N,K].
type Params struct {
	Batch   int
	N, K    int
	Lower   bool
	Adjoint bool
	One     bool // for the Triangular functions: whether one matrix serves the whole batch
}

// field holds the kernels that a function needs for its type of elements.
type field struct {
	size, wide int // sizes in bytes of an element of the arguments and of an element in computations
	load, rows *device.Kernel
	product    func(q *device.Queue, c, a, b device.Ptr, p gemm.Params)

	cholesky, lower        *device.Kernel
	lu, exchange, triangle *device.Kernel
	determinants           *device.Kernel
}

// panel is the number of columns that are factored before the remaining columns are updated. whole is
// the largest number of rows of a matrix that is factored in one step.
const (
	panel = 32
	whole = 64
)

// parts divides n rows or columns into the ranges that are processed together, and calls f for each
// range in order.
func parts(n int, f func(from, to int)) {
	if n <= whole {
		if n > 0 {
			f(0, n)
		}
		return
	}
	for from := 0; from < n; from += panel {
		f(from, min(n, from+panel))
	}
}

// backwards calls f for the same ranges as the function parts, in reverse order.
func backwards(n int, f func(from, to int)) {
	var all [][2]int
	parts(n, func(from, to int) { all = append(all, [2]int{from, to}) })
	for i := len(all) - 1; i >= 0; i-- {
		f(all[i][0], all[i][1])
	}
}

// threads is the number of threads in a block that factors a matrix of n rows.
func threads(n int) int {
	switch {
	case n <= 16:
		return 32
	case n <= 32:
		return 64
	}
	return 256
}

// each(q, k, n, args...) launches the kernel k with threads that loop over n items.
func each(q *device.Queue, k *device.Kernel, n int, args ...uint64) {
	q.Launch(k, device.Line(device.Blocks(n, 256, 32*q.Processors())), device.Line(256), 0, args...)
}

// at returns the address of element (i, j) of matrices with rows of n elements.
func (f *field) at(a device.Ptr, i, j, n int) device.Ptr { return a + device.Ptr((i*n+j)*f.wide) }

// widen converts count elements of matrices with n columns to the wide type, and stores them in dst.
// If adjoint is set, it stores the adjoints of the matrices, which must be square.
func (f *field) widen(q *device.Queue, dst, src device.Ptr, count, n int, adjoint bool) {
	if f.size == f.wide && !adjoint {
		q.Move(dst, src, count*f.wide)
		return
	}
	var flag uint64
	if adjoint {
		flag = 1
	}
	each(q, f.load, count, uint64(dst), uint64(src), uint64(count), uint64(n), flag)
}

// round copies count elements of the wide type to dst and rounds them to the type of dst.
func (f *field) round(q *device.Queue, dst, src device.Ptr, count int) {
	if f.size == f.wide {
		q.Move(dst, src, count*f.wide)
		return
	}
	count = count * f.size / 4
	each(q, &narrow, count, uint64(dst), uint64(src), uint64(count))
}

// work returns the address at which the results for the output out are computed. This is out itself
// if its elements have the wide type. Otherwise, it is the parameter lent, the address of scratch
// memory.
func (f *field) work(out, lent device.Ptr) device.Ptr {
	if f.size == f.wide {
		return out
	}
	return lent
}

// decompose computes the Cholesky factors L, with a = L·Lᴴ, and stores them in out. bad is scratch
// for p.Batch int32 numbers.
func (f *field) decompose(q *device.Queue, out, a, lent, bad device.Ptr, p *Params) {
	n, size := p.N, p.N*p.N
	if p.Batch*n == 0 {
		return
	}
	w := f.work(out, lent)
	f.widen(q, w, a, p.Batch*size, n, false)
	q.Fill(bad, 4*p.Batch, 0)
	parts(n, func(from, to int) {
		q.Launch(f.cholesky, device.Line(p.Batch), device.Line(threads(n)), 0, uint64(w), uint64(bad), uint64(n), uint64(from), uint64(to))
		left := f.at(w, to, from, n)
		f.product(q, f.at(w, to, to, n), left, left, gemm.Params{M: n - to, N: n - to, K: to - from, Lda: n, Ldb: n, Ldc: n, TransB: true, ConjB: f.complex(), Onto: -1,
			Dims: 1, D0: p.Batch, A0: size, B0: size, C0: size})
	})
	each(q, f.lower, p.Batch*size, uint64(w), uint64(bad), uint64(p.Batch*size), uint64(n))
	if w != out {
		f.round(q, out, w, p.Batch*size)
	}
}

func (f *field) complex() bool { return f.wide == 16 }

// Flags of the kernel triangle.
const (
	isLower = 1 << iota
	isUnit
	isAdjoint
)

// substitute replaces x by op(a)⁻¹·x, for cols columns of x. Rows of x are ldx elements long.
// Neighbouring matrices are xstride elements apart in x and stride elements apart in a.
func (f *field) substitute(q *device.Queue, x, a device.Ptr, batch, n, ldx, cols, xstride, stride int, flags uint64) {
	if batch*n*cols == 0 {
		return
	}
	adjoint := flags&isAdjoint != 0
	down := flags&isLower != 0
	step := func(from, to int) {
		each(q, f.triangle, batch*cols, uint64(x), uint64(a), uint64(batch), uint64(n), uint64(ldx), uint64(cols), uint64(xstride), uint64(stride), uint64(from), uint64(to), flags)
		r0, r1 := to, n // the remaining rows
		if !down {
			r0, r1 = 0, from
		}
		g := gemm.Params{M: r1 - r0, N: cols, K: to - from, Lda: n, Ldb: ldx, Ldc: ldx, TransA: adjoint, ConjA: adjoint && f.complex(), Onto: -1,
			Dims: 1, D0: batch, A0: stride, B0: xstride, C0: xstride}
		block := f.at(a, r0, from, n)
		if adjoint {
			block = f.at(a, from, r0, n)
		}
		f.product(q, f.at(x, r0, 0, ldx), block, f.at(x, from, 0, ldx), g)
	}
	if down {
		parts(n, step)
	} else {
		backwards(n, step)
	}
}

// integers splits the scratch memory ints into the arrays that factor uses, in total 2·N+1 int32 for
// each matrix.
func integers(ints device.Ptr, p *Params) (perm, pivots, odd device.Ptr) {
	n := device.Ptr(4 * p.Batch * p.N)
	return ints, ints + n, ints + 2*n
}

// factor replaces each matrix in w by its factors L and U.
func (f *field) factor(q *device.Queue, w, ints, singular device.Ptr, p *Params) {
	n, size := p.N, p.N*p.N
	perm, pivots, odd := integers(ints, p)
	q.Fill(odd, 4*p.Batch, 0)
	q.Fill(singular, 4, 0)
	if p.Batch == 0 {
		return
	}
	parts(n, func(from, to int) {
		q.Launch(f.lu, device.Line(p.Batch), device.Line(threads(n)), 0, uint64(w), uint64(perm), uint64(pivots), uint64(odd), uint64(singular), uint64(n), uint64(from), uint64(to))
		if to-from == n {
			return
		}
		each(q, f.exchange, p.Batch*(n-to+from), uint64(w), uint64(pivots), uint64(p.Batch), uint64(n), uint64(from), uint64(to))
		if to == n {
			return
		}
		// First compute the rows of U to the right of this panel, then update the remaining matrix.
		each(q, f.triangle, p.Batch*(n-to), uint64(f.at(w, 0, to, n)), uint64(w), uint64(p.Batch), uint64(n), uint64(n), uint64(n-to), uint64(size), uint64(size),
			uint64(from), uint64(to), isLower|isUnit)
		f.product(q, f.at(w, to, to, n), f.at(w, to, from, n), f.at(w, from, to, n), gemm.Params{M: n - to, N: n - to, K: to - from, Lda: n, Ldb: n, Ldc: n, Onto: -1,
			Dims: 1, D0: p.Batch, A0: size, B0: size, C0: size})
	})
}

// solve computes x = op(a)⁻¹·b, where op(a) is the adjoint of a if p.Adjoint is set, otherwise a.
// If the address b is 0, solve computes the inverse of op(a).
func (f *field) solve(q *device.Queue, x, a, b, work, lent, ints, singular device.Ptr, p *Params) {
	n, size, count := p.N, p.N*p.N, p.Batch*p.N*p.K
	if count == 0 {
		q.Fill(singular, 4, 0)
		return
	}
	f.widen(q, work, a, p.Batch*size, n, p.Adjoint)
	f.factor(q, work, ints, singular, p)
	w := f.work(x, lent)
	each(q, f.rows, count, uint64(w), uint64(b), uint64(ints), uint64(count), uint64(n), uint64(p.K))
	f.substitute(q, w, work, p.Batch, n, p.K, p.K, n*p.K, size, isLower|isUnit)
	f.substitute(q, w, work, p.Batch, n, p.K, p.K, n*p.K, size, 0)
	if w != x {
		f.round(q, x, w, count)
	}
}

// inverse computes x = op(a)⁻¹, where op(a) is the adjoint of a if p.Adjoint is set, otherwise a.
func (f *field) inverse(q *device.Queue, x, a, work, lent, ints, singular device.Ptr, p *Params) {
	p.K = p.N
	f.solve(q, x, a, 0, work, lent, ints, singular, p)
}

// triangular computes x = op(a)⁻¹·b for triangular matrices.
func (f *field) triangular(q *device.Queue, x, a, b, work, lent device.Ptr, p *Params) {
	n, count, stride, matrices := p.N, p.Batch*p.N*p.K, p.N*p.N, p.Batch
	if p.One {
		stride, matrices = 0, 1
	}
	if count == 0 {
		return
	}
	if f.size != f.wide {
		f.widen(q, work, a, matrices*n*n, n, false)
		a = work
	}
	w := f.work(x, lent)
	f.widen(q, w, b, count, p.K, false)
	var flags uint64
	if p.Lower != p.Adjoint {
		flags |= isLower
	}
	if p.Adjoint {
		flags |= isAdjoint
	}
	f.substitute(q, w, a, p.Batch, n, p.K, p.K, n*p.K, stride, flags)
	if w != x {
		f.round(q, x, w, count)
	}
}

// determinant computes determinants: it factors the matrices a and multiplies the diagonal elements
// of U. If the address log is not 0, it stores the logarithms of the absolute values there, and
// only the signs in det. lent is scratch for 2·Batch numbers.
func (f *field) determinant(q *device.Queue, det, log, a, work, lent, ints, singular device.Ptr, p *Params) {
	if p.Batch == 0 {
		return
	}
	f.widen(q, work, a, p.Batch*p.N*p.N, p.N, false)
	f.factor(q, work, ints, singular, p)
	_, _, odd := integers(ints, p)
	d, l := f.work(det, lent), f.work(log, lent+device.Ptr(p.Batch*f.wide))
	if log == 0 {
		l = 0
	}
	each(q, f.determinants, p.Batch, uint64(d), uint64(l), uint64(work), uint64(odd), uint64(p.Batch), uint64(p.N))
	if d != det {
		f.round(q, det, d, p.Batch)
		if log != 0 {
			f.round(q, log, l, p.Batch)
		}
	}
}

// decomposition computes L, U and the permutation, which is in int64 if long is set, else in int32.
func (f *field) decomposition(q *device.Queue, out, perm, a, lent, ints, singular device.Ptr, long bool, p *Params) {
	w := f.work(out, lent)
	count := p.Batch * p.N * p.N
	f.widen(q, w, a, count, p.N, false)
	f.factor(q, w, ints, singular, p)
	if w != out {
		f.round(q, out, w, count)
	}
	if n := p.Batch * p.N; long {
		each(q, &lengthen, n, uint64(perm), uint64(ints), uint64(n))
	} else {
		q.Move(perm, ints, 4*n)
	}
}
