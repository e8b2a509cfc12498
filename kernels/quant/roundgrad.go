package quant

func roundGrad[T float32 | float64](dx, dlo, dhi, dy, x, lo, hi []T, p *Params) {
	clear(dlo)
	clear(dhi)
	for s := range p.Slices {
		a, b := lo[s], hi[s]
		p.each(s, func(i int) {
			mask := T(0)
			if v := x[i]; v >= a && v <= b {
				mask = 1
			}
			dx[i] = dy[i] * mask
		})
	}
}
