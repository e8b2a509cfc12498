package kit

import (
	"math"

	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// Complex is a real or complex value of an expression for GPUs.
type Complex = scalar.Value

// Unary is a function that builds the expression of an op of one operand. Binary is the same for
// two operands.
type (
	Unary  func(e *RealExpr, x Complex) Complex
	Binary func(e *RealExpr, x, y Complex) Complex
)

// Functions hold the formulas of element-wise ops, by the ops' names.
type Functions struct {
	Unary  map[string]Unary
	Binary map[string]Binary
}

// calls maps ops to the libdevice functions that compute them.
var calls = map[string]string{"Expm1": "expm1", "Log": "log", "Log1p": "log1p", "Tanh": "tanh", "Sinh": "sinh", "Cosh": "cosh",
	"Asinh": "asinh", "Acosh": "acosh", "Atanh": "atanh", "Sin": "sin", "Cos": "cos", "Tan": "tan", "Asin": "asin", "Acos": "acos", "Atan": "atan",
	"Erf": "erf", "Lgamma": "lgamma", "Digamma": "digamma", "Erfinv": "erfinv", "Ndtri": "ndtri",
	"BesselI0": "i0", "BesselI0e": "i0e", "BesselI1": "i1", "BesselI1e": "i1e", "BesselJ0": "j0", "BesselJ1": "j1", "BesselY0": "y0", "BesselY1": "y1",
	"BesselK0": "k0", "BesselK0e": "k0e", "BesselK1": "k1", "BesselK1e": "k1e",
	"Dawsn": "dawsn", "Expint": "expint", "FresnelCos": "fresnel_cos", "FresnelSin": "fresnel_sin", "Spence": "spence"}

// calls2 is like calls, for functions of two operands.
var calls2 = map[string]string{"Pow": "pow", "Atan2": "atan2", "Mod": "fmod", "TruncateMod": "fmod", "NextAfter": "nextafter",
	"Igamma": "igamma", "Igammac": "igammac", "IgammaGradA": "igamma_grad", "RandomGammaGrad": "gamma_grad", "Zeta": "zeta", "Polygamma": "polygamma"}

// realFunctions returns the ops' formulas over real numbers, the same as in kernels/elem.
func realFunctions() Functions {
	f := Functions{Unary: map[string]Unary{}, Binary: map[string]Binary{}}
	for op, name := range calls {
		f.Unary[op] = func(e *RealExpr, x Complex) Complex { return e.Call(name, x) }
	}
	for op, name := range calls2 {
		f.Binary[op] = func(e *RealExpr, x, y Complex) Complex { return e.Call(name, x, y) }
	}
	simple := func(c scalar.Code) Unary { return func(e *RealExpr, x Complex) Complex { return e.Un(c, x) } }
	for op, c := range map[string]scalar.Code{"Neg": scalar.Neg, "Abs": scalar.Abs, "Sqrt": scalar.Sqrt, "Floor": scalar.Floor, "Ceil": scalar.Ceil,
		"Invert": scalar.Not, "LogicalNot": scalar.Not, "PopulationCount": scalar.PopCount} {
		f.Unary[op] = simple(c)
	}
	for op, c := range map[string]scalar.Code{"Add": scalar.Add, "AddV2": scalar.Add, "Sub": scalar.Sub, "Mul": scalar.Mul, "Maximum": scalar.Max, "Minimum": scalar.Min,
		"BitwiseAnd": scalar.And, "BitwiseOr": scalar.Or, "BitwiseXor": scalar.Xor, "LogicalAnd": scalar.And, "LogicalOr": scalar.Or,
		"Equal": scalar.Eq, "NotEqual": scalar.Ne, "Less": scalar.Lt, "LessEqual": scalar.Le, "Greater": scalar.Gt, "GreaterEqual": scalar.Ge} {
		f.Binary[op] = func(e *RealExpr, x, y Complex) Complex { return e.Bin(c, x, y) }
	}
	moreUnary(f.Unary)
	activations(f.Unary)
	divisions(f.Binary)
	moreBinary(f.Binary)
	gradients(f.Binary)
	return f
}

func moreUnary(f map[string]Unary) {
	f["Rint"] = func(e *RealExpr, x Complex) Complex { return e.Un(scalar.Rint, x) }
	f["Round"] = func(e *RealExpr, x Complex) Complex {
		if !e.float() {
			return e.K(0)
		}
		return e.Un(scalar.Rint, x)
	}
	f["Square"] = (*RealExpr).Square
	f["Reciprocal"] = (*RealExpr).Reciprocal
	f["Inv"] = (*RealExpr).Reciprocal
	f["Sign"] = func(e *RealExpr, x Complex) Complex {
		zero := e.K(0)
		r := e.Select(e.Gt(x, zero), e.K(1), e.Select(e.Lt(x, zero), e.K(-1), x))
		return e.Select(e.Eq(x, zero), zero, r)
	}
	f["Exp"] = func(e *RealExpr, x Complex) Complex { return e.Flush(e.Call("exp", x)) }
	f["Erfc"] = func(e *RealExpr, x Complex) Complex { return e.Flush(e.Call("erfc", x)) }
	f["Rsqrt"] = (*RealExpr).Rsqrt
	f["Sigmoid"] = (*RealExpr).sigmoid
	f["IsNan"] = func(e *RealExpr, x Complex) Complex { return e.Bin(scalar.Ne, x, x) }
	f["IsInf"] = func(e *RealExpr, x Complex) Complex { return e.Eq(e.Abs(x), e.K(math.Inf(1))) }
	f["IsFinite"] = func(e *RealExpr, x Complex) Complex { return e.Lt(e.Abs(x), e.K(math.Inf(1))) }
	root := func(e *RealExpr, x Complex) Complex { // root returns x, but 0 for -0, and ∞ for -∞
		return e.Add(e.Select(e.Eq(x, e.K(math.Inf(-1))), e.Neg(x), x), e.K(0))
	}
	f["_PowHalf"] = func(e *RealExpr, x Complex) Complex { return e.Sqrt(root(e, x)) }
	f["_PowMinusHalf"] = func(e *RealExpr, x Complex) Complex { return e.Rsqrt(root(e, x)) }
}

// Selu's constants.
const (
	seluScale      = 1.0507009873554804934193349852946
	seluScaleAlpha = 1.7580993408473768599402175208123
)

func activations(f map[string]Unary) {
	f["Relu"] = func(e *RealExpr, x Complex) Complex { return e.Max(x, e.K(0)) }
	f["Relu6"] = func(e *RealExpr, x Complex) Complex { return e.Min(e.Max(x, e.K(0)), e.K(6)) }
	f["LeakyRelu"] = func(e *RealExpr, x Complex) Complex {
		return e.Select(e.Gt(x, e.K(0)), x, e.Mul(x, e.K(float64(LeakyAlpha(e.N)))))
	}
	f["Elu"] = func(e *RealExpr, x Complex) Complex { return e.Select(e.Lt(x, e.K(0)), e.Call("expm1", x), x) }
	f["Selu"] = func(e *RealExpr, x Complex) Complex {
		return e.Select(e.Lt(x, e.K(0)), e.Mul(e.K(seluScaleAlpha), e.Call("expm1", x)), e.Mul(e.K(seluScale), x))
	}
	softplus := func(e *RealExpr, x Complex) Complex {
		limit := 40.0
		if e.D == tensor.Float32 {
			limit = 20
		}
		return e.Select(e.Gt(x, e.K(limit)), x, e.Flush(e.Call("log1p", e.Call("exp", x))))
	}
	f["Softplus"] = softplus
	f["Softsign"] = func(e *RealExpr, x Complex) Complex { return e.Div(x, e.Add(e.K(1), e.Abs(x))) }
	f["_Gelu"] = func(e *RealExpr, x Complex) Complex {
		var y Complex
		if e.N.Node.Bool("approximate") {
			cube := e.Mul(e.Mul(e.K(0.044715), e.Square(x)), x)
			y = e.Call("tanh", e.Mul(e.K(0.79788456080286535588), e.Add(x, cube)))
		} else {
			y = e.Call("erf", e.Mul(x, e.K(0.70710678118654752440)))
		}
		return e.Mul(e.Mul(e.K(0.5), x), e.Add(e.K(1), y))
	}
	f["_Swish"] = func(e *RealExpr, x Complex) Complex { return e.Mul(x, e.sigmoid(x)) }
	f["_HardSwish"] = func(e *RealExpr, x Complex) Complex {
		return e.Div(e.Mul(x, e.Min(e.Max(e.Add(x, e.K(3)), e.K(0)), e.K(6))), e.K(6))
	}
	f["_Mish"] = func(e *RealExpr, x Complex) Complex { return e.Mul(x, e.Call("tanh", softplus(e, x))) }
}

// divisions adds the division ops. Dividing an integer by 0 is not an error: plan/scalar defines
// the result.
func divisions(f map[string]Binary) {
	div := func(e *RealExpr, x, y Complex) Complex {
		if e.float() {
			return e.Flush(e.Div(x, y))
		}
		return e.Div(x, y)
	}
	f["Div"], f["RealDiv"] = div, div
	f["DivNoNan"] = func(e *RealExpr, x, y Complex) Complex { return e.Select(e.IsZero(y), e.K(0), e.Flush(e.Div(x, y))) }
	f["FloorDiv"] = func(e *RealExpr, x, y Complex) Complex {
		if e.float() {
			return e.Un(scalar.Floor, e.quotient(x, y))
		}
		q := e.Div(x, y)
		switch {
		case scalar.IsUnsigned(e.D):
			return q
		}
		zero := e.K(0)
		other := e.Bin(scalar.Ne, e.Lt(x, zero), e.Lt(y, zero))
		inexact := e.Bin(scalar.Ne, e.Mul(q, y), x)
		return e.Select(e.Both(other, inexact), e.Sub(q, e.K(1)), q)
	}
	rem := func(e *RealExpr, x, y Complex) Complex {
		if e.float() {
			return e.Call("fmod", x, y)
		}
		return e.Bin(scalar.Rem, x, y)
	}
	f["Mod"], f["TruncateMod"] = rem, rem
	f["FloorMod"] = func(e *RealExpr, x, y Complex) Complex {
		r := rem(e, x, y)
		if scalar.IsUnsigned(e.D) {
			return r
		}
		zero := e.K(0)
		other := e.Bin(scalar.Ne, e.Lt(r, zero), e.Lt(y, zero))
		return e.Select(e.Both(e.Bin(scalar.Ne, r, zero), other), e.Add(r, y), r)
	}
	f["TruncateDiv"] = func(e *RealExpr, x, y Complex) Complex {
		if e.float() {
			return e.Un(scalar.Trunc, e.quotient(x, y))
		}
		return e.Div(x, y)
	}
	f["Xdivy"] = func(e *RealExpr, x, y Complex) Complex { return e.Select(e.IsZero(x), e.K(0), e.Div(x, y)) }
}

func moreBinary(f map[string]Binary) {
	power := f["Pow"]
	f["Pow"] = func(e *RealExpr, x, y Complex) Complex {
		if e.float() {
			return power(e, x, y)
		}
		return e.Bin(scalar.Pow, x, y)
	}
	f["_GatedTanh"] = func(e *RealExpr, x, y Complex) Complex { return e.Mul(e.Call("tanh", x), e.sigmoid(y)) }
	f["_Prelu"] = func(e *RealExpr, x, y Complex) Complex {
		return e.Add(e.Max(x, e.K(0)), e.Mul(y, e.Max(e.Neg(x), e.K(0))))
	}
	f["SquaredDifference"] = func(e *RealExpr, x, y Complex) Complex { return e.Square(e.round(e.Sub(x, y))) }
	f["MulNoNan"] = func(e *RealExpr, x, y Complex) Complex { return e.Select(e.IsZero(y), e.K(0), e.Mul(x, y)) }
	f["Xlogy"] = func(e *RealExpr, x, y Complex) Complex {
		return e.Select(e.IsZero(x), e.K(0), e.Mul(x, e.Call("log", y)))
	}
	f["Xlog1py"] = func(e *RealExpr, x, y Complex) Complex {
		return e.Select(e.IsZero(x), e.K(0), e.Mul(x, e.Call("log1p", y)))
	}
	f["NextAfter"] = func(e *RealExpr, x, y Complex) Complex { return e.Select(e.Eq(x, y), y, e.Call("nextafter", x, y)) }
	f["ApproximateEqual"] = func(e *RealExpr, x, y Complex) Complex {
		return e.Lt(e.Abs(e.Sub(x, y)), e.K(float64(e.N.Node.Float("tolerance"))))
	}
	shift := func(c scalar.Code) Binary {
		return func(e *RealExpr, x, y Complex) Complex {
			return e.Bin(c, x, e.Min(e.Max(y, e.K(0)), e.K(float64(8*e.D.Size()-1))))
		}
	}
	f["LeftShift"], f["RightShift"] = shift(scalar.Shl), shift(scalar.Shr)
	f["Complex"] = func(e *RealExpr, x, y Complex) Complex { return e.Bin(scalar.Complex, x, y) }
}

// gradients adds the gradient ops. Their operands are in TensorFlow's order.
func gradients(f map[string]Binary) {
	f["ReluGrad"] = func(e *RealExpr, g, x Complex) Complex { return e.Select(e.Gt(x, e.K(0)), g, e.Mul(g, e.K(0))) }
	f["Relu6Grad"] = func(e *RealExpr, g, x Complex) Complex {
		return e.Select(e.Both(e.Gt(x, e.K(0)), e.Lt(x, e.K(6))), g, e.Mul(g, e.K(0)))
	}
	f["LeakyReluGrad"] = func(e *RealExpr, g, x Complex) Complex {
		return e.Select(e.Gt(x, e.K(0)), g, e.Mul(g, e.K(float64(LeakyAlpha(e.N)))))
	}
	f["TanhGrad"] = func(e *RealExpr, y, g Complex) Complex { return e.Mul(g, e.OneMinus(e.Square(y))) }
	f["SigmoidGrad"] = func(e *RealExpr, y, g Complex) Complex { return e.Mul(e.Mul(g, y), e.OneMinus(y)) }
	f["SqrtGrad"] = func(e *RealExpr, y, g Complex) Complex {
		return e.Select(e.IsZero(g), e.K(0), e.Div(e.Mul(g, e.K(0.5)), y))
	}
	f["RsqrtGrad"] = func(e *RealExpr, y, g Complex) Complex {
		return e.Mul(e.Mul(g, e.Mul(e.K(-0.5), y)), e.Square(y))
	}
	inv := func(e *RealExpr, y, g Complex) Complex { return e.Mul(e.Neg(g), e.Square(y)) }
	f["InvGrad"], f["ReciprocalGrad"] = inv, inv
	f["EluGrad"] = func(e *RealExpr, g, y Complex) Complex {
		return e.Select(e.Lt(y, e.K(0)), e.Mul(e.Add(y, e.K(1)), g), g)
	}
	f["SeluGrad"] = func(e *RealExpr, g, y Complex) Complex {
		return e.Select(e.Lt(y, e.K(0)), e.Mul(e.Add(y, e.K(seluScaleAlpha)), g), e.Mul(g, e.K(seluScale)))
	}
	f["SoftplusGrad"] = func(e *RealExpr, g, x Complex) Complex { return e.Div(g, e.Add(e.Call("exp", e.Neg(x)), e.K(1))) }
	f["SoftsignGrad"] = func(e *RealExpr, g, x Complex) Complex { return e.Div(g, e.Square(e.Add(e.K(1), e.Abs(x)))) }
}
