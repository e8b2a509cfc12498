package main

import "math"

// log64 returns the logarithm of positive, normal doubles with an error of at most 2^-33. It splits
// x into 2^e·a with √½ ≤ a < √2, and computes log(a) = 2·atanh((a-1)/(a+1)) by the series of atanh.
func (f *fn) log64(x V) V {
	const sqrtHalf = 0x3fe6a09e667f3bcd
	b := f.op2("subd", x, f.w64(sqrtHalf))
	// e is the exponent plus 1024, as an integer. With the bits of 2^52 it becomes a double.
	e := f.shift("ushrd", f.op2("addd", b, f.w64(1024<<52)), 52)
	e = f.op2("fsubd", f.orr(e, f.w64(0x433<<52)), f.f64(1<<52+1024))
	a := f.op2("addd", f.and(b, f.w64(1<<52-1)), f.w64(sqrtHalf))
	s := f.op2("fdivd", f.op2("fsubd", a, f.f64(1)), f.op2("faddd", a, f.f64(1)))
	z := f.op2("fmuld", s, s)
	p := f.f64(2. / 13)
	for k := 11; k >= 1; k -= 2 {
		q := f.copy(f.f64(2 / float64(k)))
		f.vec("fmlad", q, p, z, 0)
		p = q
	}
	p = f.op2("fmuld", p, s)
	f.vec("fmlad", p, e, f.f64(math.Ln2), 0)
	return p
}

// log1p64 returns log(1 + x). It corrects the error of rounding 1 + x.
func (f *fn) log1p64(x V) V {
	u := f.op2("faddd", x, f.f64(1))
	c := f.op2("fsubd", x, f.op2("fsubd", u, f.f64(1)))
	return f.op2("faddd", f.log64(u), c)
}

// special returns y, which is log(x) or log(1 + x), with corrections for special values of x. The
// parameter zero is the x at which the logarithm is -Inf: 0 for log(x), -1 for log(1 + x). For this x,
// special returns -Inf. For a smaller x and for NaN it returns NaN, and for +Inf it returns +Inf.
func (f *fn) special(x, y V, zero float64) V {
	y = f.choose(notGE, x, f.f32(zero), f.w32(0x7fc00000), y)
	y = f.choose(equal, x, f.f32(zero), f.f32(math.Inf(-1)), y)
	return f.choose(equal, x, f.f32(math.Inf(1)), x, y)
}

func logarithms(w *file) {
	unary(w, "log", "log(x)", 1, func(f *fn, x V) V {
		return f.special(x, f.inDoubles(x, f.log64), 0)
	})
	unary(w, "log1p", "log(1 + x)", 1, func(f *fn, x V) V {
		y := f.special(x, f.inDoubles(x, f.log1p64), -1)
		return f.choose(equal, x, f.f32(0), x, y)
	})
	exponential(w, "softplus", "log(1 + e^x)", func(t tables, f *fn, x V) V {
		e := t.exp(f, f.clamp(x, least, 20))
		head, rest := e.sum()
		eh := e.scale(head)
		hi, lo := f.doubles(eh), f.doubles(e.scale(rest()))
		var y [2]V
		for i := range y {
			y[i] = f.log1p64(f.op2("faddd", hi[i], lo[i]))
		}
		// For NaN the comparison is false, so NaN is the result.
		l := f.choose(less, x, f.f32(20), f.floats(y), x)
		return f.flushed(x, f.choose(less, x, f.f32(-20), eh, l))
	})
}
