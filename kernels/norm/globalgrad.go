package norm

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// GlobalGradF16 is GlobalGradF32 for f16. It computes in float64 and rounds only the results.
func GlobalGradF16(dx, dm, dv, db, dg, x, m, v, gamma, dy []tensor.F16, sums []float64, p GlobalParams) {
	globalGrad(dx, dm, dv, db, dg, x, m, v, gamma, dy, sums, &p, func(v tensor.F16) float64 { return float64(v.Float32()) },
		func(v float64) tensor.F16 { return tensor.ToF16(float32(v)) })
}

func globalGrad[T any](dx, dm, dv, db, dg, x, m, v, gamma, dy []T, sums []float64, p *GlobalParams, load func(T) float64, store func(float64) T) {
	sum, product := sums[:p.C], sums[p.C:2*p.C]
	clear(sums[:2*p.C])
	for r := range p.Rows {
		for c := range p.C {
			at := r*p.C + c
			g := load(dy[at])
			sum[c] += g
			product[c] += g * (load(x[at]) - load(m[c]))
		}
	}
	for c := range p.C {
		within := load(v[c]) + float64(p.Epsilon)
		inv, scale := 1/math.Sqrt(within), 1.0
		if dg[c] = store(0); p.Scale {
			scale = load(gamma[c])
			dg[c] = store(product[c] * inv)
		}
		db[c] = store(sum[c])
		dm[c] = store(-sum[c] * inv * scale)
		dv[c] = store(product[c] * (inv * -0.5 / within) * scale)
		sum[c] = inv * scale
	}
	for i := range dx[:p.Rows*p.C] {
		dx[i] = store(load(dy[i]) * sum[i%p.C])
	}
}
