package norm

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
)

// GradF32 computes the gradients of batch normalisation: dx, dscale and doffset from dy. mean and
// variance are the statistics that the forward computation returned. If training is set, these are
// the mean and the biased variance of the batch, and
//
//	dx = scale*k*(dy - mean(dy) - (x-mean)*k²*mean(dy*(x-mean))), k = 1/sqrt(variance+epsilon)
//
// Otherwise, dx = dy*scale*k. In both cases, dscale is Σ dy*(x-mean)*k, and doffset is Σ dy.
func GradF32(dx, dscale, doffset, dy, x, scale, mean, variance []float32, training bool, p Params) {
	rest := float64(p.Outer * p.Inner)
	for c := range p.C {
		m := float64(mean[c])
		k := 1 / math.Sqrt(float64(variance[c]+p.Epsilon))
		var sum, dot float64
		p.channel(c, func(i int) {
			sum += float64(dy[i])
			dot += float64(dy[i]) * (float64(x[i]) - m)
		})
		dscale[c], doffset[c] = float32(dot*k), float32(sum)
		if !training {
			p.channel(c, func(i int) { dx[i] = float32(float64(dy[i]) * float64(scale[c]) * k) })
			continue
		}
		a, b, d := float64(scale[c])*k, sum/rest, k*k*dot/rest
		p.channel(c, func(i int) {
			dx[i] = float32(a * (float64(dy[i]) - b - (float64(x[i])-m)*d))
		})
	}
}

// LRNGradF32 computes dx, the gradient of LRNF32 with respect to its input x. dy is the gradient of
// the result y.
func LRNGradF32(run *mem.Budget, dx, dy, x, y []float32, p LRNParams) {
	clear(dx[:p.Rows*p.C])
	call, wide := run.Call(), window(&p)
	for r := range p.Rows {
		at := r * p.C
		for c := range p.C {
			call.Work(4*wide + 16)
			var sum float32
			lo, hi := max(c-p.Radius, 0), min(c+p.Radius, p.C-1)
			for k := lo; k <= hi; k++ {
				sum += float32(x[at+k] * x[at+k])
			}
			n := p.Bias + float32(p.Alpha*sum)
			for k := lo; k <= hi; k++ {
				d := -2 * p.Alpha * p.Beta * x[at+k] * y[at+c] / n
				if k == c {
					d += float32(math.Pow(float64(n), -float64(p.Beta)))
				}
				dx[at+k] += float32(d * dy[at+c])
			}
		}
	}
}
