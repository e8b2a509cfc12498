package ops_test

import (
	"testing"

	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/rt/tensor"
)

func TestTransformsOnGPU(t *testing.T) {
	var cases []deviceCase
	for _, d := range []struct {
		z, r tensor.DType
		tol  float64
	}{{tensor.Complex64, tensor.Float32, 2e-6}, {tensor.Complex128, tensor.Float64, 1e-13}} {
		z, r := []tensor.DType{d.z}, []tensor.DType{d.r}
		a := opstest.Attrs("Tcomplex", d.z, "Treal", d.r)
		cases = append(cases,
			deviceCase{op: "FFT", types: z, attrs: a, ins: []any{[]int{3, 12}}, random: true, tol: d.tol},
			deviceCase{op: "IFFT", types: z, attrs: a, ins: []any{[]int{2, 67}}, random: true, tol: d.tol},
			deviceCase{op: "FFT2D", types: z, attrs: a, ins: []any{[]int{2, 5, 6}}, random: true, tol: d.tol},
			deviceCase{op: "IFFT3D", types: z, attrs: a, ins: []any{[]int{2, 3, 5, 4}}, random: true, tol: d.tol},
			deviceCase{op: "RFFT", types: r, attrs: a, ins: []any{[]int{2, 9}, int32s(7)}, random: true, tol: d.tol},
			deviceCase{op: "RFFT2D", types: r, attrs: a, ins: []any{[]int{2, 4, 9}, int32s(3, 8)}, random: true, tol: d.tol},
			deviceCase{op: "RFFT3D", types: r, attrs: a, ins: []any{[]int{2, 2, 4, 5}, int32s(2, 4, 5)}, random: true, tol: d.tol},
			deviceCase{op: "IRFFT", types: z, attrs: a, ins: []any{[]int{2, 6}, int32s(9)}, random: true, tol: d.tol},
			deviceCase{op: "IRFFT2D", types: z, attrs: a, ins: []any{[]int{2, 4, 5}, int32s(3, 8)}, random: true, tol: d.tol},
			deviceCase{op: "IRFFT3D", types: z, attrs: a, ins: []any{[]int{2, 3, 4, 5}, int32s(2, 4, 8)}, random: true, tol: d.tol})
	}
	checkOnGPU(t, cases)
}
