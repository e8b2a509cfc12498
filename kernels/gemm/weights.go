package gemm

import (
	"github.com/graphc/graphc/kernels/internal/narrow"
	"github.com/graphc/graphc/kernels/internal/panel"
)

// wideFloats is the approximate number of widened weights (float32) that fit in the second-level
// cache.
const wideFloats = 1 << 16

// WideColumns returns the number of columns, of k weights each, that are widened to float32
// together before they are multiplied. The columns form an even number of panels, which suits the
// widest tiles.
func WideColumns(k int) int {
	return max(wideFloats/(max(k, 1)*panel.Width)&^1, 2) * panel.Width
}

// WideLen returns the number of floats that F32F16, F32BF16 and F32I8 need for widened
// weights. It suffices for any part of p's rows and columns.
func WideLen(p Params) int {
	if p.M <= 0 || p.N <= 0 || p.K <= 0 {
		return 0
	}
	return PackedLen(p.K, min(p.N, WideColumns(p.K)))
}

// F32I8 is like F32F16, but each weight is stored as an int8, and its value is this int8 times the
// scale of its column. The argument scale has 16 elements for each panel of b.
func F32I8(c, a []float32, b []int8, scale, scratch, wide []float32, p Params) {
	Narrow(c, a, narrow.Panels{I8: b, Scale: scale}, scratch, wide, p)
}

// Narrow is F32F16 for weights of any narrow type.
func Narrow(c, a []float32, b narrow.Panels, scratch, wide []float32, p Params) {
	if p.M <= 0 || p.N <= 0 {
		return
	}
	p.dense()
	if p.K <= 0 {
		F32(c, nil, nil, scratch, p)
		return
	}
	if p.M <= narrow.MaxRows && !p.TransA && p.narrowRows(c, a, b) {
		return
	}
	cols := WideColumns(p.K)
	for n := 0; n < p.N; n += cols {
		q := p
		q.N, q.Bias, q.Res = min(cols, p.N-n), panel.From(p.Bias, n), panel.From(p.Res, n)
		w := wide[:PackedLen(q.K, q.N)]
		narrow.Expand(w, b.From(n/width, p.K), (q.N+width-1)/width, p.K)
		F32(c[n:], a, w, scratch, q)
	}
}

// narrowRows multiplies a by the stored weights b without widening all weights to memory first. It
// returns false if the machine has no kernel for this. Long sums are split into the same parts as
// in F32.
func (p *Params) narrowRows(c, a []float32, b narrow.Panels) bool {
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	step := p.step()
	for k := 0; k < p.K; k += step {
		q := narrow.Block{M: p.M, N: p.N, K: min(step, p.K-k), Lda: p.Lda, Ldc: p.Ldc, Ldr: p.Ldc,
			Depth: p.K, First: k, Lo: panel.Unclamped, Hi: -panel.Unclamped}
		prev, bs := c, []float32(nil)
		if k == 0 {
			prev, q.Ldr = p.Res, p.Ldr
		}
		if k+step >= p.K {
			q.Lo, q.Hi, bs = lo, hi, p.Bias
		}
		if !narrow.Run(c, a[k:], b, bs, prev, q) {
			return false
		}
	}
	return true
}
