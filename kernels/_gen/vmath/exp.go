package main

import (
	"math"

	"github.com/graphc/graphc/kernels/_gen/internal/gen"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// least is the lowest x for which e^x is a normal number. Below it e^x is 0, as in
// TensorFlow, whose threads flush denormals. Processors are also slow with denormals.
const least = -87.33654

// power is e^x = (t + u)·2^n with a small u, 1 ≤ t < 2 and t + u = t'·(1 + p), where t' is a power of 2^(1/8) or
// 2^(1/16). n need not be a whole number: it is rounded down. The relative error is 2^-28.
type power struct {
	m   vec
	t   V // t' rounded
	low V // t' - t
	p   V
	n   V // n, only with AVX-512
	s   V // 2 to the power of n rounded down, only with AVX2
}

// rest returns f·x - n·ln2 for f = 1 or f = -1.
func (m vec) rest(x V, f float64, n V) V {
	hi := float64(float32(math.Ln2))
	r := m.load(x)
	if f < 0 {
		VFNMSUB231PS(f32(hi), n, r)
	} else {
		m.nma(n, f32(hi), r)
	}
	return m.nma(n, f32(math.Ln2-hi), r)
}

// exp returns e^(f·x) for f = 1 or f = -1. f·x must be in [least, 88.6]. It splits f·x into r + k·ln2/16, |r| ≤
// ln2/32, and reads 2^(k/16) from a table. With AVX2, it uses steps of ln2/8 instead of ln2/16.
func (m vec) exp(x V, f float64) power { return m.expTo(88.6, x, f) }

// expTo is exp for f·x in [least, top].
func (m vec) expTo(top float64, x V, f float64) power {
	steps := m.lanes()
	magic := 1.5 * float64(int(1)<<23) / float64(steps)
	if !m.wide {
		magic += 127 // the bias of a float's exponent
	}
	k := m.fma(x, f32(f*math.Log2E), m.load(f32(magic)))
	far := top > 88.6 && !m.wide
	if far {
		// With n = 128, 2^n would be infinite. So take n = 127 7/8, and accept an r up to ln2/8.
		k = m.min(k, f32(magic+127.875))
	}
	n := m.sub(k, f32(magic))
	r := m.rest(x, f, n)
	// r is in [-a, a] or, at the top of the range, in [-a, 2a].
	a := math.Ln2 / float64(2*steps)
	c := gen.Fit(2, -a, a, gen.Growth)
	switch {
	case m.wide:
		// The polynomial omits the term r⁴/24. To make up for most of this term, the coefficient of r² is larger
		// than 1/2. The rest of the term is the error.
		c = []float64{0.5 + 2*(math.Sqrt2-1)*a*a/24, 1. / 6}
	case far:
		c = gen.Fit(3, -a, 2*a, gen.Growth)
	}
	p := m.poly(r, c)
	VFMADD213PS(r, m.mul(r, r), p)
	pow := func(i int) float64 { return math.Exp2(float64(i%steps) / float64(steps)) }
	high := table(m.name("pow"), 16, func(i int) uint32 { return math.Float32bits(float32(pow(i))) })
	low := table(m.name("powlow"), 16, func(i int) uint32 {
		return math.Float32bits(float32(pow(i) - float64(float32(pow(i)))))
	})
	e := power{m: m, t: m.reg(), low: m.reg(), p: p}
	if m.wide {
		VPERMPS(m.load(high), k, e.t)
		VPERMPS(m.load(low), k, e.low)
		e.n = n
		return e
	}
	VPERMPS(high, k, e.t)
	VPERMPS(low, k, e.low)
	e.s = m.reg()
	VPSLLD(Imm(20), k, e.s)
	VPAND(bits(0xff<<23), e.s, e.s)
	return e
}

// scale returns y·2^n. With AVX2, 2^128 counts as infinite.
func (e power) scale(y V) V {
	if e.m.wide {
		v := e.m.reg()
		VSCALEFPS(e.n, y, v)
		return v
	}
	return e.m.mul(y, e.s)
}

// sum returns e^x/2^n in two parts: the rounded number and the rounding error.
func (e power) sum() (hi V, lo func() V) {
	u := e.m.fma(e.t, e.p, e.m.load(e.low))
	hi = e.m.add(e.t, u)
	return hi, func() V { return e.m.sub(u, e.m.sub(hi, e.t)) }
}

// value returns e^x.
func (e power) value() V {
	hi, _ := e.sum()
	return e.scale(hi)
}

// parts returns e^x = a + b with |b| < a/20, where a has no rounding error.
func (e power) parts() (a, b V) {
	a = e.scale(e.t)
	return a, e.m.fma(a, e.p, e.scale(e.low))
}

// flushed returns 0 where x is below the constant least, and y elsewhere. Where x is NaN, it returns y.
func (m vec) flushed(x, y V) V {
	v := m.reg()
	if m.wide {
		k := K()
		VCMPPS(Imm(notLess), f32(least), x, k)
		VMOVAPS_Z(y, k, v)
		return v
	}
	VCMPPS(Imm(notLess), f32(least), x, v)
	VANDPS(y, v, v)
	return v
}

// expAny returns e^x for any x from the constant least on, and the power of least for a lower x.
func (m vec) expAny(x V) power {
	if m.wide {
		return m.expTo(89, m.clamp(x, least, 89), 1)
	}
	return m.expTo(math.Inf(1), m.max(m.load(f32(least)), x), 1)
}

// expOf returns e^x.
func (m vec) expOf(x V) V { return m.flushed(x, m.expAny(x).value()) }

// expBelow returns e^x for x ≤ 0.
func (m vec) expBelow(x V) V {
	e := m.exp(m.max(m.load(f32(least)), x), 1)
	return m.flushed(x, e.value())
}

// ratio returns (a + b)/(c + d) to half a unit in the last place. b and d must be small beside a and c. If a
// is nil, a + b is 1. A first quotient is corrected by its remainder, so the reciprocal may have few correct
// bits.
func (m vec) ratio(a, b, c, d V) V {
	sum := m.add(c, d)
	r := m.reg()
	if m.wide {
		VRCP14PS(sum, r)
	} else if a != nil {
		VRCPPS(sum, r)
	} else {
		r = m.div(m.load(f32(1)), sum)
	}
	if a == nil {
		rest := m.nma(d, r, m.nma(c, r, m.load(f32(1))))
		return m.fma(rest, r, m.load(r))
	}
	var q V
	if m.wide {
		q = m.mul(m.add(a, b), r)
	} else {
		q = m.div(m.add(a, b), sum)
	}
	rest := m.nma(d, q, m.add(b, m.nma(c, q, m.load(a))))
	return m.fma(rest, r, q)
}

// sigmoid returns 1/(1 + e^-x).
func sigmoid(m vec, x V) V {
	// The result is 1 from x = 17.4 on.
	a, b := m.exp(m.clamp(x, least, 18), -1).parts()
	one := m.load(f32(1))
	large, small := m.max(a, one), m.min(a, one)
	c := m.add(a, one)
	d := m.add(b, m.sub(small, m.sub(c, large)))
	return m.flushed(x, m.ratio(nil, nil, c, d))
}

// scaled is e^x = 2^n·(1 + q) with |x - n·ln2| ≤ ln2/2. The relative error of 1 + q is 2^-28 beside
// the rounding of q.
type scaled struct{ s, q V } // 2^n and q

// growing holds the coefficients of a polynomial for Growth, for |r| ≤ ln2/2.
var growing = gen.Fit(4, -math.Ln2/2, math.Ln2/2, gen.Growth)

// expScaled returns e^(f·x) for f = 1 or f = -1. x must be in [-87.5, 88.3]·f. If f·x is in [88.4, 89], 2^n
// is infinite. The code reads no table. Its longest chain of dependent operations is therefore short, and
// a loop takes as long as this chain allows.
func (m vec) expScaled(x V, f float64) scaled {
	// The sum's low bits are the biased exponent of 2^n.
	magic := 1.5*float64(int(1)<<23) + 127
	k := m.fma(x, f32(f*math.Log2E), m.load(f32(magic)))
	s := m.reg()
	VPSLLD(Imm(23), k, s)
	n := m.sub(k, f32(magic))
	r := m.rest(x, f, n)
	r2 := m.mul(r, r)
	lo := m.fma(r, f32(growing[1]), m.load(f32(growing[0])))
	p := m.fma(r, f32(growing[3]), m.load(f32(growing[2])))
	p = m.fma(r2, f32(growing[4]), p)
	p = m.fma(p, r2, lo)
	return scaled{s, m.fma(p, r2, r)}
}

// timesSigmoid returns x/(1 + e^-z) to 2.5 units in the last place, if z has x's sign. If the
// quotient is below the normal numbers, the result is -0. If x is -Inf, the result is NaN.
func timesSigmoid(m vec, x, z V) V { return m.div(x, m.onePlusExpMinus(z)) }

// onePlusExpMinus returns 1 + e^-z. If z is below -88.4, the result is infinite.
func (m vec) onePlusExpMinus(z V) V {
	e := m.expScaled(m.clamp(z, -89, 87), -1)
	return m.fma(e.s, m.add(e.q, f32(1)), m.load(f32(1)))
}

func swish(m vec, x V) V { return timesSigmoid(m, x, x) }

// gatedTanh returns tanh(a)·sigmoid(b) = (1 - e^-2|a|) / ((1 + e^-2|a|)·(1 + e^-b)) with the sign of a, by one
// division. If the result is below the normal numbers, it may be 0.
func gatedTanh(m vec, a, b V) V {
	t := m.expScaled(m.max(m.load(f32(-40)), m.mul(m.abs(a), f32(-2))), 1)
	above := m.nma(t.s, t.q, m.sub(m.load(f32(1)), t.s))
	below := m.sub(m.load(f32(2)), above)
	return m.copySign(m.div(above, m.mul(below, m.onePlusExpMinus(b))), a)
}

// tanh returns (e^2|x| - 1)/(e^2|x| + 1) with the sign of x. Near 0 it computes a polynomial.
func tanh(m vec, x V) V {
	const near = 0.25
	a := m.abs(x)
	p1, p2 := m.exp(m.min(m.load(f32(20)), m.add(a, a)), 1).parts()
	below, above := m.sub(p1, f32(1)), m.add(p1, f32(1))
	q := m.ratio(below, m.add(p2, m.sub(m.sub(p1, below), f32(1))),
		above, m.add(p2, m.sub(m.load(f32(1)), m.sub(above, p1))))
	z := m.mul(a, a)
	p := m.poly(z, gen.Fit(3, 0, near*near, func(z float64) float64 {
		r := math.Sqrt(z)
		return (math.Tanh(r)/r - 1) / z
	}))
	VFMADD213PS(a, m.mul(a, z), p)
	return m.copySign(m.choose(less, a, f32(near), p, q), x)
}

// expm1 returns e^x - 1. Near 0 it computes a polynomial.
func expm1(m vec, x V) V {
	const near = 0.35
	e := m.expAny(x)
	hi, lo := e.sum()
	eh, el := e.scale(hi), e.scale(lo())
	// The sum of eh and -1 in two parts; either of the two may be the larger one.
	s := m.sub(eh, f32(1))
	b := m.sub(s, eh)
	l := m.add(m.sub(eh, m.sub(s, b)), m.sub(m.load(f32(-1)), b))
	y := m.add(s, m.add(l, el))
	y = m.choose(greater, x, f32(20), eh, y)
	p := m.poly(x, gen.Fit(5, -near, near, func(x float64) float64 {
		if math.Abs(x) < 1e-4 {
			return 0.5 + x/6
		}
		return (math.Expm1(x) - x) / (x * x)
	}))
	VFMADD213PS(x, m.mul(x, x), p)
	return m.copySign(m.choose(less, m.abs(x), f32(near), p, y), x)
}

// near is the limit of |x| below which erf uses one of N. Juffa's minimax polynomials, and from which it
// uses another.
const near = 0.921875

// logErfc returns log(erfc(t)) for t ≥ near. The parameter s is t².
func (m vec) logErfc(t, s V) V {
	r := m.poly(t, []float64{3.83197126e-4, -1.72853470e-5})
	u := m.poly(t, []float64{2.42546219e-2, -3.88396438e-3})
	VFMADD213PS(u, s, r)
	for _, c := range []float64{-1.06777877e-1, -6.34846687e-1, -1.28717512e-1} {
		VFMADD213PS(f32(c), t, r)
	}
	neg := m.or(t, bits(1<<31))
	VFMADD213PS(neg, t, r)
	return r
}

// erfNear returns erf(t) for 0 ≤ t < near. The parameter s is t².
func (m vec) erfNear(t, s V) V {
	p := m.poly(s, []float64{1.28379166e-1, -3.76125336e-1, 1.12819925e-1, -2.67681349e-2, 4.99119423e-3, -5.96761703e-4})
	VFMADD213PS(t, t, p)
	return p
}

// erf returns the error function of x. For |x| ≥ near it computes 1 - e^logErfc(|x|), with the sign of
// x.
func erf(m vec, x V) V {
	t := m.min(m.load(f32(4)), m.abs(x))
	s := m.mul(t, t)
	e := m.exp(m.logErfc(t, s), 1)
	y := m.sub(m.load(f32(1)), e.value())
	return m.copySign(m.choose(less, t, f32(near), m.erfNear(t, s), y), x)
}

// geluErf returns x/2·(1 + erf(x/√2)). It computes erf by Eigen's rational function. The error of that
// function is about as large as the rounding error of the sum with 1.
func geluErf(m vec, x V) V {
	t := m.clamp(m.mul(x, f32(math.Sqrt2/2)), -4, 4)
	z := m.mul(t, t)
	p := m.mul(m.poly(z, []float64{-1.60960333262415e-2, -2.95459980854025e-3, -7.34990630326855e-4, -5.69250639462346e-5,
		-2.10102402082508e-6, 2.77068142495902e-8, -2.72614225801306e-10}), t)
	q := m.poly(z, []float64{-1.42647390514189e-2, -7.37332916720468e-3, -1.68282697438203e-3, -2.13374055278905e-4, -1.45660718464996e-5})
	e := m.max(m.load(f32(-1)), m.div(p, q))
	return m.mul(m.mul(x, f32(0.5)), m.add(e, f32(1)))
}

// geluTanh returns x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))). It computes this as x·sigmoid(2√(2/π)·(x +
// 0.044715·x³)).
func geluTanh(m vec, x V) V {
	c := 2 * math.Sqrt(2/math.Pi)
	return timesSigmoid(m, x, m.mul(m.poly(m.mul(x, x), []float64{c, c * 0.044715}), x))
}

func exponentials() {
	unary("exp", "e^x", 1, func(m vec, x V) V { return m.expOf(x) })
	unary("expm1", "e^x - 1", 1, expm1)
	unary("elu", "x where x ≥ 0, else e^x - 1", 1, func(m vec, x V) V { return m.choose(less, x, f32(0), expm1(m, x), x) })
	unary("sigmoid", "1/(1 + e^-x)", 1, sigmoid)
	unary("tanh", "tanh(x)", 1, tanh)
	unary("swish", "x·sigmoid(x)", 1, swish)
	unary("erf", "erf(x)", 1, erf)
	unary("geluErf", "x/2·(1 + erf(x/√2))", 1, geluErf)
	unary("geluTanh", "x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³)))", 1, geluTanh)
}
