package quant

// RoundGradF32 is the gradient of Round over slices [Outer, Slices, Inner], each
// with its range: dx is dy times 1 where lo <= x <= hi, times 0 elsewhere. dlo and dhi are zero.
func RoundGradF32(dx, dlo, dhi, dy, x, lo, hi []float32, p Params) {
	roundGrad(dx, dlo, dhi, dy, x, lo, hi, &p)
}

// RoundGradF64 is RoundGradF32 for f64.
func RoundGradF64(dx, dlo, dhi, dy, x, lo, hi []float64, p Params) {
	roundGrad(dx, dlo, dhi, dy, x, lo, hi, &p)
}

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
