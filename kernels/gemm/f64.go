package gemm

import "github.com/graphc/graphc/kernels/internal/panel"

// BatchF64 packs parts of b that have at most stepF64 rows, and at most packF64 elements.
const (
	stepF64 = 512
	packF64 = 1 << 16
)

// BatchF64ScratchLen returns the number of doubles of scratch that BatchF64 needs. It grows
// with the sizes up to a bound.
func BatchF64ScratchLen(p BatchParams) int {
	if p.M <= FewRows || p.N <= 0 || p.K <= 0 || p.TransA {
		return 0
	}
	return min(min(p.K, packF64)*min(panel.LenF64(1, p.N), packF64), packF64)
}

// BatchF64 is BatchF32 for f64, but always computes the whole batch. scratch has
// BatchF64ScratchLen(p) doubles.
func BatchF64(c, a, b, scratch []float64, p BatchParams) {
	size := BatchF64ScratchLen(p)
	p.dense()
	am, ak := steps(p.Lda, p.TransA)
	bk, bn := steps(p.Ldb, p.TransB)
	packs := size > 0 && panel.UsesProductF64()
	for w := p.walk(); w.left > 0; w.next() {
		x, y, z := a[min(w.ao, len(a)):], b[min(w.bo, len(b)):], c[w.co:]
		done := 0
		switch {
		case packs:
			p.panelsF64(z, x, y, scratch[:size])
			done = p.N
		case !p.TransB:
			done = panel.MulF64(z, p.Ldc, x, am, ak, y, p.Ldb, p.M, p.K, p.N)
		case ak == 1:
			done = panel.DotsF64(z, p.Ldc, x, am, y, p.Ldb, p.M, p.K, p.N)
		}
		if done < p.N {
			product(z[done:], p.Ldc, x, am, ak, y[min(done*bn, len(y)):], bk, bn, p.M, p.N-done, max(p.K, 0))
		}
	}
}

// panelsF64 computes one product. It packs as much of b at a time as fits in scratch.
func (p *BatchParams) panelsF64(c, a, b, scratch []float64) {
	bk, bn := steps(p.Ldb, p.TransB)
	const cols = packF64 / stepF64
	for n := 0; n < p.N; n += cols {
		w := min(cols, p.N-n)
		for k := 0; k < p.K; k += stepF64 {
			depth := min(stepF64, p.K-k)
			panel.PackF64(scratch, b[k*bk+n*bn:], depth, w, p.Ldb, p.TransB)
			panel.ProductF64(c[n:], a[k:], scratch, p.M, depth, w, p.Lda, p.Ldc, k > 0)
		}
	}
}
