package passes

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// numbersIn makes a tensor of random numbers between lo and hi.
func numbersIn(lo, hi float64, shape ...int) *tensor.Tensor {
	t := tensor.Must(tensor.New(tensor.Float64, shape, 0))
	r := rand.New(rand.NewPCG(uint64(len(shape)), uint64(t.Len())))
	for i := range t.Len() {
		tensor.Data[float64](t)[i] = lo + (hi-lo)*r.Float64()
	}
	return t
}

// as returns t, a tensor of float64 numbers, converted to type d. If d is complex, each element
// also gets an imaginary part.
func as(d tensor.DType, t *tensor.Tensor) *tensor.Tensor {
	u := tensor.Must(tensor.New(d, t.Shape, 0))
	for i, v := range tensor.Data[float64](t) {
		switch p := u.Data.(type) {
		case []float32:
			p[i] = float32(v)
		case []complex128:
			p[i] = complex(v, math.Cos(3*v))
		}
	}
	return u
}

func i32(v ...int32) *tensor.Tensor {
	return tensor.Must(tensor.From(tensor.Shape{len(v)}, v))
}

func i32s(v int32) *tensor.Tensor { return tensor.Must(tensor.From(nil, []int32{v})) }

func i64(v ...int64) *tensor.Tensor {
	return tensor.Must(tensor.From(tensor.Shape{len(v)}, v))
}

// attrs returns a map of attributes. Its arguments are names and values in turn.
func attrs(kv ...any) map[string]ir.Attr {
	m := map[string]ir.Attr{}
	for i := 0; i < len(kv); i += 2 {
		switch v := kv[i+1].(type) {
		case int:
			m[kv[i].(string)] = int64(v)
		default:
			m[kv[i].(string)] = v
		}
	}
	return m
}

func gradientCases() []gradientCase {
	var cs []gradientCase
	add := func(op string, attrs map[string]ir.Attr, ins ...*tensor.Tensor) {
		cs = append(cs, gradientCase{op: op, attrs: attrs, ins: ins})
	}
	for _, op := range []string{"Abs", "Neg", "Inv", "Reciprocal", "Square", "Exp", "Expm1", "Sinh", "Cosh", "Tanh", "Sigmoid", "Sign", "Sin", "Cos", "Atan",
		"Tan", "Identity", "Relu", "Relu6", "Softmax", "LogSoftmax"} {
		add(op, nil, numbersIn(-1.4, 1.4, 2, 3))
	}
	for _, op := range []string{"Sqrt", "Rsqrt", "Log", "Log1p"} {
		add(op, nil, numbersIn(0.3, 2, 2, 3))
	}
	for _, op := range []string{"Acos", "Asin", "Atanh"} {
		add(op, nil, numbersIn(-0.9, 0.9, 2, 3))
	}
	z := as(tensor.Complex128, numbersIn(-2, 2, 2, 2))
	for _, op := range []string{"Real", "Imag", "Angle"} {
		add(op, attrs("T", tensor.Complex128, "Tout", tensor.Float64), z)
	}
	add("Conj", attrs("T", tensor.Complex128), z)
	add("Mul", attrs("T", tensor.Complex128), z, as(tensor.Complex128, numbersIn(-2, 1, 2)))
	add("Complex", attrs("T", tensor.Float64, "Tout", tensor.Complex128), numbersIn(-1, 1, 2, 3), numbersIn(-1, 1, 3))
	add("Cast", attrs("SrcT", tensor.Float32, "DstT", tensor.Float64), as(tensor.Float32, numbersIn(-1, 1, 3)))
	for _, op := range []string{"Add", "AddV2", "Sub", "Mul", "MulNoNan", "Div", "RealDiv", "DivNoNan", "Maximum", "Minimum", "Xlogy", "Xlog1py", "Xdivy", "SquaredDifference"} {
		add(op, nil, numbersIn(0.5, 2, 2, 1, 3), numbersIn(0.4, 2.1, 4, 1))
		add(op, nil, numbersIn(0.5, 2), numbersIn(0.4, 2.1, 2, 3))
	}
	add("Pow", nil, numbersIn(0.5, 2, 2, 1, 3), numbersIn(-1, 2, 4, 1))
	add("Select", nil, tensor.Must(tensor.From(tensor.Shape{3}, []bool{true, false, true})), numbersIn(-1, 1, 3), numbersIn(-1, 1, 3))
	for _, op := range []string{"Sum", "Mean", "Max", "Min"} {
		add(op, nil, numbersIn(-1, 1, 2, 3, 2), i32(1))
		add(op, nil, numbersIn(-1, 1, 2, 3, 2), i32(0, -1))
		add(op, attrs("keep_dims", true, "Tidx", tensor.Int64), numbersIn(-1, 1, 2, 3, 2), i64(-2))
		add(op, nil, numbersIn(-1, 1, 2, 3), i32s(1))
		add(op, nil, numbersIn(-1, 1, 2, 3), i32())
	}
	for i := range 4 {
		ta, tb := i&1 == 1, i&2 == 2
		x, y := []int{2, 3}, []int{3, 4}
		if ta {
			slices.Reverse(x)
		}
		if tb {
			slices.Reverse(y)
		}
		add("MatMul", attrs("transpose_a", ta, "transpose_b", tb), numbersIn(-1, 1, x...), numbersIn(-1, 1, y...))
		add("BatchMatMul", attrs("adj_x", ta, "adj_y", tb), numbersIn(-1, 1, append([]int{2}, x...)...), numbersIn(-1, 1, append([]int{2}, y...)...))
		add("BatchMatMulV2", attrs("adj_x", ta, "adj_y", tb), numbersIn(-1, 1, append([]int{2, 1}, x...)...), numbersIn(-1, 1, append([]int{3}, y...)...))
	}
	add("BatchMatMulV2", nil, numbersIn(-1, 1, 2, 2, 3), numbersIn(-1, 1, 2, 3, 4))
	add("BatchMatMulV2", nil, numbersIn(-1, 1, 2, 3), numbersIn(-1, 1, 5, 3, 4))
	add("BatchMatMulV2", nil, numbersIn(-1, 1, 5, 2, 3), numbersIn(-1, 1, 3, 4))
	add("Reshape", nil, numbersIn(-1, 1, 2, 3), i32(3, -1))
	add("Reshape", attrs("Tshape", tensor.Int64), numbersIn(-1, 1, 2, 3), i64(6))
	add("ExpandDims", nil, numbersIn(-1, 1, 2, 3), i32s(1))
	add("Squeeze", nil, numbersIn(-1, 1, 2, 1, 3))
	add("Squeeze", attrs("squeeze_dims", []int64{1}), numbersIn(-1, 1, 2, 1, 3))
	add("Transpose", nil, numbersIn(-1, 1, 2, 3, 4), i32(2, 0, 1))
	add("ConjugateTranspose", attrs("T", tensor.Complex128), as(tensor.Complex128, numbersIn(-1, 1, 2, 3)), i32(1, 0))
	add("Pack", attrs("N", 2, "axis", 1), numbersIn(-1, 1, 2, 3), numbersIn(0, 1, 2, 3))
	add("Unpack", attrs("num", 3, "axis", -1), numbersIn(-1, 1, 2, 3))
	add("Concat", attrs("N", 2), i32s(1), numbersIn(-1, 1, 2, 3), numbersIn(-1, 1, 2, 1))
	add("ConcatV2", attrs("N", 3), numbersIn(-1, 1, 2, 3), numbersIn(-1, 1, 2, 1), numbersIn(-1, 1, 2, 2), i32s(-1))
	add("Split", attrs("num_split", 2), i32s(1), numbersIn(-1, 1, 3, 4))
	add("SplitV", attrs("num_split", 2, "Tlen", tensor.Int64), numbersIn(-1, 1, 3, 4), i64(1, 3), i32s(1))
	add("Fill", nil, i32(2, 3), numbersIn(-1, 1))
	add("GatherNd", attrs("Tparams", tensor.Float64, "Tindices", tensor.Int64), numbersIn(-1, 1, 3, 2), tensor.Must(tensor.From(tensor.Shape{3, 1}, []int64{2, 0, 2})))
	add("Reverse", nil, numbersIn(-1, 1, 2, 3), tensor.Must(tensor.From(tensor.Shape{2}, []bool{false, true})))
	add("ReverseV2", nil, numbersIn(-1, 1, 2, 3), i32(-1))
	add("Slice", attrs("Index", tensor.Int32), numbersIn(-1, 1, 4, 3), i32(1, 0), i32(2, 2))
	add("StridedSlice", attrs("Index", tensor.Int32, "end_mask", 1, "shrink_axis_mask", 2), numbersIn(-1, 1, 5, 3), i32(1, 1), i32(0, 0), i32(2, 1))
	add("StridedSliceGrad", attrs("Index", tensor.Int32, "end_mask", 1), i32(5), i32(1), i32(0), i32(2), numbersIn(-1, 1, 2))
	add("BroadcastTo", nil, numbersIn(-1, 1, 3, 1), i32(2, 3, 4))
	conv := attrs("strides", []int64{1, 2, 1, 1}, "padding", "SAME")
	add("Conv2D", conv, numbersIn(-1, 1, 2, 5, 4, 2), numbersIn(-1, 1, 3, 2, 2, 3))
	add("Conv2D", attrs("strides", []int64{1, 1, 1, 1}, "padding", "EXPLICIT", "explicit_paddings", []int64{0, 0, 1, 0, 2, 1, 0, 0}, "dilations", []int64{1, 2, 1, 1}),
		numbersIn(-1, 1, 1, 5, 4, 2), numbersIn(-1, 1, 2, 2, 2, 2))
	pool := func() map[string]ir.Attr {
		return attrs("ksize", []int64{1, 2, 2, 1}, "strides", []int64{1, 2, 1, 1}, "padding", "SAME")
	}
	add("MaxPool", pool(), numbersIn(-1, 1, 2, 5, 4, 2))
	add("AvgPool", pool(), numbersIn(-1, 1, 2, 5, 4, 2))
	cs = append(cs, gradientCase{op: "MaxPoolGrad", attrs: attrs("ksize", []int64{1, 2, 1, 1}, "strides", []int64{1, 2, 1, 1}, "padding", "VALID"),
		ins: []*tensor.Tensor{
			tensor.Must(tensor.From(tensor.Shape{1, 4, 1, 1}, []float64{1, 2, 4, 3})),
			tensor.Must(tensor.From(tensor.Shape{1, 2, 1, 1}, []float64{2, 4})), numbersIn(-1, 1, 1, 2, 1, 1)}, fixed: []int{0, 1}})
	add("BiasAdd", nil, numbersIn(-1, 1, 2, 4, 3), numbersIn(-1, 1, 3))
	return cs
}

// f32 returns a vector with the given elements.
func f32(v ...float32) *tensor.Tensor {
	return tensor.Must(tensor.From(tensor.Shape{len(v)}, v))
}

// f32s makes a matrix of two rows.
func f32s(v ...float32) *tensor.Tensor {
	return tensor.Must(tensor.From(tensor.Shape{2, len(v) / 2}, v))
}

// gradientValues contains gradients that TensorFlow has computed. They are used where finite
// differences are not suitable. This is so at points where a function is not differentiable, and
// for those gradients of TensorFlow that are not the derivative: those of asinh, acosh, and of a
// slice with the size -1.
var gradientValues = []struct {
	op           string
	attrs        map[string]ir.Attr
	ins, dys, dx []*tensor.Tensor
}{
	{"Asinh", nil, many(f32(0.5, -1)), many(f32(1, 2)), many(f32(1.1180340051651, 2.828427314758301))},
	{"Acosh", nil, many(f32(1.5, 2)), many(f32(1, 2)), many(f32(1.1180341243743896, 3.464101791381836))},
	{"Pow", nil, many(f32(2, -1, 0), f32(2)), many(f32(1, 1, 1)), many(f32(4, -2, 0), f32(2.7725887298583984))},
	{"Maximum", nil, many(f32(1, 2, 3), f32(1, 3, 2)), many(f32(1, 2, 4)), many(f32(1, 0, 4), f32(0, 2, 0))},
	{"DivNoNan", nil, many(f32(1, 2), f32(0, 4)), many(f32(1, 2)), many(f32(0, 0.5), f32(0, -0.25))},
	{"MulNoNan", nil, many(f32(inf, 2), f32(0, 4)), many(f32(1, 0)), many(f32(0, 0), f32(inf, 0))},
	{"Abs", nil, many(f32(0, -2)), many(f32(1, 2)), many(f32(0, -2))},
	{"Relu6", nil, many(f32(0, 6, 7, 3)), many(f32(1, 2, 3, 4)), many(f32(0, 0, 0, 4))},
	{"Max", nil, many(f32s(1, 2, 2, 3, 1, 0), i32(1)), many(f32(2, 4)), many(f32s(0, 1, 1, 4, 0, 0), i32(0))},
	{"Square", attrs("T", tensor.Int32), many(i32(1, 2)), many(i32(1, 2)), many(i32(2, 8))},
	{"Slice", attrs("Index", tensor.Int32), many(f32(0, 1, 2, 3, 4), i32(1), i32(-1)), many(f32(1, 1, 1, 1)),
		many(f32(0, 1, 1, 1, 1, 0, 0, 0, 0, 0), i32(0), i32(0))},
	{"Mean", attrs("T", tensor.Int32), many(tensor.Must(tensor.From(tensor.Shape{2, 2}, []int32{1, 2, 3, 4})), i32(0)), many(i32(5, -3)),
		many(tensor.Must(tensor.From(tensor.Shape{2, 2}, []int32{2, -1, 2, -1})), i32(0))},
	{"Mean", nil, many(tensor.Must(tensor.From(tensor.Shape{0, 2}, []float32{})), i32(0)), many(f32(5, -3)),
		many(tensor.Must(tensor.From(tensor.Shape{0, 2}, []float32{})), i32(0))},
	{"Cast", attrs("SrcT", tensor.Int32, "DstT", tensor.Float32), many(i32(1, 2)), many(f32(1.7, -2.7)), many(i32(1, -2))},
	{"Select", nil, many(tensor.Must(tensor.From(tensor.Shape{2}, []bool{true, false})), f32s(1, 1, 1, 1), f32s(1, 1, 1, 1)), many(f32s(1, 2, 3, 4)),
		many(tensor.Must(tensor.From(tensor.Shape{2}, []bool{false, false})), f32s(1, 2, 0, 0), f32s(0, 0, 3, 4))},
	{"Unpack", attrs("num", 2), many(f32s(1, 1, 1, 1)), many(f32(5, -3), f32(1, 2)), many(f32s(5, -3, 1, 2))},
}

func many(ts ...*tensor.Tensor) []*tensor.Tensor { return ts }

var inf = float32(math.Inf(1))
