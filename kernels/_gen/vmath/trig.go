package main

import (
	"math"

	"github.com/graphc/graphc/kernels/_gen/internal/gen"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// The functions of this file compute in doubles.

// poly64 returns c[0] + c[1]·x + ….
func (m vec) poly64(x V, c []float64) V {
	p := m.load(f64(c[len(c)-1]))
	for i := len(c) - 2; i >= 0; i-- {
		VFMADD213PD(f64(c[i]), x, p)
	}
	return p
}

func (m vec) mul64(a V, b Op) V { v := m.reg(); VMULPD(b, a, v); return v }

func (m vec) xor64(a V, b Op) V { v := m.reg(); VXORPD(b, a, v); return v }

// signed64 returns a vector of lanes. Where the sign bit of x is set, the lane is taken from the vector
// yes, and elsewhere from the vector no.
func (m vec) signed64(x, yes, no V) V {
	v := m.load(no)
	if m.wide {
		k := K()
		VPMOVQ2M(x, k)
		VMOVAPD(yes, k, v)
		return v
	}
	VBLENDVPD(x, yes, no, v)
	return v
}

// sine64 returns sin(r), cos(r) and k, where x = k·π/2 + r and |r| ≤ π/4. So k is the quarter of
// the circle, as an integer in the low bits. |x| must be below 2^31.
func (m vec) sine64(x V) (sin, cos, k V) {
	const shift = 0x1.8p52
	k = m.load(f64(shift))
	VFMADD231PD(f64(2/math.Pi), x, k)
	n := m.reg()
	VSUBPD(f64(shift), k, n)
	r := m.load(x)
	VFNMADD231PD(f64(math.Pi/2), n, r)
	VFNMADD231PD(f64(6.123233995736766e-17), n, r)
	z := m.mul64(r, r)
	const q = math.Pi / 4
	sin = m.poly64(z, gen.Fit(4, 0, q*q, func(z float64) float64 {
		if z == 0 {
			return 1
		}
		return math.Sin(math.Sqrt(z)) / math.Sqrt(z)
	}))
	sin = m.mul64(sin, r)
	cos = m.poly64(z, gen.Fit(5, 0, q*q, func(z float64) float64 { return math.Cos(math.Sqrt(z)) }))
	return sin, cos, k
}

// turned returns the sine or cosine of an angle in quarter k of the circle. For an even k it takes the
// value of the parameter even, and for an odd k that of the parameter odd. If k is 2 or 3 (mod 4), it
// changes the sign.
func (m vec) turned(even, odd, k V) V {
	b, s := m.reg(), m.reg()
	VPSLLQ(Imm(63), k, b)
	VPSRLQ(Imm(1), k, s)
	VPSLLQ(Imm(63), s, s)
	return m.xor64(m.signed64(b, odd, even), s)
}

func trigonometry() {
	// Callers use sin, cos and tan only for |x| < 2^31.
	unary("sin", "sin(x) for |x| < 2^31", 1, func(m vec, x V) V {
		y := m.inDoubles(x, func(d V) V {
			s, c, k := m.sine64(d)
			return m.turned(s, c, k)
		})
		return m.choose(equal, x, m.zero(), x, y)
	})
	unary("cos", "cos(x) for |x| < 2^31", 1, func(m vec, x V) V {
		return m.inDoubles(x, func(d V) V {
			s, c, k := m.sine64(d)
			VPADDQ(bits64(1), k, k)
			return m.turned(s, c, k)
		})
	})
	unary("tan", "tan(x) for |x| < 2^31", 1, func(m vec, x V) V {
		y := m.inDoubles(x, func(d V) V {
			s, c, k := m.sine64(d)
			b, v := m.reg(), m.reg()
			VPSLLQ(Imm(63), k, b)
			VDIVPD(m.signed64(b, s, c), m.signed64(b, c, s), v)
			return m.xor64(v, b)
		})
		return m.choose(equal, x, m.zero(), x, y)
	})
	// below returns 1 if all |x| are below limit and none is NaN, else 0.
	each(func(m vec) {
		m.begin("below", "func(src *float32, n int, limit float32) int")
		src, n := arg("src"), arg("n")
		limit, acc := m.broadcast("limit"), m.zero()
		m.loop(n, 4, []GPVirtual{src}, func(c access) {
			// A maximum could drop a NaN, so each x is compared.
			x := m.abs(c.get(c.at(0)))
			VMOVAPS(m.choose(notLess, x, limit, m.load(f32(1)), acc), acc)
		})
		any := GP32()
		if m.wide {
			k := K()
			VPTESTMD(acc, acc, k)
			KMOVW(k, any)
		} else {
			VPSLLD(Imm(2), acc, acc)
			VMOVMSKPS(acc, any)
		}
		r := GP64()
		XORQ(r, r)
		TESTL(any, any)
		SETEQ(r.As8())
		VZEROUPPER()
		Store(r, ReturnIndex(0))
		RET()
	})
}

// exp64 returns e^x for |x| < 700, with a relative error of 2^-34.
func (m vec) exp64(x V) V {
	const shift = 0x1.8p52
	k := m.load(f64(shift))
	VFMADD231PD(f64(math.Log2E), x, k)
	n := m.reg()
	VSUBPD(f64(shift), k, n)
	r := m.load(x)
	VFNMADD231PD(f64(math.Ln2), n, r)
	p := m.poly64(r, gen.Fit(8, -math.Ln2/2, math.Ln2/2, math.Exp))
	VPSLLQ(Imm(52), k, k)
	v := m.reg()
	VPADDQ(k, p, v)
	return v
}

// clamp64 limits x to [lo, hi]. x must not be NaN.
func (m vec) clamp64(x V, lo, hi float64) V {
	v := m.reg()
	VMAXPD(f64(lo), x, v)
	VMINPD(f64(hi), v, v)
	return v
}

// powers writes a^b.
func powers() {
	binary("pow", "a to the b", 1, false, func(m vec, x, y V) V {
		a := m.abs(x)
		xs, ys := m.doubles(a), m.doubles(y)
		var d [2]V
		for i := range d {
			// Results for 0, 1 and infinity are corrected below. An infinite y gives e^-200 or
			// e^200, which round to 0 and infinity as floats.
			t := m.mul64(m.log64(xs[i]), ys[i])
			d[i] = m.exp64(m.clamp64(t, -200, 200))
		}
		p := m.floats(d)
		zero, one, nan := m.zero(), m.load(f32(1)), m.load(bits(0x7fc00000))
		inf := m.load(f32(math.Inf(1)))
		// 0 to a positive power and infinity to a negative power are 0; 0 to a negative power and
		// infinity to a positive power are infinite.
		far := m.choose(equal, a, inf, m.choose(greater, y, zero, inf, zero), m.choose(greater, y, zero, zero, inf))
		p = m.choose(equal, a, zero, far, p)
		p = m.choose(equal, a, inf, far, p)
		p = m.choose(equal, a, one, one, p)
		whole := func(v V) V {
			w := m.reg()
			if m.wide {
				VRNDSCALEPS(Imm(9), v, w)
			} else {
				VROUNDPS(Imm(9), v, w)
			}
			return w
		}
		half := m.mul(y, f32(0.5))
		isWhole := whole(y)
		odd := m.choose(equal, isWhole, y, m.choose(equal, whole(half), half, zero, m.load(bits(1<<31))), zero)
		// An odd power has the base's sign. A fractional power of a negative base is NaN.
		signed := m.or(p, m.and(odd, x))
		bad := m.choose(equal, isWhole, y, signed, m.choose(equal, a, inf, signed, nan))
		v := m.choose(less, x, zero, bad, signed)
		v = m.choose(unordered, x, y, nan, v)
		v = m.choose(equal, y, zero, one, v)
		return m.choose(equal, x, one, one, v)
	})
}
