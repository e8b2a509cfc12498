package ops_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

var allTypes = []tensor.DType{tensor.Half, tensor.BFloat16, tensor.Float32, tensor.Float64, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64,
	tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64, tensor.Bool, tensor.Complex64, tensor.Complex128}

func TestScalarCast(t *testing.T) {
	for _, s := range allTypes {
		for _, d := range allTypes {
			for _, chop := range []bool{false, true} {
				if s == d {
					continue
				}
				x := samples(s, 131, 3)
				want, got := scalarCase{op: "Cast", attrs: map[string]ir.Attr{"SrcT": s, "DstT": d, "Truncate": chop}, ins: []*tensor.Tensor{x}}.run(t)
				compare(t, fmt.Sprintf("Cast %v to %v, Truncate %v", s, d, chop), want, got, 0, []*tensor.Tensor{x})
			}
		}
	}
}

func shaped(d tensor.DType, seed uint64, dims ...int) *tensor.Tensor {
	n := 1
	for _, k := range dims {
		n *= k
	}
	x := samples(d, n, seed)
	v := reflect.ValueOf(x.Data)
	r := rand.New(rand.NewPCG(seed, 9))
	for i := range n { // give all elements different values if the type has enough values
		switch e := v.Index(i); {
		case d == tensor.Half, d == tensor.BFloat16:
			e.SetUint(uint64(0x3c00 + i))
		case e.CanFloat():
			e.SetFloat(float64(i) + 0.5)
		case e.CanInt():
			e.SetInt(int64(int8(i)))
		case e.CanUint():
			e.SetUint(uint64(i) & 255)
		case e.CanComplex():
			e.SetComplex(complex(float64(i), 1))
		default:
			e.SetBool(r.IntN(2) == 0)
		}
	}
	x.Shape = dims
	return x
}

// TestScalarConstants checks programs in which a number known at compile time is a constant.
func TestScalarConstants(t *testing.T) {
	for _, d := range allTypes {
		x, y := shaped(d, 2, 9), shaped(d, 3)
		op := "AddV2"
		if d == tensor.Bool {
			op = "LogicalOr"
		}
		if v := reflect.ValueOf(y.Data).Index(0); v.CanInt() {
			v.SetInt(-3)
		}
		want, got := scalarCase{op, map[string]ir.Attr{"T": d}, []*tensor.Tensor{x, y}, map[int]bool{1: true}}.run(t)
		compare(t, fmt.Sprintf("%s of %v", op, d), want, got, 0, []*tensor.Tensor{x, y})
	}
}

// samplesOf are random numbers around 0.
func samplesOf(d tensor.DType, dims ...int) *tensor.Tensor {
	x := shaped(d, 1, dims...)
	r := rand.New(rand.NewPCG(3, 9))
	for i := range x.Len() {
		set(reflect.ValueOf(x.Data).Index(i), d, r.NormFloat64(), r)
	}
	return x
}

func int32s(vs ...int32) *tensor.Tensor {
	return &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{len(vs)}, Data: vs}
}

func one32(v int32) *tensor.Tensor {
	return &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{}, Data: []int32{v}}
}

func pads(vs ...int32) *tensor.Tensor {
	return &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{len(vs) / 2, 2}, Data: vs}
}

func bools(vs ...bool) *tensor.Tensor {
	return &tensor.Tensor{DType: tensor.Bool, Shape: tensor.Shape{len(vs)}, Data: vs}
}

func TestScalarMoves(t *testing.T) {
	type attrs = map[string]ir.Attr
	f := func(dims ...int) *tensor.Tensor { return shaped(tensor.Float32, 1, dims...) }
	h := func(dims ...int) *tensor.Tensor { return shaped(tensor.Half, 1, dims...) }
	for _, c := range []struct {
		op    string
		attrs attrs
		ins   []*tensor.Tensor
		data  int // number of inputs that are fed, beginning with input 0; all other inputs are constants
	}{
		{"Transpose", nil, []*tensor.Tensor{f(2, 3, 4), int32s(2, 0, 1)}, 1},
		{"Transpose", nil, []*tensor.Tensor{h(2, 3, 8), int32s(1, 0, 2)}, 1},
		{"Transpose", nil, []*tensor.Tensor{shaped(tensor.Complex128, 1, 4, 5), int32s(1, 0)}, 1},
		{"Transpose", nil, []*tensor.Tensor{shaped(tensor.Bool, 1, 4, 16), int32s(1, 0)}, 1},
		{"ConjugateTranspose", nil, []*tensor.Tensor{shaped(tensor.Complex64, 1, 4, 5), int32s(1, 0)}, 1},
		{"StridedSlice", nil, []*tensor.Tensor{f(7, 9), int32s(1, 2), int32s(6, 9), int32s(2, 3)}, 1},
		{"StridedSlice", attrs{"begin_mask": int64(3), "end_mask": int64(3)}, []*tensor.Tensor{f(7, 8), int32s(0, 0), int32s(0, 0), int32s(-1, -2)}, 1},
		{"StridedSlice", attrs{"shrink_axis_mask": int64(1)}, []*tensor.Tensor{f(7, 8), int32s(3, 4), int32s(4, 8), int32s(1, 1)}, 1},
		{"Slice", nil, []*tensor.Tensor{f(5, 8), int32s(1, 4), int32s(3, 4)}, 1},
		{"Slice", nil, []*tensor.Tensor{h(5, 17), int32s(1, 3), int32s(3, 8)}, 1},
		{"ReverseV2", nil, []*tensor.Tensor{f(3, 4, 5), int32s(0, 2)}, 1},
		{"Reverse", nil, []*tensor.Tensor{f(3, 4), bools(false, true)}, 1},
		{"ReverseSequence", attrs{"seq_dim": int64(1), "batch_dim": int64(0)}, []*tensor.Tensor{f(3, 4, 2), int32s(2, 4, 0)}, 2},
		{"Roll", nil, []*tensor.Tensor{f(4, 5), int32s(3, -7), int32s(0, 1)}, 1},
		{"Roll", nil, []*tensor.Tensor{f(4, 5), int32s(3, 2), int32s(1, 1)}, 1},
		{"Pad", nil, []*tensor.Tensor{f(3, 4), pads(1, 2, 0, 3)}, 1},
		{"Pad", nil, []*tensor.Tensor{f(2, 8, 4), pads(0, 0, 1, 1, 0, 0)}, 1},
		{"PadV2", nil, []*tensor.Tensor{h(3, 4), pads(1, 2, 2, 1), shaped(tensor.Half, 1)}, 1},
		{"Pad", nil, []*tensor.Tensor{shaped(tensor.Bool, 1, 3, 4), pads(1, 1, 1, 1)}, 1},
		{"MirrorPad", attrs{"mode": "REFLECT"}, []*tensor.Tensor{f(4, 5), pads(2, 3, 4, 1)}, 1},
		{"MirrorPad", attrs{"mode": "SYMMETRIC"}, []*tensor.Tensor{f(4, 5), pads(4, 3, 0, 2)}, 1},
		{"Tile", nil, []*tensor.Tensor{f(2, 3), int32s(3, 2)}, 1},
		{"BroadcastTo", nil, []*tensor.Tensor{f(3, 1), int32s(2, 3, 4)}, 1},
		{"Fill", nil, []*tensor.Tensor{int32s(3, 4), shaped(tensor.Complex64, 1)}, 0},
		{"OneHot", attrs{"axis": int64(-1)}, []*tensor.Tensor{int32s(0, 2, -1, 9, 1), one32(4), f(), shaped(tensor.Float32, 5)}, 1},
		{"OneHot", attrs{"axis": int64(0)}, []*tensor.Tensor{int32s(0, 2, -1, 9, 1), one32(4), f(), shaped(tensor.Float32, 5)}, 1},
		{"OneHot", attrs{"axis": int64(1)}, []*tensor.Tensor{shaped(tensor.Uint8, 1, 3, 4), one32(6), h(), h()}, 1},
		{"DepthToSpace", attrs{"block_size": int64(2)}, []*tensor.Tensor{f(2, 3, 2, 8)}, 1},
		{"DepthToSpace", attrs{"block_size": int64(2), "data_format": "NCHW"}, []*tensor.Tensor{f(2, 8, 3, 2)}, 1},
		{"SpaceToDepth", attrs{"block_size": int64(2)}, []*tensor.Tensor{f(2, 4, 6, 3)}, 1},
		{"SpaceToDepth", attrs{"block_size": int64(2), "data_format": "NCHW"}, []*tensor.Tensor{f(2, 3, 4, 6)}, 1},
		{"SpaceToBatchND", nil, []*tensor.Tensor{f(2, 3, 5, 2), int32s(2, 3), pads(1, 0, 0, 1)}, 1},
		{"BatchToSpaceND", nil, []*tensor.Tensor{f(12, 2, 2, 3), int32s(2, 3), pads(1, 0, 0, 2)}, 1},
		{"SpaceToBatch", attrs{"block_size": int64(2)}, []*tensor.Tensor{f(2, 3, 5, 2), pads(1, 0, 0, 1)}, 1},
		{"BatchToSpace", attrs{"block_size": int64(2)}, []*tensor.Tensor{f(8, 2, 3, 2), pads(1, 0, 0, 1)}, 1},
		{"Diag", nil, []*tensor.Tensor{f(2, 3)}, 1},
		{"DiagPart", nil, []*tensor.Tensor{f(2, 3, 2, 3)}, 1},
		{"MatrixBandPart", nil, []*tensor.Tensor{f(2, 5, 8), one32(1), one32(2)}, 1},
		{"MatrixBandPart", nil, []*tensor.Tensor{f(2, 5, 8), one32(-1), one32(0)}, 1},
		{"MatrixDiag", nil, []*tensor.Tensor{f(2, 5)}, 1},
		{"MatrixDiagV2", nil, []*tensor.Tensor{f(2, 3, 4), int32s(-1, 1), one32(4), one32(4), f()}, 1},
		{"MatrixDiagV3", attrs{"align": "RIGHT_LEFT"}, []*tensor.Tensor{f(2, 3, 4), int32s(-1, 1), one32(4), one32(5), f()}, 1},
		{"MatrixDiagV3", attrs{"align": "LEFT_RIGHT"}, []*tensor.Tensor{f(2, 4, 3), int32s(-3, 0), one32(-1), one32(-1), f()}, 1},
		{"MatrixDiagV3", attrs{"align": "RIGHT_RIGHT"}, []*tensor.Tensor{f(2, 3, 4), int32s(-1, 1), one32(-1), one32(-1), f()}, 1},
		{"MatrixDiagV3", nil, []*tensor.Tensor{f(3), int32s(2), one32(-1), one32(-1), shaped(tensor.Float32, 3)}, 1},
		{"MatrixDiagPart", nil, []*tensor.Tensor{f(2, 5, 4)}, 1},
		{"MatrixDiagPartV2", nil, []*tensor.Tensor{f(2, 5, 4), int32s(-2, 1), f()}, 1},
		{"MatrixDiagPartV3", attrs{"align": "LEFT_LEFT"}, []*tensor.Tensor{f(2, 4, 6), int32s(-3, 5), f()}, 1},
		{"MatrixDiagPartV3", attrs{"align": "RIGHT_RIGHT"}, []*tensor.Tensor{f(4, 6), int32s(-3, 5), f()}, 1},
		{"MatrixDiagPartV3", nil, []*tensor.Tensor{h(4, 6), int32s(2), h()}, 1},
		{"MatrixSetDiag", nil, []*tensor.Tensor{f(2, 3, 4), f(2, 3)}, 2},
		{"MatrixSetDiagV3", nil, []*tensor.Tensor{f(2, 3, 4), shaped(tensor.Float32, 4, 2, 3, 3), int32s(-1, 1)}, 2},
		{"MatrixSetDiagV2", nil, []*tensor.Tensor{f(3, 4), shaped(tensor.Float32, 4, 2), int32s(2)}, 2},
		{"StridedSliceGrad", nil, []*tensor.Tensor{int32s(7, 9), int32s(1, 2), int32s(6, 9), int32s(2, 3), f(3, 3)}, -4},
		{"StridedSliceGrad", attrs{"begin_mask": int64(3), "end_mask": int64(3)}, []*tensor.Tensor{int32s(7, 8), int32s(0, 0), int32s(0, 0), int32s(-1, -3), f(7, 3)}, -4},
		{"StridedSliceGrad", attrs{"shrink_axis_mask": int64(1), "new_axis_mask": int64(2)}, []*tensor.Tensor{int32s(7, 8), int32s(3, 0, 4), int32s(4, 0, 8), int32s(1, 1, 1), f(1, 4)}, -4},
		{"TensorStridedSliceUpdate", nil, []*tensor.Tensor{f(7, 9), int32s(1, 2), int32s(6, 9), int32s(2, 3), shaped(tensor.Float32, 4, 3, 1)}, -40},
		{"ExtractImagePatches", attrs{"ksizes": []int64{1, 2, 3, 1}, "strides": []int64{1, 2, 1, 1}, "rates": []int64{1, 1, 2, 1}, "padding": "SAME"}, []*tensor.Tensor{f(2, 5, 6, 3)}, 1},
		{"ExtractImagePatches", attrs{"ksizes": []int64{1, 2, 3, 1}, "strides": []int64{1, 2, 1, 1}, "rates": []int64{1, 1, 1, 1}, "padding": "VALID"}, []*tensor.Tensor{f(2, 5, 6, 3)}, 1},
		{"ExtractVolumePatches", attrs{"ksizes": []int64{1, 2, 2, 3, 1}, "strides": []int64{1, 1, 2, 3, 1}, "padding": "SAME"}, []*tensor.Tensor{f(1, 3, 3, 4, 2)}, 1},
		{"MirrorPadGrad", attrs{"mode": "REFLECT"}, []*tensor.Tensor{f(6, 9), pads(1, 2, 3, 2)}, 1},
		{"MirrorPadGrad", attrs{"mode": "SYMMETRIC"}, []*tensor.Tensor{f(2, 6, 9), pads(0, 0, 2, 2, 0, 4)}, 1},
		{"Empty", attrs{"dtype": tensor.Half}, []*tensor.Tensor{int32s(3, 4)}, 0},
		{"RGBToHSV", nil, []*tensor.Tensor{samplesOf(tensor.Float32, 4, 3)}, 1}, {"RGBToHSV", nil, []*tensor.Tensor{samplesOf(tensor.Float64, 4, 3)}, 1},
		{"HSVToRGB", nil, []*tensor.Tensor{samplesOf(tensor.Float32, 4, 5, 3)}, 1}, {"HSVToRGB", nil, []*tensor.Tensor{samplesOf(tensor.Half, 4, 5, 3)}, 1},
		{"AdjustHue", nil, []*tensor.Tensor{samplesOf(tensor.Float32, 4, 5, 3), f()}, 2}, {"AdjustSaturation", nil, []*tensor.Tensor{samplesOf(tensor.Float32, 4, 5, 3), f()}, 2},
		{"Cross", nil, []*tensor.Tensor{samplesOf(tensor.Float32, 4, 3), samplesOf(tensor.Float32, 4, 3)}, 2}, {"Cross", nil, []*tensor.Tensor{shaped(tensor.Int8, 4, 5, 3), shaped(tensor.Int8, 3, 5, 3)}, 2},
		{"Bucketize", attrs{"boundaries": []float32{-1, 0, 2.5, 7}}, []*tensor.Tensor{samples(tensor.Float32, 50, 1)}, 1}, {"Bucketize", attrs{"boundaries": []float32{-1, 0, 2.5, 7}}, []*tensor.Tensor{samples(tensor.Int64, 50, 1)}, 1},
		{"FakeQuantWithMinMaxArgs", attrs{"min": float32(-3), "max": float32(2), "num_bits": int64(8)}, []*tensor.Tensor{samplesOf(tensor.Float32, 40)}, 1},
		{"FakeQuantWithMinMaxArgs", attrs{"min": float32(0.5), "max": float32(2), "num_bits": int64(4), "narrow_range": true}, []*tensor.Tensor{samplesOf(tensor.Float32, 40)}, 1},
		{"FakeQuantWithMinMaxArgsGradient", attrs{"min": float32(-1), "max": float32(2), "num_bits": int64(8)}, []*tensor.Tensor{samplesOf(tensor.Float32, 40), samplesOf(tensor.Float32, 40)}, 2},
		{"Select", nil, []*tensor.Tensor{bools(true, false, true), f(3, 4), shaped(tensor.Float32, 8, 3, 4)}, 3},
		{"SelectV2", nil, []*tensor.Tensor{bools(true, false, true, true), f(3, 1), f(2, 1, 4)}, 3},
		{"AddV2", attrs{"T": tensor.Float32}, []*tensor.Tensor{f(6, 8), f(8)}, 2},
		{"AddV2", attrs{"T": tensor.Float32}, []*tensor.Tensor{f(6, 1, 4), f(5, 1)}, 2},
		{"Sub", attrs{"T": tensor.Float32}, []*tensor.Tensor{f(), f(7)}, 2},
		{"Less", attrs{"T": tensor.Half}, []*tensor.Tensor{h(16), h(3, 16)}, 2},
		{"BiasAdd", attrs{"T": tensor.Float32}, []*tensor.Tensor{f(3, 4, 8), f(8)}, 2},
		{"BiasAdd", attrs{"T": tensor.Float32, "data_format": "NCHW"}, []*tensor.Tensor{f(3, 5, 2, 2), f(5)}, 2},
		{"AddN", attrs{"T": tensor.Float32}, []*tensor.Tensor{f(9), f(9), f(9)}, 3},
		{"AddN", attrs{"T": tensor.BFloat16}, []*tensor.Tensor{shaped(tensor.BFloat16, 1, 9), shaped(tensor.BFloat16, 2, 9), shaped(tensor.BFloat16, 3, 9)}, 3},
		{"ZerosLike", attrs{"T": tensor.Int16}, []*tensor.Tensor{shaped(tensor.Int16, 1, 9)}, 1},
		{"OnesLike", attrs{"T": tensor.Complex64}, []*tensor.Tensor{shaped(tensor.Complex64, 1, 9)}, 1},
		{"ClipByValue", attrs{"T": tensor.Float32}, []*tensor.Tensor{samples(tensor.Float32, 40, 1), f(), f(40)}, 3},
	} {
		t.Run(fmt.Sprintf("%s %v %v", c.op, c.ins[0].DType, c.ins[0].Shape), func(t *testing.T) {
			fixed := map[int]bool{}
			for i := range c.ins {
				fixed[i] = i >= c.data
				// If data is -4, only input 4 is fed, which is the last one. If data is -40, input
				// 0 is fed, too.
				if c.data == -4 || c.data == -40 {
					fixed[i] = i != 4 && (i > 0 || c.data == -4)
				}
			}
			if c.attrs == nil {
				c.attrs = attrs{}
			}
			want, got := scalarCase{c.op, c.attrs, c.ins, fixed}.run(t)
			compare(t, c.op, want, got, 0, nil)
		})
	}
}
