package main

import (
	"math"

	"github.com/graphc/graphc/kernels/_gen/internal/gen"
)

// least is the lowest x for which e^x is a normal number. Below it e^x is 0, as in
// TensorFlow, whose threads flush denormals.
const least = -87.33654

// power is e^x = (t + u)·2^i with 1 ≤ t < 2 and a small u. The relative error is 2^-28.
type power struct {
	f    *fn
	t, u V
	hi   V // t + u, rounded
	i, s V // i and 2^i
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

// exp splits x into r + k·ln2/8, |r| ≤ ln2/16, and takes 2^(k/8) from a table. x
// must be in [least, 89].
func (t tables) exp(f *fn, x V) power {
	s := 1.5 * float64(int(1)<<23) / expSteps
	k := f.fma(x, f.f32(math.Log2E), f.f32(s))
	n := f.fsub(k, f.f32(s))
	hi := float64(float32(math.Ln2))
	r := f.nma(n, f.f32(hi), x)
	r = f.nma(n, f.f32(math.Ln2-hi), r)
	p := f.poly(r, []float64{0.5, 1. / 6, 1. / 24})
	p = f.fma(f.fmul(r, r), p, r)
	// The indices of the four bytes of word k mod 8 of the tables.
	at := f.op2("mul", f.and(k, f.w32(expSteps-1)), f.w32(expBytes))
	at = f.op2("add", at, f.w32(expFirst))
	e := power{f: f}
	e.t = f.op2("tbl", t.high, at)
	e.u = f.fma(e.t, p, f.op2("tbl", t.low, at))
	e.hi = f.fadd(e.t, e.u)
	e.i = f.shift("sshr", f.op2("sub", k, f.f32(s)), 3)
	e.s = f.power2(e.i)
	return e
}

// power2 returns 2^i for an integer i in the range of a float's exponent.
func (f *fn) power2(i V) V { return f.shift("shl", f.op2("add", i, f.w32(127)), 23) }

// lo returns the rounding error of hi, so that hi + lo is t + u.
func (e power) lo() V { return e.f.fsub(e.u, e.f.fsub(e.hi, e.t)) }

// scale returns y·2^i. 2^i must not overflow, so x must be below 88.
func (e power) scale(y V) V { return e.f.fmul(y, e.s) }

// scaleFar returns y·2^i for any x.
func (e power) scaleFar(y V) V {
	f := e.f
	half := f.shift("sshr", e.i, 1)
	rest := f.op2("sub", e.i, half)
	return f.fmul(f.fmul(y, f.power2(half)), f.power2(rest))
}

// flushed returns 0 where x is below the constant least, and y elsewhere. Where x is NaN, it returns y.
func (f *fn) flushed(x, y V) V { return f.op2("bic", y, f.op2("fcmgt", f.f32(least), x)) }

// expOf returns e^x.
func (t tables) expOf(f *fn, x V) V {
	e := t.exp(f, f.clamp(x, least, 89))
	return f.flushed(x, e.scaleFar(e.hi))
}

// expBelow returns e^x for x ≤ 0.
func (t tables) expBelow(f *fn, x V) V {
	e := t.exp(f, f.fmax(f.f32(least), x))
	return f.flushed(x, e.scale(e.hi))
}

// quotient returns (nh+nl)/(dh+dl) to half a unit in the last place. The reciprocal of dh may be
// approximate, because the remainder corrects its error.
func (f *fn) quotient(nh, nl, dh, dl V) V {
	r := f.op1("frecpe", dh)
	r = f.fmul(r, f.op2("frecps", dh, r))
	q := f.fmul(nh, r)
	rest := f.nma(dh, q, nh)
	rest = f.fadd(rest, nl)
	rest = f.nma(dl, q, rest)
	return f.fma(rest, r, q)
}

// onePlus returns 1 + e^x in two parts, dh + dl, for x ≤ 0, and e^x as eh + el.
func (e power) onePlus() (eh, el, dh, dl V) {
	f := e.f
	eh, el = e.scale(e.hi), e.scale(e.lo())
	dh = f.fadd(eh, f.f32(1))
	dl = f.fadd(f.fsub(eh, f.fsub(dh, f.f32(1))), el)
	return
}

// sigmoid returns 1/(1 + e^-x). For negative x, it computes e^x/(1 + e^x). For x below -20, it returns
// e^x, because the quotient would lose its last bits to denormals.
func (t tables) sigmoid(f *fn, x V) V {
	e := t.exp(f, f.fmax(f.f32(least), f.orr(x, f.w32(1<<31))))
	eh, el, dh, dl := e.onePlus()
	nl := f.and(f.shift("sshr", x, 31), el)
	q := f.quotient(f.chooseNegative(x, eh, f.f32(1)), nl, dh, dl)
	return f.flushed(x, f.choose(less, x, f.f32(-20), eh, q))
}

// swish returns x·sigmoid(x): -0 where sigmoid(x) is 0, but NaN for x = -Inf.
func (t tables) swish(f *fn, x V) V { return f.fmul(t.sigmoid(f, x), x) }

// tanh returns (1 - e^-2|x|)/(1 + e^-2|x|) with the sign of x. Near 0 it computes a polynomial.
func (t tables) tanh(f *fn, x V) V {
	const near = 0.25
	a := f.op1("fabs", x)
	e := t.exp(f, f.fmax(f.f32(-40), f.fmul(a, f.f32(-2))))
	eh, el, dh, dl := e.onePlus()
	nh := f.fsub(f.f32(1), eh)
	nl := f.fsub(f.fsub(f.fsub(f.f32(1), nh), eh), el)
	q := f.quotient(nh, nl, dh, dl)
	z := f.fmul(a, a)
	p := f.poly(z, gen.Fit(4, 0, near*near, func(z float64) float64 {
		r := math.Sqrt(z)
		return (math.Tanh(r)/r - 1) / z
	}))
	p = f.fma(p, f.fmul(a, z), a)
	return f.copySign(f.choose(less, a, f.f32(near), p, q), x)
}

// expm1 returns e^x - 1. Near 0 it computes a polynomial.
func (t tables) expm1(f *fn, x V) V {
	const near = 0.35
	e := t.exp(f, f.clamp(x, least, 89))
	eh, el := e.scaleFar(e.hi), e.scaleFar(e.lo())
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
	y := f.fsub(f.f32(1), e.scale(e.hi))
	return f.copySign(f.choose(less, a, f.f32(near), f.erfNear(a, s), y), x)
}

// geluErf returns x/2·(1 + erf(x/√2)). For negative x, it computes the factor in parentheses as
// erfc(-x/√2).
func (t tables) geluErf(f *fn, x V) V {
	a := f.fmul(f.op1("fabs", x), f.f32(math.Sqrt2/2))
	s := f.fmul(a, a)
	l := f.logErfc(a, s)
	e := t.exp(f, f.fmax(f.f32(least), l))
	q := f.flushed(l, e.scale(e.hi))
	far := f.chooseNegative(x, q, f.fsub(f.f32(2), q))
	nearby := f.fadd(f.copySign(f.erfNear(a, s), x), f.f32(1))
	return f.fmul(f.fmul(x, f.f32(0.5)), f.choose(less, a, f.f32(near), nearby, far))
}

// geluTanh returns x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))). It computes this as x·sigmoid(2√(2/π)·(x +
// 0.044715·x³)).
func (t tables) geluTanh(f *fn, x V) V {
	c := 2 * math.Sqrt(2/math.Pi)
	return f.fmul(t.sigmoid(f, f.fmul(f.poly(f.fmul(x, x), []float64{c, c * 0.044715}), x)), x)
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
