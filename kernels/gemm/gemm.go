// Package gemm holds matrix products of every element type.
//
// f32 products need their right-hand side packed in panels of 16 columns (PackF32). A right-hand
// side that is constant is packed once, at compile time. The other types and batched products use
// both sides unpacked, and pack parts in scratch where that pays.
package gemm

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/panel"
)

// Act is the activation that is fused with a product or a convolution.
type Act int

// The activations. All of them pass NaN through, as TensorFlow's do.
const (
	NoAct Act = iota // nothing
	Relu             // max(x, 0)
	Relu6            // min(max(x, 0), 6)
	Clip             // min(max(x, Lo), Hi)
)

// Bounds returns the interval to which an activation clamps. An end is infinite if the activation
// has no such limit. lo and hi are used for Clip only.
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
	Ldr     int  // floats between rows of Res, 0 meaning dense (N)
	TransA  bool // whether a holds A transposed; element (m,k) is then a[k*Lda+m]
	Act     Act
	Lo, Hi  float32 // for Clip
	// Bias ([N]) and Res are added to the sum, by the f32 products only; each may be nil.
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

// PackedLen returns the number of floats that PackF32 writes: ceil(n/16)*16*k.
func PackedLen(k, n int) int { return panel.Len(max(k, 0), max(n, 0)) }

// PackF32 packs B[k,n] for F32 in panels of 16 columns, [ceil(n/16)][k][16]. Columns beyond
// n are zero. b is dense row-major [k,n], or [n,k] if transB. dst has PackedLen(k, n) floats
// and does not overlap b.
func PackF32(dst, b []float32, k, n int, transB bool) {
	ldb := n
	if transB {
		ldb = k
	}
	panel.Pack(dst, b, k, n, ldb, transB)
}

// The sizes of blocks. The rows are split into blocks, so that a block's part of A stays in the
// second-level cache. The sums over k are split into parts, so that the part of B that a tile reads
// stays in this cache, too.
const (
	blockFloats = 1 << 16
	blockK      = 1024
	blockRows   = 224
	// Rows that are a multiple of 4096 bytes apart share a cache set.
	aliasFloats = 1024
	padFloats   = 16
	width       = panel.Width
)

// repacks reports whether rows of A are copied to scratch before use: if A is transposed, or
// if rows share cache sets and are read often.
func (p *Params) repacks() bool {
	return p.TransA || p.Lda%aliasFloats == 0 && p.M >= 8 && p.N >= 128
}

// step returns the length of the part of the sum that is computed at once. It depends only on K, so
// that any part of the rows or columns gives the same bits.
func (p *Params) step() int {
	n := (p.K + blockK - 1) / blockK
	return (p.K + max(n, 1) - 1) / max(n, 1)
}

// rows returns the number of rows that are computed at once. Blocks have about equal heights.
func (p *Params) rows() int {
	r := min(max(blockFloats/max(1, p.step()), 28), blockRows)
	n := (p.M + r - 1) / r
	return (p.M + n - 1) / n
}

// ScratchLen returns the number of floats of scratch that F32 needs for p, or any part of its
// rows and columns. It grows with M, N and K up to a bound.
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
// b is packed by PackF32. Res may be c (same stride); c overlaps nothing else. scratch has
// ScratchLen(p) floats. If M or N is zero, F32 does nothing; if K is zero, the sums are zero. Sums
// are in order of k, in parts that depend only on K, with fused multiply-add if the machine has it.
// Split divides a product among threads.
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
			panel.Run(c[m*p.Ldc:], src, b, p.Bias, panel.From(p.Res, m*p.Ldr), q)
		}
		return
	}
	p.deep(c, a, b, scratch, lo, hi)
}

// deep splits a long sum into parts. Every part but the first adds its sums to the partial sums in
// c.
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
				prev, q.Ldr = panel.From(p.Res, m*p.Ldr), p.Ldr
			}
			if k+step >= p.K {
				q.Lo, q.Hi, bs = lo, hi, p.Bias
			}
			src := p.left(a, scratch, m, k, &q, repack)
			panel.Run(dst, src, b[k*panel.Width:], bs, prev, q)
		}
	}
}

// left returns the part of A for the block q, beginning with row m and column k. If repack is set,
// the part is copied to scratch.
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
