package vmath

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/graphc/graphc/rt/cpu"
)

// levels runs f once with each set of vector instructions that the machine has.
func levels(t *testing.T, f func(t *testing.T)) {
	for l := cpu.AVX2; l <= cpu.Available(); l++ {
		t.Run(l.String(), func(t *testing.T) {
			defer cpu.SetLimit(cpu.SetLimit(l))
			f(t)
		})
	}
}

// ulps returns the distance of got from want in units in the last place of the float32
// nearest to want.
func ulps(got float32, want float64) float64 {
	w := float32(want)
	if got == w && math.IsInf(float64(w), 0) || got != got && want != want {
		return 0
	}
	if math.IsInf(float64(got), 0) || math.IsInf(float64(w), 0) || want != want || got != got {
		return math.Inf(1)
	}
	a := float32(math.Abs(float64(w)))
	unit := float64(a) - float64(math.Nextafter32(a, 0))
	if u := float64(math.Nextafter32(a, math.MaxFloat32)) - float64(a); a != math.MaxFloat32 {
		unit = u
	}
	return math.Abs(float64(got)-want) / unit
}

func sigmoid64(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

type function struct {
	name  string
	f     func(dst, src []float32) bool
	exact func(float64) float64
	limit float64
	abs   float64 // additional error that is allowed, in units of |x|·2^-24
	least float64 // if the magnitude of the exact result is less than this number, the result 0 is also accepted
}

// normal is the smallest positive normal float32.
const normal = 0x1p-126

var functions = []function{
	{"exp", Exp, math.Exp, 0.6, 0, normal},
	{"expm1", Expm1, math.Expm1, 0.8, 0, 0},
	{"elu", Elu, func(x float64) float64 {
		if x < 0 {
			return math.Expm1(x)
		}
		return x
	}, 0.8, 0, 0},
	{"sigmoid", Sigmoid, sigmoid64, 0.62, 0, normal},
	{"tanh", Tanh, math.Tanh, 0.62, 0, 0},
	{"swish", Swish, func(x float64) float64 { return x * sigmoid64(x) }, 3.2, 0, 90 * normal},
	{"erf", Erf, math.Erf, 1, 0, 0},
	{"geluErf", GeluErf, func(x float64) float64 { return 0.5 * x * (1 + math.Erf(x/math.Sqrt2)) }, 2, 4, 0},
	{"geluTanh", GeluTanh, func(x float64) float64 {
		return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
	}, 2, 4, 0},
	{"log", Log, math.Log, 0.6, 0, 0},
	{"log1p", Log1p, math.Log1p, 0.6, 0, 0},
	{"softplus", Softplus, func(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }, 0.6, 0, normal},
	{"sqrt", Sqrt, math.Sqrt, 0.5, 0, 0},
	{"rsqrt", Rsqrt, func(x float64) float64 { return 1 / math.Sqrt(x) }, 0.501, 0, 0},
	{"reciprocal", Reciprocal, func(x float64) float64 { return 1 / x }, 0.5, 0, 0},
	{"relu", Relu, func(x float64) float64 { return max(x, 0) }, 0, 0, 0},
	{"relu6", Relu6, func(x float64) float64 { return min(max(x, 0), 6) }, 0, 0, 0},
	{"hardSwish", HardSwish, func(x float64) float64 { return x * min(max(x+3, 0), 6) / 6 }, 2, 2, 0},
	{"square", Square, func(x float64) float64 { return x * x }, 0.5, 0, 0},
	{"selu", Selu, func(x float64) float64 {
		if x < 0 {
			return 1.7580993408473768599402175208123 * math.Expm1(x)
		}
		return 1.0507009873554804934193349852946 * x
	}, 1.8, 0, 0},
	{"softsign", Softsign, func(x float64) float64 {
		if math.IsInf(x, 0) {
			return math.NaN()
		}
		return x / (1 + math.Abs(x))
	}, 2, 0, 0},
	{"erfc", Erfc, math.Erfc, 0.51, 0, normal},
	{"atan", Atan, math.Atan, 0.51, 0, 0},
	{"asin", Asin, math.Asin, 0.51, 0, 0},
	{"acos", Acos, math.Acos, 0.51, 0, 0},
	{"sinh", Sinh, math.Sinh, 0.51, 0, 0},
	{"cosh", Cosh, math.Cosh, 0.51, 0, 0},
	{"asinh", Asinh, math.Asinh, 0.51, 0, 0},
	{"acosh", Acosh, math.Acosh, 0.51, 0, 0},
	{"atanh", Atanh, math.Atanh, 0.51, 0, 0},
	{"neg", Neg, func(x float64) float64 { return -x }, 0, 0, 0},
	{"abs", Abs, math.Abs, 0, 0, 0},
	{"floor", Floor, math.Floor, 0, 0, 0},
	{"ceil", Ceil, math.Ceil, 0, 0, 0},
	{"rint", Rint, math.RoundToEven, 0, 0, 0},
}

// samples returns test arguments: numbers with every exponent, and many more numbers in the ranges
// where the curvature of the functions is large.
func samples() []float32 {
	xs := []float32{float32(math.NaN()), 88.7228, 88.72284, -103.97, -103.98, -104, 17, 20, -20, 0.25, -0.25, 0.921875}
	for _, x := range []float32{0, float32(math.Inf(1)), 1, math.MaxFloat32, 1e-45, 0x1p-126, 0x1p-127, 0.5, 1.5, 2.5} {
		xs = append(xs, x, -x)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 60000 {
		xs = append(xs, math.Float32frombits(r.Uint32()))
	}
	for _, w := range []float64{0.3, 2, 12, 110} {
		for range 60000 {
			xs = append(xs, float32((2*r.Float64()-1)*w))
		}
	}
	for range 30000 {
		xs = append(xs, float32(r.Float64()*0.2-0.1)+1)
	}
	return xs
}

// off returns the distance of y from want = f(x) in units in the last place, or 0 if the function's limits
// allow y.
func (k *function) off(x, y float32, want float64) float64 {
	if k.abs > 0 && math.Abs(float64(y)-want) <= k.abs*math.Abs(float64(x))*0x1p-24 {
		return 0
	}
	if math.Abs(want) < k.least && y == 0 {
		return 0
	}
	return ulps(y, want)
}

var everyInput = flag.Bool("every", false, "TestManyInputs: check all 2^32 inputs of each function, which takes minutes for each")

// TestManyInputs checks the functions at arguments spread over all bit patterns. With the flag -every it
// takes every pattern. With -v it prints each function's largest error.
func TestManyInputs(t *testing.T) {
	step := uint64(65521) // a prime, so that the low bits differ
	if *everyInput {
		step = 1
	}
	levels(t, func(t *testing.T) {
		for _, k := range functions {
			t.Run(k.name, func(t *testing.T) {
				const parts = 64
				var worst [parts]float64
				var at [parts]float32
				var wg sync.WaitGroup
				for part := range uint64(parts) {
					wg.Go(func() {
						const size = 1 << 32 / parts
						x, y := make([]float32, 4096), make([]float32, 4096)
						for u := part * size; u < (part+1)*size; {
							n := 0
							for ; n < len(x) && u < (part+1)*size; n++ {
								x[n] = math.Float32frombits(uint32(u))
								u += step
							}
							if !k.f(y[:n], x[:n]) {
								t.Error("not computed")
								return
							}
							for i, v := range x[:n] {
								if e := k.off(v, y[i], k.exact(float64(v))); e > worst[part] {
									worst[part], at[part] = e, v
								}
							}
						}
					})
				}
				wg.Wait()
				w := slices.Max(worst[:])
				x := at[slices.Index(worst[:], w)]
				t.Logf("at most %.3f units in the last place, at %g", w, x)
				if w > k.limit {
					t.Errorf("more than %g units in the last place", k.limit)
				}
			})
		}
	})
}

func TestFunctions(t *testing.T) {
	xs := samples()
	dst := make([]float32, len(xs))
	levels(t, func(t *testing.T) {
		for _, k := range functions {
			if !k.f(dst, xs) {
				t.Fatalf("%s: not computed", k.name)
			}
			worst, at := 0.0, 0
			for i, x := range xs {
				want := k.exact(float64(x))
				if u := k.off(x, dst[i], want); u > worst || u != u {
					worst, at = u, i
				}
				if want == 0 && k.exact(0) == 0 && x == 0 && math.Signbit(float64(dst[i])) != math.Signbit(want) {
					t.Errorf("%s(%g) has the wrong sign", k.name, x)
				}
			}
			if !(worst <= k.limit) {
				t.Errorf("%s(%g) = %g, want %g: off by %.3f ulp", k.name, xs[at], dst[at], k.exact(float64(xs[at])), worst)
			}
		}
	})
}

const guard = 40

// guarded returns n floats at an unaligned address, with NaN around them.
func guarded(n, shift int) (s, all []float32) {
	all = make([]float32, n+2*guard)
	for i := range all {
		all[i] = float32(math.NaN())
	}
	at := guard + shift%guard
	return all[at : at+n : at+n], all
}

func checkGuards(t *testing.T, name string, s, all []float32) {
	t.Helper()
	nan := 0
	for _, v := range all {
		if v != v {
			nan++
		}
	}
	if nan != len(all)-len(s) {
		t.Fatalf("%s: a row of %d wrote beside itself", name, len(s))
	}
}

// TestTrigonometry checks Sin, Cos and Tan in the same way as TestFunctions checks other functions,
// but only with arguments that Sin, Cos and Tan support.
func TestTrigonometry(t *testing.T) {
	var xs []float32
	for _, x := range samples() {
		if x > -1<<31 && x < 1<<31 {
			xs = append(xs, x)
		}
	}
	if !Below(xs, 1<<31) || Below(xs, 1<<30) || Below([]float32{0, float32(math.NaN())}, 1) {
		if cpu.Available() > cpu.Portable {
			t.Error("Below is wrong")
		}
	}
	dst := make([]float32, len(xs))
	levels(t, func(t *testing.T) {
		for _, k := range []function{{"sin", Sin, math.Sin, 0.501, 0, 0}, {"cos", Cos, math.Cos, 0.501, 0, 0}, {"tan", Tan, math.Tan, 0.501, 0, 0}} {
			k.f(dst, xs)
			for i, x := range xs {
				if u := ulps(dst[i], k.exact(float64(x))); u > k.limit {
					t.Fatalf("%s(%g) = %g, want %g: off by %.3f ulp", k.name, x, dst[i], k.exact(float64(x)), u)
				}
			}
		}
	})
}

// TestPow compares powers with those of package math.
func TestPow(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	odd := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 2, -2, 3, -3, 0.5, -0.5, 0.01, -0.01, 1e-40, -1e-40, 1e30, -1e30, inf, -inf, nan, 1e9, -1e9, 16777217, 1.5, -1.5}
	var a, b []float32
	for _, x := range odd {
		for _, y := range odd {
			a, b = append(a, x), append(b, y)
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 100000 {
		a, b = append(a, float32(r.ExpFloat64()*3)), append(b, float32(r.NormFloat64()*5))
		a, b = append(a, float32(r.NormFloat64()*9)), append(b, float32(r.IntN(21)-10))
	}
	dst := make([]float32, len(a))
	levels(t, func(t *testing.T) {
		Pow(dst, a, b)
		for i, x := range a {
			want := math.Pow(float64(x), float64(b[i]))
			if u := ulps(dst[i], want); u > 0.6 && !(math.Abs(want) < normal && math.Abs(float64(dst[i])) <= normal) {
				t.Fatalf("%g^%g = %g, want %g: off by %.3f ulp", x, b[i], dst[i], want, u)
			}
			if want == 0 && math.Signbit(want) != math.Signbit(float64(dst[i])) {
				t.Fatalf("%g^%g = %g, want %g", x, b[i], dst[i], want)
			}
		}
	})
}

func TestLengths(t *testing.T) {
	levels(t, func(t *testing.T) {
		for _, k := range functions {
			xs := make([]float32, 200)
			for i := range xs {
				xs[i] = float32(i%23)/7 + 0.1
				switch k.name {
				case "asin", "acos", "atanh":
					xs[i] /= 4
				case "acosh":
					xs[i]++
				}
			}
			want := make([]float32, len(xs))
			k.f(want, xs)
			for n := range len(xs) + 1 {
				src, _ := guarded(n, n)
				copy(src, xs)
				dst, all := guarded(n, 3*n)
				k.f(dst, src)
				checkGuards(t, k.name, dst, all)
				k.f(src, src)
				for i, v := range dst {
					if v != want[i] || src[i] != v {
						t.Fatalf("%s: element %d of %d is %v and %v in place, want %v", k.name, i, n, v, src[i], want[i])
					}
				}
			}
		}
	})
}

func flush(x float32) float32 {
	if x < 0x1p-126 && x > -0x1p-126 {
		return 0
	}
	return x
}

func TestBinary(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	odd := []float32{0, float32(math.Copysign(0, -1)), inf, -inf, nan, 1e-40, -1e-40, 3e38, 1, -2}
	levels(t, func(t *testing.T) {
		for _, k := range []struct {
			name string
			f    func(dst, a, b []float32) bool
			want func(x, y float32) float32
		}{
			{"add", Add, func(x, y float32) float32 { return x + y }},
			{"sub", Sub, func(x, y float32) float32 { return x - y }},
			{"mul", Mul, func(x, y float32) float32 { return x * y }},
			{"div", Div, func(x, y float32) float32 { return flush(x / y) }},
			{"maximum", Maximum, func(x, y float32) float32 { return max(x, y) }},
			{"minimum", Minimum, func(x, y float32) float32 { return min(x, y) }},
			{"prelu", Prelu, func(x, y float32) float32 { return max(x, 0) + float32(y*max(-x, 0)) }},
			{"squared difference", SquaredDifference, func(x, y float32) float32 { return (x - y) * (x - y) }},
		} {
			for n := range 201 {
				a, _ := guarded(n, n)
				b, _ := guarded(n, 2*n)
				for i := range n {
					a[i], b[i] = odd[i%len(odd)], odd[(i/3+n)%len(odd)]
					if i%4 == 3 {
						a[i], b[i] = float32(i)-9.3, float32(n-i)*1.7
					}
				}
				for kind := range 3 {
					x, y := a, b
					if n > 0 && kind == 1 {
						x = a[n-1:]
					}
					if n > 0 && kind == 2 {
						y = b[n-1:]
					}
					dst, all := guarded(n, n+kind)
					for i := range dst {
						dst[i] = 7
					}
					k.f(dst, x, y)
					for i, v := range dst {
						p, q := x[min(i, len(x)-1)], y[min(i, len(y)-1)]
						w := k.want(p, q)
						if v != v && w != w {
							dst[i] = 0 // checkGuards expects that only the guards are NaN
						} else if math.Float32bits(v) != math.Float32bits(w) {
							t.Fatalf("%s, kind %d, %d of %d: f(%g, %g) = %g, want %g", k.name, kind, i, n, p, q, v, w)
						}
					}
					checkGuards(t, k.name, dst, all)
				}
			}
		}
	})
}

// gatedTanh64 returns tanh(x)·sigmoid(y).
func gatedTanh64(x, y float64) float64 { return math.Tanh(x) * sigmoid64(y) }

// TestGatedTanh compares GatedTanh, with rows and with single elements as operands, with package math.
func TestGatedTanh(t *testing.T) {
	xs := samples()
	ys := slices.Clone(xs)
	rand.New(rand.NewPCG(5, 6)).Shuffle(len(ys), func(i, j int) { ys[i], ys[j] = ys[j], ys[i] })
	// Every kind of number meets every other kind.
	for _, x := range xs[:32] {
		for _, y := range xs[:32] {
			xs, ys = append(xs, x), append(ys, y)
		}
	}
	levels(t, func(t *testing.T) {
		dst := make([]float32, len(xs))
		if !GatedTanh(dst, xs, ys) {
			t.Fatal("there is no assembly for this level")
		}
		worst, at := 0.0, 0
		check := func(i int, x, y float32) {
			t.Helper()
			want := gatedTanh64(float64(x), float64(y))
			if math.Abs(want) < 2*normal && math.Abs(float64(dst[i])) < 2*normal {
				return
			}
			if math.IsNaN(want) != (dst[i] != dst[i]) {
				t.Fatalf("gatedTanh(%g, %g) = %g, want %g", x, y, dst[i], want)
			}
			if u := ulps(dst[i], want); u > worst {
				worst, at = u, i
			}
		}
		for i := range dst {
			check(i, xs[i], ys[i])
		}
		t.Logf("off by at most %.3f ulp", worst)
		if worst > 4.5 {
			t.Errorf("gatedTanh(%g, %g) = %g: off by %.3f ulp", xs[at], ys[at], dst[at], worst)
		}
		n := len(xs) / 8
		for _, x := range []float32{0.3, -2, 1e-3} {
			GatedTanh(dst[:n], []float32{x}, ys[:n])
			for i := range n {
				check(i, x, ys[i])
			}
			GatedTanh(dst[:n], xs[:n], []float32{x})
			for i := range n {
				check(i, xs[i], x)
			}
		}
		if worst > 4.5 {
			t.Errorf("with a single element as operand: off by %.3f ulp", worst)
		}
	})
}

func TestReductions(t *testing.T) {
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(3, 4))
		for n := range 201 {
			s, _ := guarded(n, n)
			for i := range s {
				s[i] = float32(r.NormFloat64()) * 9
			}
			lo, hi, sum, mag, e := math.Inf(1), math.Inf(-1), 0.0, 0.0, 0.0
			for _, x := range s {
				v := float64(x)
				lo, hi, sum, mag = min(lo, v), max(hi, v), sum+v, mag+math.Abs(v)
			}
			top := float32(hi)
			if n == 0 {
				top = 0
			}
			for _, x := range s {
				e += math.Exp(float64(x - top))
			}
			gotHi, _ := Max(s)
			gotLo, _ := Min(s)
			if float64(gotHi) != hi || float64(gotLo) != lo {
				t.Fatalf("%d: from %v to %v, want %v to %v", n, gotLo, gotHi, lo, hi)
			}
			if got, _ := Sum(s); math.Abs(got-sum) > 1e-14*mag {
				t.Fatalf("%d: sum %v, want %v", n, got, sum)
			}
			dst, all := guarded(n, 2*n)
			e1, _ := ExpSum(dst, s, top)
			e2, _ := SumExp(s, top)
			checkGuards(t, "ExpSum", dst, all)
			if math.Abs(e1-e) > 1e-7*e || e1 != e2 {
				t.Fatalf("%d: sums of exponentials %v and %v, want %v", n, e1, e2, e)
			}
			SubLog(dst, s, top, 2.5)
			checkGuards(t, "SubLog", dst, all)
			for i, v := range dst {
				if w := float32(float64(s[i]-top) - 2.5); v != w {
					t.Fatalf("%d: SubLog gives %v, want %v", n, v, w)
				}
			}
			acc := make([]float64, n)
			for i := range AddTo(acc, s) {
				if acc[i] != float64(s[i]) {
					t.Fatalf("%d: AddTo gives %v, want %v", n, acc[i], s[i])
				}
			}
			for i := range s {
				keep := s[i]
				s[i] = float32(math.NaN())
				a, _ := Max(s)
				b, _ := Min(s)
				if a == a || b == b {
					t.Fatalf("%d: NaN at %d overlooked", n, i)
				}
				s[i] = keep
			}
		}
	})
}

func TestSoftmax(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	levels(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(7, 8))
		for n := 1; n <= 200; n++ {
			const rows = 5
			src, _ := guarded(rows*n, n)
			for i := range src {
				src[i] = float32(r.NormFloat64()) * 20
			}
			src[0] = -inf // the first row contains a -Inf
			if n > 1 {
				src[n+n/2] = inf // the results of the second row are NaN
				src[3*n-1] = nan // the results of the third row are NaN
			}
			dst, all := guarded(rows*n, 3*n)
			Softmax(dst, src, n)
			for row := range rows {
				m, sum := math.Inf(-1), 0.0
				for _, x := range src[row*n:][:n] {
					m = max(m, float64(x))
				}
				for _, x := range src[row*n:][:n] {
					sum += math.Exp(float64(x - float32(m)))
				}
				for i, x := range src[row*n:][:n] {
					want, got := math.Exp(float64(x-float32(m)))/sum, dst[row*n+i]
					if u := ulps(got, want); u > 2.2 && (want >= normal || got != 0) {
						t.Fatalf("row %d of %d, element %d: %v, want %v", row, n, i, got, want)
					}
					dst[row*n+i] = 0
				}
			}
			checkGuards(t, "Softmax", dst, all)
			Softmax(src, src, n)
		}
	})
}

func TestLeakyRelu(t *testing.T) {
	levels(t, func(t *testing.T) {
		for n := range 201 {
			src, _ := guarded(n, n)
			for i := range src {
				src[i] = float32(i%9) - 4
			}
			dst, all := guarded(n, 2*n)
			LeakyRelu(dst, src, 0.3)
			checkGuards(t, "LeakyRelu", dst, all)
			for i, x := range src {
				w := x
				if !(x > 0) {
					w = x * 0.3
				}
				if dst[i] != w {
					t.Fatalf("%d of %d: %v, want %v", i, n, dst[i], w)
				}
			}
		}
	})
}

func BenchmarkFunctions(b *testing.B) {
	x, y := make([]float32, 4096), make([]float32, 4096)
	// The time of a division may depend on the number of bits of its operands.
	r := rand.New(rand.NewPCG(1, 2))
	for i := range x {
		x[i] = r.Float32()*10 - 5
	}
	for l := cpu.AVX2; l <= cpu.Available(); l++ {
		defer cpu.SetLimit(cpu.SetLimit(l))
		for _, k := range functions[:14] {
			b.Run(fmt.Sprintf("%s/%v", k.name, l), func(b *testing.B) {
				for range b.N {
					k.f(y, x)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096, "ns/elem")
			})
		}
		b.Run(fmt.Sprintf("gatedTanh/%v", l), func(b *testing.B) {
			for range b.N {
				GatedTanh(y, x, x)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096, "ns/elem")
		})
	}
}
