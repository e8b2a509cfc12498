// Package norm holds what stands behind products and convolutions: batch and
// local response normalisation, and the epilogues that the kernels of the sums
// do not have themselves.
package norm

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// Act is an activation of an epilogue.
type Act int

// The activations.
const (
	Identity  Act = iota
	Relu          // max(x, 0)
	Relu6         // min(max(x, 0), 6)
	Elu           // x > 0 ? x : exp(x)-1
	LeakyRelu     // x > 0 ? x : Alpha*x
	Tanh          // tanh(x)
	Sigmoid       // 1/(1+exp(-x))
	GeluTanh      // x/2*(1+tanh(sqrt(2/π)*(x+0.044715*x³)))
	GeluErf       // x/2*(1+erf(x/√2))
	HardSwish     // x*min(max(x+3, 0), 6)/6
	Swish         // x*sigmoid(x)
)

// apply is the activation of x.
func (a Act) apply(x, alpha float64) float64 {
	switch a {
	case Relu:
		if x < 0 {
			return 0
		}
	case Relu6:
		if x < 0 {
			return 0
		}
		if x > 6 {
			return 6
		}
	case Elu:
		if x < 0 {
			return math.Expm1(x)
		}
	case LeakyRelu:
		if x < 0 {
			return alpha * x
		}
	case Tanh:
		return math.Tanh(x)
	case Sigmoid:
		return 1 / (1 + math.Exp(-x))
	case GeluTanh:
		return 0.5 * x * (1 + math.Tanh(0.7978845608028654*(x+float64(0.044715*x*x)*x)))
	case GeluErf:
		return 0.5 * x * (1 + math.Erf(x/math.Sqrt2))
	case HardSwish:
		return x * min(max(x+3, 0), 6) / 6
	case Swish:
		return x / (1 + math.Exp(-x))
	}
	return x
}

// FinishParams describes an epilogue over Rows rows of C channels.
type FinishParams struct {
	Rows, C int
	Act     Act
	Alpha   float32 // LeakyRelu
}

// FinishF32 computes x[r,c] = act(x[r,c] + bias[c] + res[r,c]) in place. bias
// and res are absent if empty. Nothing happens when a size is zero.
func FinishF32(x, bias, res []float32, p FinishParams) {
	if len(bias) == 0 && len(res) == 0 && p.Act == LeakyRelu {
		for i, v := range x {
			if v < 0 {
				x[i] = v * p.Alpha
			}
		}
		return
	}
	finish(x, bias, res, &p, func(v float32) float64 { return float64(v) }, func(v float64) float32 { return float32(v) })
}

// FinishF64 is FinishF32 for f64.
func FinishF64(x, bias, res []float64, p FinishParams) {
	id := func(v float64) float64 { return v }
	finish(x, bias, res, &p, id, id)
}

// FinishF16 is FinishF32 for f16, rounded after every step.
func FinishF16(x, bias, res []tensor.F16, p FinishParams) {
	finish(x, bias, res, &p, func(v tensor.F16) float64 { return float64(v.Float32()) }, func(v float64) tensor.F16 { return tensor.ToF16(float32(v)) })
}

// FinishBF16 is FinishF32 for bf16, rounded after every step.
func FinishBF16(x, bias, res []tensor.BF16, p FinishParams) {
	finish(x, bias, res, &p, func(v tensor.BF16) float64 { return float64(v.Float32()) }, func(v float64) tensor.BF16 { return tensor.ToBF16(float32(v)) })
}

func finish[T any](x, bias, res []T, p *FinishParams, load func(T) float64, store func(float64) T) {
	for r := range p.Rows {
		row := x[r*p.C : (r+1)*p.C]
		for c := range row {
			v := row[c]
			if len(bias) != 0 {
				v = store(load(v) + load(bias[c]))
			}
			if len(res) != 0 {
				v = store(load(v) + load(res[r*p.C+c]))
			}
			if p.Act != Identity {
				v = store(p.Act.apply(load(v), float64(p.Alpha)))
			}
			row[c] = v
		}
	}
}
