package gemm

import "unsafe"

// pair is a complex number. Its parts are separate, so that the four products of a complex
// multiplication are rounded one by one on every machine.
type pair[F float32 | float64] struct{ re, im F }

// pairs views complex numbers as their parts; C is the complex type of F.
func pairs[F float32 | float64, C complex64 | complex128](s []C) []pair[F] {
	return unsafe.Slice((*pair[F])(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}

func batchPairs[F float32 | float64](c, a, b []pair[F], p *BatchParams) {
	p.dense()
	am, ak := steps(p.Lda, p.TransA)
	bk, bn := steps(p.Ldb, p.TransB)
	sa, sb := F(1), F(1)
	if p.ConjA {
		sa = -1
	}
	if p.ConjB {
		sb = -1
	}
	for w := p.walk(); w.left > 0; w.next() {
		for m := range p.M {
			row := c[w.co+m*p.Ldc:][:p.N]
			for n := range row {
				var s pair[F]
				i, o := w.ao+m*am, w.bo+n*bn
				for range p.K {
					x, y := a[i], b[o]
					xi, yi := sa*x.im, sb*y.im
					s.re += F(x.re*y.re) - F(xi*yi)
					s.im += F(x.re*yi) + F(xi*y.re)
					i, o = i+ak, o+bk
				}
				row[n] = s
			}
		}
	}
}
