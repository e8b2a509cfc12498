package main

import (
	"math"

	"github.com/graphc/graphc/kernels/_gen/internal/gen"
)

func (f *fn) add64(a, b V) V { return f.op2("faddd", a, b) }
func (f *fn) sub64(a, b V) V { return f.op2("fsubd", a, b) }
func (f *fn) mul64(a, b V) V { return f.op2("fmuld", a, b) }
func (f *fn) div64(a, b V) V { return f.op2("fdivd", a, b) }
func (f *fn) sqrt64(a V) V   { return f.op1("fsqrtd", a) }

// fit64 returns an approximation of by(x). x must be in [lo, hi]. The approximation is a polynomial
// that agrees with by(x) at the Chebyshev nodes. fit64 first maps x to [-1, 1], where powers are well
// conditioned.
func (f *fn) fit64(x V, degree int, lo, hi float64, by func(float64) float64) V {
	mid, half := (lo+hi)/2, (hi-lo)/2
	u := f.mul64(f.sub64(x, f.f64(mid)), f.f64(1/half))
	return f.poly64(u, gen.Fit(degree, -1, 1, func(u float64) float64 { return by(mid + half*u) }))
}

// atan64 returns atan(x) for x ≥ 0. For x above 1, it computes π/2 - atan(1/x).
func (f *fn) atan64(x V) V {
	k := f.sub64(f.f64(1), x) // negative where x is larger than 1
	w := f.signed64(k, f.div64(f.f64(-1), x), x)
	p := f.fit64(f.mul64(w, w), 13, 0, 1, func(z float64) float64 {
		if z < 1e-12 {
			return 1
		}
		return math.Atan(math.Sqrt(z)) / math.Sqrt(z)
	})
	p = f.mul64(p, w)
	return f.signed64(k, f.add64(p, f.f64(math.Pi/2)), p)
}

func inverses(w *file) {
	inf := math.Inf(1)
	// erfc(x) is t·g(t)·e^-x² with t = 2/(2 + x) for x ≥ 0, and 2 - erfc(-x) for x < 0.
	unary(w, "erfc", "1 - erf(x), 0 where that is below the normal numbers", 1, func(f *fn, x V) V {
		y := f.inDoubles(f.clamp(x, -10.2, 10.2), func(d V) V {
			t := f.div64(f.f64(2), f.add64(f.op1("fabsd", d), f.f64(2)))
			g := f.fit64(t, 14, 2/12.2, 1, func(t float64) float64 {
				x := 2/t - 2
				return math.Erfc(x) * math.Exp(x*x) / t
			})
			y := f.mul64(f.mul64(t, g), f.exp64(f.op1("fnegd", f.mul64(d, d))))
			return f.signed64(d, f.sub64(f.f64(2), y), y)
		})
		return f.choose(less, y, f.f32(0x1p-126), f.f32(0), y)
	})
	odd := func(name, doc string, by func(f *fn, x, a V) V) {
		unary(w, name, doc, 1, func(f *fn, x V) V { return f.copySign(by(f, x, f.op1("fabs", x)), x) })
	}
	odd("atan", "atan(x)", func(f *fn, x, a V) V { return f.inDoubles(a, f.atan64) })
	odd("asin", "asin(x)", func(f *fn, x, a V) V {
		return f.inDoubles(a, func(d V) V {
			return f.atan64(f.div64(d, f.sqrt64(f.sub64(f.f64(1), f.mul64(d, d)))))
		})
	})
	unary(w, "acos", "acos(x)", 1, func(f *fn, x V) V {
		return f.inDoubles(x, func(d V) V {
			a := f.op1("fabsd", d)
			y := f.atan64(f.div64(f.sqrt64(f.sub64(f.f64(1), f.mul64(a, a))), a))
			return f.signed64(d, f.sub64(f.f64(math.Pi), y), y)
		})
	})
	odd("sinh", "sinh(x)", func(f *fn, x, a V) V {
		return f.inDoubles(f.fmin(f.f32(100), a), func(d V) V {
			p := f.fit64(f.mul64(d, d), 6, 0, 1, func(z float64) float64 {
				if z < 1e-12 {
					return 1
				}
				return math.Sinh(math.Sqrt(z)) / math.Sqrt(z)
			})
			e := f.exp64(d)
			y := f.mul64(f.sub64(e, f.div64(f.f64(1), e)), f.f64(0.5))
			return f.signed64(f.sub64(d, f.f64(1)), f.mul64(p, d), y)
		})
	})
	unary(w, "cosh", "cosh(x)", 1, func(f *fn, x V) V {
		return f.inDoubles(f.fmin(f.f32(100), f.op1("fabs", x)), func(d V) V {
			e := f.exp64(d)
			return f.mul64(f.add64(e, f.div64(f.f64(1), e)), f.f64(0.5))
		})
	})
	// Near 0 asinh(x) rounds to x: the next term of its series is below the last place.
	odd("asinh", "asinh(x)", func(f *fn, x, a V) V {
		y := f.inDoubles(a, func(d V) V { return f.log64(f.add64(d, f.sqrt64(f.add64(f.mul64(d, d), f.f64(1))))) })
		y = f.choose(less, a, f.f32(1e-4), a, y)
		y = f.choose(equal, a, f.f32(inf), a, y)
		return f.choose(equal, a, a, y, a)
	})
	unary(w, "acosh", "acosh(x)", 1, func(f *fn, x V) V {
		y := f.inDoubles(x, func(d V) V { return f.log64(f.add64(d, f.sqrt64(f.sub64(f.mul64(d, d), f.f64(1))))) })
		y = f.choose(notGE, x, f.f32(1), f.w32(0x7fc00000), y)
		return f.choose(equal, x, f.f32(inf), x, y)
	})
	odd("atanh", "atanh(x)", func(f *fn, x, a V) V {
		y := f.inDoubles(a, func(d V) V {
			return f.mul64(f.log64(f.div64(f.add64(d, f.f64(1)), f.sub64(f.f64(1), d))), f.f64(0.5))
		})
		y = f.choose(less, a, f.f32(1e-4), a, y)
		y = f.choose(equal, a, f.f32(1), f.f32(inf), y)
		return f.choose(less, a, f.f32(1), y, f.choose(equal, a, f.f32(1), y, f.w32(0x7fc00000)))
	})
}
