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

// power is e^x = (t + u)·2^n with 1 ≤ t < 2 and a small u. n need not be a whole number:
// it is rounded down. The relative error is 2^-28.
type power struct {
	m    vec
	t, u V
	hi   V // t + u, rounded
	n    V // n, only with AVX-512
	i, s V // n rounded down, and 2 to this power; only with AVX2
}

// exp returns e^x. x must be in [least, 89].
func (m vec) exp(x V) power { return m.expSigned(x, false) }

// expSigned returns e^x, or e^-x if the parameter negative is true. It splits x into r + k·ln2/16, |r| ≤
// ln2/32, and reads 2^(k/16) from a table. With AVX2, it uses steps of ln2/8 instead of ln2/16.
func (m vec) expSigned(x V, negative bool) power {
	steps := m.lanes()
	s := 1.5 * float64(int(1)<<23) / float64(steps)
	log2e := math.Log2E
	if negative {
		log2e = -log2e
	}
	k := m.fma(x, f32(log2e), m.load(f32(s)))
	n := m.sub(k, f32(s))
	hi := float64(float32(math.Ln2))
	r := m.load(x)
	if negative {
		VFNMSUB231PS(f32(hi), n, r)
	} else {
		m.nma(n, f32(hi), r)
	}
	m.nma(n, f32(math.Ln2-hi), r)
	// With AVX-512, the polynomial omits the term r⁴/24. To make up for most of this term, the coefficient of
	// r² is larger than 1/2. The rest of the term is the error.
	a := math.Ln2 / float64(2*steps)
	c := []float64{0.5, 1. / 6}
	if m.wide {
		c[0] += 2 * (math.Sqrt2 - 1) * a * a / 24
	} else {
		c = append(c, 1./24)
	}
	p := m.poly(r, c)
	VFMADD213PS(r, m.mul(r, r), p)
	pow := func(i int) float64 { return math.Exp2(float64(i%steps) / float64(steps)) }
	high := table(m.name("pow"), func(i int) uint32 { return math.Float32bits(float32(pow(i))) })
	low := table(m.name("powlow"), func(i int) uint32 {
		return math.Float32bits(float32(pow(i) - float64(float32(pow(i)))))
	})
	t, u := m.reg(), m.reg()
	if m.wide {
		VPERMPS(m.load(high), k, t)
		VPERMPS(m.load(low), k, u)
	} else {
		VPERMPS(high, k, t)
		VPERMPS(low, k, u)
	}
	m.fma(t, p, u)
	e := power{m: m, t: t, u: u, hi: m.add(t, u), n: n}
	if m.wide {
		return e
	}
	e.i = m.reg()
	VPSUBD(f32(s), k, e.i)
	VPSRAD(Imm(3), e.i, e.i)
	e.s = m.power2(e.i)
	return e
}

// power2 returns 2^i for an integer i in the range of a float's exponent.
func (m vec) power2(i V) V {
	v := m.reg()
	VPADDD(bits(127), i, v)
	VPSLLD(Imm(23), v, v)
	return v
}

// lo returns the rounding error of hi, so that hi + lo is t + u.
func (e power) lo() V { return e.m.sub(e.u, e.m.sub(e.hi, e.t)) }

// scale returns y·2^n. 2^n must not overflow, so x must be below 88.
func (e power) scale(y V) V {
	if e.m.wide {
		v := e.m.reg()
		VSCALEFPS(e.n, y, v)
		return v
	}
	return e.m.mul(y, e.s)
}

// scaleFar returns y·2^n for any x.
func (e power) scaleFar(y V) V {
	if e.m.wide {
		return e.scale(y)
	}
	half, rest := e.m.reg(), e.m.reg()
	VPSRAD(Imm(1), e.i, half)
	VPSUBD(half, e.i, rest)
	return e.m.mul(e.m.mul(y, e.m.power2(half)), e.m.power2(rest))
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

// expOf returns e^x.
func (m vec) expOf(x V) V {
	e := m.exp(m.clamp(x, least, 89))
	return m.flushed(x, e.scaleFar(e.hi))
}

// expBelow returns e^x for x ≤ 0.
func (m vec) expBelow(x V) V {
	e := m.exp(m.max(m.load(f32(least)), x))
	return m.flushed(x, e.scale(e.hi))
}

// quotient returns (nh+nl)/(dh+dl) to half a unit in the last place. If nl and dl are nil, both count as
// 0. A first quotient is corrected by its remainder, so the reciprocal may have few correct bits.
func (m vec) quotient(nh, nl, dh, dl V) V {
	r := m.reg()
	if m.wide {
		VRCP14PS(dh, r)
	} else {
		r = m.div(m.load(f32(1)), dh)
	}
	q := m.mul(nh, r)
	rest := m.nma(dh, q, m.load(nh))
	if nl != nil {
		rest = m.add(rest, nl)
		m.nma(dl, q, rest)
	}
	return m.fma(rest, r, q)
}

// onePlus returns 1 + e^x in two parts, dh + dl, for x ≤ 0, and e^x as eh + el.
func (e power) onePlus() (eh, el, dh, dl V) {
	m := e.m
	eh, el = e.scale(e.hi), e.scale(e.lo())
	dh = m.add(eh, f32(1))
	dl = m.add(m.sub(eh, m.sub(dh, f32(1))), el)
	return
}

// sigmoid returns 1/(1 + e^-x). For negative x, it computes e^x/(1 + e^x). For x below -20, it returns
// e^x, because the quotient would lose its last bits to denormals.
func sigmoid(m vec, x V) V {
	e := m.exp(m.max(m.load(f32(least)), m.or(x, bits(1<<31))))
	eh, el, dh, dl := e.onePlus()
	one := m.load(f32(1))
	nl := m.reg()
	var q V
	if m.wide {
		k := K()
		VPMOVD2M(x, k)
		VMOVAPS(eh, k, one)
		VMOVAPS_Z(el, k, nl)
		q = m.quotient(one, nl, dh, dl)
	} else {
		VPSRAD(Imm(31), x, nl)
		q = m.quotient(m.chooseNegative(x, eh, one), m.and(nl, el), dh, dl)
	}
	return m.flushed(x, m.choose(less, x, f32(-20), eh, q))
}

// logistic returns 1/(1 + e^-x), like sigmoid, but computes it without the low parts that onePlus
// returns. The error is at most three units in the last place. logistic serves functions in which this
// value is only a factor of the result.
func logistic(m vec, x V) V {
	e := m.exp(m.max(m.load(f32(least)), m.or(x, bits(1<<31))))
	eh := e.scale(e.hi)
	d := m.add(eh, f32(1))
	var r V
	if m.wide {
		r = m.reg()
		VRCP14PS(d, r)
		rest := m.nma(d, r, m.load(f32(1)))
		VFMADD213PS(r, r, rest)
		r = rest
	} else {
		r = m.div(m.load(f32(1)), d)
	}
	return m.flushed(x, m.mul(r, m.chooseNegative(x, eh, m.load(f32(1)))))
}

// timesSigmoid returns x/(1 + e^-z) to 1.6 units in the last place, if z has x's sign. If the
// quotient is below the normal numbers, the result is -0. If x is -Inf, the result is NaN.
func timesSigmoid(m vec, x, z V) V {
	e := m.expSigned(m.clamp(z, least, -least), true)
	d := m.add(e.scale(e.hi), f32(1))
	r := m.reg()
	if m.wide {
		k := K()
		VCMPPS(Imm(notLess), f32(least), z, k)
		VRCP14PS_Z(d, k, r)
	} else {
		r = m.flushed(z, m.div(m.load(f32(1)), d))
	}
	q := m.mul(x, r)
	y := m.fma(m.nma(d, q, m.load(x)), r, m.load(q))
	// Zeros and infinity are returned as they are.
	return m.choose(equal, q, x, q, y)
}

func swish(m vec, x V) V { return timesSigmoid(m, x, x) }

// tanh returns (1 - e^-2|x|)/(1 + e^-2|x|) with the sign of x. Near 0 it computes a polynomial.
func tanh(m vec, x V) V {
	const near = 0.25
	a := m.abs(x)
	e := m.exp(m.max(m.load(f32(-40)), m.mul(a, f32(-2))))
	eh, el, dh, dl := e.onePlus()
	one := m.load(f32(1))
	nh := m.sub(one, eh)
	nl := m.sub(m.sub(m.sub(one, nh), eh), el)
	q := m.quotient(nh, nl, dh, dl)
	z := m.mul(a, a)
	p := m.poly(z, gen.Fit(4, 0, near*near, func(z float64) float64 {
		r := math.Sqrt(z)
		return (math.Tanh(r)/r - 1) / z
	}))
	VFMADD213PS(a, m.mul(a, z), p)
	return m.copySign(m.choose(less, a, f32(near), p, q), x)
}

// expm1 returns e^x - 1. Near 0 it computes a polynomial.
func expm1(m vec, x V) V {
	const near = 0.35
	e := m.exp(m.clamp(x, least, 89))
	eh, el := e.scaleFar(e.hi), e.scaleFar(e.lo())
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
	e := m.exp(m.logErfc(t, s))
	y := m.sub(m.load(f32(1)), e.scale(e.hi))
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
	e := m.max(m.load(f32(-1)), m.quotient(p, nil, q, nil))
	return m.mul(m.mul(x, f32(0.5)), m.add(e, f32(1)))
}

// geluTanh returns x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))). It computes this as x·sigmoid(2√(2/π)·(x +
// 0.044715·x³)).
func geluTanh(m vec, x V) V {
	c := 2 * math.Sqrt(2/math.Pi)
	return m.mul(logistic(m, m.mul(m.poly(m.mul(x, x), []float64{c, c * 0.044715}), x)), x)
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
