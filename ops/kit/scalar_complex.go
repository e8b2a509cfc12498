package kit

import (
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// complexFunctions returns the ops' formulas over complex numbers. Most formulas compute complex64
// numbers as complex128 and round the result once. Formulas of sums, products and quotients compute
// in complex64 itself.
func complexFunctions() Functions {
	f := Functions{Unary: map[string]Unary{}, Binary: map[string]Binary{}}
	f.Unary["Neg"] = (*RealExpr).Neg
	f.Unary["Conj"] = (*RealExpr).Conj
	f.Unary["Real"] = func(e *RealExpr, x Complex) Complex { return e.Un(scalar.Real, x) }
	f.Unary["Imag"] = func(e *RealExpr, x Complex) Complex { return e.Un(scalar.Imag, x) }
	f.Unary["Square"] = (*RealExpr).Square
	f.Unary["Reciprocal"] = (*RealExpr).Reciprocal
	f.Unary["Inv"] = (*RealExpr).Reciprocal
	wide := func(g func(e *RealExpr, a, b Complex) Complex) Unary {
		return func(e *RealExpr, x Complex) Complex {
			to := e.Type(x)
			z := e.Cast(tensor.Complex128, x)
			r := g(e, e.Un(scalar.Real, z), e.Un(scalar.Imag, z))
			if scalar.PartType(e.Type(r)) == tensor.Invalid {
				return e.Cast(scalar.PartType(to), r)
			}
			return e.Cast(to, r)
		}
	}
	f.Unary["ComplexAbs"] = wide((*RealExpr).modulus)
	f.Unary["Angle"] = wide(func(e *RealExpr, a, b Complex) Complex { return e.Call("atan2", b, a) })
	f.Unary["Sign"] = func(e *RealExpr, z Complex) Complex {
		a, b := e.Un(scalar.Real, z), e.Un(scalar.Imag, z)
		one, zero := e.Const(e.Type(a), 1), e.Const(e.Type(a), 0)
		p, q := e.Abs(a), e.Abs(b)
		m := e.Max(p, q)
		k := e.Div(e.Min(p, q), m)
		r := e.Mul(m, e.Sqrt(e.Add(one, e.Square(k))))
		return e.Select(e.Eq(m, zero), e.Bin(scalar.Complex, zero, zero), e.Bin(scalar.Complex, e.Div(a, r), e.Div(b, r)))
	}
	f.Unary["Exp"] = wide(func(e *RealExpr, a, b Complex) Complex {
		// If b is 0, the result is real, even if exp(a) is infinite.
		r, flat := e.Call("exp", a), e.IsZero(b)
		im := e.Mul(r, e.Call("sin", b))
		return e.Bin(scalar.Complex, e.Select(flat, r, e.Mul(r, e.Call("cos", b))), e.Select(flat, b, im))
	})
	for op, g := range map[string]func(e *RealExpr, a, b Complex) Complex{
		"Sin": func(e *RealExpr, a, b Complex) Complex {
			return e.Bin(scalar.Complex, e.Mul(e.Call("sin", a), e.Call("cosh", b)), e.Mul(e.Call("cos", a), e.Call("sinh", b)))
		},
		"Cos": func(e *RealExpr, a, b Complex) Complex {
			return e.Bin(scalar.Complex, e.Mul(e.Call("cos", a), e.Call("cosh", b)), e.Neg(e.Mul(e.Call("sin", a), e.Call("sinh", b))))
		},
		"Sinh": func(e *RealExpr, a, b Complex) Complex {
			return e.Bin(scalar.Complex, e.Mul(e.Call("sinh", a), e.Call("cos", b)), e.Mul(e.Call("cosh", a), e.Call("sin", b)))
		},
		"Cosh": func(e *RealExpr, a, b Complex) Complex {
			return e.Bin(scalar.Complex, e.Mul(e.Call("cosh", a), e.Call("cos", b)), e.Mul(e.Call("sinh", a), e.Call("sin", b)))
		},
		"Tan": (*RealExpr).tangent,
	} {
		f.Unary[op] = wide(g)
	}
	complexBinary(f.Binary)
	return f
}

func complexBinary(f map[string]Binary) {
	for op, c := range map[string]scalar.Code{"Add": scalar.Add, "AddV2": scalar.Add, "Sub": scalar.Sub, "Mul": scalar.Mul, "Div": scalar.Div, "RealDiv": scalar.Div,
		"Equal": scalar.Eq, "NotEqual": scalar.Ne} {
		f[op] = func(e *RealExpr, x, y Complex) Complex { return e.Bin(c, x, y) }
	}
	f["DivNoNan"] = func(e *RealExpr, x, y Complex) Complex { return e.Select(e.IsZero(y), e.Const(e.D, 0), e.Div(x, y)) }
	f["MulNoNan"] = func(e *RealExpr, x, y Complex) Complex { return e.Select(e.IsZero(y), e.Const(e.D, 0), e.Mul(x, y)) }
	f["Xdivy"] = func(e *RealExpr, x, y Complex) Complex { return e.Select(e.IsZero(x), e.Const(e.D, 0), e.Div(x, y)) }
	logarithm := func(g func(e *RealExpr, a, b Complex) Complex) Binary {
		return func(e *RealExpr, x, y Complex) Complex {
			z := e.Cast(tensor.Complex128, y)
			l := e.Cast(e.D, g(e, e.Un(scalar.Real, z), e.Un(scalar.Imag, z)))
			return e.Select(e.IsZero(x), e.Const(e.D, 0), e.Mul(x, l))
		}
	}
	f["Xlogy"] = logarithm(func(e *RealExpr, a, b Complex) Complex {
		return e.Bin(scalar.Complex, e.Call("log", e.modulus(a, b)), e.Call("atan2", b, a))
	})
	f["Xlog1py"] = logarithm(func(e *RealExpr, a, b Complex) Complex {
		one := e.Const(tensor.Float64, 1)
		half := e.Const(tensor.Float64, 0.5)
		c := e.Add(a, one)
		far := e.Bin(scalar.Or, e.Gt(e.Abs(a), half), e.Gt(e.Abs(b), half))
		near := e.Mul(half, e.Call("log1p", e.Add(e.Mul(a, e.Add(e.Const(tensor.Float64, 2), a)), e.Square(b))))
		return e.Bin(scalar.Complex, e.Select(far, e.Call("log", e.modulus(c, b)), near), e.Call("atan2", b, c))
	})
	f["SquaredDifference"] = func(e *RealExpr, x, y Complex) Complex {
		d := e.Sub(x, y)
		return e.Mul(d, e.Conj(d))
	}
	inv := func(e *RealExpr, y, g Complex) Complex { return e.Mul(e.Neg(g), e.Conj(e.Square(y))) }
	f["InvGrad"], f["ReciprocalGrad"] = inv, inv
	f["TanhGrad"] = func(e *RealExpr, y, g Complex) Complex { return e.Mul(g, e.OneMinus(e.Square(y))) }
	f["SigmoidGrad"] = func(e *RealExpr, y, g Complex) Complex { return e.Mul(e.Mul(g, y), e.OneMinus(y)) }
	f["SqrtGrad"] = func(e *RealExpr, y, g Complex) Complex {
		return e.Select(e.IsZero(g), e.Const(e.D, 0), e.Div(e.Mul(g, e.Const(e.D, 0.5)), e.Conj(y)))
	}
	f["RsqrtGrad"] = func(e *RealExpr, y, g Complex) Complex {
		c := e.Conj(y)
		return e.Mul(e.Mul(g, e.Mul(e.Const(e.D, -0.5), c)), e.Square(c))
	}
}

// Conj returns the complex conjugate of x.
func (e *RealExpr) Conj(x Complex) Complex {
	return e.Bin(scalar.Complex, e.Un(scalar.Real, x), e.Neg(e.Un(scalar.Imag, x)))
}

// modulus returns √(a² + b²) without overflow. If one of a and b is infinite, the result is
// infinite, even if the other one is NaN.
func (e *RealExpr) modulus(a, b Complex) Complex {
	p, q := e.Abs(a), e.Abs(b)
	large := e.Select(e.Gt(q, p), q, p)
	small := e.Select(e.Gt(q, p), p, q)
	r := e.Div(small, large)
	h := e.Mul(large, e.Sqrt(e.Add(e.Const(tensor.Float64, 1), e.Square(r))))
	zero, inf := e.Const(tensor.Float64, 0), e.Infinity()
	h = e.Select(e.Eq(large, zero), e.Add(p, q), h)
	return e.Select(e.Bin(scalar.Or, e.Eq(p, inf), e.Eq(q, inf)), inf, h)
}

// tangent returns the tangent of a + b·i, which is (sin 2a + i·sinh 2b) / (cos 2a + cosh 2b). Far
// from the real axis, it returns ±i.
func (e *RealExpr) tangent(a, b Complex) Complex {
	two, one := e.Const(tensor.Float64, 2), e.Const(tensor.Float64, 1)
	x, y := e.Mul(two, a), e.Mul(two, b)
	// Limit |2b| to a range in which cosh is finite. At the limit, the exact result is already ±i
	// after rounding.
	limit := e.Const(tensor.Float64, 700)
	y = e.Min(e.Max(y, e.Neg(limit)), limit)
	d := e.Add(e.Call("cos", x), e.Call("cosh", y))
	// Near a pole, the sum cos 2a + cosh 2b loses digits by cancellation. The equal sum 2(cos² a +
	// sinh² b) does not.
	c, s := e.Call("cos", a), e.Call("sinh", b)
	d = e.Select(e.Lt(e.Abs(b), one), e.Mul(two, e.Add(e.Square(c), e.Square(s))), d)
	return e.Bin(scalar.Complex, e.Div(e.Call("sin", x), d), e.Div(e.Call("sinh", y), d))
}

// ComplexSqrt returns that square root of x whose real part is not negative.
func (e *RealExpr) ComplexSqrt(x Complex) Complex {
	to := e.Type(x)
	z := e.Cast(tensor.Complex128, x)
	a, b := e.Un(scalar.Real, z), e.Un(scalar.Imag, z)
	zero, half := e.Const(tensor.Float64, 0), e.Const(tensor.Float64, 0.5)
	// Of the two parts of the root, the larger one is √((|x|+|a|)/2). The smaller one is b divided
	// by twice the larger one.
	s := e.Sqrt(e.Mul(half, e.Add(e.modulus(a, b), e.Abs(a))))
	t := e.Div(e.Mul(half, e.Abs(b)), s)
	right := e.Bin(scalar.Ge, a, zero)
	re, im := e.Select(right, s, t), e.Select(right, t, s)
	im = e.Select(e.Lt(b, zero), e.Neg(im), im)
	nothing := e.Eq(s, zero)
	re, im = e.Select(nothing, zero, re), e.Select(nothing, b, im)
	return e.Cast(to, e.Bin(scalar.Complex, re, im))
}
