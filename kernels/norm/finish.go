// Package norm holds the kernels of batch, layer, RMS and local response normalisation. It also
// holds the epilogues of products and convolutions (bias, residual and activation) that the product
// kernels do not compute themselves.
package norm

import (
	"math"

	"github.com/graphc/graphc/kernels/internal/vmath"
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

// apply returns the activation of x.
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

// FinishParams describes an epilogue over Rows rows of C channels of type T.
type FinishParams[T any] struct {
	Rows, C   int
	Act       Act
	Alpha     float32 // LeakyRelu
	Bias, Res []T     // Bias has the shape [C], and Res has the shape [Rows, C]; either may be nil
}

// FinishF32 computes x[r,c] = act(x[r,c] + Bias[c] + Res[r,c]) in place. Nothing
// happens when a size is zero.
func FinishF32(x []float32, p FinishParams[float32]) {
	if p.C <= 0 || p.Rows <= 0 {
		return
	}
	x = x[:p.Rows*p.C]
	// Take as many rows at a time as fit in the nearest cache.
	step := max(4096/p.C, 1) * p.C
	for i := 0; i < len(x); i += step {
		piece := x[i:min(i+step, len(x))]
		if len(p.Bias) != 0 && !vmath.AddRows(piece, piece, p.Bias, vmath.Rows{N: p.C, Count: len(piece) / p.C, StepA: p.C}) {
			for r := 0; r < len(piece); r += p.C {
				add32(piece[r:r+p.C], p.Bias)
			}
		}
		if len(p.Res) != 0 {
			add32(piece, p.Res[i:])
		}
		p.Act.apply32(piece, p.Alpha)
	}
}

// add32 adds the first len(x) elements of y to the elements of x.
func add32(x, y []float32) {
	y = y[:len(x)]
	if len(x) >= short && vmath.Add(x, x, y) {
		return
	}
	for i, v := range y {
		x[i] += v
	}
}

// apply32 applies the activation in place.
func (a Act) apply32(x []float32, alpha float32) {
	if a == Identity || a.vector(x, alpha) {
		return
	}
	if a == LeakyRelu {
		for i, v := range x {
			if v < 0 {
				x[i] = v * alpha
			}
		}
		return
	}
	for i, v := range x {
		x[i] = float32(a.apply(float64(v), float64(alpha)))
	}
}

// vector applies the activation in place with a function of package vmath. It returns false if
// vmath has no function for it.
func (a Act) vector(x []float32, alpha float32) bool {
	switch a {
	case Relu:
		return vmath.Relu(x, x)
	case Relu6:
		return vmath.Relu6(x, x)
	case Elu:
		return vmath.Elu(x, x)
	case LeakyRelu:
		return vmath.LeakyRelu(x, x, alpha)
	case Tanh:
		return vmath.Tanh(x, x)
	case Sigmoid:
		return vmath.Sigmoid(x, x)
	case GeluTanh:
		return vmath.GeluTanh(x, x)
	case GeluErf:
		return vmath.GeluErf(x, x)
	case HardSwish:
		return vmath.HardSwish(x, x)
	case Swish:
		return vmath.Swish(x, x)
	}
	return false
}

// FinishF64 is FinishF32 for f64.
func FinishF64(x []float64, p FinishParams[float64]) {
	id := func(v float64) float64 { return v }
	finish(x, &p, id, id)
}

// FinishF16 is FinishF32 for f16, rounded after every step.
func FinishF16(x []tensor.F16, p FinishParams[tensor.F16]) {
	finish(x, &p, func(v tensor.F16) float64 { return float64(v.Float32()) }, func(v float64) tensor.F16 { return tensor.ToF16(float32(v)) })
}

// FinishBF16 is FinishF32 for bf16, rounded after every step.
func FinishBF16(x []tensor.BF16, p FinishParams[tensor.BF16]) {
	finish(x, &p, func(v tensor.BF16) float64 { return float64(v.Float32()) }, func(v float64) tensor.BF16 { return tensor.ToBF16(float32(v)) })
}

func finish[T any](x []T, p *FinishParams[T], load func(T) float64, store func(float64) T) {
	for r := range p.Rows {
		row := x[r*p.C : (r+1)*p.C]
		for c := range row {
			v := row[c]
			if len(p.Bias) != 0 {
				v = store(load(v) + load(p.Bias[c]))
			}
			if len(p.Res) != 0 {
				v = store(load(v) + load(p.Res[r*p.C+c]))
			}
			if p.Act != Identity {
				v = store(p.Act.apply(load(v), float64(p.Alpha)))
			}
			row[c] = v
		}
	}
}
