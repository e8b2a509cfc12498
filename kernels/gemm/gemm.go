// Package gemm holds matrix products of every element type.
//
// f32 products take their right-hand side packed in panels of 16 columns
// (PackF32), which a compiler does once for a constant. The other types and
// batched products take both sides as they are, and pack in scratch what pays.
package gemm

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/panel"
)

// Act is the activation fused behind a product or a convolution.
type Act int

// The activations. All of them pass NaN through, as TensorFlow's do.
const (
	NoAct Act = iota // nothing
	Relu             // max(x, 0)
	Relu6            // min(max(x, 0), 6)
	Clip             // min(max(x, Lo), Hi)
)

// Bounds returns the interval an activation clamps to, infinite where it does
// not clamp. lo and hi count for Clip only.
func (a Act) Bounds(lo, hi float32) (float32, float32) {
	inf := float32(math.Inf(1))
	switch a {
	case Relu:
		return 0, inf
	case Relu6:
		return 0, 6
	case Clip:
		return lo, hi
	}
	return -inf, inf
}

// Params describes a product C[M,N] = A[M,K] · B[K,N].
type Params struct {
	M, N, K int
	Lda     int  // floats between rows of a, 0 meaning dense (K, or M if TransA)
	Ldc     int  // floats between rows of c, 0 meaning dense (N)
	Ldr     int  // floats between rows of res, 0 meaning dense (N)
	TransA  bool // a holds A transposed: element (m,k) is a[k*Lda+m]
	Act     Act
	Lo, Hi  float32 // for Clip
	// Bias ([N]) and Res, of the f32 products, are added to the sum; nil where there is none.
	Bias, Res []float32
}

func (p *Params) dense() {
	if p.Lda == 0 {
		p.Lda = p.K
		if p.TransA {
			p.Lda = p.M
		}
	}
	if p.Ldc == 0 {
		p.Ldc = p.N
	}
	if p.Ldr == 0 {
		p.Ldr = p.N
	}
}

// PackedLen is the number of floats PackF32 writes: ceil(n/16)*16*k.
func PackedLen(k, n int) int { return panel.Len(max(k, 0), max(n, 0)) }

// PackF32 packs B[k,n] for F32: panels of 16 columns, [ceil(n/16)][k][16],
// columns beyond n zero. b is dense row-major [k,n], or [n,k] if transB.
// dst has PackedLen(k, n) floats and does not overlap b.
func PackF32(dst, b []float32, k, n int, transB bool) {
	ldb := n
	if transB {
		ldb = k
	}
	panel.Pack(dst, b, k, n, ldb, transB)
}

// Blocks of rows, whose part of A stays in the second-level cache, and of the
// sum, so that a tile's part of B does.
const (
	blockFloats = 1 << 16
	blockK      = 1024
	blockRows   = 224
	// Rows that lie a multiple of 4096 bytes apart fall on the same cache set.
	aliasFloats = 1024
	padFloats   = 16
	width       = panel.Width
)

// repacks reports whether rows of A are copied to scratch before use: always
// when A is transposed, and where rows alias in the cache and are read often.
func (p *Params) repacks() bool {
	return p.TransA || p.Lda%aliasFloats == 0 && p.M >= 8 && p.N >= 128
}

// step is the part of the sum done at once. It depends on K alone, so that any
// part of the rows or columns gives the same bits.
func (p *Params) step() int {
	n := (p.K + blockK - 1) / blockK
	return (p.K + max(n, 1) - 1) / max(n, 1)
}

// rows is the number of rows done at once, blocks being of like height.
func (p *Params) rows() int {
	r := min(max(blockFloats/max(1, p.step()), 28), blockRows)
	n := (p.M + r - 1) / r
	return (p.M + n - 1) / n
}

// ScratchLen is the number of floats of scratch F32 needs for p, for any part
// of its rows and columns too. It grows with M, N and K up to a bound.
func ScratchLen(p Params) int {
	p.dense()
	if p.M <= 0 || p.N <= 0 || p.K <= 0 || !p.repacks() {
		return 0
	}
	const most = max(blockFloats+blockRows*padFloats, 28*(blockK+padFloats))
	return min(min(p.M, most)*(min(p.K, most)+padFloats), most)
}

// F32 computes, for 0 <= m < M and 0 <= n < N,
//
//	c[m*Ldc+n] = act(Σ_k A[m,k]*B[k,n] + Bias[n] + Res[m*Ldr+n])
//
// b is packed by PackF32. Res may be c (same stride); c overlaps nothing else.
// scratch has ScratchLen(p) floats.
// Nothing happens if M or N is zero; with K zero the sum is zero. Sums run in order
// of k, by parts that depend on K alone, with fused multiply-add where the machine
// has it. Split says how to share a product out.
func F32(c, a, b, scratch []float32, p Params) {
	if p.M <= 0 || p.N <= 0 {
		return
	}
	p.dense()
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	repack := p.K > 0 && p.repacks()
	if p.M <= tileRows && p.K <= blockK && !repack {
		panel.Run(c, a, b, p.Bias, p.Res, panel.Block{M: p.M, N: p.N, K: p.K, Segs: 1, Planes: 1, Lda: p.Lda, Ldc: p.Ldc, Ldr: p.Ldr, Lo: lo, Hi: hi})
		return
	}
	rows := p.rows()
	if p.K <= blockK {
		for m := 0; m < p.M; m += rows {
			q := panel.Block{M: min(rows, p.M-m), N: p.N, K: p.K, Segs: 1, Planes: 1, Lda: p.Lda, Ldc: p.Ldc, Ldr: p.Ldr, Lo: lo, Hi: hi}
			src := p.left(a, scratch, m, 0, &q, repack)
			panel.Run(c[m*p.Ldc:], src, b, p.Bias, from(p.Res, m*p.Ldr), q)
		}
		return
	}
	p.deep(c, a, b, scratch, lo, hi)
}

// deep splits a long sum: every part but the last adds to c what is there.
func (p *Params) deep(c, a, b, scratch []float32, lo, hi float32) {
	repack := p.repacks()
	rows, step := p.rows(), p.step()
	for m := 0; m < p.M; m += rows {
		for k := 0; k < p.K; k += step {
			q := panel.Block{
				M: min(rows, p.M-m), N: p.N, K: min(step, p.K-k), Segs: 1, Planes: 1,
				Lda: p.Lda, Ldc: p.Ldc, Ldr: p.Ldc, PanelStep: p.K * panel.Width,
				Lo: panel.Unclamped, Hi: -panel.Unclamped,
			}
			dst := c[m*p.Ldc:]
			prev, bs := dst, []float32(nil)
			if k == 0 {
				prev, q.Ldr = from(p.Res, m*p.Ldr), p.Ldr
			}
			if k+step >= p.K {
				q.Lo, q.Hi, bs = lo, hi, p.Bias
			}
			src := p.left(a, scratch, m, k, &q, repack)
			panel.Run(dst, src, b[k*panel.Width:], bs, prev, q)
		}
	}
}

// left returns rows m.. and columns k.. of A for the block q, copied to scratch if repack.
func (p *Params) left(a, scratch []float32, m, k int, q *panel.Block, repack bool) []float32 {
	switch {
	case q.K == 0:
		return nil
	case !repack:
		return a[m*p.Lda+k:]
	}
	q.Lda = q.K + padFloats
	scratch = scratch[:q.M*q.Lda]
	if p.TransA {
		panel.Transpose(scratch, q.Lda, a[k*p.Lda+m:], p.Lda, q.K, q.M)
		return scratch
	}
	for r := range q.M {
		copy(scratch[r*q.Lda:][:q.K], a[(m+r)*p.Lda+k:])
	}
	return scratch
}

// from is s[i:], or s where it is absent.
func from(s []float32, i int) []float32 {
	if len(s) == 0 {
		return s
	}
	return s[i:]
}
