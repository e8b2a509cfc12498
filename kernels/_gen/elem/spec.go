package main

// rule is the formula for elements of some types. The generator makes from it a function that
// computes one row of elements. The first field names the types: a constraint of package elem
// (float, signed, …) for a generic row function, or one element type (f32, c64). The second field is
// the formula: a Go expression over x (and y) of type T. A formula that ends in "()" names a
// hand-written row function.
type rule struct{ on, expr string }

// kernel describes kernels of one name for several element types.
type kernel struct {
	name  string
	doc   string // the formula
	float string // text added to doc for types that have NaN
	whole string // text added to doc for integers
	rules []rule
	ops   []string // TensorFlow's ops, each with its element types, such as "Sub: num"
	out   string   // result type: "" (that of the operands), bool, u8, real or complex
	extra string   // a further parameter: "alpha float32"
	plane bool     // for f32, one call computes all rows of the two innermost dimensions
	check string   // for integers: a function that gets len(dst) and b and rejects invalid operands
}

// group is a file of kernels.
type group struct {
	name    string
	kernels []kernel
}

// sets maps abbreviations to lists of element types.
var sets = map[string]string{
	"fl":   "f16 bf16 f32 f64",
	"f":    "f32 f64",
	"c":    "c64 c128",
	"flc":  "f16 bf16 f32 f64 c64 c128",
	"int":  "i8 i16 i32 i64 u8 u16 u32 u64",
	"sint": "i8 i16 i32 i64",
	"real": "f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64",
	"num":  "f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 c64 c128",
}

// binary are kernels of two operands that broadcast. Each group is one file.
var binary = []group{
	{"arithmetic", []kernel{
		{name: "Add", doc: "a + b", rules: []rule{{"i32", "addRowI32()"}, {"i64", "addRowI64()"}, {"f64", "addRowF64()"}, {"f32", "addRow32()"}, {"number", "x + y"}, {"string", "x + y"}}, ops: []string{"Add: fl i8 i16 i32 i64 u8 c string", "AddV2: num"}, plane: true},
		{name: "Sub", doc: "a - b", rules: []rule{{"i32", "subRowI32()"}, {"i64", "subRowI64()"}, {"f64", "subRowF64()"}, {"f32", "subRow32()"}, {"number", "x - y"}}, ops: []string{"Sub: num"}, plane: true},
		{name: "Mul", doc: "a · b", rules: []rule{{"i32", "mulRowI32()"}, {"i64", "mulRowI64()"}, {"f64", "mulRowF64()"}, {"f32", "mulRow32()"}, {"number", "x * y"}}, ops: []string{"Mul: num"}, plane: true},
		{name: "Maximum", doc: "the larger", float: "; NaN where one is NaN", rules: []rule{{"i32", "maximumRowI32()"}, {"f32", "maximumRow32()"}, {"realT", "max(x, y)"}}, ops: []string{"Maximum: real"}, plane: true},
		{name: "Minimum", doc: "the smaller", float: "; NaN where one is NaN", rules: []rule{{"i32", "minimumRowI32()"}, {"f32", "minimumRow32()"}, {"realT", "min(x, y)"}}, ops: []string{"Minimum: real"}, plane: true},
		{name: "Prelu", doc: "max(a, 0) + b · max(-a, 0)", rules: []rule{{"f32", "preluRow32()"}}, ops: []string{"_Prelu: f32"}, plane: true},
		{name: "GatedTanh", doc: "tanh(a) · sigmoid(b)", rules: []rule{{"f32", "gatedTanhRow32()"}}, ops: []string{"_GatedTanh: f32"}, plane: true},
		{name: "SquaredDifference", doc: "(a - b) · conj(a - b)", rules: []rule{{"f32", "squaredDifferenceRow32()"}, {"realT", "(x - y) * (x - y)"}, {"cmplxT", "(x - y) * conj(x-y)"}}, ops: []string{"SquaredDifference: flc i32 i64"}, plane: true},
		{name: "MulNoNan", doc: "a · b, 0 where b is 0", rules: []rule{{"float", "mulNoNan(x, y)"}, {"cmplxT", "mulNoNan(x, y)"}}, ops: []string{"MulNoNan: flc"}},
		{name: "Complex", doc: "a + ib", rules: []rule{{"f32", "complex(x, y)"}, {"f64", "complex(x, y)"}}, ops: []string{"Complex: f"}, out: "complex"},
	}},
	{"division", []kernel{
		{name: "Div", doc: "a / b", whole: ", toward zero", rules: []rule{{"f64", "divRowF64()"}, {"f32", "divRow32()"}, {"number", "x / y"}}, ops: []string{"Div: num", "RealDiv: flc"}, check: "checkDivisor", plane: true},
		{name: "DivNoNan", doc: "a / b, 0 where b is 0", rules: []rule{{"f32", "divNoNanRow32()"}, {"float", "divNoNan(x, y)"}, {"cmplxT", "divNoNan(x, y)"}}, ops: []string{"DivNoNan: flc"}},
		{name: "FloorDiv", doc: "floor(a / b)", rules: []rule{{"signed", "floorDiv(x, y)"}, {"unsigned", "x / y"}, {"float", "T(math.Floor(float64(x / y)))"}}, ops: []string{"FloorDiv: real"}, check: "checkDivisor"},
		{name: "FloorMod", doc: "a - b · floor(a / b)", rules: []rule{{"signed", "floorMod(x, y)"}, {"unsigned", "x % y"}, {"float", "floorModF(x, y)"}}, ops: []string{"FloorMod: real"}, check: "checkDivisor"},
		{name: "TruncateDiv", doc: "a / b toward zero", rules: []rule{{"integer", "x / y"}, {"float", "T(math.Trunc(float64(x / y)))"}}, ops: []string{"TruncateDiv: real"}, check: "checkTruncating"},
		{name: "Mod", doc: "a - b · trunc(a / b)", rules: []rule{{"integer", "x % y"}, {"float", "T(math.Mod(float64(x), float64(y)))"}}, ops: []string{"Mod: f i32 i64"}, check: "checkDivisor"},
		{name: "TruncateMod", doc: "a - b · trunc(a / b)", rules: []rule{{"integer", "x % y"}, {"float", "T(math.Mod(float64(x), float64(y)))"}}, ops: []string{"TruncateMod: f i32 i64"}, check: "checkTruncating"},
		{name: "Xdivy", doc: "a / b, 0 where a is 0", rules: []rule{{"float", "xdivy(x, y)"}, {"cmplxT", "xdivy(x, y)"}}, ops: []string{"Xdivy: flc"}},
	}},
	{"comparison", []kernel{
		{name: "Equal", doc: "a == b", rules: []rule{{"f32", "equalRowF32()"}, {"i32", "equalRowI32()"}, {"i64", "equalRowI64()"}, {"number", "x == y"}, {"string", "x == y"}, {"bool", "x == y"}}, ops: []string{"Equal: num bool string"}, out: "bool"},
		{name: "NotEqual", doc: "a != b", rules: []rule{{"f32", "notEqualRowF32()"}, {"i32", "notEqualRowI32()"}, {"i64", "notEqualRowI64()"}, {"number", "x != y"}, {"string", "x != y"}, {"bool", "x != y"}}, ops: []string{"NotEqual: num bool string"}, out: "bool"},
		{name: "Less", doc: "a < b", rules: []rule{{"f32", "lessRowF32()"}, {"i32", "lessRowI32()"}, {"i64", "lessRowI64()"}, {"realT", "x < y"}}, ops: []string{"Less: real"}, out: "bool"},
		{name: "LessEqual", doc: "a ≤ b", rules: []rule{{"f32", "lessEqualRowF32()"}, {"i32", "lessEqualRowI32()"}, {"i64", "lessEqualRowI64()"}, {"realT", "x <= y"}}, ops: []string{"LessEqual: real"}, out: "bool"},
		{name: "Greater", doc: "a > b", rules: []rule{{"f32", "greaterRowF32()"}, {"i32", "greaterRowI32()"}, {"i64", "greaterRowI64()"}, {"realT", "x > y"}}, ops: []string{"Greater: real"}, out: "bool"},
		{name: "GreaterEqual", doc: "a ≥ b", rules: []rule{{"f32", "greaterEqualRowF32()"}, {"i32", "greaterEqualRowI32()"}, {"i64", "greaterEqualRowI64()"}, {"realT", "x >= y"}}, ops: []string{"GreaterEqual: real"}, out: "bool"},
		{name: "ApproximateEqual", doc: "|a - b| < tolerance", rules: []rule{{"float", "T(math.Abs(float64(x-y))) < T(tolerance)"}}, ops: []string{"ApproximateEqual: f"}, out: "bool", extra: "tolerance float32"},
		{name: "And", doc: "a and b", rules: []rule{{"bool", "andRowBytes()"}, {"bool", "x && y"}}, ops: []string{"LogicalAnd: bool"}},
		{name: "Or", doc: "a or b", rules: []rule{{"bool", "orRowBytes()"}, {"bool", "x || y"}}, ops: []string{"LogicalOr: bool"}},
	}},
	{"bits", []kernel{
		{name: "BitAnd", doc: "a & b", rules: []rule{{"integer", "x & y"}}, ops: []string{"BitwiseAnd: int"}},
		{name: "BitOr", doc: "a | b", rules: []rule{{"integer", "x | y"}}, ops: []string{"BitwiseOr: int"}},
		{name: "BitXor", doc: "a ^ b", rules: []rule{{"integer", "x ^ y"}}, ops: []string{"BitwiseXor: int"}},
		{name: "ShiftLeft", doc: "a shifted left by b, clamped to the width less one", rules: []rule{{"integer", "x << shift(y)"}}, ops: []string{"LeftShift: int"}},
		{name: "ShiftRight", doc: "a shifted right by b, clamped to the width less one", rules: []rule{{"integer", "x >> shift(y)"}}, ops: []string{"RightShift: int"}},
	}},
	{"transcendental", []kernel{
		{name: "Pow", doc: "a to the b", rules: []rule{{"f32", "powRow32()"}, {"float", "T(math.Pow(float64(x), float64(y)))"}, {"signed", "powInt(x, y)"}, {"cmplxT", "powComplex(x, y)"}}, ops: []string{"Pow: flc sint"}, check: "checkExponent"},
		{name: "Atan2", doc: "the angle of the point (b, a)", rules: []rule{{"float", "T(math.Atan2(float64(x), float64(y)))"}}, ops: []string{"Atan2: fl"}},
		{name: "Xlogy", doc: "a · log(b), 0 where a is 0", rules: []rule{{"float", "xlogy(x, y)"}, {"cmplxT", "xlogyComplex(x, y)"}}, ops: []string{"Xlogy: flc"}},
		{name: "Xlog1py", doc: "a · log(1 + b), 0 where a is 0", rules: []rule{{"float", "xlog1py(x, y)"}, {"cmplxT", "xlog1pyComplex(x, y)"}}, ops: []string{"Xlog1py: flc"}},
		{name: "Igamma", doc: "P(a, b), the regularised lower incomplete gamma function", rules: []rule{{"float", "T(igamma(float64(x), float64(y)))"}}, ops: []string{"Igamma: f"}},
		{name: "Igammac", doc: "1 - P(a, b), the regularised upper incomplete gamma function", rules: []rule{{"float", "T(igammac(float64(x), float64(y)))"}}, ops: []string{"Igammac: f"}},
		{name: "Zeta", doc: "Hurwitz's Σ (k + b)^-a", rules: []rule{{"float", "T(zeta(float64(x), float64(y)))"}}, ops: []string{"Zeta: f"}},
		{name: "Polygamma", doc: "the derivative of order a of digamma at b", rules: []rule{{"float", "T(polygamma(float64(x), float64(y)))"}}, ops: []string{"Polygamma: f"}},
		{name: "NextAfter", doc: "the number after a toward b", rules: []rule{{"f32", "nextAfter32(x, y)"}, {"f64", "nextAfter64(x, y)"}}, ops: []string{"NextAfter: f"}},
	}},
	{"gradient", []kernel{
		{name: "ReluGrad", doc: "a · (b > 0)", rules: []rule{{"realT", "reluGrad(x, y)"}}, ops: []string{"ReluGrad: real"}},
		{name: "Relu6Grad", doc: "a · (0 < b < 6)", rules: []rule{{"realT", "relu6Grad(x, y)"}}, ops: []string{"Relu6Grad: real"}},
		{name: "LeakyReluGrad", doc: "a where b > 0, else alpha · a", rules: []rule{{"float", "leakyReluGrad(x, y, T(alpha))"}}, ops: []string{"LeakyReluGrad: fl"}, extra: "alpha float32"},
		{name: "TanhGrad", doc: "b · (1 - a²)", rules: []rule{{"float", "y * (1 - T(x*x))"}, {"cmplxT", "y * (1 - x*x)"}}, ops: []string{"TanhGrad: flc"}},
		{name: "SigmoidGrad", doc: "b · a · (1 - a)", rules: []rule{{"float", "y * x * (1 - x)"}, {"cmplxT", "y * x * (1 - x)"}}, ops: []string{"SigmoidGrad: flc"}},
		{name: "SqrtGrad", doc: "b / 2a, 0 where b is 0", rules: []rule{{"float", "sqrtGrad(x, y)"}, {"cmplxT", "sqrtGradCmplx(x, y)"}}, ops: []string{"SqrtGrad: flc"}},
		{name: "RsqrtGrad", doc: "-b/2 · a³", rules: []rule{{"float", "y * (T(-0.5) * x) * (x * x)"}, {"cmplxT", "y * (T(-0.5) * conj(x)) * (conj(x) * conj(x))"}}, ops: []string{"RsqrtGrad: flc"}},
		{name: "ReciprocalGrad", doc: "-b · a²", rules: []rule{{"float", "-y * (x * x)"}, {"cmplxT", "-y * conj(x*x)"}}, ops: []string{"InvGrad: flc", "ReciprocalGrad: flc"}},
		{name: "EluGrad", doc: "a where b ≥ 0, else a · (b + 1)", rules: []rule{{"float", "eluGrad(x, y)"}}, ops: []string{"EluGrad: fl"}},
		{name: "SeluGrad", doc: "a · scale where b ≥ 0, else a · (b + scale · alpha)", rules: []rule{{"float", "seluGrad(x, y)"}}, ops: []string{"SeluGrad: fl"}},
		{name: "SoftplusGrad", doc: "a / (e^-b + 1)", rules: []rule{{"float", "x / T(math.Exp(float64(-y))+1)"}}, ops: []string{"SoftplusGrad: fl"}},
		{name: "SoftsignGrad", doc: "a / (1 + |b|)²", rules: []rule{{"float", "softsignGrad(x, y)"}}, ops: []string{"SoftsignGrad: fl"}},
	}},
}

// unary are kernels of one operand.
var unary = []group{
	{"simple", []kernel{
		{name: "Neg", doc: "-x", rules: []rule{{"f32", "negRow32()"}, {"number", "-x"}}, ops: []string{"Neg: flc sint"}},
		{name: "Abs", doc: "|x|", rules: []rule{{"f32", "absRow32()"}, {"signed", "max(x, -x)"}, {"float", "T(math.Abs(float64(x)))"}}, ops: []string{"Abs: fl sint"}},
		{name: "Sign", doc: "-1, 0 or 1; x/|x| for complex x", rules: []rule{{"f32", "signRow32()"}, {"signed", "sign(x)"}, {"float", "sign(x)"}, {"c64", "signC64(x)"}, {"cmplxT", "signComplex(x)"}}, ops: []string{"Sign: flc sint"}},
		{name: "Square", doc: "x²", rules: []rule{{"f32", "squareRow32()"}, {"c64", "squareC64(x)"}, {"number", "x * x"}}, ops: []string{"Square: num"}},
		{name: "Sqrt", doc: "√x", rules: []rule{{"f32", "sqrtRow32()"}, {"float", "T(math.Sqrt(float64(x)))"}, {"cmplxT", "T(cmplx.Sqrt(complex128(x)))"}}, ops: []string{"Sqrt: flc"}},
		{name: "Rsqrt", doc: "1/√x", rules: []rule{{"f32", "rsqrtRow32()"}, {"float", "T(1 / math.Sqrt(float64(x)))"}, {"cmplxT", "T(1 / cmplx.Sqrt(complex128(x)))"}}, ops: []string{"Rsqrt: flc"}},
		{name: "Floor", doc: "the integer at or below x", rules: []rule{{"f32", "floorRow32()"}, {"float", "T(math.Floor(float64(x)))"}}, ops: []string{"Floor: fl"}},
		{name: "Ceil", doc: "the integer at or above x", rules: []rule{{"f32", "ceilRow32()"}, {"float", "T(math.Ceil(float64(x)))"}}, ops: []string{"Ceil: fl"}},
		{name: "Rint", doc: "the nearest integer, ties to even", rules: []rule{{"f32", "rintRow32()"}, {"float", "T(math.RoundToEven(float64(x)))"}, {"integer", "x"}}, ops: []string{"Rint: f", "Round: fl i32 i64"}},
		{name: "Reciprocal", doc: "1/x", rules: []rule{{"f32", "reciprocalRow32()"}, {"float", "1 / x"}, {"cmplxT", "1 / x"}}, ops: []string{"Reciprocal: flc", "Inv: flc"}},
		{name: "IsNan", doc: "x is NaN", rules: []rule{{"float", "x != x"}}, ops: []string{"IsNan: fl"}, out: "bool"},
		{name: "IsInf", doc: "x is infinite", rules: []rule{{"float", "math.IsInf(float64(x), 0)"}}, ops: []string{"IsInf: fl"}, out: "bool"},
		{name: "IsFinite", doc: "x is neither NaN nor infinite", rules: []rule{{"float", "x-x == 0"}}, ops: []string{"IsFinite: fl"}, out: "bool"},
		{name: "Not", doc: "not x", rules: []rule{{"bool", "notRowBytes()"}, {"bool", "!x"}}, ops: []string{"LogicalNot: bool"}},
		{name: "Invert", doc: "^x", rules: []rule{{"integer", "^x"}}, ops: []string{"Invert: int"}},
		{name: "PopulationCount", doc: "the number of bits set", rules: []rule{{"integer", "popCount(x)"}}, ops: []string{"PopulationCount: int"}, out: "u8"},
		{name: "Real", doc: "the real part", rules: []rule{{"c64", "real(x)"}, {"c128", "real(x)"}}, ops: []string{"Real: c"}, out: "real"},
		{name: "Imag", doc: "the imaginary part", rules: []rule{{"c64", "imag(x)"}, {"c128", "imag(x)"}}, ops: []string{"Imag: c"}, out: "real"},
		{name: "Angle", doc: "the argument of x", rules: []rule{{"c64", "float32(cmplx.Phase(complex128(x)))"}, {"c128", "cmplx.Phase(x)"}}, ops: []string{"Angle: c"}, out: "real"},
		{name: "Conj", doc: "the complex conjugate", rules: []rule{{"c64", "complex(real(x), -imag(x))"}, {"c128", "complex(real(x), -imag(x))"}}, ops: []string{"Conj: c"}},
		{name: "ComplexAbs", doc: "|x|", rules: []rule{{"c64", "float32(cmplx.Abs(complex128(x)))"}, {"c128", "cmplx.Abs(x)"}}, ops: []string{"ComplexAbs: c"}, out: "real"},
	}},
	{"exponential", []kernel{
		{name: "Exp", doc: "e^x", rules: []rule{{"f32", "expRow32()"}, {"f64", "math.Exp(x)"}, {"cmplxT", "T(cmplx.Exp(complex128(x)))"}}, ops: []string{"Exp: flc"}},
		{name: "Expm1", doc: "e^x - 1", rules: []rule{{"f32", "expm1Row32()"}, {"f64", "math.Expm1(x)"}, {"cmplxT", "expm1Complex(x)"}}, ops: []string{"Expm1: flc"}},
		{name: "Log", doc: "log(x)", rules: []rule{{"f32", "logRow32()"}, {"f64", "math.Log(x)"}, {"cmplxT", "T(cmplx.Log(complex128(x)))"}}, ops: []string{"Log: flc"}},
		{name: "Log1p", doc: "log(1 + x)", rules: []rule{{"f32", "log1pRow32()"}, {"float", "T(math.Log1p(float64(x)))"}, {"cmplxT", "log1pComplex(x)"}}, ops: []string{"Log1p: flc"}},
		{name: "Tanh", doc: "tanh(x)", rules: []rule{{"f32", "tanhRow32()"}, {"f64", "math.Tanh(x)"}, {"cmplxT", "T(tanhCmplx(complex128(x)))"}}, ops: []string{"Tanh: flc"}},
		{name: "Sigmoid", doc: "1/(1 + e^-x)", rules: []rule{{"f32", "sigmoidRow32()"}, {"f64", "1 / (1 + math.Exp(-x))"}, {"cmplxT", "T(1 / (1 + cmplx.Exp(-complex128(x))))"}}, ops: []string{"Sigmoid: flc"}},
		{name: "Sinh", doc: "sinh(x)", rules: []rule{{"f32", "sinhRow32()"}, {"float", "T(math.Sinh(float64(x)))"}, {"cmplxT", "T(cmplx.Sinh(complex128(x)))"}}, ops: []string{"Sinh: flc"}},
		{name: "Cosh", doc: "cosh(x)", rules: []rule{{"f32", "coshRow32()"}, {"float", "T(math.Cosh(float64(x)))"}, {"cmplxT", "T(cmplx.Cosh(complex128(x)))"}}, ops: []string{"Cosh: flc"}},
		{name: "Asinh", doc: "asinh(x)", rules: []rule{{"f32", "asinhRow32()"}, {"float", "T(math.Asinh(float64(x)))"}, {"cmplxT", "T(cmplx.Asinh(complex128(x)))"}}, ops: []string{"Asinh: flc"}},
		{name: "Acosh", doc: "acosh(x)", rules: []rule{{"f32", "acoshRow32()"}, {"float", "T(math.Acosh(float64(x)))"}, {"cmplxT", "T(cmplx.Acosh(complex128(x)))"}}, ops: []string{"Acosh: flc"}},
		{name: "Atanh", doc: "atanh(x)", rules: []rule{{"f32", "atanhRow32()"}, {"float", "T(math.Atanh(float64(x)))"}, {"cmplxT", "T(cmplx.Atanh(complex128(x)))"}}, ops: []string{"Atanh: flc"}},
	}},
	{"trigonometric", []kernel{
		{name: "Sin", doc: "sin(x)", rules: []rule{{"f32", "sinRow32()"}, {"float", "T(math.Sin(float64(x)))"}, {"cmplxT", "T(cmplx.Sin(complex128(x)))"}}, ops: []string{"Sin: flc"}},
		{name: "Cos", doc: "cos(x)", rules: []rule{{"f32", "cosRow32()"}, {"float", "T(math.Cos(float64(x)))"}, {"cmplxT", "T(cmplx.Cos(complex128(x)))"}}, ops: []string{"Cos: flc"}},
		{name: "Tan", doc: "tan(x)", rules: []rule{{"f32", "tanRow32()"}, {"float", "T(math.Tan(float64(x)))"}, {"cmplxT", "T(cmplx.Tan(complex128(x)))"}}, ops: []string{"Tan: flc"}},
		{name: "Asin", doc: "asin(x)", rules: []rule{{"f32", "asinRow32()"}, {"float", "T(math.Asin(float64(x)))"}, {"cmplxT", "T(cmplx.Asin(complex128(x)))"}}, ops: []string{"Asin: flc"}},
		{name: "Acos", doc: "acos(x)", rules: []rule{{"f32", "acosRow32()"}, {"float", "T(math.Acos(float64(x)))"}, {"cmplxT", "T(cmplx.Acos(complex128(x)))"}}, ops: []string{"Acos: flc"}},
		{name: "Atan", doc: "atan(x)", rules: []rule{{"f32", "atanRow32()"}, {"float", "T(math.Atan(float64(x)))"}, {"cmplxT", "T(atanCmplx(complex128(x)))"}}, ops: []string{"Atan: flc"}},
	}},
	{"activation", []kernel{
		{name: "Relu", doc: "max(x, 0)", rules: []rule{{"f32", "reluRow32()"}, {"realT", "max(x, 0)"}}, ops: []string{"Relu: real"}},
		{name: "Relu6", doc: "min(max(x, 0), 6)", rules: []rule{{"f32", "relu6Row32()"}, {"realT", "min(max(x, 0), 6)"}}, ops: []string{"Relu6: real"}},
		{name: "LeakyRelu", doc: "x where x > 0, else alpha · x", rules: []rule{{"f32", "leakyReluRow32()"}, {"float", "leakyRelu(x, T(alpha))"}}, ops: []string{"LeakyRelu: fl"}, extra: "alpha float32"},
		{name: "Elu", doc: "x where x ≥ 0, else e^x - 1", rules: []rule{{"f32", "eluRow32()"}, {"f64", "elu64(x)"}}, ops: []string{"Elu: fl"}},
		{name: "Selu", doc: "scale · x where x ≥ 0, else scale · alpha · (e^x - 1)", rules: []rule{{"f32", "seluRow32()"}, {"f64", "selu64(x)"}}, ops: []string{"Selu: fl"}},
		{name: "Softplus", doc: "log(1 + e^x)", rules: []rule{{"f32", "softplusRow32()"}, {"f64", "softplus64(x)"}}, ops: []string{"Softplus: fl"}},
		{name: "Softsign", doc: "x / (1 + |x|)", rules: []rule{{"f32", "softsignRow32()"}, {"float", "x / (1 + T(math.Abs(float64(x))))"}}, ops: []string{"Softsign: fl"}},
	}},
	{"special", []kernel{
		{name: "Erf", doc: "2/√π · ∫₀ˣ e^-t² dt", rules: []rule{{"f32", "erfRow32()"}, {"f64", "erf64(x)"}}, ops: []string{"Erf: fl"}},
		{name: "Erfc", doc: "1 - erf(x)", rules: []rule{{"f32", "erfcRow32()"}, {"float", "T(math.Erfc(float64(x)))"}}, ops: []string{"Erfc: fl"}},
		{name: "Lgamma", doc: "log|Γ(x)|", rules: []rule{{"float", "T(lgamma(float64(x)))"}}, ops: []string{"Lgamma: f16 f32 f64"}},
		{name: "Digamma", doc: "Γ'(x)/Γ(x)", rules: []rule{{"float", "T(digamma(float64(x)))"}}, ops: []string{"Digamma: f16 f32 f64"}},
		{name: "Erfinv", doc: "the number whose erf is x", rules: []rule{{"float", "T(math.Erfinv(float64(x)))"}}, ops: []string{"Erfinv: f"}},
		{name: "Ndtri", doc: "the quantile of the normal distribution at x", rules: []rule{{"float", "T(ndtri(float64(x)))"}}, ops: []string{"Ndtri: f"}},
		{name: "BesselI0", doc: "Bessel's function I_0(x)", rules: []rule{{"float", "T(besselI0(float64(x)))"}}, ops: []string{"BesselI0: f16 f32 f64"}},
		{name: "BesselI0e", doc: "Bessel's function I_0(x), scaled by e^-|x|", rules: []rule{{"float", "T(besselI0e(float64(x)))"}}, ops: []string{"BesselI0e: f16 f32 f64"}},
		{name: "BesselI1", doc: "Bessel's function I_1(x)", rules: []rule{{"float", "T(besselI1(float64(x)))"}}, ops: []string{"BesselI1: f16 f32 f64"}},
		{name: "BesselI1e", doc: "Bessel's function I_1(x), scaled by e^-|x|", rules: []rule{{"float", "T(besselI1e(float64(x)))"}}, ops: []string{"BesselI1e: f16 f32 f64"}},
		{name: "BesselJ0", doc: "Bessel's function J_0(x)", rules: []rule{{"float", "T(besselJ0(float64(x)))"}}, ops: []string{"BesselJ0: f16 f32 f64"}},
		{name: "BesselJ1", doc: "Bessel's function J_1(x)", rules: []rule{{"float", "T(besselJ1(float64(x)))"}}, ops: []string{"BesselJ1: f16 f32 f64"}},
		{name: "BesselK0", doc: "Bessel's function K_0(x)", rules: []rule{{"float", "T(besselK0(float64(x)))"}}, ops: []string{"BesselK0: f16 f32 f64"}},
		{name: "BesselK0e", doc: "Bessel's function K_0(x), scaled by e^x", rules: []rule{{"float", "T(besselK0e(float64(x)))"}}, ops: []string{"BesselK0e: f16 f32 f64"}},
		{name: "BesselK1", doc: "Bessel's function K_1(x)", rules: []rule{{"float", "T(besselK1(float64(x)))"}}, ops: []string{"BesselK1: f16 f32 f64"}},
		{name: "BesselK1e", doc: "Bessel's function K_1(x), scaled by e^x", rules: []rule{{"float", "T(besselK1e(float64(x)))"}}, ops: []string{"BesselK1e: f16 f32 f64"}},
		{name: "BesselY0", doc: "Bessel's function Y_0(x)", rules: []rule{{"float", "T(besselY0(float64(x)))"}}, ops: []string{"BesselY0: f16 f32 f64"}},
		{name: "BesselY1", doc: "Bessel's function Y_1(x)", rules: []rule{{"float", "T(besselY1(float64(x), wide[T]()))"}}, ops: []string{"BesselY1: f16 f32 f64"}},
		{name: "Dawsn", doc: "e^-x² ∫₀ˣ e^t² dt", rules: []rule{{"float", "T(dawsn(float64(x)))"}}, ops: []string{"Dawsn: f"}},
		{name: "Expint", doc: "the exponential integral Ei(x)", rules: []rule{{"float", "whereInverse(x, expint)"}}, ops: []string{"Expint: f"}},
		{name: "FresnelCos", doc: "∫₀ˣ cos(πt²/2) dt", rules: []rule{{"float", "T(fresnelCos(float64(x)))"}}, ops: []string{"FresnelCos: f"}},
		{name: "FresnelSin", doc: "∫₀ˣ sin(πt²/2) dt", rules: []rule{{"float", "T(fresnelSin(float64(x)))"}}, ops: []string{"FresnelSin: f"}},
		{name: "Spence", doc: "Li₂(1 - x)", rules: []rule{{"float", "whereInverse(x, spence)"}}, ops: []string{"Spence: f"}},
	}},
}

// fill are kernels without operands.
var fill = []group{{"fill", []kernel{
	{name: "Zero", doc: "0", ops: []string{"ZerosLike: num bool string"}},
	{name: "One", doc: "1", ops: []string{"OnesLike: num bool"}},
}}}

// selects are kernels of three operands that move elements and compute nothing.
var selects = []group{{"select", []kernel{
	{name: "Select", doc: "a where c, else b", ops: []string{"SelectV2: num bool string"}},
}}}

// clips are kernels of a value and two bounds.
var clips = []group{{"clip", []kernel{
	{name: "Clip", doc: "src clamped to [lo, hi], which are one element or as many as src has", float: "; a NaN stays, a NaN bound does nothing", ops: []string{"ClipByValue: fl sint u8 u16"}},
}}}
