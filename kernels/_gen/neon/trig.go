package main

import (
	"math"

	"github.com/graphc/graphc/kernels/_gen/internal/gen"
)

// The functions of this file compute in doubles.

// shift64 rounds doubles to integers. If shift64 is added to a double, the low bits of the sum are the
// rounded integer.
const shift64 = 0x1.8p52

// poly64 returns c[0] + c[1]·x + ….
func (f *fn) poly64(x V, c []float64) V {
	p := f.f64(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		q := f.copy(f.f64(c[i]))
		f.vec("fmlad", q, p, x, 0)
		p = q
	}
	return p
}

// fma64 returns a·b + c. nma64 returns c - a·b.
func (f *fn) fma64(a, b, c V) V { d := f.copy(c); f.vec("fmlad", d, a, b, 0); return d }
func (f *fn) nma64(a, b, c V) V { d := f.copy(c); f.vec("fmlsd", d, a, b, 0); return d }

// signed64 returns a vector of lanes. Where the sign bit of x is set, the lane is taken from the vector
// yes, and elsewhere from the vector no.
func (f *fn) signed64(x, yes, no V) V {
	k := f.shift("sshrd", x, 63)
	f.vec("bsl", k, yes, no, 0)
	return k
}

// sine64 returns sin(r), cos(r) and k, where x = k·π/2 + r and |r| ≤ π/4. So k is the quarter of
// the circle, as an integer in the low bits. |x| must be below 2^31.
func (f *fn) sine64(x V) (sin, cos, k V) {
	k = f.fma64(x, f.f64(2/math.Pi), f.f64(shift64))
	n := f.op2("fsubd", k, f.f64(shift64))
	r := f.nma64(n, f.f64(math.Pi/2), x)
	r = f.nma64(n, f.f64(6.123233995736766e-17), r)
	z := f.op2("fmuld", r, r)
	const q = math.Pi / 4
	sin = f.poly64(z, gen.Fit(4, 0, q*q, func(z float64) float64 {
		if z == 0 {
			return 1
		}
		return math.Sin(math.Sqrt(z)) / math.Sqrt(z)
	}))
	sin = f.op2("fmuld", sin, r)
	cos = f.poly64(z, gen.Fit(5, 0, q*q, func(z float64) float64 { return math.Cos(math.Sqrt(z)) }))
	return sin, cos, k
}

// turned returns the sine or cosine of an angle in quarter k of the circle. For an even k it takes the
// value of the parameter even, and for an odd k that of the parameter odd. If k is 2 or 3 (mod 4), it
// changes the sign.
func (f *fn) turned(even, odd, k V) V {
	b := f.shift("shld", k, 63)
	s := f.shift("shld", f.shift("ushrd", k, 1), 63)
	return f.op2("eor", f.signed64(b, odd, even), s)
}

func trigonometry(w *file) {
	unary(w, "sin", "sin(x) for |x| < 2^31", 1, func(f *fn, x V) V {
		y := f.inDoubles(x, func(d V) V {
			s, c, k := f.sine64(d)
			return f.turned(s, c, k)
		})
		return f.choose(equal, x, f.f32(0), x, y)
	})
	unary(w, "cos", "cos(x) for |x| < 2^31", 1, func(f *fn, x V) V {
		return f.inDoubles(x, func(d V) V {
			s, c, k := f.sine64(d)
			return f.turned(s, c, f.op2("addd", k, f.w64(1)))
		})
	})
	unary(w, "tan", "tan(x) for |x| < 2^31", 1, func(f *fn, x V) V {
		y := f.inDoubles(x, func(d V) V {
			s, c, k := f.sine64(d)
			b := f.shift("shld", k, 63)
			return f.op2("eor", f.op2("fdivd", f.signed64(b, c, s), f.signed64(b, s, c)), b)
		})
		return f.choose(equal, x, f.f32(0), x, y)
	})
}

// exp64 returns e^x for |x| < 700, with a relative error of 2^-34.
func (f *fn) exp64(x V) V {
	k := f.fma64(x, f.f64(math.Log2E), f.f64(shift64))
	n := f.op2("fsubd", k, f.f64(shift64))
	r := f.nma64(n, f.f64(math.Ln2), x)
	p := f.poly64(r, gen.Fit(8, -math.Ln2/2, math.Ln2/2, math.Exp))
	return f.op2("addd", f.shift("shld", k, 52), p)
}

// powers writes a^b.
func powers(w *file) {
	binary(w, "pow", "a to the b", 1, false, func(f *fn, x, y V) V {
		a := f.op1("fabs", x)
		xs, ys := f.doubles(a), f.doubles(y)
		var d [2]V
		for i := range d {
			// Results for 0, 1, infinity and NaN are corrected below. An infinite y gives e^-200 or
			// e^200, which round to 0 and infinity as floats.
			t := f.op2("fmuld", f.log64(xs[i]), ys[i])
			d[i] = f.exp64(f.op2("fmind", f.op2("fmaxd", t, f.f64(-200)), f.f64(200)))
		}
		p := f.floats(d)
		zero, one, nan, inf := f.f32(0), f.f32(1), f.w32(0x7fc00000), f.f32(math.Inf(1))
		// 0 to a positive power and infinity to a negative power are 0; 0 to a negative power and
		// infinity to a positive power are infinite.
		far := f.choose(equal, a, inf, f.choose(greater, y, zero, inf, zero), f.choose(greater, y, zero, zero, inf))
		p = f.choose(equal, a, zero, far, p)
		p = f.choose(equal, a, inf, far, p)
		p = f.choose(equal, a, one, one, p)
		half := f.fmul(y, f.f32(0.5))
		whole := f.op1("frintm", y)
		even := f.choose(equal, f.op1("frintm", half), half, zero, f.w32(1<<31))
		odd := f.choose(equal, whole, y, even, zero)
		// An odd power has the base's sign. A fractional power of a negative base is NaN.
		signed := f.orr(p, f.and(odd, x))
		bad := f.choose(equal, whole, y, signed, f.choose(equal, a, inf, signed, nan))
		v := f.choose(less, x, zero, bad, signed)
		v = f.choose(equal, x, x, v, nan)
		v = f.choose(equal, y, y, v, nan)
		v = f.choose(equal, y, zero, one, v)
		return f.choose(equal, x, one, one, v)
	})
}

// others writes functions of few instructions.
func others(w *file) {
	unary(w, "softsign", "x/(1 + |x|)", 2, func(f *fn, x V) V {
		return f.fdiv(x, f.fadd(f.op1("fabs", x), f.f32(1)))
	})
	unary(w, "sign", "-1, 0 or 1; NaN stays", 4, func(f *fn, x V) V {
		y := f.orr(f.and(x, f.w32(1<<31)), f.f32(1))
		y = f.choose(equal, x, f.f32(0), f.f32(0), y)
		return f.choose(equal, x, x, y, x)
	})
	binary(w, "divNoNan", "a/b, 0 where that is below the normal numbers or b is 0", 2, false, func(f *fn, a, b V) V {
		q := f.fdiv(a, b)
		q = f.choose(less, f.op1("fabs", q), f.f32(0x1p-126), f.f32(0), q)
		return f.choose(equal, b, f.f32(0), f.f32(0), q)
	})
	exponential(w, "selu", "scale·x where x ≥ 0, else scale·alpha·(e^x - 1)", func(t tables, f *fn, x V) V {
		below := f.fmul(t.expm1(f, x), f.f32(1.7580993408473768599402175208123))
		return f.choose(less, x, f.f32(0), below, f.fmul(x, f.f32(1.0507009873554804934193349852946)))
	})
}
