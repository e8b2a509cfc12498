package ops_test

import (
	"testing"

	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/rt/tensor"
)

func long64(shape tensor.Shape, vs ...int64) *tensor.Tensor {
	return &tensor.Tensor{DType: tensor.Int64, Shape: shape, Data: vs}
}

func TestSparseOnGPU(t *testing.T) {
	f32, f64 := tensor.Float32, tensor.Float64
	numbers := []tensor.DType{f32, f64, tensor.Complex64, tensor.Complex128}
	moved := []tensor.DType{f32, tensor.Half, tensor.Bool, tensor.Int8, tensor.Int64}
	two := []tensor.DType{f32, f64}
	places := long64(tensor.Shape{4, 2}, 0, 1, 0, 3, 2, 0, 2, 2)
	shape := long64(tensor.Shape{2}, 3, 4)
	checkOnGPU(t, []deviceCase{
		{op: "SparseTensorDenseMatMul", types: numbers, ins: []any{places, []int{4}, shape, []int{4, 5}}, random: true, tol: 1e-6},
		{op: "SparseTensorDenseMatMul", types: numbers, attrs: opstest.Attrs("adjoint_a", true, "adjoint_b", true), ins: []any{places, []int{4}, shape, []int{5, 3}}, random: true, tol: 1e-6},
		{op: "SparseToDense", types: moved, attrs: opstest.Attrs("validate_indices", true), ins: []any{places, long64(tensor.Shape{2}, 3, 4), []int{4}, []int{}}},
		{op: "SparseToDense", types: moved, attrs: opstest.Attrs("validate_indices", false), ins: []any{int32s(3, 1), int32s(5), []int{}, []int{}}},
		{op: "SparseSegmentSumGradV2", outs: 2, types: two, ins: []any{[]int{4, 3}, int32s(4, 1, 1, 0), int32s(0, 0, 2, 3), one32(5)}, ulps: 2},
		{op: "SparseSegmentMeanGradV2", outs: 2, types: two, ins: []any{[]int{4, 3}, int32s(4, 1, 1, 0), int32s(0, 0, 2, 3), one32(5)}, ulps: 2},
		{op: "SparseSegmentSqrtNGradV2", outs: 2, types: two, ins: []any{[]int{4, 3}, int32s(4, 1, 1, 0), int32s(0, 0, 2, 3), one32(5)}, ulps: 2},
	})
}

func TestProjectionOnGPU(t *testing.T) {
	turns := matrixF(2, 0.8, -0.6, 1, 0.6, 0.8, -1, 0, 0, 1.5, 0.25, -3, 0.1, 0.7, 2, 0.01, -0.02)
	types := []tensor.DType{tensor.Float32, tensor.Float64, tensor.Half, tensor.Uint8, tensor.Int32, tensor.Int64}
	fill := &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{}, Data: []float32{7}}
	var cases []deviceCase
	for _, how := range []string{"NEAREST", "BILINEAR"} {
		for _, mode := range []string{"CONSTANT", "REFLECT", "WRAP", "NEAREST"} {
			cases = append(cases, deviceCase{op: "ImageProjectiveTransformV3", types: types, attrs: opstest.Attrs("interpolation", how, "fill_mode", mode),
				ins: []any{[]int{2, 4, 5, 2}, turns, int32s(6, 7), fill}, ulps: 2})
		}
	}
	checkOnGPU(t, append(cases, deviceCase{op: "ImageProjectiveTransformV2", types: types[:1], attrs: opstest.Attrs("interpolation", "NEAREST", "fill_mode", "CONSTANT"),
		ins: []any{[]int{2, 4, 5, 2}, turns, int32s(6, 7)}}))
}
