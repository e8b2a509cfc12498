package ops_test

import (
	"testing"

	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/rt/tensor"
)

func TestMatricesOnGPU(t *testing.T) {
	var cases []deviceCase
	for _, d := range []struct {
		types []tensor.DType
		tol   float64
	}{{[]tensor.DType{tensor.Float32, tensor.Complex64}, 1e-6}, {[]tensor.DType{tensor.Float64, tensor.Complex128}, 1e-11}} {
		add := func(c deviceCase) {
			c.types, c.random, c.tol = d.types, true, d.tol
			cases = append(cases, c)
		}
		add(deviceCase{op: "MatrixInverse", ins: []any{[]int{2, 3, 3}}})
		add(deviceCase{op: "MatrixInverse", attrs: opstest.Attrs("adjoint", true), ins: []any{[]int{4, 4}}})
		add(deviceCase{op: "MatrixSolve", attrs: opstest.Attrs("adjoint", true), ins: []any{[]int{2, 5, 5}, []int{2, 5, 3}}})
		add(deviceCase{op: "MatrixSolve", ins: []any{[]int{5, 5}, []int{5, 0}}})
		add(deviceCase{op: "MatrixTriangularSolve", attrs: opstest.Attrs("lower", true), ins: []any{[]int{2, 3, 5, 5}, []int{2, 3, 5, 2}}})
		add(deviceCase{op: "MatrixTriangularSolve", attrs: opstest.Attrs("adjoint", true), ins: []any{[]int{4, 4}, []int{4, 2}}})
		add(deviceCase{op: "BatchMatrixTriangularSolve", attrs: opstest.Attrs("lower", true, "adjoint", true), ins: []any{[]int{2, 4, 4}, []int{2, 4, 2}}})
		add(deviceCase{op: "MatrixTriangularSolve", ins: []any{[]int{2, 1, 3, 3}, []int{4, 3, 2}}})
		add(deviceCase{op: "MatrixTriangularSolve", ins: []any{[]int{3, 3}, []int{4, 3, 2}}})
		add(deviceCase{op: "MatrixDeterminant", ins: []any{[]int{3, 4, 4}}})
		add(deviceCase{op: "LogMatrixDeterminant", outs: 2, ins: []any{[]int{3, 4, 4}}})
		add(deviceCase{op: "Lu", outs: 2, attrs: opstest.Attrs("output_idx_type", tensor.Int64), ins: []any{[]int{2, 6, 6}}})
		add(deviceCase{op: "Lu", outs: 2, attrs: opstest.Attrs("output_idx_type", tensor.Int32), ins: []any{[]int{6, 6}}})
		add(deviceCase{op: "Cholesky", ins: []any{[]int{2, 3, 3}}})
		add(deviceCase{op: "TridiagonalSolve", attrs: opstest.Attrs("partial_pivoting", true), ins: []any{[]int{2, 3, 7}, []int{2, 7, 3}}})
		add(deviceCase{op: "TridiagonalSolve", attrs: opstest.Attrs("partial_pivoting", false), ins: []any{[]int{2, 3, 7}, []int{2, 7, 3}}})
		add(deviceCase{op: "TridiagonalMatMul", ins: []any{[]int{2, 1, 4}, []int{2, 1, 4}, []int{2, 1, 4}, []int{2, 4, 3}}})
	}
	checkOnGPU(t, cases)
}
