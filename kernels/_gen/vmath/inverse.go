package main

import (
	"math"

	"github.com/graphc/graphc/kernels/_gen/internal/gen"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

func (m vec) add64(a V, b Op) V { v := m.reg(); VADDPD(b, a, v); return v }
func (m vec) sub64(a V, b Op) V { v := m.reg(); VSUBPD(b, a, v); return v }
func (m vec) div64(a V, b Op) V { v := m.reg(); VDIVPD(b, a, v); return v }
func (m vec) sqrt64(a V) V      { v := m.reg(); VSQRTPD(a, v); return v }

// fit64 returns the value of a polynomial at x, which must be in [lo, hi]. The polynomial agrees with
// the function f at the Chebyshev nodes. fit64 maps x to [-1, 1] first, where powers are well
// conditioned.
func (m vec) fit64(x V, degree int, lo, hi float64, f func(float64) float64) V {
	mid, half := (lo+hi)/2, (hi-lo)/2
	u := m.mul64(m.sub64(x, f64(mid)), f64(1/half))
	return m.poly64(u, gen.Fit(degree, -1, 1, func(u float64) float64 { return f(mid + half*u) }))
}

// atan64 returns atan(x) for x ≥ 0. For x above 1, it computes π/2 - atan(1/x).
func (m vec) atan64(x V) V {
	one := m.load(f64(1))
	k := m.sub64(one, x) // negative where x is larger than 1
	w := m.signed64(k, m.div64(m.load(f64(-1)), x), x)
	p := m.fit64(m.mul64(w, w), 13, 0, 1, func(z float64) float64 {
		if z < 1e-12 {
			return 1
		}
		return math.Atan(math.Sqrt(z)) / math.Sqrt(z)
	})
	p = m.mul64(p, w)
	return m.signed64(k, m.add64(p, f64(math.Pi/2)), p)
}

func inverses() {
	nan, inf := 0x7fc00000, math.Inf(1)
	// erfc(x) is t·g(t)·e^-x² with t = 2/(2 + x) for x ≥ 0, and 2 - erfc(-x) for x < 0.
	unary("erfc", "1 - erf(x), 0 where that is below the normal numbers", 1, func(m vec, x V) V {
		y := m.inDoubles(m.clamp(x, -10.2, 10.2), func(d V) V {
			a := m.reg()
			VANDPD(bits64(1<<63-1), d, a)
			t := m.div64(m.load(f64(2)), m.add64(a, f64(2)))
			g := m.fit64(t, 14, 2/12.2, 1, func(t float64) float64 {
				x := 2/t - 2
				return math.Erfc(x) * math.Exp(x*x) / t
			})
			z := m.reg()
			VXORPD(f64(math.Copysign(0, -1)), m.mul64(d, d), z)
			y := m.mul64(m.mul64(t, g), m.exp64(z))
			return m.signed64(d, m.sub64(m.load(f64(2)), y), y)
		})
		return m.choose(less, y, f32(0x1p-126), m.zero(), y)
	})
	odd := func(name, doc string, f func(m vec, x, a V) V) {
		unary(name, doc, 1, func(m vec, x V) V { return m.copySign(f(m, x, m.abs(x)), x) })
	}
	odd("atan", "atan(x)", func(m vec, x, a V) V { return m.inDoubles(a, m.atan64) })
	odd("asin", "asin(x)", func(m vec, x, a V) V {
		return m.inDoubles(a, func(d V) V {
			return m.atan64(m.div64(d, m.sqrt64(m.sub64(m.load(f64(1)), m.mul64(d, d)))))
		})
	})
	unary("acos", "acos(x)", 1, func(m vec, x V) V {
		return m.inDoubles(x, func(d V) V {
			a := m.reg()
			VANDPD(bits64(1<<63-1), d, a)
			y := m.atan64(m.div64(m.sqrt64(m.sub64(m.load(f64(1)), m.mul64(a, a))), a))
			return m.signed64(d, m.sub64(m.load(f64(math.Pi)), y), y)
		})
	})
	odd("sinh", "sinh(x)", func(m vec, x, a V) V {
		return m.inDoubles(m.min(m.load(f32(100)), a), func(d V) V {
			p := m.fit64(m.mul64(d, d), 6, 0, 1, func(z float64) float64 {
				if z < 1e-12 {
					return 1
				}
				return math.Sinh(math.Sqrt(z)) / math.Sqrt(z)
			})
			e := m.exp64(d)
			y := m.mul64(m.sub64(e, m.div64(m.load(f64(1)), e)), f64(0.5))
			return m.signed64(m.sub64(d, f64(1)), m.mul64(p, d), y)
		})
	})
	unary("cosh", "cosh(x)", 1, func(m vec, x V) V {
		return m.inDoubles(m.min(m.load(f32(100)), m.abs(x)), func(d V) V {
			e := m.exp64(d)
			return m.mul64(m.add64(e, m.div64(m.load(f64(1)), e)), f64(0.5))
		})
	})
	// Near 0 asinh(x) rounds to x: the next term of its series is below the last place.
	odd("asinh", "asinh(x)", func(m vec, x, a V) V {
		y := m.inDoubles(a, func(d V) V { return m.log64(m.add64(d, m.sqrt64(m.add64(m.mul64(d, d), f64(1))))) })
		y = m.choose(less, a, f32(1e-4), a, y)
		y = m.choose(equal, a, f32(inf), a, y)
		return m.choose(unordered, a, a, a, y)
	})
	unary("acosh", "acosh(x)", 1, func(m vec, x V) V {
		y := m.inDoubles(x, func(d V) V { return m.log64(m.add64(d, m.sqrt64(m.sub64(m.mul64(d, d), f64(1))))) })
		y = m.choose(notGE, x, f32(1), m.load(bits(uint32(nan))), y)
		return m.choose(equal, x, f32(inf), x, y)
	})
	odd("atanh", "atanh(x)", func(m vec, x, a V) V {
		y := m.inDoubles(a, func(d V) V {
			one := m.load(f64(1))
			return m.mul64(m.log64(m.div64(m.add64(d, f64(1)), m.sub64(one, d))), f64(0.5))
		})
		y = m.choose(less, a, f32(1e-4), a, y)
		y = m.choose(equal, a, f32(1), m.load(f32(inf)), y)
		return m.choose(less, a, f32(1), y, m.choose(equal, a, f32(1), y, m.load(bits(uint32(nan)))))
	})
}
