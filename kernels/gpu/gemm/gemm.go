// Package gemm multiplies matrices on a GPU. The device's own library computes a product if it
// accepts the product. Otherwise kernels of this package compute tiles of 16, 32 or 64 rows and
// columns. Half-precision products are accumulated in float32, those of other types in their own
// type. The kernels sum in order of increasing k, with one rounding for each multiply-add. A library
// may do otherwise.
package gemm

import (
	"math"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// Params describes a batch of products C[M,N] = op(A)[M,K] · op(B)[K,N] of row-major
// matrices: D0 × … × D(Dims-1) products, or one if Dims is 0. Strides locate the matrices. A
// stride of 0 repeats a matrix, for broadcasting.
type Params struct {
	M, N, K        int
	Lda, Ldb, Ldc  int  // distances in elements between the starts of neighbouring rows in memory; 0 means that the rows have no gaps
	TransA, TransB bool // whether a is stored as [K,M], and whether b is stored as [N,K]
	ConjA, ConjB   bool // conjugate complex elements (TensorFlow's adj_x sets TransA and ConjA)
	Onto           int  // 0: C is set to the products; 1: they are added to C; -1: they are subtracted from C

	Dims                   int // 0 … 6
	D0, D1, D2, D3, D4, D5 int
	A0, A1, A2, A3, A4, A5 int // strides of a in elements, for D0 … D5
	B0, B1, B2, B3, B4, B5 int
	C0, C1, C2, C3, C4, C5 int
}

// dim is a dimension of a batch: its size and the strides of the operands.
type dim struct{ n, a, b, c int }

// batch returns the dimensions of a batch and the number of products. Neighbouring dimensions are
// merged if a single stride describes both in each of the three operands.
func (p *Params) batch() (dims []dim, count int) {
	all := [...]dim{{p.D0, p.A0, p.B0, p.C0}, {p.D1, p.A1, p.B1, p.C1}, {p.D2, p.A2, p.B2, p.C2},
		{p.D3, p.A3, p.B3, p.C3}, {p.D4, p.A4, p.B4, p.C4}, {p.D5, p.A5, p.B5, p.C5}}
	count = 1
	for _, d := range all[:p.Dims] {
		count *= d.n
		if d.n == 1 {
			continue
		}
		if i := len(dims) - 1; i >= 0 && dims[i].a == d.n*d.a && dims[i].b == d.n*d.b && dims[i].c == d.n*d.c {
			d.n *= dims[i].n
			dims[i] = d
			continue
		}
		dims = append(dims, d)
	}
	return dims, count
}

// dense replaces row strides of 0 by those of matrices without gaps.
func (p *Params) dense() {
	set := func(ld *int, trans bool, rows, cols int) {
		if *ld == 0 {
			*ld = cols
			if trans {
				*ld = rows
			}
		}
	}
	set(&p.Lda, p.TransA, p.M, p.K)
	set(&p.Ldb, p.TransB, p.K, p.N)
	set(&p.Ldc, false, p.M, p.N)
}

// calls is the largest number of calls of the device's library for one batch. If a batch needs more
// calls, this package's own kernels compute it instead.
const calls = 64

func multiply(q *device.Queue, k *device.Kernel, t tensor.DType, size, side int, c, a, b device.Ptr, p Params) {
	p.dense()
	dims, count := p.batch()
	if count == 0 || p.M == 0 || p.N == 0 {
		return
	}
	if len(dims) == 1 && dims[0].b == 0 && !p.TransA && dims[0].a == p.M*p.Lda && dims[0].c == p.M*p.Ldc {
		p.M *= dims[0].n // treat the batch as one matrix of more rows
		dims = nil
	}
	if p.K == 0 && p.Onto != 0 {
		return
	}
	if p.K > 0 && !p.ConjA && !p.ConjB && library(q, t, size, c, a, b, &p, dims) {
		return
	}
	own(q, k, size, side, c, a, b, &p, dims)
}

// library computes the products with the device's library. It computes nothing and returns false if
// the device has no library for these products, or if they need more library calls than the constant
// `calls` permits.
func library(q *device.Queue, t tensor.DType, size int, c, a, b device.Ptr, p *Params, dims []dim) bool {
	inner := dim{n: 1}
	if last := len(dims) - 1; last >= 0 {
		// One call computes a whole dimension, and the largest one needs the fewest calls.
		for i := range dims[:last] {
			if dims[i].n > dims[last].n {
				dims[i], dims[last] = dims[last], dims[i]
			}
		}
		inner, dims = dims[last], dims[:last]
	}
	times := 1
	for _, d := range dims {
		times *= d.n
	}
	if times > calls {
		return false
	}
	g := device.Gemm{DType: t, TransA: p.TransA, TransB: p.TransB, M: p.M, N: p.N, K: p.K, Batch: inner.n, LDA: p.Lda, LDB: p.Ldb, LDC: p.Ldc,
		StrideA: inner.a, StrideB: inner.b, StrideC: inner.c}
	g.Alpha, g.Beta = p.factors()
	for i := range times {
		g.A, g.B, g.C = a, b, c
		for x := len(dims) - 1; x >= 0; x-- {
			d := dims[x]
			at := i % d.n * size
			g.A, g.B, g.C = g.A+device.Ptr(at*d.a), g.B+device.Ptr(at*d.b), g.C+device.Ptr(at*d.c)
			i /= d.n
		}
		if !q.Gemm(g) {
			return false // this can only be the first product, since the device accepts either all of these products or none
		}
	}
	return true
}

// factors returns two factors: alpha for the products, and beta for the present contents of C.
func (p *Params) factors() (alpha, beta float64) {
	switch p.Onto {
	case 0:
		return 1, 0
	case 1:
		return 1, 1
	}
	return -1, 1
}

// own launches the kernel k of this package to compute the products. One launch handles at most three
// batch dimensions. If there are more dimensions, the kernel is launched several times.
func own(q *device.Queue, k *device.Kernel, size, side int, c, a, b device.Ptr, p *Params, dims []dim) {
	if len(dims) > 3 {
		d := dims[0]
		for i := range d.n {
			at := i * size
			own(q, k, size, side, c+device.Ptr(at*d.c), a+device.Ptr(at*d.a), b+device.Ptr(at*d.b), p, dims[1:])
		}
		return
	}
	three := [3]dim{{n: 1}, {n: 1}, {n: 1}}
	copy(three[3-len(dims):], dims)
	x, y, z := three[0], three[1], three[2]
	flags := 0
	for i, on := range [...]bool{p.TransA, p.TransB, p.ConjA, p.ConjB} {
		if on {
			flags |= 1 << i
		}
	}
	alpha, beta := p.factors()
	tiles := (p.M + side - 1) / side * ((p.N + side - 1) / side)
	q.Launch(k, device.Line(tiles*x.n*y.n*z.n), device.Line(256), 0, uint64(c), uint64(a), uint64(b), uint64(p.M), uint64(p.N), uint64(p.K),
		uint64(p.Lda), uint64(p.Ldb), uint64(p.Ldc), uint64(flags), uint64(y.n), uint64(z.n), uint64(x.a), uint64(y.a), uint64(z.a),
		uint64(x.b), uint64(y.b), uint64(z.b), uint64(x.c), uint64(y.c), uint64(z.c), math.Float64bits(alpha), math.Float64bits(beta))
}
