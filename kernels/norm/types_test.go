package norm

import (
	"math"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
)

//go:generate go run -C ../_gen ./wrappers -dir ../norm

// TestTypes runs every kernel at every type.
func TestTypes(t *testing.T) {
	f, out := typed.F, typed.Out
	w := func(outs ...typed.E) typed.Wants { return typed.Wants{Outs: outs} }
	gelu := func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }
	tanh := func(x float64) float64 { return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x))) }
	at := []float64{-2, -0.5, 0.5, 7} // the sums of x, bias and res
	for act, g := range map[Act]func(x float64) float64{
		Identity: func(x float64) float64 { return x }, Relu: func(x float64) float64 { return max(x, 0) }, Relu6: func(x float64) float64 { return min(max(x, 0), 6) },
		Elu: func(x float64) float64 { return max(x, math.Expm1(min(x, 0))) }, LeakyRelu: func(x float64) float64 { return max(x, 0.25*x) }, Tanh: math.Tanh,
		Sigmoid: func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, GeluTanh: tanh, GeluErf: gelu, HardSwish: func(x float64) float64 { return x * min(max(x+3, 0), 6) / 6 },
		Swish: func(x float64) float64 { return x / (1 + math.Exp(-x)) },
	} {
		want := make([]float64, len(at))
		for i, x := range at {
			want[i] = g(x)
		}
		for _, c := range []struct {
			what      string
			x         typed.Buf
			bias, res typed.E
		}{
			{"bias and residual", typed.Buf{-3.25, 0.25, -0.75, 7.75}, f(1, -1), f(0.25, 0.25, 0.25, 0.25)}, {"bias", typed.Buf{-3, 0.5, -0.5, 8}, f(1, -1), f()}, {"alone", typed.Buf{-2, -0.5, 0.5, 7}, f(), f()},
		} {
			for _, k := range wrappers["Finish"] { // x is changed
				typed.Close(t, c.what, []any{k}, 8, w(f(want...)), c.x, typed.Struct{"Rows": 2, "C": 2, "Act": act, "Alpha": 0.25, "Bias": c.bias, "Res": c.res})
			}
		}
		portable := make([]float32, len(at)) // the results computed without vector instructions
		for i, x := range at {
			if portable[i] = float32(act.apply(x, 0.25)); math.Abs(float64(portable[i])-want[i]) > 1e-6 {
				t.Errorf("activation %d of %v is %v, want %v", act, x, portable[i], want[i])
			}
		}
	}
	typed.Check(t, "no rows", wrappers["Finish"], w(f(99)), out(1), typed.Struct{"C": 1, "Act": Relu})

	x, scale, offset, mean, variance, scratch := f(3, 5, 1, 2), f(2, 1), f(1, 0), f(1, 2), f(3, 0), f(9, 9)
	typed.Close(t, "channels last", wrappers["Infer"], 1, w(f(3, 3, 1, 0)), out(4), x, scale, offset, mean, variance, scratch, Params{Outer: 2, C: 2, Inner: 1, Epsilon: 1})
	typed.Close(t, "channels first", wrappers["Infer"], 1, w(f(3, 1, 3, 0)), out(4), f(3, 1, 5, 2), scale, offset, mean, variance, scratch, Params{Outer: 1, C: 2, Inner: 2, Epsilon: 1})
	old, oldVar := f(0, 0), f(4, 0)
	typed.Close(t, "batch", wrappers["Train"], 1, w(f(-1, -1, 3, 1), f(2, 4), f(2, 8), f(2, 4), f(1, 4)), out(4), f(1, 2, 3, 6), scale, offset, old, oldVar, out(2), out(2), out(2), out(2), scratch,
		Params{Outer: 2, C: 2, Inner: 1, Factor: 1})
	typed.Close(t, "batch, mixed", wrappers["Train"], 1, w(f(-1, 3, -1, 1), f(1, 2), f(3, 4), f(2, 4), f(1, 4)), out(4), f(1, 3, 2, 6), scale, offset, old, oldVar, out(2), out(2), out(2), out(2), scratch,
		Params{Outer: 1, C: 2, Inner: 2, Factor: 0.5})
	nan := f(math.NaN(), math.NaN())
	typed.Check(t, "no batch", wrappers["Train"], w(f(), nan, nan, nan, nan), out(0), f(), scale, offset, old, oldVar, out(2), out(2), out(2), out(2), scratch, Params{Outer: 0, C: 2, Inner: 1, Factor: 1})

	typed.Close(t, "scaled", wrappers["Global"], 1, w(f(3, 3, 1, 0)), out(4), x, mean, variance, offset, scale, GlobalParams{Rows: 2, C: 2, Epsilon: 1, Scale: true})
	typed.Close(t, "not scaled", wrappers["Global"], 1, w(f(2, 3, 1, 0)), out(4), x, mean, variance, offset, scale, GlobalParams{Rows: 2, C: 2, Epsilon: 1})
	for _, beta := range []float64{1, 0.5, 0.75} {
		k := math.Pow(6, -beta)
		typed.Close(t, "response", wrappers["LRN"], 2, w(f(k, 2*k)), out(2), f(1, 2), LRNParams{Rows: 1, C: 2, Radius: 1, Bias: 1, Alpha: 1, Beta: float32(beta)})
	}
}
