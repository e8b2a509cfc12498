package elem

import (
	"math"
	"testing"

	"github.com/graphc/graphc/rt/cpu"
)

var lengths = func() (ns []int) {
	for n := range 80 {
		ns = append(ns, n)
	}
	return append(ns, 127, 128, 129, 255, 1000)
}()

// sweepLevels compares f at every CPU level with the portable version, for rows of many lengths and
// for operands of one element.
func sweepLevels[T, R comparable](t *testing.T, name string, f func(dst []R, a, b []T, s Dims), gen func(i int) T) {
	t.Helper()
	defer cpu.SetLimit(cpu.SetLimit(cpu.AVX512))
	for _, n := range lengths {
		for form := range 3 {
			a, b := make([]T, n), make([]T, n)
			for i := range n {
				a[i], b[i] = gen(i), gen(i*5+n)
			}
			s := Dims{N: 1, A: [MaxRank]int{n}, B: [MaxRank]int{n}}
			if n > 0 && form == 1 {
				a, s.A[0] = a[n-1:], 1
			}
			if n > 0 && form == 2 {
				b, s.B[0] = b[n-1:], 1
			}
			cpu.SetLimit(cpu.Portable)
			want := make([]R, n)
			f(want, a, b, s)
			for l := cpu.AVX2; l <= cpu.Available(); l++ {
				cpu.SetLimit(l)
				got := make([]R, n)
				f(got, a, b, s)
				for i := range n {
					if got[i] != want[i] && (got[i] == got[i] || want[i] == want[i]) {
						t.Fatalf("%s, form %d at %v: element %d of %d is %v, want %v", name, form, l, i, n, got[i], want[i])
					}
				}
			}
		}
	}
}

func odd32(i int) float32 {
	odd := []float32{0, float32(math.Copysign(0, -1)), float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 1, -1}
	if i%3 == 0 {
		return odd[i/3%len(odd)]
	}
	return float32(i%7) - 3
}

func oddI32(i int) int32 {
	if i%11 == 0 {
		return math.MinInt32
	}
	if i%13 == 0 {
		return math.MaxInt32
	}
	return int32(i%9) - 4
}

func oddI64(i int) int64 {
	if i%11 == 0 {
		return math.MinInt64
	}
	if i%13 == 0 {
		return 0x123456789abcdef + int64(i)
	}
	return int64(i%9) - 4
}

func oddF64(i int) float64 { return float64(odd32(i)) * 1.1 }

// TestWords compares, by sweepLevels, the rows of integers, doubles and bools, and the comparisons.
func TestWords(t *testing.T) {
	sweepLevels(t, "add", AddI32, oddI32)
	sweepLevels(t, "sub", SubI32, oddI32)
	sweepLevels(t, "mul", MulI32, oddI32)
	sweepLevels(t, "maximum", MaximumI32, oddI32)
	sweepLevels(t, "minimum", MinimumI32, oddI32)
	sweepLevels(t, "add", AddI64, oddI64)
	sweepLevels(t, "sub", SubI64, oddI64)
	sweepLevels(t, "mul", MulI64, oddI64)
	sweepLevels(t, "add", AddF64, oddF64)
	sweepLevels(t, "sub", SubF64, oddF64)
	sweepLevels(t, "mul", MulF64, oddF64)
	sweepLevels(t, "div", func(dst, a, b []float64, s Dims) { DivF64(dst, a, b, s) }, oddF64)
	sweepLevels(t, "equal", EqualF32, odd32)
	sweepLevels(t, "not equal", NotEqualF32, odd32)
	sweepLevels(t, "less", LessF32, odd32)
	sweepLevels(t, "less or equal", LessEqualF32, odd32)
	sweepLevels(t, "greater", GreaterF32, odd32)
	sweepLevels(t, "greater or equal", GreaterEqualF32, odd32)
	sweepLevels(t, "equal", EqualI32, oddI32)
	sweepLevels(t, "not equal", NotEqualI32, oddI32)
	sweepLevels(t, "less", LessI32, oddI32)
	sweepLevels(t, "less or equal", LessEqualI32, oddI32)
	sweepLevels(t, "greater", GreaterI32, oddI32)
	sweepLevels(t, "greater or equal", GreaterEqualI32, oddI32)
	sweepLevels(t, "equal", EqualI64, oddI64)
	sweepLevels(t, "not equal", NotEqualI64, oddI64)
	sweepLevels(t, "less", LessI64, oddI64)
	sweepLevels(t, "less or equal", LessEqualI64, oddI64)
	sweepLevels(t, "greater", GreaterI64, oddI64)
	sweepLevels(t, "greater or equal", GreaterEqualI64, oddI64)
	yes := func(i int) bool { return i%3 == 0 || i%7 == 1 }
	sweepLevels(t, "and", AndBool, yes)
	sweepLevels(t, "or", OrBool, yes)
	sweepLevels(t, "not", func(dst, a, _ []bool, s Dims) {
		if len(a) == len(dst) {
			NotBool(dst, a)
		}
	}, yes)
	sweepLevels(t, "divide unless 0", DivNoNanF32, odd32)
	sweepLevels(t, "power", PowF32, odd32)
	for _, k := range []struct {
		name string
		f    func(dst, src []float32)
	}{{"sign", SignF32}, {"softsign", SoftsignF32}, {"sin", SinF32}, {"cos", CosF32}, {"tan", TanF32}} {
		sweepLevels(t, k.name, func(dst, a, _ []float32, s Dims) {
			if len(a) == len(dst) {
				k.f(dst, a)
			}
		}, odd32)
	}
	sweepLevels(t, "clip", func(dst, a, b []float32, s Dims) {
		if len(a) == len(dst) && len(b) > 0 {
			ClipF32(dst, a, b[:1], b[len(b)-1:])
		}
	}, odd32)
	sweepLevels(t, "select", func(dst, a, b []float32, s Dims) {
		c := make([]bool, len(dst))
		for i := range c {
			c[i] = yes(i)
		}
		SelectF32(dst, c, a, b, Dims3{N: 1, C: [MaxRank]int{len(dst)}, A: s.A, B: s.B})
	}, odd32)
}
