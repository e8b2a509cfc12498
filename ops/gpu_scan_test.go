package ops_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
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

// TestScansOnGPU compares the GPU's results with the CPU's for cumulative sums, local response
// normalization, dilations, and minima and maxima of segments.
func TestScansOnGPU(t *testing.T) {
	f32, f64, half, brain := tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16
	floats := []tensor.DType{f32, f64, half, brain}
	wide := []tensor.DType{f32, f64}
	dilated := opstest.Attrs("strides", []int64{1, 2, 1, 1}, "rates", []int64{1, 1, 2, 1}, "padding", "SAME")
	onGPU(t, []deviceCase{
		{op: "Cumsum", types: []tensor.DType{f32, f64, tensor.Int32, tensor.Int64}, ins: []any{[]int{2, 5, 3}, one32(1)}, ulps: 4},
		{op: "Cumsum", types: []tensor.DType{half, brain}, attrs: opstest.Attrs("exclusive", true), ins: []any{[]int{3, 2}, one32(0)}, ulps: 4},
		{op: "Cumprod", types: wide, attrs: opstest.Attrs("exclusive", true, "reverse", true), ins: []any{[]int{5, 3}, one32(-1)}, ulps: 4},
		{op: "CumulativeLogsumexp", types: wide, ins: []any{[]int{5, 3}, one32(0)}, ulps: 256},
		{op: "Cumsum", types: wide, ins: []any{[]int{0, 3}, one32(0)}},
		{op: "LRN", types: []tensor.DType{f32}, attrs: opstest.Attrs("depth_radius", int64(2), "bias", float32(1), "alpha", float32(0.5), "beta", float32(0.75)), ins: []any{[]int{1, 2, 3, 7}}, ulps: 64},
		{op: "LRNGrad", types: []tensor.DType{f32}, attrs: opstest.Attrs("depth_radius", int64(2), "bias", float32(1), "alpha", float32(0.5), "beta", float32(0.75)),
			ins: []any{[]int{1, 2, 3, 7}, []int{1, 2, 3, 7}, []int{1, 2, 3, 7}}, ulps: 512},
		{op: "Dilation2D", types: wide, attrs: dilated, ins: []any{[]int{2, 5, 4, 3}, []int{3, 2, 3}}},
		{op: "Dilation2DBackpropInput", types: wide, attrs: dilated, ins: []any{[]int{2, 5, 4, 3}, []int{3, 2, 3}, []int{2, 3, 4, 3}}, ulps: 4},
		{op: "Dilation2DBackpropFilter", types: wide, attrs: dilated, ins: []any{[]int{2, 5, 4, 3}, []int{3, 2, 3}, []int{2, 3, 4, 3}}, ulps: 16},
		{op: "SegmentMin", types: floats, ins: []any{[]int{4, 3}, int32s(0, 0, 2, 3)}},
		{op: "SegmentMax", types: floats, ins: []any{[]int{4, 3}, int32s(1, 1, 1, 3)}},
	})
}

// TestPicksOnGPU compares the GPU's results with the CPU's for ops that select elements, where the
// number of selected elements depends on the data.
func TestPicksOnGPU(t *testing.T) {
	f32, f64 := tensor.Float32, tensor.Float64
	single := []tensor.DType{f32}
	nan := float32(math.NaN())
	few := vectorF(1, nan, 0, 2, 1, nan, float32(math.Copysign(0, -1)), 2, 5)
	boxes := matrixF(5, 0, 0, 1, 1, 1, 0.1, 0, 1.1, 0, -0.1, 1, 0.9, 0, 10, 1, 11, 0, 10.1, 1, 11.1)
	scores := vectorF(0.9, 0.75, nan, 0.95, 0.5)
	half, low := scalarF(0.5), scalarF(0.6)
	onGPU(t, []deviceCase{
		{op: "Where", types: []tensor.DType{f32, f64, tensor.Int8, tensor.Int64, tensor.Complex64, tensor.Bool}, ins: []any{[]int{3, 4, 5}}},
		{op: "Where", types: single, ins: []any{[]int{700}}},
		{op: "Where", types: single, ins: []any{[]int{0, 2}}},
		{op: "Where", types: single, ins: []any{few}},
		{op: "DynamicPartition", outs: 3, types: []tensor.DType{f32, tensor.Int64, tensor.Complex128}, attrs: opstest.Attrs("num_partitions", int64(3)), ins: []any{[]int{5, 3}, int32s(2, 0, 2, 2, 0)}},
		{op: "DynamicPartition", outs: 2, types: single, attrs: opstest.Attrs("num_partitions", int64(2)), ins: []any{[]int{2, 3}, matrix32(2, 1, 0, 0, 1, 1, 1)}},
		{op: "Unique", outs: 2, types: []tensor.DType{f32, tensor.Half, tensor.Int8, tensor.Int64, tensor.Uint16, tensor.Bool}, attrs: opstest.Attrs("out_idx", tensor.Int64), ins: []any{[]int{40}}},
		{op: "Unique", outs: 2, types: single, attrs: opstest.Attrs("out_idx", tensor.Int32), ins: []any{few}},
		{op: "UniqueWithCounts", outs: 3, types: single, attrs: opstest.Attrs("out_idx", tensor.Int32), ins: []any{few}},
		{op: "UniqueWithCounts", outs: 3, types: []tensor.DType{f64, tensor.Int32}, attrs: opstest.Attrs("out_idx", tensor.Int64), ins: []any{[]int{30}}},
		{op: "UniqueWithCounts", outs: 3, types: single, attrs: opstest.Attrs("out_idx", tensor.Int64), ins: []any{[]int{0}}},
		{op: "NonMaxSuppressionV2", types: single, ins: []any{boxes, scores, one32(4), half}},
		{op: "NonMaxSuppressionV3", types: single, ins: []any{boxes, scores, one32(4), half, low}},
		{op: "NonMaxSuppressionV4", outs: 2, types: single, ins: []any{boxes, scores, one32(1), half, low}},
		{op: "NonMaxSuppressionV4", outs: 2, types: single, attrs: opstest.Attrs("pad_to_max_output_size", true), ins: []any{[]int{40, 4}, []int{40}, one32(50), half, scalarF(-1)}},
	})
}

func scalarF(v float32) *tensor.Tensor {
	return &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{}, Data: []float32{v}}
}

// TestDrawsOnGPU compares the GPU's results with the CPU's for random integers, classes and
// gamma-distributed numbers.
func TestDrawsOnGPU(t *testing.T) {
	key := &tensor.Tensor{DType: tensor.Uint64, Shape: tensor.Shape{1}, Data: []uint64{77}}
	counter := &tensor.Tensor{DType: tensor.Uint64, Shape: tensor.Shape{2}, Data: []uint64{5, 6}}
	alpha := matrixF(1, 0.3, 1, 4.5)
	onGPU(t, []deviceCase{
		{op: "RandomUniformInt", types: []tensor.DType{tensor.Int32}, attrs: opstest.Attrs("Tout", tensor.Int32, "seed", int64(3), "seed2", int64(4)), ins: []any{int32s(3, 7), one32(-4), one32(90)}},
		{op: "StatelessRandomUniformInt", types: []tensor.DType{tensor.Int32}, ins: []any{int32s(3, 7), int32s(1, 2), one32(-4), one32(90)}},
		{op: "StatelessRandomUniformIntV2", types: []tensor.DType{tensor.Int64}, ins: []any{int32s(3, 7), key, counter, one32(1), one64(5), one64(1 << 40)}},
		{op: "Multinomial", types: []tensor.DType{tensor.Float32, tensor.Float64, tensor.Half}, attrs: opstest.Attrs("output_dtype", tensor.Int64, "seed", int64(3)), ins: []any{[]int{3, 9}, one32(20)}},
		{op: "StatelessMultinomial", types: []tensor.DType{tensor.Float32}, attrs: opstest.Attrs("output_dtype", tensor.Int32), ins: []any{[]int{3, 9}, one32(21), int32s(1, 2)}},
		{op: "StatelessRandomGammaV2", types: []tensor.DType{tensor.Float32}, ins: []any{int32s(7, 1, 3), int32s(1, 2), alpha}, ulps: 4},
		{op: "StatelessRandomGammaV3", types: []tensor.DType{tensor.Float32}, ins: []any{int32s(7, 1, 3), key, counter, one32(1), alpha}, ulps: 4},
		{op: "StatelessRandomGammaV2", types: []tensor.DType{tensor.Float64}, ins: []any{int32s(40, 3), int32s(1, 2), &tensor.Tensor{DType: tensor.Float64, Shape: tensor.Shape{3}, Data: []float64{0.3, 1, 2}}}, ulps: 64},
	})
}

func one64(v int64) *tensor.Tensor {
	return &tensor.Tensor{DType: tensor.Int64, Shape: tensor.Shape{}, Data: []int64{v}}
}

// TestCountsOnGPU compares the GPU's results with the CPU's for ops that count, stitch rows or
// translate axes.
func TestCountsOnGPU(t *testing.T) {
	f32, half, i32, i64 := tensor.Float32, tensor.Half, tensor.Int32, tensor.Int64
	single := []tensor.DType{f32}
	small := []tensor.DType{tensor.Uint8, tensor.Int8, tensor.Int16, tensor.Uint16}
	none := &tensor.Tensor{DType: f32, Shape: tensor.Shape{0}, Data: []float32{}}
	whole := &tensor.Tensor{DType: i32, Shape: tensor.Shape{0}, Data: []int32{}}
	strides := opstest.Attrs("strides", []int64{1, 1, 2, 1}, "padding", "SAME", "batch_dims", int64(2), "groups", int64(1), "data_format", "CHANNELS_LAST")
	format := opstest.Attrs("src_format", "NHWC", "dst_format", "NCHW")
	onGPU(t, []deviceCase{
		{op: "InTopKV2", types: single, attrs: opstest.Attrs("T", i32), ins: []any{[]int{4, 5}, int32s(0, 4, 9, 2), one32(2)}},
		{op: "Bincount", types: single, ins: []any{int32s(1, 3, 1, 9), one32(5), none}},
		{op: "DenseBincount", types: single, attrs: opstest.Attrs("Tidx", i32), ins: []any{matrix32(2, 1, 3, 1, 0, 3, 9), one32(5), matrixF(2, 1, 2, 3, 4, 5, 6)}},
		{op: "DenseBincount", types: []tensor.DType{i32}, attrs: opstest.Attrs("Tidx", i32, "binary_output", true), ins: []any{matrix32(2, 1, 3, 1, 0, 3, 9), one32(5), whole}},
		{op: "HistogramFixedWidth", types: []tensor.DType{f32}, attrs: opstest.Attrs("dtype", i32), ins: []any{[]int{40}, vectorF(-1, 1.5), one32(7)}},
		{op: "DynamicStitch", types: []tensor.DType{f32, i64, tensor.Complex128}, ins: []any{int32s(4, 0, 1), int32s(1, 1), []int{3, 2}, []int{2, 2}}},
		{op: "InplaceUpdate", types: []tensor.DType{f32, tensor.Bool}, ins: []any{[]int{5, 2}, int32s(-1, 6), []int{2, 2}}},
		{op: "InplaceAdd", types: append(small, f32, i64), ins: []any{[]int{5, 2}, int32s(-1, 6), []int{2, 2}}},
		{op: "InplaceSub", types: append(small, half), ins: []any{[]int{5, 2}, int32s(3, 1), []int{2, 2}}},
		{op: "ScatterNd", types: small, ins: []any{matrix32(3, 3, 0, 3), []int{3, 2}, int32s(5, 2)}},
		{op: "ScatterNdNonAliasingAdd", types: small, ins: []any{[]int{5, 3}, matrix32(3, 3, 0, 3), []int{3, 3}}},
		{op: "Range", types: single, ins: []any{scalarF(1), scalarF(-9), scalarF(-0.3)}},
		{op: "Range", types: []tensor.DType{i64}, ins: []any{one64(1), one64(2000), one64(3)}},
		{op: "DataFormatVecPermute", types: []tensor.DType{i32}, attrs: format, ins: []any{[]int{4}}},
		{op: "DataFormatVecPermute", types: []tensor.DType{i32}, attrs: format, ins: []any{[]int{2, 2}}},
		{op: "DataFormatDimMap", types: []tensor.DType{i32}, attrs: format, ins: []any{matrix32(1, 1, -1, 3, 0, -4)}},
		{op: "Conv", types: single, attrs: strides, ins: []any{[]int{2, 1, 5, 4, 3}, []int{3, 2, 3, 2}}, ulps: 4},
		{op: "AdjustContrastv2", types: []tensor.DType{half}, ins: []any{[]int{2, 5, 4, 3}, scalarF(1.5)}, ulps: 2},
		{op: "AdjustContrast", types: []tensor.DType{f32, tensor.Uint8}, ins: []any{[]int{2, 5, 4, 3}, scalarF(1.5), scalarF(-0.5), scalarF(0.5)}, ulps: 64},
		{op: "BatchMatrixBandPart", types: single, ins: []any{[]int{2, 4, 3}, one64(1), one64(0)}},
		{op: "BatchMatrixDiag", types: single, ins: []any{[]int{2, 4}}},
		{op: "BatchMatrixDiagPart", types: single, ins: []any{[]int{2, 4, 4}}},
		{op: "BatchMatrixSetDiag", types: single, ins: []any{[]int{2, 4, 4}, []int{2, 4}}},
	})
}

// TestQuantsOnGPU compares the GPU's results with the CPU's for quantization, checks for NaN and
// infinity, and older batch normalizations.
func TestQuantsOnGPU(t *testing.T) {
	f32, f64 := tensor.Float32, tensor.Float64
	single, wide := []tensor.DType{f32}, []tensor.DType{f32, f64}
	bits := func(kv ...any) map[string]ir.Attr {
		return opstest.Attrs(append([]any{"num_bits", int64(4)}, kv...)...)
	}
	lows, highs := vectorF(-1, 0, 0.5), vectorF(1, 0, 2)
	global := opstest.Attrs("variance_epsilon", float32(1e-3), "scale_after_normalization", true)
	m, v, beta, gamma := vectorF(0.1, -0.2, 0.3), vectorF(1, 0.5, 2), vectorF(1, 2, 3), vectorF(0.5, 1, -1)
	onGPU(t, []deviceCase{
		{op: "FakeQuantWithMinMaxVars", types: single, attrs: bits(), ins: []any{[]int{4, 3}, scalarF(-0.7), scalarF(0.4)}, ulps: 1},
		{op: "FakeQuantWithMinMaxVars", types: single, attrs: bits("narrow_range", true), ins: []any{[]int{4, 3}, scalarF(0.1), scalarF(0.4)}, ulps: 1},
		{op: "FakeQuantWithMinMaxVarsPerChannel", types: single, attrs: bits(), ins: []any{[]int{4, 3}, lows, highs}, ulps: 1},
		{op: "FakeQuantWithMinMaxVarsGradient", outs: 3, types: single, attrs: bits(), ins: []any{[]int{4, 3}, []int{4, 3}, scalarF(-0.7), scalarF(0.4)}, ulps: 4},
		{op: "FakeQuantWithMinMaxVarsPerChannelGradient", outs: 3, types: single, attrs: bits(), ins: []any{[]int{4, 3}, []int{4, 3}, lows, highs}, ulps: 4},
		{op: "QuantizeAndDequantizeV2", types: single, attrs: bits("signed_input", true, "range_given", true), ins: []any{[]int{4, 3}, scalarF(-0.7), scalarF(0.4)}, ulps: 1},
		{op: "QuantizeAndDequantizeV2", types: single, attrs: bits("signed_input", true, "narrow_range", true, "round_mode", "HALF_UP", "axis", int64(1)), ins: []any{[]int{4, 3, 2}, lows, highs}, ulps: 1},
		{op: "QuantizeAndDequantizeV3", types: single, attrs: opstest.Attrs("signed_input", false, "range_given", false), ins: []any{[]int{4, 3}, scalarF(0), scalarF(0), one32(5)}, ulps: 1},
		{op: "QuantizeAndDequantizeV4", types: single, attrs: bits("signed_input", true, "axis", int64(0)), ins: []any{[]int{4, 3}, []int{4}, []int{4}}, ulps: 1},
		{op: "QuantizeAndDequantizeV4Grad", outs: 3, types: single, attrs: opstest.Attrs("axis", int64(1)), ins: []any{[]int{4, 3}, []int{4, 3}, lows, highs}},
		{op: "CheckNumerics", types: wide, attrs: opstest.Attrs("message", "m"), ins: []any{[]int{4, 3}}},
		{op: "CheckNumericsV2", types: single, attrs: opstest.Attrs("message", "m"), ins: []any{[]int{0, 3}}},
		{op: "BatchNormWithGlobalNormalization", types: single, attrs: global, ins: []any{[]int{2, 2, 4, 3}, m, v, beta, gamma}, ulps: 4},
		{op: "BatchNormWithGlobalNormalizationGrad", outs: 5, types: single, attrs: global, ins: []any{[]int{2, 2, 4, 3}, m, v, gamma, []int{2, 2, 4, 3}}, ulps: 4},
		{op: "ApproxTopK", outs: 2, types: []tensor.DType{f32, tensor.Half}, attrs: opstest.Attrs("k", int64(3), "reduction_dimension", int64(-1), "is_max_k", true, "recall_target", float32(0.9)), ins: []any{[]int{2, 9}}},
	})
	nan := deviceCase{op: "CheckNumerics", attrs: opstest.Attrs("message", "m"), ins: []any{vectorF(1, float32(math.NaN()))}}
	p, _, feeds := nan.lowered(t, f32, false, lower.ForDevice(gpuName, func(*ir.Node) bool { return false }))
	x, err := exec.New(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.Run(context.Background(), feeds); tensor.CodeOf(err) != tensor.InvalidArgument || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("a NaN gives the error %v", err)
	}
}
