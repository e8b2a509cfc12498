package main

import (
	"math"

	"github.com/graphc/graphc/kernels/_gen/internal/gen"
)

// least is the lowest x for which e^x is a normal number. Below it e^x is 0, as in
// TensorFlow, whose threads flush denormals.
const least = -87.33654

// power is e^x = (t + u)·2^i with 1 ≤ t < 2, a small u and t + u = t'·(1 + p), where t' is a power of 2^(1/8). The
// relative error is 2^-28.
type power struct {
	f   *fn
	t   V // t' rounded
	low V // t' - t
	p   V
	s   V // 2^i
}

// expSteps is the number of elements in each of the two tables of exp. A table fills two registers with
// consecutive numbers: the table high begins with register expHigh, the table low with register expLow.
// The four bytes of i·expBytes + expFirst are the indices of the four bytes of element i.
const (
	expSteps           = 8
	expHigh, expLow    = 28, 30
	expBytes, expFirst = 0x04040404, 0x03020100
)

// tables holds the rounded values of 2^(i/8) in high, and their rounding errors in low.
type tables struct{ high, low V }

func expTables(f *fn) tables {
	pow := func(i int) float64 { return math.Exp2(float64(i) / expSteps) }
	return tables{
		f.pair(expHigh, func(i int) uint32 { return math.Float32bits(float32(pow(i))) }),
		f.pair(expLow, func(i int) uint32 { return math.Float32bits(float32(pow(i) - float64(float32(pow(i))))) }),
	}
}

// exp splits x into r + k·ln2/8, |r| ≤ ln2/16, and takes 2^(k/8) from a table. x must be in [least, 88.6].
func (t tables) exp(f *fn, x V) power { return t.expTo(f, 88.6, x) }

// expTo is exp for x in [least, top].
func (t tables) expTo(f *fn, top float64, x V) power {
	magic := 1.5*float64(int(1)<<23)/expSteps + 127 // 127 is the bias of a float's exponent
	k := f.fma(x, f.f32(math.Log2E), f.f32(magic))
	// r is in [-a, a] or, at the top of the range, in [-a, 2a].
	const a = math.Ln2 / (2 * expSteps)
	c := gen.Fit(2, -a, a, gen.Growth)
	if top > 88.6 {
		// With i = 128, 2^i would be infinite. So take k = 8·127 + 7.
		k = f.fmin(k, f.f32(magic+127.875))
		c = gen.Fit(3, -a, 2*a, gen.Growth)
	}
	n := f.fsub(k, f.f32(magic))
	hi := float64(float32(math.Ln2))
	r := f.nma(n, f.f32(hi), x)
	r = f.nma(n, f.f32(math.Ln2-hi), r)
	e := power{f: f, p: f.fma(f.fmul(r, r), f.poly(r, c), r)}
	// The indices of the four bytes of word k mod 8 of the tables.
	at := f.op2("mul", f.and(k, f.w32(expSteps-1)), f.w32(expBytes))
	at = f.op2("add", at, f.w32(expFirst))
	e.t, e.low = f.op2("tbl", t.high, at), f.op2("tbl", t.low, at)
	e.s = f.and(f.shift("shl", k, 20), f.w32(0xff<<23))
	return e
}

// scale returns y·2^i. 2^128 counts as infinite.
func (e power) scale(y V) V { return e.f.fmul(y, e.s) }

// sum returns e^x/2^i in two parts: the rounded number and the rounding error.
func (e power) sum() (hi V, lo func() V) {
	u := e.f.fma(e.t, e.p, e.low)
	hi = e.f.fadd(e.t, u)
	return hi, func() V { return e.f.fsub(u, e.f.fsub(hi, e.t)) }
}

// value returns e^x.
func (e power) value() V {
	hi, _ := e.sum()
	return e.scale(hi)
}

// parts returns e^x = a + b with |b| < a/20, where a has no rounding error.
func (e power) parts() (a, b V) {
	a = e.scale(e.t)
	return a, e.f.fma(a, e.p, e.scale(e.low))
}

// flushed returns 0 where x is below the constant least, and y elsewhere. Where x is NaN, it returns y.
func (f *fn) flushed(x, y V) V { return f.op2("bic", y, f.op2("fcmgt", f.f32(least), x)) }

// expAny returns e^x for any x from the constant least on, and the power of least for a lower x.
func (t tables) expAny(f *fn, x V) power {
	return t.expTo(f, math.Inf(1), f.fmax(f.f32(least), x))
}

// expOf returns e^x.
func (t tables) expOf(f *fn, x V) V { return f.flushed(x, t.expAny(f, x).value()) }

// expBelow returns e^x for x ≤ 0.
func (t tables) expBelow(f *fn, x V) V {
	return f.flushed(x, t.exp(f, f.fmax(f.f32(least), x)).value())
}

// ratio returns (a + b)/(c + d) to half a unit in the last place. b and d must be small beside a and c. The
// reciprocal may be approximate, because the remainder corrects the quotient's error.
func (f *fn) ratio(a, b, c, d V) V {
	sum := f.fadd(c, d)
	r := f.op1("frecpe", sum)
	r = f.fmul(r, f.op2("frecps", sum, r))
	q := f.fmul(f.fadd(a, b), r)
	rest := f.nma(d, q, f.fadd(b, f.nma(c, q, a)))
	return f.fma(rest, r, q)
}

// sigmoid returns 1/(1 + e^-x).
func (t tables) sigmoid(f *fn, x V) V {
	one := f.f32(1)
	// The result is 1 from x = 17.4 on.
	a, b := t.exp(f, f.op1("fneg", f.clamp(x, least, 18))).parts()
	c := f.fadd(a, one)
	d := f.fadd(b, f.fsub(f.fmin(a, one), f.fsub(c, f.fmax(a, one))))
	r := f.fdiv(one, f.fadd(c, d))
	rest := f.nma(d, r, f.nma(c, r, one))
	return f.flushed(x, f.fma(rest, r, r))
}

// growing holds the coefficients of a polynomial for Growth, for |r| ≤ ln2/2.
var growing = gen.Fit(4, -math.Ln2/2, math.Ln2/2, gen.Growth)

// expMinus returns s and q with e^-z = s·(1 + q), where s is a power of 2 and |q| ≤ √2 - 1. The relative error of
// 1 + q is 2^-28 beside the rounding of q. z must be in [-89, 87]; below -88.4, s is infinite. The code reads no
// table. Its longest chain of dependent operations is therefore short, and a loop takes as long as this chain
// allows.
func (f *fn) expMinus(z V) (s, q V) {
	// The sum's low bits are the biased exponent of 2^n.
	magic := 1.5*float64(int(1)<<23) + 127
	k := f.nma(z, f.f32(math.Log2E), f.f32(magic))
	s = f.shift("shl", k, 23)
	n := f.fsub(f.f32(magic), k)
	// r is z - n·ln2 for this n, and e^-z is 2^-n·e^-r.
	hi := float64(float32(math.Ln2))
	r := f.nma(n, f.f32(hi), z)
	r = f.nma(n, f.f32(math.Ln2-hi), r)
	r2 := f.fmul(r, r)
	lo := f.fma(r, f.f32(-growing[1]), f.f32(growing[0]))
	p := f.fma(r, f.f32(-growing[3]), f.f32(growing[2]))
	p = f.fma(r2, f.f32(growing[4]), p)
	p = f.fma(p, r2, lo)
	q = f.op1("fneg", r)
	f.vec("fmla", q, p, r2, 0)
	return s, q
}

// timesSigmoid returns x/(1 + e^-z) to 2.5 units in the last place, if z has x's sign. If the quotient is
// below the normal numbers, the result is -0. If x is -Inf, the result is NaN.
func (f *fn) timesSigmoid(x, z V) V {
	return f.fdiv(x, f.onePlusExpMinus(z))
}

// onePlusExpMinus returns 1 + e^-z. If z is below -88.4, the result is infinite.
func (f *fn) onePlusExpMinus(z V) V {
	s, q := f.expMinus(f.clamp(z, -89, 87))
	return f.fma(s, f.fadd(q, f.f32(1)), f.f32(1))
}

// gatedTanh returns tanh(a)·sigmoid(b) = (1 - e^-2|a|) / ((1 + e^-2|a|)·(1 + e^-b)) with the sign of a, by one
// division. If the result is below the normal numbers, it may be 0.
func (f *fn) gatedTanh(a, b V) V {
	x := f.op1("fabs", a)
	s, q := f.expMinus(f.fmin(f.f32(40), f.fadd(x, x)))
	above := f.nma(s, q, f.fsub(f.f32(1), s))
	below := f.fsub(f.f32(2), above)
	return f.copySign(f.fdiv(above, f.fmul(below, f.onePlusExpMinus(b))), a)
}

// swish returns x·sigmoid(x).
func (t tables) swish(f *fn, x V) V { return f.timesSigmoid(x, x) }

// tanh returns (e^2|x| - 1)/(e^2|x| + 1) with the sign of x. Near 0 it computes a polynomial.
func (t tables) tanh(f *fn, x V) V {
	const near = 0.25
	one := f.f32(1)
	a := f.op1("fabs", x)
	p1, p2 := t.exp(f, f.fmin(f.f32(20), f.fadd(a, a))).parts()
	below, above := f.fsub(p1, one), f.fadd(p1, one)
	q := f.ratio(below, f.fadd(p2, f.fsub(f.fsub(p1, below), one)), above, f.fadd(p2, f.fsub(one, f.fsub(above, p1))))
	z := f.fmul(a, a)
	p := f.poly(z, gen.Fit(3, 0, near*near, func(z float64) float64 {
		r := math.Sqrt(z)
		return (math.Tanh(r)/r - 1) / z
	}))
	p = f.fma(p, f.fmul(a, z), a)
	return f.copySign(f.choose(less, a, f.f32(near), p, q), x)
}

// expm1 returns e^x - 1. Near 0 it computes a polynomial.
func (t tables) expm1(f *fn, x V) V {
	const near = 0.35
	e := t.expAny(f, x)
	hi, lo := e.sum()
	eh, el := e.scale(hi), e.scale(lo())
	// The sum of eh and -1 in two parts; either of the two may be the larger one.
	s := f.fsub(eh, f.f32(1))
	b := f.fsub(s, eh)
	l := f.fadd(f.fsub(eh, f.fsub(s, b)), f.fsub(f.f32(-1), b))
	y := f.fadd(s, f.fadd(l, el))
	y = f.choose(greater, x, f.f32(20), eh, y)
	p := f.poly(x, gen.Fit(5, -near, near, func(x float64) float64 {
		if math.Abs(x) < 1e-4 {
			return 0.5 + x/6
		}
		return (math.Expm1(x) - x) / (x * x)
	}))
	p = f.fma(p, f.fmul(x, x), x)
	return f.copySign(f.choose(less, f.op1("fabs", x), f.f32(near), p, y), x)
}

// near is the limit of |x| below which erf uses one of N. Juffa's minimax polynomials, and from which it
// uses another.
const near = 0.921875

// logErfc returns log(erfc(t)) for t ≥ near. The parameter s is t².
func (f *fn) logErfc(t, s V) V {
	r := f.poly(t, []float64{3.83197126e-4, -1.72853470e-5})
	u := f.poly(t, []float64{2.42546219e-2, -3.88396438e-3})
	r = f.fma(r, s, u)
	for _, c := range []float64{-1.06777877e-1, -6.34846687e-1, -1.28717512e-1} {
		r = f.fma(r, t, f.f32(c))
	}
	return f.fma(r, t, f.op1("fneg", t))
}

// erfNear returns erf(t) for 0 ≤ t < near. The parameter s is t².
func (f *fn) erfNear(t, s V) V {
	p := f.poly(s, []float64{1.28379166e-1, -3.76125336e-1, 1.12819925e-1, -2.67681349e-2, 4.99119423e-3, -5.96761703e-4})
	return f.fma(p, t, t)
}

// erf returns the error function of x. For |x| ≥ near it computes 1 - e^logErfc(|x|), with the sign of
// x.
func (t tables) erf(f *fn, x V) V {
	a := f.fmin(f.f32(4), f.op1("fabs", x))
	s := f.fmul(a, a)
	e := t.exp(f, f.logErfc(a, s))
	y := f.fsub(f.f32(1), e.value())
	return f.copySign(f.choose(less, a, f.f32(near), f.erfNear(a, s), y), x)
}

// geluErf returns x/2·(1 + erf(x/√2)). For negative x, it computes the factor in parentheses as
// erfc(-x/√2).
func (t tables) geluErf(f *fn, x V) V {
	a := f.fmul(f.op1("fabs", x), f.f32(math.Sqrt2/2))
	s := f.fmul(a, a)
	l := f.logErfc(a, s)
	e := t.exp(f, f.fmax(f.f32(least), l))
	q := f.flushed(l, e.value())
	far := f.chooseNegative(x, q, f.fsub(f.f32(2), q))
	nearby := f.fadd(f.copySign(f.erfNear(a, s), x), f.f32(1))
	return f.fmul(f.fmul(x, f.f32(0.5)), f.choose(less, a, f.f32(near), nearby, far))
}

// geluTanh returns x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))). It computes this as x·sigmoid(2√(2/π)·(x +
// 0.044715·x³)).
func (t tables) geluTanh(f *fn, x V) V {
	c := 2 * math.Sqrt(2/math.Pi)
	return f.timesSigmoid(x, f.fmul(f.poly(f.fmul(x, x), []float64{c, c * 0.044715}), x))
}

// exponential writes a function that needs the tables of exp.
func exponential(w *file, name, doc string, by func(t tables, f *fn, x V) V) {
	var t tables
	prepared(w, name, doc, 1, func(f *fn) { t = expTables(f) }, func(f *fn, x V) V { return by(t, f, x) })
}

func exponentials(w *file) {
	exponential(w, "exp", "e^x", tables.expOf)
	exponential(w, "expm1", "e^x - 1", tables.expm1)
	exponential(w, "elu", "x where x ≥ 0, else e^x - 1", func(t tables, f *fn, x V) V {
		return f.choose(less, x, f.f32(0), t.expm1(f, x), x)
	})
	exponential(w, "sigmoid", "1/(1 + e^-x)", tables.sigmoid)
	exponential(w, "tanh", "tanh(x)", tables.tanh)
	exponential(w, "swish", "x·sigmoid(x)", tables.swish)
	exponential(w, "erf", "erf(x)", tables.erf)
	exponential(w, "geluErf", "x/2·(1 + erf(x/√2))", tables.geluErf)
	exponential(w, "geluTanh", "x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))", tables.geluTanh)
}
