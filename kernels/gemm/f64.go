package gemm

import "github.com/graphc/graphc/kernels/internal/panel"

// BatchF64 is BatchF32 for f64, without scratch.
func BatchF64(c, a, b []float64, p BatchParams) {
	p.dense()
	am, ak := steps(p.Lda, p.TransA)
	bk, bn := steps(p.Ldb, p.TransB)
	for w := p.walk(); w.left > 0; w.next() {
		x, y, z := a[min(w.ao, len(a)):], b[min(w.bo, len(b)):], c[w.co:]
		done := 0
		switch {
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
