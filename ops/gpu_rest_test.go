package ops

import (
	"fmt"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

func onGPU(t *testing.T, cases []deviceCase) {
	for _, c := range cases {
		for _, d := range c.types {
			for _, open := range []bool{false, true} {
				t.Run(fmt.Sprint(c.op, " ", d, " ", open), func(t *testing.T) { c.check(t, d, open) })
			}
		}
	}
}

// TestScansOnGPU has running sums, neighbours' norms, dilations and extremes of segments
// against the CPU's.
func TestScansOnGPU(t *testing.T) {
	f32, f64, half, brain := tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16
	floats := []tensor.DType{f32, f64, half, brain}
	wide := []tensor.DType{f32, f64}
	dilated := attrs("strides", []int64{1, 2, 1, 1}, "rates", []int64{1, 1, 2, 1}, "padding", "SAME")
	onGPU(t, []deviceCase{
		{op: "Cumsum", types: []tensor.DType{f32, f64, tensor.Int32, tensor.Int64}, ins: []any{[]int{2, 5, 3}, one32(1)}, ulps: 4},
		{op: "Cumsum", types: []tensor.DType{half, brain}, attrs: attrs("exclusive", true), ins: []any{[]int{3, 2}, one32(0)}, ulps: 4},
		{op: "Cumprod", types: wide, attrs: attrs("exclusive", true, "reverse", true), ins: []any{[]int{5, 3}, one32(-1)}, ulps: 4},
		{op: "CumulativeLogsumexp", types: wide, ins: []any{[]int{5, 3}, one32(0)}, ulps: 256},
		{op: "Cumsum", types: wide, ins: []any{[]int{0, 3}, one32(0)}},
		{op: "LRN", types: []tensor.DType{f32}, attrs: attrs("depth_radius", int64(2), "bias", float32(1), "alpha", float32(0.5), "beta", float32(0.75)), ins: []any{[]int{1, 2, 3, 7}}, ulps: 64},
		{op: "LRNGrad", types: []tensor.DType{f32}, attrs: attrs("depth_radius", int64(2), "bias", float32(1), "alpha", float32(0.5), "beta", float32(0.75)),
			ins: []any{[]int{1, 2, 3, 7}, []int{1, 2, 3, 7}, []int{1, 2, 3, 7}}, ulps: 512},
		{op: "Dilation2D", types: wide, attrs: dilated, ins: []any{[]int{2, 5, 4, 3}, []int{3, 2, 3}}},
		{op: "Dilation2DBackpropInput", types: wide, attrs: dilated, ins: []any{[]int{2, 5, 4, 3}, []int{3, 2, 3}, []int{2, 3, 4, 3}}, ulps: 4},
		{op: "Dilation2DBackpropFilter", types: wide, attrs: dilated, ins: []any{[]int{2, 5, 4, 3}, []int{3, 2, 3}, []int{2, 3, 4, 3}}, ulps: 16},
		{op: "SegmentMin", types: floats, ins: []any{[]int{4, 3}, int32s(0, 0, 2, 3)}},
		{op: "SegmentMax", types: floats, ins: []any{[]int{4, 3}, int32s(1, 1, 1, 3)}},
	})
}
