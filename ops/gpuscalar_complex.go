package ops

import (
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// complexFunctions are the ops' formulas over complex numbers. Those of Complex64 are
// computed as Complex128 and rounded once, but for sums, products and quotients, which
// are rounded each.
func complexFunctions() functions {
	f := functions{unary: map[string]unaryFn{}, binary: map[string]binaryFn{}}
	f.unary["Neg"] = (*realExpr).neg
	f.unary["Conj"] = (*realExpr).conj
	f.unary["Real"] = func(e *realExpr, x value) value { return e.Un(scalar.Real, x) }
	f.unary["Imag"] = func(e *realExpr, x value) value { return e.Un(scalar.Imag, x) }
	f.unary["Square"] = (*realExpr).square
	f.unary["Reciprocal"] = (*realExpr).reciprocal
	f.unary["Inv"] = (*realExpr).reciprocal
	wide := func(g func(e *realExpr, a, b value) value) unaryFn {
		return func(e *realExpr, x value) value {
			to := e.Type(x)
			z := e.Cast(tensor.Complex128, x)
			r := g(e, e.Un(scalar.Real, z), e.Un(scalar.Imag, z))
			if scalar.PartType(e.Type(r)) == tensor.Invalid {
				return e.Cast(scalar.PartType(to), r)
			}
			return e.Cast(to, r)
		}
	}
	f.unary["ComplexAbs"] = wide((*realExpr).modulus)
	f.unary["Angle"] = wide(func(e *realExpr, a, b value) value { return e.Call("atan2", b, a) })
	f.unary["Sign"] = func(e *realExpr, z value) value {
		a, b := e.Un(scalar.Real, z), e.Un(scalar.Imag, z)
		one, zero := e.Const(e.Type(a), 1), e.Const(e.Type(a), 0)
		p, q := e.abs(a), e.abs(b)
		m := e.max(p, q)
		k := e.div(e.min(p, q), m)
		r := e.mul(m, e.sqrt(e.add(one, e.square(k))))
		return e.Select(e.eq(m, zero), e.Bin(scalar.Complex, zero, zero), e.Bin(scalar.Complex, e.div(a, r), e.div(b, r)))
	}
	f.unary["Exp"] = wide(func(e *realExpr, a, b value) value {
		// A real number's exponential is real, also where it is infinite.
		r, flat := e.Call("exp", a), e.isZero(b)
		im := e.mul(r, e.Call("sin", b))
		return e.Bin(scalar.Complex, e.Select(flat, r, e.mul(r, e.Call("cos", b))), e.Select(flat, b, im))
	})
	for op, g := range map[string]func(e *realExpr, a, b value) value{
		"Sin": func(e *realExpr, a, b value) value {
			return e.Bin(scalar.Complex, e.mul(e.Call("sin", a), e.Call("cosh", b)), e.mul(e.Call("cos", a), e.Call("sinh", b)))
		},
		"Cos": func(e *realExpr, a, b value) value {
			return e.Bin(scalar.Complex, e.mul(e.Call("cos", a), e.Call("cosh", b)), e.neg(e.mul(e.Call("sin", a), e.Call("sinh", b))))
		},
		"Sinh": func(e *realExpr, a, b value) value {
			return e.Bin(scalar.Complex, e.mul(e.Call("sinh", a), e.Call("cos", b)), e.mul(e.Call("cosh", a), e.Call("sin", b)))
		},
		"Cosh": func(e *realExpr, a, b value) value {
			return e.Bin(scalar.Complex, e.mul(e.Call("cosh", a), e.Call("cos", b)), e.mul(e.Call("sinh", a), e.Call("sin", b)))
		},
		"Tan": (*realExpr).tangent,
	} {
		f.unary[op] = wide(g)
	}
	complexBinary(f.binary)
	return f
}

func complexBinary(f map[string]binaryFn) {
	for op, c := range map[string]scalar.Code{"Add": scalar.Add, "AddV2": scalar.Add, "Sub": scalar.Sub, "Mul": scalar.Mul, "Div": scalar.Div, "RealDiv": scalar.Div,
		"Equal": scalar.Eq, "NotEqual": scalar.Ne} {
		f[op] = func(e *realExpr, x, y value) value { return e.Bin(c, x, y) }
	}
	f["DivNoNan"] = func(e *realExpr, x, y value) value { return e.Select(e.isZero(y), e.Const(e.d, 0), e.div(x, y)) }
	f["MulNoNan"] = func(e *realExpr, x, y value) value { return e.Select(e.isZero(y), e.Const(e.d, 0), e.mul(x, y)) }
	f["Xdivy"] = func(e *realExpr, x, y value) value { return e.Select(e.isZero(x), e.Const(e.d, 0), e.div(x, y)) }
	logarithm := func(g func(e *realExpr, a, b value) value) binaryFn {
		return func(e *realExpr, x, y value) value {
			z := e.Cast(tensor.Complex128, y)
			l := e.Cast(e.d, g(e, e.Un(scalar.Real, z), e.Un(scalar.Imag, z)))
			return e.Select(e.isZero(x), e.Const(e.d, 0), e.mul(x, l))
		}
	}
	f["Xlogy"] = logarithm(func(e *realExpr, a, b value) value {
		return e.Bin(scalar.Complex, e.Call("log", e.modulus(a, b)), e.Call("atan2", b, a))
	})
	f["Xlog1py"] = logarithm(func(e *realExpr, a, b value) value {
		one := e.Const(tensor.Float64, 1)
		half := e.Const(tensor.Float64, 0.5)
		c := e.add(a, one)
		far := e.Bin(scalar.Or, e.gt(e.abs(a), half), e.gt(e.abs(b), half))
		near := e.mul(half, e.Call("log1p", e.add(e.mul(a, e.add(e.Const(tensor.Float64, 2), a)), e.square(b))))
		return e.Bin(scalar.Complex, e.Select(far, e.Call("log", e.modulus(c, b)), near), e.Call("atan2", b, c))
	})
	f["SquaredDifference"] = func(e *realExpr, x, y value) value {
		d := e.sub(x, y)
		return e.mul(d, e.conj(d))
	}
	inv := func(e *realExpr, y, g value) value { return e.mul(e.neg(g), e.conj(e.square(y))) }
	f["InvGrad"], f["ReciprocalGrad"] = inv, inv
	f["TanhGrad"] = func(e *realExpr, y, g value) value { return e.mul(g, e.oneMinus(e.square(y))) }
	f["SigmoidGrad"] = func(e *realExpr, y, g value) value { return e.mul(e.mul(g, y), e.oneMinus(y)) }
	f["SqrtGrad"] = func(e *realExpr, y, g value) value {
		return e.Select(e.isZero(g), e.Const(e.d, 0), e.div(e.mul(g, e.Const(e.d, 0.5)), e.conj(y)))
	}
	f["RsqrtGrad"] = func(e *realExpr, y, g value) value {
		c := e.conj(y)
		return e.mul(e.mul(g, e.mul(e.Const(e.d, -0.5), c)), e.square(c))
	}
}

func (e *realExpr) conj(x value) value {
	return e.Bin(scalar.Complex, e.Un(scalar.Real, x), e.neg(e.Un(scalar.Imag, x)))
}

// modulus is √(a² + b²) without overflow: infinite where a part is, also beside NaN.
func (e *realExpr) modulus(a, b value) value {
	p, q := e.abs(a), e.abs(b)
	large := e.Select(e.gt(q, p), q, p)
	small := e.Select(e.gt(q, p), p, q)
	r := e.div(small, large)
	h := e.mul(large, e.sqrt(e.add(e.Const(tensor.Float64, 1), e.square(r))))
	zero, inf := e.Const(tensor.Float64, 0), e.infinity()
	h = e.Select(e.eq(large, zero), e.add(p, q), h)
	return e.Select(e.Bin(scalar.Or, e.eq(p, inf), e.eq(q, inf)), inf, h)
}

// tangent is (sin 2a + i·sinh 2b) / (cos 2a + cosh 2b); ±i far from the real axis.
func (e *realExpr) tangent(a, b value) value {
	two, one := e.Const(tensor.Float64, 2), e.Const(tensor.Float64, 1)
	x, y := e.mul(two, a), e.mul(two, b)
	// |2b| is kept where cosh is finite; tan is ±i to all digits long before.
	limit := e.Const(tensor.Float64, 700)
	y = e.min(e.max(y, e.neg(limit)), limit)
	d := e.add(e.Call("cos", x), e.Call("cosh", y))
	// Near a pole the sum cancels: 2(cos² a + sinh² b) does not.
	c, s := e.Call("cos", a), e.Call("sinh", b)
	d = e.Select(e.lt(e.abs(b), one), e.mul(two, e.add(e.square(c), e.square(s))), d)
	return e.Bin(scalar.Complex, e.div(e.Call("sin", x), d), e.div(e.Call("sinh", y), d))
}

// complexSqrt is √x, with a real part that is not negative.
func (e *realExpr) complexSqrt(x value) value {
	to := e.Type(x)
	z := e.Cast(tensor.Complex128, x)
	a, b := e.Un(scalar.Real, z), e.Un(scalar.Imag, z)
	zero, half := e.Const(tensor.Float64, 0), e.Const(tensor.Float64, 0.5)
	// The larger part is √((|x|+|a|)/2), the other b over twice that.
	s := e.sqrt(e.mul(half, e.add(e.modulus(a, b), e.abs(a))))
	t := e.div(e.mul(half, e.abs(b)), s)
	right := e.Bin(scalar.Ge, a, zero)
	re, im := e.Select(right, s, t), e.Select(right, t, s)
	im = e.Select(e.lt(b, zero), e.neg(im), im)
	nothing := e.eq(s, zero)
	re, im = e.Select(nothing, zero, re), e.Select(nothing, b, im)
	return e.Cast(to, e.Bin(scalar.Complex, re, im))
}
