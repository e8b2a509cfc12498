package ops

import (
	"math"

	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

type (
	value     = scalar.Value
	unaryFn   func(e *realExpr, x value) value
	binaryFn  func(e *realExpr, x, y value) value
	functions struct {
		unary  map[string]unaryFn
		binary map[string]binaryFn
	}
)

// calls are ops that are functions of libdevice, by the function's name.
var calls = map[string]string{"Expm1": "expm1", "Log": "log", "Log1p": "log1p", "Tanh": "tanh", "Sinh": "sinh", "Cosh": "cosh",
	"Asinh": "asinh", "Acosh": "acosh", "Atanh": "atanh", "Sin": "sin", "Cos": "cos", "Tan": "tan", "Asin": "asin", "Acos": "acos", "Atan": "atan",
	"Erf": "erf", "Lgamma": "lgamma", "Digamma": "digamma", "Erfinv": "erfinv", "Ndtri": "ndtri",
	"BesselI0": "i0", "BesselI0e": "i0e", "BesselI1": "i1", "BesselI1e": "i1e", "BesselJ0": "j0", "BesselJ1": "j1", "BesselY0": "y0", "BesselY1": "y1",
	"BesselK0": "k0", "BesselK0e": "k0e", "BesselK1": "k1", "BesselK1e": "k1e",
	"Dawsn": "dawsn", "Expint": "expint", "FresnelCos": "fresnel_cos", "FresnelSin": "fresnel_sin", "Spence": "spence"}

// calls2 are those of two operands.
var calls2 = map[string]string{"Pow": "pow", "Atan2": "atan2", "Mod": "fmod", "TruncateMod": "fmod", "NextAfter": "nextafter",
	"Igamma": "igamma", "Igammac": "igammac", "IgammaGradA": "igamma_grad", "RandomGammaGrad": "gamma_grad", "Zeta": "zeta", "Polygamma": "polygamma"}

// realFunctions are the ops' formulas over real numbers: those of kernels/elem.
func realFunctions() functions {
	f := functions{unary: map[string]unaryFn{}, binary: map[string]binaryFn{}}
	for op, name := range calls {
		f.unary[op] = func(e *realExpr, x value) value { return e.Call(name, x) }
	}
	for op, name := range calls2 {
		f.binary[op] = func(e *realExpr, x, y value) value { return e.Call(name, x, y) }
	}
	simple := func(c scalar.Code) unaryFn { return func(e *realExpr, x value) value { return e.Un(c, x) } }
	for op, c := range map[string]scalar.Code{"Neg": scalar.Neg, "Abs": scalar.Abs, "Sqrt": scalar.Sqrt, "Floor": scalar.Floor, "Ceil": scalar.Ceil,
		"Invert": scalar.Not, "LogicalNot": scalar.Not, "PopulationCount": scalar.PopCount} {
		f.unary[op] = simple(c)
	}
	for op, c := range map[string]scalar.Code{"Add": scalar.Add, "AddV2": scalar.Add, "Sub": scalar.Sub, "Mul": scalar.Mul, "Maximum": scalar.Max, "Minimum": scalar.Min,
		"BitwiseAnd": scalar.And, "BitwiseOr": scalar.Or, "BitwiseXor": scalar.Xor, "LogicalAnd": scalar.And, "LogicalOr": scalar.Or,
		"Equal": scalar.Eq, "NotEqual": scalar.Ne, "Less": scalar.Lt, "LessEqual": scalar.Le, "Greater": scalar.Gt, "GreaterEqual": scalar.Ge} {
		f.binary[op] = func(e *realExpr, x, y value) value { return e.Bin(c, x, y) }
	}
	moreUnary(f.unary)
	activations(f.unary)
	divisions(f.binary)
	moreBinary(f.binary)
	gradients(f.binary)
	return f
}

func moreUnary(f map[string]unaryFn) {
	f["Rint"] = func(e *realExpr, x value) value { return e.Un(scalar.Rint, x) }
	f["Round"] = func(e *realExpr, x value) value {
		if !e.float() {
			return e.k(0)
		}
		return e.Un(scalar.Rint, x)
	}
	f["Square"] = (*realExpr).square
	f["Reciprocal"] = (*realExpr).reciprocal
	f["Inv"] = (*realExpr).reciprocal
	f["Sign"] = func(e *realExpr, x value) value {
		zero := e.k(0)
		r := e.Select(e.gt(x, zero), e.k(1), e.Select(e.lt(x, zero), e.k(-1), x))
		return e.Select(e.eq(x, zero), zero, r)
	}
	f["Exp"] = func(e *realExpr, x value) value { return e.flush(e.Call("exp", x)) }
	f["Erfc"] = func(e *realExpr, x value) value { return e.flush(e.Call("erfc", x)) }
	f["Rsqrt"] = (*realExpr).rsqrt
	f["Sigmoid"] = (*realExpr).sigmoid
	f["IsNan"] = func(e *realExpr, x value) value { return e.Bin(scalar.Ne, x, x) }
	f["IsInf"] = func(e *realExpr, x value) value { return e.eq(e.abs(x), e.k(math.Inf(1))) }
	f["IsFinite"] = func(e *realExpr, x value) value { return e.lt(e.abs(x), e.k(math.Inf(1))) }
	root := func(e *realExpr, x value) value { // 0 for -0, ∞ for -∞
		return e.add(e.Select(e.eq(x, e.k(math.Inf(-1))), e.neg(x), x), e.k(0))
	}
	f["_PowHalf"] = func(e *realExpr, x value) value { return e.sqrt(root(e, x)) }
	f["_PowMinusHalf"] = func(e *realExpr, x value) value { return e.rsqrt(root(e, x)) }
}

// Selu's constants.
const (
	seluScale      = 1.0507009873554804934193349852946
	seluScaleAlpha = 1.7580993408473768599402175208123
)

func activations(f map[string]unaryFn) {
	f["Relu"] = func(e *realExpr, x value) value { return e.max(x, e.k(0)) }
	f["Relu6"] = func(e *realExpr, x value) value { return e.min(e.max(x, e.k(0)), e.k(6)) }
	f["LeakyRelu"] = func(e *realExpr, x value) value {
		return e.Select(e.gt(x, e.k(0)), x, e.mul(x, e.k(float64(leakyAlpha(e.n)))))
	}
	f["Elu"] = func(e *realExpr, x value) value { return e.Select(e.lt(x, e.k(0)), e.Call("expm1", x), x) }
	f["Selu"] = func(e *realExpr, x value) value {
		return e.Select(e.lt(x, e.k(0)), e.mul(e.k(seluScaleAlpha), e.Call("expm1", x)), e.mul(e.k(seluScale), x))
	}
	softplus := func(e *realExpr, x value) value {
		limit := 40.0
		if e.d == tensor.Float32 {
			limit = 20
		}
		return e.Select(e.gt(x, e.k(limit)), x, e.flush(e.Call("log1p", e.Call("exp", x))))
	}
	f["Softplus"] = softplus
	f["Softsign"] = func(e *realExpr, x value) value { return e.div(x, e.add(e.k(1), e.abs(x))) }
	f["_Gelu"] = func(e *realExpr, x value) value {
		var y value
		if e.n.Node.Bool("approximate") {
			cube := e.mul(e.mul(e.k(0.044715), e.square(x)), x)
			y = e.Call("tanh", e.mul(e.k(0.79788456080286535588), e.add(x, cube)))
		} else {
			y = e.Call("erf", e.mul(x, e.k(0.70710678118654752440)))
		}
		return e.mul(e.mul(e.k(0.5), x), e.add(e.k(1), y))
	}
	f["_Swish"] = func(e *realExpr, x value) value { return e.mul(x, e.sigmoid(x)) }
	f["_HardSwish"] = func(e *realExpr, x value) value {
		return e.div(e.mul(x, e.min(e.max(e.add(x, e.k(3)), e.k(0)), e.k(6))), e.k(6))
	}
	f["_Mish"] = func(e *realExpr, x value) value { return e.mul(x, e.Call("tanh", softplus(e, x))) }
}

// divisions: an integer divided by 0 is what plan/scalar says, without an error.
func divisions(f map[string]binaryFn) {
	div := func(e *realExpr, x, y value) value {
		if e.float() {
			return e.flush(e.div(x, y))
		}
		return e.div(x, y)
	}
	f["Div"], f["RealDiv"] = div, div
	f["DivNoNan"] = func(e *realExpr, x, y value) value { return e.Select(e.isZero(y), e.k(0), e.flush(e.div(x, y))) }
	f["FloorDiv"] = func(e *realExpr, x, y value) value {
		if e.float() {
			return e.Un(scalar.Floor, e.quotient(x, y))
		}
		q := e.div(x, y)
		switch {
		case scalar.IsUnsigned(e.d):
			return q
		}
		zero := e.k(0)
		other := e.Bin(scalar.Ne, e.lt(x, zero), e.lt(y, zero))
		inexact := e.Bin(scalar.Ne, e.mul(q, y), x)
		return e.Select(e.both(other, inexact), e.sub(q, e.k(1)), q)
	}
	rem := func(e *realExpr, x, y value) value {
		if e.float() {
			return e.Call("fmod", x, y)
		}
		return e.Bin(scalar.Rem, x, y)
	}
	f["Mod"], f["TruncateMod"] = rem, rem
	f["FloorMod"] = func(e *realExpr, x, y value) value {
		r := rem(e, x, y)
		if scalar.IsUnsigned(e.d) {
			return r
		}
		zero := e.k(0)
		other := e.Bin(scalar.Ne, e.lt(r, zero), e.lt(y, zero))
		return e.Select(e.both(e.Bin(scalar.Ne, r, zero), other), e.add(r, y), r)
	}
	f["TruncateDiv"] = func(e *realExpr, x, y value) value {
		if e.float() {
			return e.Un(scalar.Trunc, e.quotient(x, y))
		}
		return e.div(x, y)
	}
	f["Xdivy"] = func(e *realExpr, x, y value) value { return e.Select(e.isZero(x), e.k(0), e.div(x, y)) }
}

func moreBinary(f map[string]binaryFn) {
	power := f["Pow"]
	f["Pow"] = func(e *realExpr, x, y value) value {
		if e.float() {
			return power(e, x, y)
		}
		return e.Bin(scalar.Pow, x, y)
	}
	f["SquaredDifference"] = func(e *realExpr, x, y value) value { return e.square(e.round(e.sub(x, y))) }
	f["MulNoNan"] = func(e *realExpr, x, y value) value { return e.Select(e.isZero(y), e.k(0), e.mul(x, y)) }
	f["Xlogy"] = func(e *realExpr, x, y value) value { return e.Select(e.isZero(x), e.k(0), e.mul(x, e.Call("log", y))) }
	f["Xlog1py"] = func(e *realExpr, x, y value) value {
		return e.Select(e.isZero(x), e.k(0), e.mul(x, e.Call("log1p", y)))
	}
	f["NextAfter"] = func(e *realExpr, x, y value) value { return e.Select(e.eq(x, y), y, e.Call("nextafter", x, y)) }
	f["ApproximateEqual"] = func(e *realExpr, x, y value) value {
		return e.lt(e.abs(e.sub(x, y)), e.k(float64(e.n.Node.Float("tolerance"))))
	}
	shift := func(c scalar.Code) binaryFn {
		return func(e *realExpr, x, y value) value {
			return e.Bin(c, x, e.min(e.max(y, e.k(0)), e.k(float64(8*e.d.Size()-1))))
		}
	}
	f["LeftShift"], f["RightShift"] = shift(scalar.Shl), shift(scalar.Shr)
	f["Complex"] = func(e *realExpr, x, y value) value { return e.Bin(scalar.Complex, x, y) }
}

// gradients take the gradient and the result, in TensorFlow's order.
func gradients(f map[string]binaryFn) {
	f["ReluGrad"] = func(e *realExpr, g, x value) value { return e.Select(e.gt(x, e.k(0)), g, e.mul(g, e.k(0))) }
	f["Relu6Grad"] = func(e *realExpr, g, x value) value {
		return e.Select(e.both(e.gt(x, e.k(0)), e.lt(x, e.k(6))), g, e.mul(g, e.k(0)))
	}
	f["LeakyReluGrad"] = func(e *realExpr, g, x value) value {
		return e.Select(e.gt(x, e.k(0)), g, e.mul(g, e.k(float64(leakyAlpha(e.n)))))
	}
	f["TanhGrad"] = func(e *realExpr, y, g value) value { return e.mul(g, e.oneMinus(e.square(y))) }
	f["SigmoidGrad"] = func(e *realExpr, y, g value) value { return e.mul(e.mul(g, y), e.oneMinus(y)) }
	f["SqrtGrad"] = func(e *realExpr, y, g value) value {
		return e.Select(e.isZero(g), e.k(0), e.div(e.mul(g, e.k(0.5)), y))
	}
	f["RsqrtGrad"] = func(e *realExpr, y, g value) value {
		return e.mul(e.mul(g, e.mul(e.k(-0.5), y)), e.square(y))
	}
	inv := func(e *realExpr, y, g value) value { return e.mul(e.neg(g), e.square(y)) }
	f["InvGrad"], f["ReciprocalGrad"] = inv, inv
	f["EluGrad"] = func(e *realExpr, g, y value) value { return e.Select(e.lt(y, e.k(0)), e.mul(e.add(y, e.k(1)), g), g) }
	f["SeluGrad"] = func(e *realExpr, g, y value) value {
		return e.Select(e.lt(y, e.k(0)), e.mul(e.add(y, e.k(seluScaleAlpha)), g), e.mul(g, e.k(seluScale)))
	}
	f["SoftplusGrad"] = func(e *realExpr, g, x value) value { return e.div(g, e.add(e.Call("exp", e.neg(x)), e.k(1))) }
	f["SoftsignGrad"] = func(e *realExpr, g, x value) value { return e.div(g, e.square(e.add(e.k(1), e.abs(x)))) }
}
