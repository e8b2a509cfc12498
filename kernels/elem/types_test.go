package elem

import (
	"math"
	"math/big"
	"math/cmplx"
	"reflect"
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
	"github.com/graphc/graphc/rt/tensor"
	"strings"
)

//go:generate go run -C ../_gen ./wrappers -dir ../elem

// formula computes the expected results of an element-wise kernel in wider numbers. It has a
// function for each class of types.
type formula struct {
	f     func(x, y float64) float64
	c     func(x, y complex128) complex128
	i     func(x, y *big.Int, bits uint) *big.Int
	b     func(x, y bool) bool
	extra []any
	// The error allowed for the kernel; 0 means exact.
	ulps float64
	// The values of x and y, if the kernel's domain is restricted.
	x, y []float64
	// takes reports whether the kernel accepts an integer y.
	takes func(y *big.Int) bool
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func flag(b bool) *big.Int { return big.NewInt(int64(truth(b))) }

// both returns a formula for real and complex types.
func both(f func(x, y float64) float64, c func(x, y complex128) complex128, ulps float64) formula {
	return formula{f: f, c: c, ulps: ulps}
}

func orderly(f func(x, y float64) bool, i func(cmp int) bool) formula {
	return formula{f: func(x, y float64) float64 { return truth(f(x, y)) }, i: func(x, y *big.Int, _ uint) *big.Int { return flag(i(x.Cmp(y))) }}
}

func bigs(f func(z, x, y *big.Int) *big.Int) func(x, y *big.Int, bits uint) *big.Int {
	return func(x, y *big.Int, _ uint) *big.Int { return f(new(big.Int), x, y) }
}

func nonzero(y *big.Int) bool { return y.Sign() != 0 }

func clampShift(y *big.Int, bits uint) uint {
	switch {
	case y.Sign() < 0:
		return 0
	case y.Cmp(big.NewInt(int64(bits)-1)) > 0:
		return bits - 1
	}
	return uint(y.Int64())
}

func zeroWhere(zero bool, v float64) float64 {
	if zero {
		return 0
	}
	return v
}

func zeroWhereC(zero bool, v complex128) complex128 {
	if zero {
		return 0
	}
	return v
}

func bigFloorMod(z, x, y *big.Int) *big.Int {
	if z.Rem(x, y); z.Sign() != 0 && z.Sign() != y.Sign() {
		z.Add(z, y)
	}
	return z
}

func larger(x, y *big.Int, _ uint) *big.Int {
	if x.Cmp(y) < 0 {
		return y
	}
	return x
}

func smaller(x, y *big.Int, _ uint) *big.Int {
	if x.Cmp(y) > 0 {
		return y
	}
	return x
}

func where(c bool, x, y *big.Int) *big.Int {
	if c {
		return x
	}
	return y
}

var six = big.NewInt(6)

var domainPositive = []float64{0.125, 0.5, 1, 1.5, 2, 3.5, 10}

func f2(f func(x, y float64) float64, ulps float64) formula { return formula{f: f, ulps: ulps} }

// binaries are the kernels of two operands.
var binaries = map[string]formula{
	"Add":       {f: func(x, y float64) float64 { return x + y }, c: func(x, y complex128) complex128 { return x + y }, i: bigs((*big.Int).Add), ulps: 1},
	"Sub":       {f: func(x, y float64) float64 { return x - y }, c: func(x, y complex128) complex128 { return x - y }, i: bigs((*big.Int).Sub), ulps: 1},
	"Mul":       {f: func(x, y float64) float64 { return x * y }, c: func(x, y complex128) complex128 { return x * y }, i: bigs((*big.Int).Mul), ulps: 1},
	"Maximum":   {f: func(x, y float64) float64 { return max(x, y) }, i: larger},
	"Minimum":   {f: func(x, y float64) float64 { return min(x, y) }, i: smaller},
	"Prelu":     {f: func(x, y float64) float64 { return max(x, 0) + y*max(-x, 0) }, ulps: 1},
	"GatedTanh": {f: func(x, y float64) float64 { return math.Tanh(x) / (1 + math.Exp(-y)) }, ulps: 4},
	"SquaredDifference": {f: func(x, y float64) float64 { return (x - y) * (x - y) }, c: func(x, y complex128) complex128 { return (x - y) * cmplx.Conj(x-y) }, ulps: 2,
		i: func(x, y *big.Int, _ uint) *big.Int { d := new(big.Int).Sub(x, y); return d.Mul(d, d) }},
	"MulNoNan": both(func(x, y float64) float64 { return zeroWhere(y == 0, x*y) }, func(x, y complex128) complex128 { return zeroWhereC(y == 0, x*y) }, 1),
	"Complex":  {f: func(x, y float64) float64 { return x }},
	"Div":      {f: func(x, y float64) float64 { return x / y }, c: func(x, y complex128) complex128 { return x / y }, i: bigs((*big.Int).Quo), ulps: 2, takes: nonzero},
	"DivNoNan": both(func(x, y float64) float64 { return zeroWhere(y == 0, x/y) }, func(x, y complex128) complex128 { return zeroWhereC(y == 0, x/y) }, 2),
	"FloorDiv": {f: func(x, y float64) float64 { return math.Floor(x / y) }, takes: nonzero, i: func(x, y *big.Int, _ uint) *big.Int {
		z := new(big.Int).Sub(x, bigFloorMod(new(big.Int), x, y))
		return z.Quo(z, y)
	}},
	"FloorMod": {f: func(x, y float64) float64 {
		r := math.Mod(x, y)
		if r != 0 && (r < 0) != (y < 0) {
			r += y
		}
		return r
	}, takes: nonzero, i: bigs(bigFloorMod)},
	"TruncateDiv": {f: func(x, y float64) float64 { return math.Trunc(x / y) }, i: bigs((*big.Int).Quo), takes: nonzero},
	"Mod":         {f: math.Mod, i: bigs((*big.Int).Rem), takes: nonzero},
	"TruncateMod": {f: math.Mod, i: bigs((*big.Int).Rem), takes: nonzero},
	"Xdivy":       both(func(x, y float64) float64 { return zeroWhere(x == 0, x/y) }, func(x, y complex128) complex128 { return zeroWhereC(x == 0, x/y) }, 2),
	"Equal": {f: func(x, y float64) float64 { return truth(x == y) }, c: func(x, y complex128) complex128 { return complex(truth(x == y), 0) },
		i: func(x, y *big.Int, _ uint) *big.Int { return flag(x.Cmp(y) == 0) }, b: func(x, y bool) bool { return x == y }},
	"NotEqual": {f: func(x, y float64) float64 { return truth(x != y) }, c: func(x, y complex128) complex128 { return complex(truth(x != y), 0) },
		i: func(x, y *big.Int, _ uint) *big.Int { return flag(x.Cmp(y) != 0) }, b: func(x, y bool) bool { return x != y }},
	"Less":             orderly(func(x, y float64) bool { return x < y }, func(c int) bool { return c < 0 }),
	"LessEqual":        orderly(func(x, y float64) bool { return x <= y }, func(c int) bool { return c <= 0 }),
	"Greater":          orderly(func(x, y float64) bool { return x > y }, func(c int) bool { return c > 0 }),
	"GreaterEqual":     orderly(func(x, y float64) bool { return x >= y }, func(c int) bool { return c >= 0 }),
	"ApproximateEqual": {f: func(x, y float64) float64 { return truth(math.Abs(x-y) < 1.25) }, extra: []any{float32(1.25)}},
	"And":              {b: func(x, y bool) bool { return x && y }},
	"Or":               {b: func(x, y bool) bool { return x || y }},
	"BitAnd":           {i: bigs((*big.Int).And)},
	"BitOr":            {i: bigs((*big.Int).Or)},
	"BitXor":           {i: bigs((*big.Int).Xor)},
	"ShiftLeft":        {i: func(x, y *big.Int, bits uint) *big.Int { return new(big.Int).Lsh(x, clampShift(y, bits)) }},
	"ShiftRight":       {i: func(x, y *big.Int, bits uint) *big.Int { return new(big.Int).Rsh(x, clampShift(y, bits)) }},
	"Pow": {f: math.Pow, ulps: 4, x: []float64{0.125, 0.5, 1, 1.5, 2, 3.5, 10, -2, -0.5}, y: []float64{0, 1, 2, 3, -1, -2},
		c: func(x, y complex128) complex128 {
			if x == 0 && y == 0 {
				return cmplx.NaN()
			}
			return cmplx.Pow(x, y)
		},
		takes: func(y *big.Int) bool { return y.Sign() >= 0 && y.BitLen() < 8 },
		i:     func(x, y *big.Int, _ uint) *big.Int { return new(big.Int).Exp(x, y, nil) }},
	"Atan2":          f2(math.Atan2, 2),
	"Xlogy":          both(func(x, y float64) float64 { return zeroWhere(x == 0, x*math.Log(y)) }, func(x, y complex128) complex128 { return zeroWhereC(x == 0, x*cmplx.Log(y)) }, 4),
	"Xlog1py":        both(func(x, y float64) float64 { return zeroWhere(x == 0, x*math.Log1p(y)) }, func(x, y complex128) complex128 { return zeroWhereC(x == 0, x*cmplx.Log(1+y)) }, 4),
	"Igamma":         {f: igamma, ulps: 4, x: domainPositive, y: domainPositive},
	"Igammac":        {f: igammac, ulps: 4, x: domainPositive, y: domainPositive},
	"Zeta":           {f: zeta, ulps: 4, x: []float64{1.5, 2, 3, 7}, y: domainPositive},
	"Polygamma":      {f: polygamma, ulps: 4, x: []float64{0, 1, 2, 3}, y: domainPositive},
	"NextAfter":      {f: nil},
	"ReluGrad":       {f: func(x, y float64) float64 { return x * truth(y > 0) }, i: func(x, y *big.Int, _ uint) *big.Int { return where(y.Sign() > 0, x, new(big.Int)) }},
	"Relu6Grad":      {f: func(x, y float64) float64 { return x * truth(y > 0 && y < 6) }, i: func(x, y *big.Int, _ uint) *big.Int { return where(y.Sign() > 0 && y.Cmp(six) < 0, x, new(big.Int)) }},
	"LeakyReluGrad":  {f: func(x, y float64) float64 { return x * (0.25 + 0.75*truth(y > 0)) }, extra: []any{float32(0.25)}},
	"TanhGrad":       both(func(x, y float64) float64 { return y * (1 - x*x) }, func(x, y complex128) complex128 { return y * (1 - x*x) }, 4),
	"SigmoidGrad":    both(func(x, y float64) float64 { return y * x * (1 - x) }, func(x, y complex128) complex128 { return y * x * (1 - x) }, 4),
	"SqrtGrad":       both(func(x, y float64) float64 { return zeroWhere(y == 0, y*0.5/x) }, func(x, y complex128) complex128 { return zeroWhereC(y == 0, y*0.5/cmplx.Conj(x)) }, 4),
	"RsqrtGrad":      both(func(x, y float64) float64 { return y * -0.5 * x * x * x }, func(x, y complex128) complex128 { x = cmplx.Conj(x); return y * -0.5 * x * x * x }, 8),
	"ReciprocalGrad": both(func(x, y float64) float64 { return -y * x * x }, func(x, y complex128) complex128 { return -y * cmplx.Conj(x*x) }, 4),
	"EluGrad": {f: func(x, y float64) float64 {
		if y < 0 {
			return (y + 1) * x
		}
		return x
	}, ulps: 2},
	"SeluGrad": {f: func(x, y float64) float64 {
		if y < 0 {
			return (y + seluScaleAlpha) * x
		}
		return seluScale * x
	}, ulps: 4},
	"SoftplusGrad": {f: func(x, y float64) float64 { return x / (math.Exp(-y) + 1) }, ulps: 4},
	"SoftsignGrad": {f: func(x, y float64) float64 { return x / ((1 + math.Abs(y)) * (1 + math.Abs(y))) }, ulps: 4},
}

func ofOne(f func(x float64) float64, ulps float64, domain ...float64) formula {
	return formula{f: func(x, _ float64) float64 { return f(x) }, ulps: ulps, x: domain}
}

func ofOneC(f func(x float64) float64, c func(x complex128) complex128, ulps float64, domain ...float64) formula {
	k := ofOne(f, ulps, domain...)
	k.c = func(x, _ complex128) complex128 { return c(x) }
	return k
}

func (k formula) ints(i func(x *big.Int, bits uint) *big.Int) formula {
	k.i = func(x, _ *big.Int, bits uint) *big.Int { return i(x, bits) }
	return k
}

func neg(x *big.Int, _ uint) *big.Int    { return new(big.Int).Neg(x) }
func abs(x *big.Int, _ uint) *big.Int    { return new(big.Int).Abs(x) }
func signum(x *big.Int, _ uint) *big.Int { return big.NewInt(int64(x.Sign())) }

func same(x *big.Int, _ uint) *big.Int { return x }

func realOf(f func(complex128) float64) formula {
	return formula{c: func(x, _ complex128) complex128 { return complex(f(x), 0) }}
}

func class(f func(float64) bool) formula {
	return ofOne(func(x float64) float64 { return truth(f(x)) }, 0)
}

var within1 = []float64{-0.875, -0.5, -0.125, 0, 0.25, 0.5, 0.75}

// unaries are the kernels of one operand.
var unaries = map[string]formula{
	"Neg": ofOneC(func(x float64) float64 { return -x }, func(x complex128) complex128 { return -x }, 0).ints(neg),
	"Abs": ofOne(math.Abs, 0).ints(abs),
	"Sign": ofOneC(sign[float64], func(x complex128) complex128 {
		if x == 0 {
			return 0
		}
		return x / complex(cmplx.Abs(x), 0)
	}, 2).ints(signum),
	"Square":     ofOneC(func(x float64) float64 { return x * x }, func(x complex128) complex128 { return x * x }, 2).ints(func(x *big.Int, _ uint) *big.Int { return new(big.Int).Mul(x, x) }),
	"Sqrt":       ofOneC(math.Sqrt, cmplx.Sqrt, 1),
	"Rsqrt":      ofOneC(func(x float64) float64 { return 1 / math.Sqrt(x) }, func(x complex128) complex128 { return 1 / cmplx.Sqrt(x) }, 4),
	"Floor":      ofOne(math.Floor, 0),
	"Ceil":       ofOne(math.Ceil, 0),
	"Rint":       ofOne(math.RoundToEven, 0).ints(same),
	"Reciprocal": ofOneC(func(x float64) float64 { return 1 / x }, func(x complex128) complex128 { return 1 / x }, 2),
	"IsNan":      class(math.IsNaN),
	"IsInf":      class(func(x float64) bool { return math.IsInf(x, 0) }),
	"IsFinite":   class(func(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }),
	"Not":        {b: func(x, _ bool) bool { return !x }},
	"Invert":     formula{}.ints(func(x *big.Int, _ uint) *big.Int { return new(big.Int).Not(x) }),
	"PopulationCount": formula{}.ints(func(x *big.Int, bits uint) *big.Int {
		n := 0
		x = new(big.Int).Mod(x, new(big.Int).Lsh(big.NewInt(1), bits))
		for i := range int(bits) {
			n += int(x.Bit(i))
		}
		return big.NewInt(int64(n))
	}),
	"Real":       realOf(func(x complex128) float64 { return real(x) }),
	"Imag":       realOf(func(x complex128) float64 { return imag(x) }),
	"Angle":      realOf(cmplx.Phase),
	"ComplexAbs": realOf(cmplx.Abs),
	"Conj":       {c: func(x, _ complex128) complex128 { return cmplx.Conj(x) }},
	"Exp":        ofOneC(math.Exp, cmplx.Exp, 4),
	"Expm1":      ofOneC(math.Expm1, func(x complex128) complex128 { return cmplx.Exp(x) - 1 }, 4),
	"Log":        ofOneC(math.Log, cmplx.Log, 4),
	"Log1p":      ofOneC(math.Log1p, func(x complex128) complex128 { return cmplx.Log(1 + x) }, 4),
	"Tanh":       ofOneC(math.Tanh, cmplx.Tanh, 8),
	"Sigmoid":    ofOneC(func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, func(x complex128) complex128 { return 1 / (1 + cmplx.Exp(-x)) }, 8),
	"Sinh":       ofOneC(math.Sinh, cmplx.Sinh, 4),
	"Cosh":       ofOneC(math.Cosh, cmplx.Cosh, 4),
	"Asinh":      ofOneC(math.Asinh, cmplx.Asinh, 4),
	"Acosh":      ofOneC(math.Acosh, cmplx.Acosh, 4),
	"Atanh":      ofOneC(math.Atanh, cmplx.Atanh, 4, within1...),
	"Sin":        ofOneC(math.Sin, cmplx.Sin, 4),
	"Cos":        ofOneC(math.Cos, cmplx.Cos, 4),
	"Tan":        ofOneC(math.Tan, cmplx.Tan, 4),
	"Asin":       ofOneC(math.Asin, cmplx.Asin, 4, within1...),
	"Acos":       ofOneC(math.Acos, cmplx.Acos, 4, within1...),
	"Atan":       ofOneC(math.Atan, cmplx.Atan, 4),
	"Relu":       ofOne(func(x float64) float64 { return max(x, 0) }, 0).ints(func(x *big.Int, _ uint) *big.Int { return where(x.Sign() > 0, x, new(big.Int)) }),
	"Relu6":      ofOne(func(x float64) float64 { return min(max(x, 0), 6) }, 0).ints(func(x *big.Int, b uint) *big.Int { return smaller(where(x.Sign() > 0, x, new(big.Int)), six, b) }),
	"LeakyRelu":  {f: func(x, _ float64) float64 { return max(x, 0.25*x) }, extra: []any{float32(0.25)}},
	"Elu": ofOne(func(x float64) float64 {
		if x < 0 {
			return math.Expm1(x)
		}
		return x
	}, 4),
	"Selu": ofOne(func(x float64) float64 {
		if x < 0 {
			return seluScaleAlpha * math.Expm1(x)
		}
		return seluScale * x
	}, 4),
	"Softplus":   ofOne(func(x float64) float64 { return math.Log1p(math.Exp(x)) }, 4),
	"Softsign":   ofOne(func(x float64) float64 { return x / (1 + math.Abs(x)) }, 4),
	"Erf":        ofOne(math.Erf, 4, -1e4, -6, -2.5, -1, -0.25, 0, 0.5, 0.875, 1.75, 3, 28, 1e3),
	"Erfc":       ofOne(math.Erfc, 8),
	"Lgamma":     ofOne(lgamma, 2, domainPositive...),
	"Digamma":    ofOne(digamma, 2, domainPositive...),
	"Erfinv":     ofOne(math.Erfinv, 2, within1...),
	"Ndtri":      ofOne(ndtri, 2, 0.125, 0.25, 0.5, 0.75),
	"BesselI0":   ofOne(besselI0, 2, domainPositive...),
	"BesselI0e":  ofOne(besselI0e, 2, domainPositive...),
	"BesselI1":   ofOne(besselI1, 2, domainPositive...),
	"BesselI1e":  ofOne(besselI1e, 2, domainPositive...),
	"BesselJ0":   ofOne(math.J0, 8, domainPositive...),
	"BesselJ1":   ofOne(math.J1, 8, domainPositive...),
	"BesselK0":   ofOne(besselK0, 2, domainPositive...),
	"BesselK0e":  ofOne(besselK0e, 2, domainPositive...),
	"BesselK1":   ofOne(besselK1, 2, domainPositive...),
	"BesselK1e":  ofOne(besselK1e, 2, domainPositive...),
	"BesselY0":   ofOne(math.Y0, 8, domainPositive...),
	"BesselY1":   ofOne(math.Y1, 8, domainPositive...),
	"Dawsn":      ofOne(dawsn, 2, domainPositive...),
	"Expint":     ofOne(expint, 2, domainPositive...),
	"FresnelCos": ofOne(fresnelCos, 2, domainPositive...),
	"FresnelSin": ofOne(fresnelSin, 2, domainPositive...),
	"Spence":     ofOne(spence, 2, domainPositive...),
	"GeluErf":    ofOne(func(x float64) float64 { return x / 2 * (1 + math.Erf(x/math.Sqrt2)) }, 32, domainPositive...),
	"GeluTanh":   ofOne(func(x float64) float64 { return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x))) }, 32, domainPositive...),
	"Swish":      ofOne(func(x float64) float64 { return x / (1 + math.Exp(-x)) }, 16, domainPositive...),
	"HardSwish":  ofOne(func(x float64) float64 { return x * min(max(x+3, 0), 6) / 6 }, 4, domainPositive...),
}

// elsewhere lists kernels that have separate tests.
var elsewhere = map[string]bool{"SignAll": true, "Betainc": true, "Check": true, "Clip": true, "GammaGrad": true, "GradArgs": true, "IgammaGradA": true, "One": true, "RootArg": true, "Select": true, "Zero": true, "Complex": true, "NextAfter": true}

var plainFloats = []float64{0, 1, -1, 2.5, -3, 7, 0.25, math.NaN(), math.Inf(1), math.Inf(-1)}

var plainComplex = []complex128{0, 1, -1, 2 + 3i, -0.5 + 0.25i, 0.5i, 3 - 1i}

// values returns a slice of type t with operands for a test. If domain is not nil, it holds the
// floats to use. takes selects the integers.
func values(t reflect.Type, domain []float64, takes func(*big.Int) bool) reflect.Value {
	s := reflect.MakeSlice(t, 0, 16)
	add := func(set func(v reflect.Value)) {
		v := reflect.New(t.Elem()).Elem()
		set(v)
		s = reflect.Append(s, v)
	}
	bits, _ := typed.Bits(t.Elem())
	switch {
	case bits > 0:
		for _, x := range []int64{0, 1, -1, 2, 3, -5, 7, 100, math.MinInt64, math.MaxInt64, 1 << (bits - 1), 1<<(bits-1) - 1} {
			v := reflect.New(t.Elem()).Elem()
			if typed.SetBig(v, big.NewInt(x)); takes == nil || takes(typed.GetBig(v)) {
				s = reflect.Append(s, v)
			}
		}
	case typed.IsComplex(t.Elem()):
		for _, x := range plainComplex {
			add(func(v reflect.Value) { typed.Set(v, x) })
		}
	case t.Elem().Kind() == reflect.Bool:
		for _, x := range []complex128{0, 1, 1, 0, 1} {
			add(func(v reflect.Value) { typed.Set(v, x) })
		}
	default:
		if domain == nil {
			domain = plainFloats
		}
		for _, x := range domain {
			add(func(v reflect.Value) { typed.Set(v, complex(x, 0)) })
		}
	}
	return s
}

// expect sets v to the formula's value for two elements, converted to v's type.
func (k formula) expect(v, x, y reflect.Value) {
	bits, _ := typed.Bits(x.Type())
	switch {
	case bits > 0:
		r := k.i(typed.GetBig(x), typed.GetBig(y), uint(bits))
		if v.Kind() == reflect.Bool {
			v.SetBool(r.Sign() != 0)
		} else {
			typed.SetBig(v, r)
		}
	case typed.IsComplex(x.Type()):
		typed.Set(v, k.c(x.Complex(), y.Complex()))
	case x.Kind() == reflect.Bool:
		v.SetBool(k.b(x.Bool(), y.Bool()))
	default:
		typed.Set(v, complex(k.f(real(typed.Get(x)), real(typed.Get(y))), 0))
	}
}

// knows reports whether the formula has a function for the class of the type t.
func (k formula) knows(t reflect.Type) bool {
	bits, _ := typed.Bits(t)
	switch {
	case bits > 0:
		return k.i != nil
	case typed.IsComplex(t):
		return k.c != nil
	case t.Kind() == reflect.Bool:
		return k.b != nil
	}
	return k.f != nil
}

// compare checks one element. At most 1 ulp is allowed for a 16-bit float, because kernels compute
// it in float32 and round once.
func (k formula) compare(t *testing.T, name string, got, want, x, y reflect.Value) {
	t.Helper()
	ulps := k.ulps
	if typed.Digits(got.Type()) < 24 {
		ulps = min(ulps, 1)
	}
	if !typed.Near(got.Type(), typed.Get(got), typed.Get(want), ulps) {
		t.Errorf("%s(%v, %v) = %v, want %v", name, typed.Get(x), typed.Get(y), typed.Get(got), typed.Get(want))
	}
}

// TestBinaryTypes runs each kernel of two operands at each type: with one row, with an operand of
// one element, and with several rows.
func TestBinaryTypes(t *testing.T) {
	for name, k := range binaries {
		if len(wrappers[name]) == 0 {
			t.Errorf("no kernels of %s", name)
		}
		for _, fn := range wrappers[name] {
			f := reflect.ValueOf(fn)
			if elsewhere[name] || f.Type().In(1).Elem().Kind() == reflect.String {
				continue
			}
			typ := f.Type().In(1)
			if !k.knows(typ.Elem()) {
				t.Errorf("%s: no formula", typed.Name(fn))
				continue
			}
			call := func(a, b reflect.Value, n int, s Dims) reflect.Value {
				dst := reflect.MakeSlice(f.Type().In(0), n, n)
				args := []reflect.Value{dst, a, b, reflect.ValueOf(s)}
				for _, e := range k.extra {
					args = append(args, reflect.ValueOf(e))
				}
				for _, r := range f.Call(args) {
					if !r.IsNil() {
						t.Errorf("%s: %v", typed.Name(fn), r.Interface())
					}
				}
				return dst
			}
			xs, ys := values(typ, k.x, nil), values(typ, k.y, k.takes)
			nx, ny := xs.Len(), ys.Len()
			want := reflect.New(f.Type().In(0).Elem()).Elem()
			// all is the kernel's result for all pairs, computed by rows. The checks below compute
			// all pairs, or one row or column of them, in other ways.
			all := call(xs, ys, nx*ny, Dims{N: 2, A: [MaxRank]int{nx, 1}, B: [MaxRank]int{1, ny}})
			longX, longY := reflect.MakeSlice(typ, 0, nx*ny), reflect.MakeSlice(typ, 0, nx*ny)
			for i := range nx {
				for j := range ny {
					k.expect(want, xs.Index(i), ys.Index(j))
					k.compare(t, typed.Name(fn), all.Index(i*ny+j), want, xs.Index(i), ys.Index(j))
					longX, longY = reflect.Append(longX, xs.Index(i)), reflect.Append(longY, ys.Index(j))
				}
			}
			n := nx * ny
			check := func(got reflect.Value, at func(i int) int) {
				t.Helper()
				for i := range got.Len() {
					if w := typed.Get(all.Index(at(i))); !typed.Near(got.Type().Elem(), typed.Get(got.Index(i)), w, k.ulps) {
						t.Errorf("%s: element %d is %v, %v by rows", typed.Name(fn), i, typed.Get(got.Index(i)), w)
					}
				}
			}
			check(call(longX, longY, n, Dims{N: 1, A: [MaxRank]int{n}, B: [MaxRank]int{n}}), func(i int) int { return i })
			check(call(xs.Slice(1, 2), ys, ny, Dims{N: 1, A: [MaxRank]int{1}, B: [MaxRank]int{ny}}), func(i int) int { return ny + i })
			check(call(xs, ys.Slice(1, 2), nx, Dims{N: 1, A: [MaxRank]int{nx}, B: [MaxRank]int{1}}), func(i int) int { return ny*i + 1 })
			check(call(longX, ys, n, Dims{N: 3, A: [MaxRank]int{nx, ny, 1}, B: [MaxRank]int{1, ny, 1}}), func(i int) int { return i })
			twice := call(reflect.AppendSlice(longX, longX), ys, 2*n, Dims{N: 4, A: [MaxRank]int{2, nx, 1, ny}, B: [MaxRank]int{1, 1, 1, ny}})
			check(twice, func(i int) int { return i % n })
			call(xs.Slice(0, 0), ys.Slice(0, 0), 0, Dims{N: 1, A: [MaxRank]int{0}, B: [MaxRank]int{0}})
			if bits, signed := typed.Bits(typ.Elem()); bits > 0 && f.Type().NumOut() == 1 {
				bad := map[bool]complex128{true: 0, false: -1}[name != "Pow"]
				if code := map[bool]tensor.Code{true: tensor.Internal, false: tensor.InvalidArgument}[name == "TruncateDiv" || name == "TruncateMod"]; signed || bad == 0 {
					typed.Fails(t, "refused operand", []any{fn}, code, typed.Out(2), typed.F(3, 4), typed.E{bad}, Dims{N: 1, A: [MaxRank]int{2}, B: [MaxRank]int{1}})
				}
			}
		}
	}
}

// TestUnaryTypes runs each kernel of one operand at each type. There are more elements than one
// piece has when a kernel converts 16-bit floats piece by piece.
func TestUnaryTypes(t *testing.T) {
	for name, k := range unaries {
		if len(wrappers[name]) == 0 {
			t.Errorf("no kernels of %s", name)
		}
		for _, fn := range wrappers[name] {
			f := reflect.ValueOf(fn)
			typ := f.Type().In(1)
			if !k.knows(typ.Elem()) {
				t.Errorf("%s: no formula", typed.Name(fn))
				continue
			}
			xs := values(typ, k.x, nil)
			for xs.Len() < 600 {
				xs = reflect.AppendSlice(xs, xs)
			}
			for _, n := range []int{0, 1, xs.Len()} {
				dst := reflect.MakeSlice(f.Type().In(0), n, n)
				args := []reflect.Value{dst, xs.Slice(0, n)}
				for _, e := range k.extra {
					args = append(args, reflect.ValueOf(e))
				}
				f.Call(args)
				want := reflect.New(f.Type().In(0).Elem()).Elem()
				for i := range n {
					k.expect(want, xs.Index(i), xs.Index(i))
					k.compare(t, typed.Name(fn), dst.Index(i), want, xs.Index(i), xs.Index(i))
					if t.Failed() && i > 50 {
						break
					}
				}
			}
		}
	}
}

// TestEveryKernel checks that the tables are complete: every kernel has a formula.
func TestEveryKernel(t *testing.T) {
	for name := range wrappers {
		_, b := binaries[name]
		_, u := unaries[name]
		if !b && !u && !elsewhere[name] {
			t.Errorf("%s has no formula", name)
		}
	}
}

// TestOtherTypes runs the kernels whose operands do not fit TestUnaryTypes or TestBinaryTypes.
func TestOtherTypes(t *testing.T) {
	w := func(xs ...float64) typed.Wants { return typed.Wants{Outs: []typed.E{typed.F(xs...)}} }
	typed.Check(t, "0", wrappers["Zero"], w(0, 0, 0), typed.Out(3))
	typed.Check(t, "1", wrappers["One"], w(1, 1, 1), typed.Out(3))
	s := []string{"a", "b"}
	if ZeroStr(s); s[0] != "" || s[1] != "" {
		t.Errorf("cleared strings: %q", s)
	}
	pick := Dims3{N: 2, C: [MaxRank]int{2, 1}, A: [MaxRank]int{2, 3}, B: [MaxRank]int{1, 3}}
	typed.Check(t, "by rows", wrappers["Select"], w(1, 0, 3, 7, 0, 9), typed.Out(6), []bool{true, false}, typed.F(1, 0, 3, 4, 5, 6), typed.F(7, 0, 9), pick)
	typed.Check(t, "by element", wrappers["Select"], w(1, 0, 3), typed.Out(3), []bool{true, false, true}, typed.F(1, 2, 3), typed.F(0), Dims3{N: 1, C: [MaxRank]int{3}, A: [MaxRank]int{3}, B: [MaxRank]int{1}})
	long := make(typed.E, 700)
	clipped := make(typed.E, len(long))
	lo, hi := make(typed.E, len(long)), make(typed.E, len(long))
	for i := range long {
		x, l, h := float64(i%13), float64(i%3), float64(4+i%5)
		long[i], lo[i], hi[i], clipped[i] = complex(x, 0), complex(l, 0), complex(h, 0), complex(max(min(x, h), l), 0)
	}
	typed.Check(t, "bounds each", wrappers["Clip"], typed.Wants{Outs: []typed.E{clipped}}, typed.Out(len(long)), long, lo, hi)
	typed.Check(t, "two bounds", wrappers["Clip"], w(2, 2, 5, 3), typed.Out(4), typed.F(1, 2, 7, 3), typed.F(2), typed.F(5))
	typed.Close(t, "beta", wrappers["Betainc"], 8, w(0.5248, 0.5), typed.Out(2), typed.F(2, 1), typed.F(3, 1), typed.F(0.4, 0.5))
	typed.Close(t, "one x", wrappers["Betainc"], 8, w(0.5248, 0.4), typed.Out(2), typed.F(2, 1), typed.F(3, 1), typed.F(0.4))
	typed.Check(t, "pairs", wrappers["Complex"], typed.Wants{Outs: []typed.E{{1 + 3i, 2 + 4i}}}, typed.Out(2), typed.F(1, 2), typed.F(3, 4), Dims{N: 1, A: [MaxRank]int{2}, B: [MaxRank]int{2}})
	typed.Check(t, "one row", wrappers["Complex"], typed.Wants{Outs: []typed.E{{1 + 3i, 1 + 4i, 2 + 3i, 2 + 4i}}}, typed.Out(4), typed.F(1, 2), typed.F(3, 4), Dims{N: 2, A: [MaxRank]int{2, 1}, B: [MaxRank]int{1, 2}})
	typed.Check(t, "finite", wrappers["Check"], typed.Wants{Results: ""}, typed.F(1, -2, 0), "m")
	typed.Fails(t, "NaN", wrappers["Check"], tensor.InvalidArgument, typed.F(1, math.NaN()), "m")
	typed.Fails(t, "infinite", wrappers["Check"], tensor.InvalidArgument, typed.F(1, math.Inf(-1)), "m")
	typed.Check(t, "equal shapes", wrappers["GradArgs"], typed.Wants{Outs: []typed.E{nil, nil}, Results: "0 0"}, typed.Out(2), typed.Out(2), typed.F(2, 3), typed.F(2, 3))
	typed.Check(t, "broadcast shapes", wrappers["GradArgs"], typed.Wants{Outs: []typed.E{typed.F(1, 99, 99), typed.F(0, 2, 99)}, Results: "1 2"}, typed.Out(3), typed.Out(3), typed.F(2, 1, 3), typed.F(4, 1))
	typed.Fails(t, "shapes that do not meet", wrappers["GradArgs"], tensor.InvalidArgument, typed.Out(2), typed.Out(2), typed.F(2, 3), typed.F(2, 4))
	inf := math.Inf(1)
	d32, d64 := make([]float32, 5), make([]float64, 5)
	five := Dims{N: 2, A: [MaxRank]int{5, 1}, B: [MaxRank]int{5, 1}}
	NextAfterF32(d32, []float32{1, 1, 0, 2, float32(inf)}, []float32{2, 0, 1, 2, 0}, five)
	NextAfterF64(d64, []float64{1, 1, 0, 2, inf}, []float64{2, 0, 1, 2, 0}, five)
	for i, w := range []float32{1 + 0x1p-23, 1 - 0x1p-24, math.SmallestNonzeroFloat32, 2, math.MaxFloat32} {
		if d32[i] != w {
			t.Errorf("next float32 %d: %v, want %v", i, d32[i], w)
		}
	}
	for i, w := range []float64{1 + 0x1p-52, 1 - 0x1p-53, math.SmallestNonzeroFloat64, 2, math.MaxFloat64} {
		if d64[i] != w {
			t.Errorf("next float64 %d: %v, want %v", i, d64[i], w)
		}
	}
	two := []string{"a", "b", "c"}
	out := make([]string, 3)
	eq, ne := make([]bool, 3), make([]bool, 3)
	for _, d := range []Dims{{N: 1, A: [MaxRank]int{3}, B: [MaxRank]int{3}}, {N: 1, A: [MaxRank]int{3}, B: [MaxRank]int{1}}, {N: 1, A: [MaxRank]int{1}, B: [MaxRank]int{3}}} {
		AddStr(nil, out, two, two, d)
		EqualStr(eq, two[:d.A[0]], two[:d.B[0]], d)
		NotEqualStr(ne, two[:d.A[0]], two[:d.B[0]], d)
		AddStr(nil, out, two[:d.A[0]], two[:d.B[0]], d)
		for i := range out {
			x, y := two[min(i, d.A[0]-1)], two[min(i, d.B[0]-1)]
			if out[i] != x+y || eq[i] != (x == y) || ne[i] != (x != y) {
				t.Errorf("strings %q, %q: %q, %v, %v", x, y, out[i], eq[i], ne[i])
			}
		}
	}
	grid, same := make([]string, 9), make([]bool, 9)
	outer := Dims{N: 2, A: [MaxRank]int{3, 1}, B: [MaxRank]int{1, 3}}
	AddStr(nil, grid, two, two, outer)
	EqualStr(same, two, two, outer)
	other := make([]bool, 9)
	NotEqualStr(other, two, two, outer)
	for i := range grid {
		x, y := two[i/3], two[i%3]
		if grid[i] != x+y || same[i] != (x == y) || other[i] == same[i] {
			t.Errorf("grid of strings at %d: %q, %v", i, grid[i], same[i])
		}
	}
}

// TestAddStrCounts: the strings of all pairs count against the run's budget before they are
// allocated.
func TestAddStrCounts(t *testing.T) {
	a, b := make([]string, 100), make([]string, 100)
	for i := range a {
		a[i], b[i] = strings.Repeat("a", 100), strings.Repeat("b", 100)
	}
	all := Dims{N: 2, A: [MaxRank]int{100, 1}, B: [MaxRank]int{1, 100}}
	typed.Exhausts(t, "pairs", []any{AddStr}, 1_900_000, make([]string, 10000), a, b, all)
	typed.Exhausts(t, "one", []any{AddStr}, 19_000, make([]string, 100), a, b, Dims{N: 1, A: [MaxRank]int{100}, B: [MaxRank]int{100}})
}
