package elem

import (
	"math"
	"testing"

	"github.com/graphc/graphc/rt/cpu"
)

// TestSplit checks at every CPU level that an element's result does not depend on the rest of its
// row.
func TestSplit(t *testing.T) {
	defer cpu.SetLimit(cpu.SetLimit(cpu.AVX512))
	const n = 1000
	x, y := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], y[i] = odd32(i)*float32(i%29)/7, odd32(i*3+1)
		if i%97 == 0 {
			x[i] = float32(math.Ldexp(1.3, i%120-20))
		}
	}
	unary := map[string]func(dst, src []float32){
		"exp": ExpF32, "expm1": Expm1F32, "log": LogF32, "log1p": Log1pF32, "tanh": TanhF32, "sigmoid": SigmoidF32, "erf": ErfF32, "erfc": ErfcF32, "atan": AtanF32, "sinh": SinhF32, "asinh": AsinhF32, "cosh": CoshF32,
		"softplus": SoftplusF32, "elu": EluF32, "selu": SeluF32, "softsign": SoftsignF32, "sin": SinF32, "cos": CosF32, "tan": TanF32, "sqrt": SqrtF32,
		"rsqrt": RsqrtF32, "reciprocal": ReciprocalF32, "swish": SwishF32, "gelu": GeluErfF32, "gelu tanh": GeluTanhF32, "hard swish": HardSwishF32,
	}
	same := func(m int) Dims { return Dims{N: 1, A: [MaxRank]int{m}, B: [MaxRank]int{m}} }
	for name, f := range map[string]func(dst, a, b []float32, s Dims){
		"add": AddF32, "mul": MulF32, "pow": PowF32, "div": func(dst, a, b []float32, s Dims) { DivF32(dst, a, b, s) }, "div no nan": DivNoNanF32, "maximum": MaximumF32,
	} {
		unary[name] = func(dst, src []float32) {
			at := 0
			for at < n && &x[at] != &src[0] {
				at++
			}
			f(dst, src, y[at:at+len(dst)], same(len(dst)))
		}
	}
	for l := cpu.Portable; l <= cpu.Available(); l++ {
		cpu.SetLimit(l)
		for name, f := range unary {
			whole, parts := make([]float32, n), make([]float32, n)
			f(whole, x)
			for i, k := 0, 1; i < n; k = k*5%23 + 1 {
				m := min(k, n-i)
				f(parts[i:i+m], x[i:i+m])
				i += m
			}
			for i := range whole {
				if math.Float32bits(whole[i]) != math.Float32bits(parts[i]) && whole[i] == whole[i] {
					t.Fatalf("%s(%g) at %v is %g in a row and %g in a part", name, x[i], l, whole[i], parts[i])
				}
			}
		}
	}
}
