package norm

import (
	"math"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// LRNParams describes local response normalisation over the channels of x[Rows,C].
type LRNParams struct {
	Rows, C           int
	Radius            int // the sum for channel c includes the channels from c-Radius to c+Radius
	Bias, Alpha, Beta float32
}

func lrn[T any](run *mem.Budget, y, x []T, p *LRNParams, load func(T) float32, store func(float32) T) {
	call, wide := run.Call(), window(p)
	for r := range p.Rows {
		d, s := y[r*p.C:(r+1)*p.C], x[r*p.C:(r+1)*p.C]
		for c := range d {
			call.Work(wide + 16)
			var sum float32
			for k := max(c-p.Radius, 0); k <= min(c+p.Radius, p.C-1); k++ {
				v := load(s[k])
				sum += float32(v * v)
			}
			n := p.Bias + float32(p.Alpha*sum)
			var scale float32
			switch p.Beta {
			case 1:
				scale = 1 / n
			case 0.5:
				scale = rsqrt(n)
			default:
				scale = float32(math.Exp(-float64(p.Beta) * math.Log(float64(n))))
			}
			d[c] = store(load(s[c]) * scale)
		}
	}
}

// window returns the largest number of channels that one sum includes.
func window(p *LRNParams) int { return min(p.C, 2*min(p.Radius, p.C)+1) }

// GlobalParams describes BatchNormWithGlobalNormalization of x[Rows,C].
type GlobalParams struct {
	Rows, C int
	Epsilon float32
	Scale   bool // gamma is used
}

// GlobalF16 is GlobalF32 for f16, rounded after every step.
func GlobalF16(y, x, m, v, beta, gamma []tensor.F16, p GlobalParams) {
	global(y, x, m, v, beta, gamma, &p, func(v tensor.F16) float64 { return float64(v.Float32()) }, func(v float64) tensor.F16 { return tensor.ToF16(float32(v)) })
}

// GlobalBF16 is GlobalF32 for bf16, rounded after every step.
func GlobalBF16(y, x, m, v, beta, gamma []tensor.BF16, p GlobalParams) {
	global(y, x, m, v, beta, gamma, &p, func(v tensor.BF16) float64 { return float64(v.Float32()) }, func(v float64) tensor.BF16 { return tensor.ToBF16(float32(v)) })
}

func wide[F float](v F) float64   { return float64(v) }
func narrow[F float](v float64) F { return F(v) }

func global[T any](y, x, m, v, beta, gamma []T, p *GlobalParams, load func(T) float64, store func(float64) T) {
	for c := range p.C {
		k := store(1 / math.Sqrt(load(store(load(v[c])+float64(p.Epsilon)))))
		if p.Scale {
			k = store(load(k) * load(gamma[c]))
		}
		for r := range p.Rows {
			i := r*p.C + c
			t := store(load(store(load(x[i])-load(m[c]))) * load(k))
			y[i] = store(load(t) + load(beta[c]))
		}
	}
}
