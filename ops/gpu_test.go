package ops_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

const gpuName = "/job:localhost/replica:0/task:0/device:GPU:0"

// deviceCase is a node that both a simulated GPU and the CPU's kernels compute.
type deviceCase struct {
	op    string
	outs  int // number of outputs; 0 stands for 1
	read  int // number of fetched outputs; 0 stands for all outputs
	types []tensor.DType
	attrs map[string]ir.Attr
	ins   []any // the inputs: a []int is the shape of a feed, and a *tensor.Tensor is the value of a constant
	ulps  float64
	// If random is set, the inputs are random numbers between -1 and 1. tol is then the allowed
	// error of a result: an absolute error for results of magnitude below 1, and a relative error
	// otherwise.
	random bool
	tol    float64
}

// lowered returns the plan of the node's graph. If open is set, the feeds' sizes are unknown at
// compile time.
func (c deviceCase) lowered(t *testing.T, d tensor.DType, open bool, on ...lower.Option) (*plan.Plan, []ir.Out, map[string]*tensor.Tensor) {
	t.Helper()
	g := opstest.New(t)
	feeds := map[string]*tensor.Tensor{}
	var ins []ir.Out
	for i, in := range c.ins {
		shape, data := in.([]int)
		if !data {
			ins = append(ins, g.NewConst("c", in.(*tensor.Tensor)))
			continue
		}
		name := fmt.Sprintf("x%d", i)
		dims := make([]any, len(shape))
		for k, n := range shape {
			if dims[k] = n; open {
				dims[k] = fmt.Sprintf("D%d_%d", i, k)
			}
		}
		ins = append(ins, g.Feed(name, d, dims...))
		if feeds[name+":0"] = shaped(d, uint64(i), shape...); c.random {
			feeds[name+":0"] = randomNumbers(d, uint64(i), shape)
		}
	}
	a := maps.Clone(c.attrs)
	if a == nil {
		a = map[string]ir.Attr{}
	}
	for _, k := range []string{"T", "dtype"} {
		if _, given := c.attrs[k]; !given {
			a[k] = d
		}
	}
	outs := g.Ops(c.op, max(1, c.outs), a, ins...)
	if c.read > 0 {
		outs = outs[:c.read]
	}
	p, err := func() (*plan.Plan, error) {
		for _, o := range outs {
			g.Fetches = append(g.Fetches, ir.Fetch{Name: o.String(), Key: o.String(), Out: o})
		}
		if err := ops.Ops().Infer(g.Graph); err != nil {
			return nil, err
		}
		return ops.Ops().Lower(g.Graph, "test", on...)
	}()
	if err != nil {
		t.Fatalf("%s of %v %v, sizes of the run %v: %v", c.op, d, c.ins, open, err)
	}
	return p, outs, feeds
}

func (c deviceCase) check(t *testing.T, d tensor.DType, open bool) {
	t.Helper()
	what := fmt.Sprintf("%s of %v %v, sizes of the run %v", c.op, d, c.ins, open)
	run := func(on ...lower.Option) (*plan.Plan, map[string]*tensor.Tensor, []ir.Out) {
		p, outs, feeds := c.lowered(t, d, open, on...)
		x, err := exec.New(p)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		got, err := x.Run(context.Background(), feeds)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return p, got, outs
	}
	_, want, outs := run()
	p, got, _ := run(lower.ForDevice(gpuName, func(*ir.Node) bool { return false }))
	recorded := slices.ContainsFunc(plan.Flat(p.Steps), func(s plan.Step) bool {
		call, ok := s.(*plan.Call)
		return ok && plan.Recorded(call)
	})
	if !recorded {
		t.Errorf("%s: nothing is done on the device", what)
	}
	for _, o := range outs {
		w, g := want[o.String()], got[o.String()]
		if !slices.Equal(w.Shape, g.Shape) {
			t.Fatalf("%s: output %d has the shape %v, want %v", what, o.Index, g.Shape, w.Shape)
		}
		if c.random {
			compareNear(t, what, w, g, c.tol)
		} else {
			compare(t, what, w, g, c.ulps, nil)
		}
	}
}

func matrix32(rows int, vs ...int32) *tensor.Tensor {
	return &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{rows, len(vs) / rows}, Data: vs}
}

func matrixF(rows int, vs ...float32) *tensor.Tensor {
	return &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{rows, len(vs) / rows}, Data: vs}
}

func vectorF(vs ...float32) *tensor.Tensor {
	return &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{len(vs)}, Data: vs}
}

// TestOnGPU checks single nodes on a simulated GPU, with sizes known and unknown at compile time.
func TestOnGPU(t *testing.T) {
	f32, f64, half, brain := tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16
	floats := []tensor.DType{f32, f64, half, brain}
	single := []tensor.DType{f32}
	numbers := []tensor.DType{f32, f64, half, brain, tensor.Int8, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Complex64, tensor.Complex128}
	moved := []tensor.DType{f32, half, tensor.Bool, tensor.Int8, tensor.Int64, tensor.Complex128}
	window := opstest.Attrs("strides", []int64{1, 2, 2, 1}, "padding", "SAME")
	first := opstest.Attrs("strides", []int64{1, 1, 1, 1}, "padding", "VALID", "data_format", "NCHW")
	pooled := opstest.Attrs("ksize", []int64{1, 3, 2, 1}, "strides", []int64{1, 2, 1, 1}, "padding", "SAME")
	volume := opstest.Attrs("strides", []int64{1, 1, 2, 1, 1}, "padding", "SAME")
	labels := &tensor.Tensor{DType: tensor.Int64, Shape: tensor.Shape{3}, Data: []int64{4, 0, 6}}
	for _, c := range []deviceCase{
		{op: "Sum", types: numbers, ins: []any{[]int{3, 5, 7}, int32s(1)}, ulps: 4},
		{op: "Sum", types: numbers, ins: []any{[]int{3, 2, 5, 3}, int32s(0, 2)}, ulps: 4},
		{op: "Sum", types: floats, ins: []any{[]int{2, 3, 2, 3, 2, 2}, int32s(-1, 1, 3)}, attrs: opstest.Attrs("keep_dims", true), ulps: 4},
		{op: "Mean", types: floats, ins: []any{[]int{2, 4, 5, 3}, int32s(1, 2)}, ulps: 4},
		{op: "Mean", types: single, ins: []any{[]int{0, 4}, int32s(0)}},
		{op: "Prod", types: []tensor.DType{f32, tensor.Int16, tensor.Uint64}, ins: []any{[]int{3, 4}, int32s(0)}, ulps: 4},
		{op: "Max", types: []tensor.DType{f32, half, tensor.Int8, tensor.Uint32}, ins: []any{[]int{3, 41}, int32s(1)}},
		{op: "Min", types: []tensor.DType{f64, brain, tensor.Int64}, ins: []any{[]int{3, 5, 2}, int32s(0, 2)}},
		{op: "EuclideanNorm", types: []tensor.DType{f32, f64}, ins: []any{[]int{3, 5, 4}, int32s(0, 2)}, ulps: 4},
		{op: "_SumTo", types: single, ins: []any{[]int{2, 3, 4}, int32s(3, 1)}, ulps: 4},
		{op: "All", types: []tensor.DType{tensor.Bool}, ins: []any{[]int{3, 5}, int32s(1)}},
		{op: "Any", types: []tensor.DType{tensor.Bool}, ins: []any{[]int{3, 5}, int32s(0)}},
		{op: "L2Loss", types: floats, ins: []any{[]int{3, 7}}, ulps: 4},
		{op: "BiasAddGrad", types: numbers, ins: []any{[]int{2, 3, 5}}, ulps: 4},
		{op: "BiasAddGrad", types: floats, attrs: opstest.Attrs("data_format", "NCHW"), ins: []any{[]int{2, 3, 5, 2}}, ulps: 4},
		{op: "ArgMax", types: []tensor.DType{f32, half, tensor.Int8}, attrs: opstest.Attrs("output_type", tensor.Int32), ins: []any{[]int{3, 9, 2}, one32(1)}},
		{op: "ArgMin", types: []tensor.DType{f32, f64}, attrs: opstest.Attrs("output_type", tensor.Int64), ins: []any{[]int{3, 9}, one32(0)}},

		{op: "ConcatV2", types: moved, ins: []any{[]int{2, 3, 2}, []int{2, 1, 2}, []int{2, 4, 2}, one32(1)}},
		{op: "Concat", types: moved, ins: []any{one32(0), []int{2, 3}, []int{0, 3}, []int{5, 3}}},
		{op: "Pack", types: moved, attrs: opstest.Attrs("axis", int64(1)), ins: []any{[]int{3, 2}, []int{3, 2}, []int{3, 2}}},
		{op: "Split", outs: 3, types: moved, attrs: opstest.Attrs("num_split", int64(3)), ins: []any{one32(1), []int{2, 6, 3}}},
		{op: "SplitV", outs: 2, types: moved, ins: []any{[]int{2, 5, 3}, int32s(1, -1), one32(1)}},
		{op: "Unpack", outs: 2, types: moved, attrs: opstest.Attrs("axis", int64(-1), "num", int64(2)), ins: []any{[]int{3, 2}}},

		{op: "MatMul", types: floats, ins: []any{[]int{5, 3}, []int{3, 7}}, ulps: 4},
		{op: "MatMul", types: []tensor.DType{f32, tensor.Complex64}, attrs: opstest.Attrs("transpose_a", true, "transpose_b", true), ins: []any{[]int{3, 5}, []int{7, 3}}, ulps: 4},
		{op: "BatchMatMulV2", types: []tensor.DType{f32, half, tensor.Complex128}, attrs: opstest.Attrs("adj_y", true), ins: []any{[]int{2, 1, 3, 4}, []int{3, 2, 4}}, ulps: 4},
		{op: "BatchMatMulV2", types: single, ins: []any{[]int{2, 3, 4}, []int{4, 2}}, ulps: 4},
		{op: "_FusedMatMul", types: floats, attrs: opstest.Attrs("fused_ops", []string{"BiasAdd", "Relu"}), ins: []any{[]int{5, 3}, []int{3, 7}, []int{7}}, ulps: 8},
		{op: "_FusedMatMul", types: single, attrs: opstest.Attrs("fused_ops", []string{"BiasAdd", "LeakyRelu"}, "leakyrelu_alpha", float32(0.25)), ins: []any{[]int{5, 3}, []int{3, 7}, []int{7}}, ulps: 8},
		{op: "_FusedMatMul", types: single, attrs: opstest.Attrs("fused_ops", []string{"BiasAdd", "GeluExact"}), ins: []any{[]int{1, 3}, []int{3, 1}, []int{1}}, ulps: 8},
		{op: "_FusedMatMul", types: single, attrs: opstest.Attrs("fused_ops", []string{"BiasAdd", "Tanh"}), ins: []any{[]int{1, 3}, []int{3, 1}, []int{1}}, ulps: 8},
		{op: "_FusedMatMul", types: single, attrs: opstest.Attrs("fused_ops", []string{"BiasAdd", "Elu"}), ins: []any{[]int{1, 3}, []int{3, 1}, []int{1}}, ulps: 8},
		{op: "_FusedMatMul", types: single, attrs: opstest.Attrs("fused_ops", []string{"BiasAdd", "GeluApproximate"}), ins: []any{[]int{1, 3}, []int{3, 1}, []int{1}}, ulps: 8},
		{op: "_FusedMatMul", types: single, attrs: opstest.Attrs("fused_ops", []string{"BiasAdd", "_FusedHardSwish"}), ins: []any{[]int{1, 3}, []int{3, 1}, []int{1}}, ulps: 8},
		{op: "_FusedMatMul", types: single, attrs: opstest.Attrs("fused_ops", []string{"BiasAdd", "_MklSwish"}), ins: []any{[]int{1, 3}, []int{3, 1}, []int{1}}, ulps: 8},
		{op: "Einsum", types: floats, attrs: opstest.Attrs("equation", "abc,cd->adb"), ins: []any{[]int{2, 3, 4}, []int{4, 5}}, ulps: 4},
		{op: "Einsum", types: single, attrs: opstest.Attrs("equation", "iji->j"), ins: []any{[]int{3, 4, 3}}, ulps: 4},
		{op: "Einsum", types: single, attrs: opstest.Attrs("equation", "ab->aab"), ins: []any{[]int{3, 4}}},

		{op: "Softmax", types: floats, ins: []any{[]int{3, 2, 9}}, ulps: 64},
		{op: "LogSoftmax", types: floats, ins: []any{[]int{3, 9}}, ulps: 64},
		{op: "SoftmaxCrossEntropyWithLogits", outs: 2, types: []tensor.DType{f32, f64}, ins: []any{[]int{3, 7}, []int{1, 7}}, ulps: 256},
		{op: "SparseSoftmaxCrossEntropyWithLogits", outs: 2, types: []tensor.DType{f32, f64}, ins: []any{[]int{3, 7}, labels}, ulps: 256},
		{op: "_MaskedSoftmax", types: single, attrs: opstest.Attrs("scale", float32(0.5)), ins: []any{[]int{2, 3, 4, 5}, []int{4, 5}}, ulps: 64},
		{op: "_MaskedSoftmax", types: single, attrs: opstest.Attrs("scale", float32(0.5)), ins: []any{[]int{2, 3, 4, 5}}, ulps: 64},
		{op: "_LayerNorm", types: single, attrs: opstest.Attrs("beta", true, "epsilon", float32(1e-3)), ins: []any{[]int{3, 7}, []int{7}}, ulps: 64},
		{op: "_LayerNorm", types: single, attrs: opstest.Attrs("gamma", true, "beta", true, "epsilon", float32(1e-3)), ins: []any{[]int{3, 7}, []int{7}, []int{7}}, ulps: 64},
		{op: "_RMSNorm", types: single, attrs: opstest.Attrs("gamma", true, "epsilon", float32(1e-3)), ins: []any{[]int{3, 7}, []int{7}}, ulps: 64},
		{op: "_RMSNorm", types: single, attrs: opstest.Attrs("epsilon", float32(1e-3)), ins: []any{[]int{3, 7}}, ulps: 64},
		{op: "FusedBatchNormV3", outs: 5, types: single, attrs: opstest.Attrs("is_training", false, "epsilon", float32(1e-3)),
			ins: []any{[]int{2, 3, 3, 2}, vectorF(1, 2), vectorF(3, 4), vectorF(5, 6), vectorF(7, 8)}, ulps: 64},
		{op: "FusedBatchNormV2", outs: 5, types: single, attrs: opstest.Attrs("is_training", true, "epsilon", float32(1e-3)),
			ins: []any{[]int{2, 3, 3, 2}, vectorF(1, 2), vectorF(3, 4), vectorF(), vectorF()}, ulps: 256},
		{op: "FusedBatchNormV3", outs: 5, types: single, attrs: opstest.Attrs("is_training", true, "epsilon", float32(1e-3), "exponential_avg_factor", float32(0.25)),
			ins: []any{[]int{2, 3, 3, 2}, vectorF(1, 2), vectorF(3, 4), vectorF(5, 6), vectorF(7, 8)}, ulps: 256},
		{op: "_FusedBatchNormEx", outs: 5, types: single, attrs: opstest.Attrs("is_training", false, "epsilon", float32(1e-3), "num_side_inputs", int64(1), "activation_mode", "Relu"),
			ins: []any{[]int{2, 3, 3, 2}, vectorF(1, 2), vectorF(3, 4), vectorF(5, 6), vectorF(7, 8), []int{2, 3, 3, 2}}, ulps: 64},
		{op: "FusedBatchNormGradV3", outs: 5, read: 3, types: single, attrs: opstest.Attrs("is_training", false, "epsilon", float32(1e-3)),
			ins: []any{[]int{2, 3, 3, 2}, []int{2, 3, 3, 2}, vectorF(1, 2), vectorF(3, 4), vectorF(7, 8), vectorF()}, ulps: 1024},

		{op: "Conv2D", types: floats, attrs: window, ins: []any{[]int{2, 5, 4, 3}, []int{3, 2, 3, 2}}, ulps: 4},
		{op: "Conv2D", types: single, attrs: first, ins: []any{[]int{2, 3, 5, 4}, []int{3, 2, 3, 2}}, ulps: 4},
		{op: "_FusedConv2D", types: single, attrs: opstest.Attrs("strides", []int64{1, 1, 1, 1}, "padding", "SAME", "fused_ops", []string{"FusedBatchNorm", "Relu6"}, "epsilon", float32(1e-3)),
			ins: []any{[]int{1, 4, 4, 2}, []int{3, 3, 2, 2}, vectorF(1, 2), vectorF(3, 4), vectorF(5, 6), vectorF(7, 8)}, ulps: 64},
		{op: "_FusedConv2D", types: single, attrs: opstest.Attrs("strides", []int64{1, 1, 1, 1}, "padding", "SAME", "fused_ops", []string{"BiasAdd", "Add", "Sigmoid"}),
			ins: []any{[]int{1, 4, 4, 2}, []int{3, 3, 2, 2}, []int{2}, []int{1, 4, 4, 2}}, ulps: 64},
		{op: "DepthwiseConv2dNative", types: floats, attrs: window, ins: []any{[]int{2, 5, 4, 3}, []int{3, 2, 3, 2}}, ulps: 4},
		{op: "Conv2DBackpropInput", types: floats, attrs: window, ins: []any{int32s(2, 5, 4, 3), []int{3, 2, 3, 2}, []int{2, 3, 2, 2}}, ulps: 4},
		{op: "Conv2DBackpropFilter", types: floats, attrs: window, ins: []any{[]int{2, 5, 4, 3}, int32s(3, 2, 3, 2), []int{2, 3, 2, 2}}, ulps: 8},
		{op: "DepthwiseConv2dNativeBackpropInput", types: single, attrs: window, ins: []any{int32s(2, 5, 4, 3), []int{3, 2, 3, 2}, []int{2, 3, 2, 6}}, ulps: 4},
		{op: "DepthwiseConv2dNativeBackpropFilter", types: single, attrs: window, ins: []any{[]int{2, 5, 4, 3}, int32s(3, 2, 3, 2), []int{2, 3, 2, 6}}, ulps: 8},
		{op: "Conv3D", types: single, attrs: volume, ins: []any{[]int{1, 3, 4, 3, 2}, []int{2, 2, 1, 2, 3}}, ulps: 4},
		{op: "Conv3DBackpropInputV2", types: single, attrs: volume, ins: []any{int32s(1, 3, 4, 3, 2), []int{2, 2, 1, 2, 3}, []int{1, 3, 2, 3, 3}}, ulps: 4},
		{op: "Conv3DBackpropFilterV2", types: single, attrs: volume, ins: []any{[]int{1, 3, 4, 3, 2}, int32s(2, 2, 1, 2, 3), []int{1, 3, 2, 3, 3}}, ulps: 8},
		{op: "MaxPool", types: floats, attrs: pooled, ins: []any{[]int{2, 5, 4, 3}}},
		{op: "AvgPool", types: floats, attrs: pooled, ins: []any{[]int{2, 5, 4, 3}}, ulps: 4},
		{op: "AvgPoolGrad", types: floats, attrs: pooled, ins: []any{int32s(2, 5, 4, 3), []int{2, 3, 4, 3}}, ulps: 8},
		{op: "MaxPoolGrad", types: []tensor.DType{f32, f64}, attrs: pooled, ins: []any{[]int{2, 5, 4, 3}, []int{2, 3, 4, 3}, []int{2, 3, 4, 3}}, ulps: 4},
		{op: "MaxPoolGradGrad", types: []tensor.DType{f32, f64}, attrs: pooled, ins: []any{[]int{2, 5, 4, 3}, []int{2, 3, 4, 3}, []int{2, 5, 4, 3}}},
		{op: "MaxPoolWithArgmax", outs: 2, types: single, attrs: with2(pooled, "Targmax", tensor.Int64), ins: []any{[]int{2, 5, 4, 3}}},

		{op: "MaxPoolGradWithArgmax", types: []tensor.DType{f32, f64}, attrs: opstest.Attrs("ksize", []int64{1, 2, 2, 1}, "strides", []int64{1, 2, 2, 1}, "padding", "VALID", "Targmax", tensor.Int64),
			ins: []any{[]int{1, 4, 4, 1}, []int{1, 2, 2, 1}, &tensor.Tensor{DType: tensor.Int64, Shape: tensor.Shape{1, 2, 2, 1}, Data: []int64{5, 7, 13, 5}}}, ulps: 2},
		{op: "_FusedConv3D", types: single, attrs: opstest.Attrs("strides", []int64{1, 1, 1, 1, 1}, "padding", "SAME", "fused_ops", []string{"BiasAdd", "Elu"}),
			ins: []any{[]int{1, 3, 4, 3, 2}, []int{2, 2, 1, 2, 3}, []int{3}}, ulps: 8},
		{op: "MaxPool3D", types: floats, attrs: opstest.Attrs("ksize", []int64{1, 2, 2, 2, 1}, "strides", []int64{1, 1, 2, 1, 1}, "padding", "SAME"), ins: []any{[]int{1, 3, 4, 3, 2}}},
		{op: "MaxPool3DGrad", types: single, attrs: opstest.Attrs("ksize", []int64{1, 2, 2, 2, 1}, "strides", []int64{1, 1, 2, 1, 1}, "padding", "SAME"),
			ins: []any{[]int{1, 3, 4, 3, 2}, []int{1, 3, 2, 3, 2}, []int{1, 3, 2, 3, 2}}, ulps: 2},
		{op: "MaxPool3DGradGrad", types: single, attrs: opstest.Attrs("ksize", []int64{1, 2, 2, 2, 1}, "strides", []int64{1, 1, 2, 1, 1}, "padding", "SAME"),
			ins: []any{[]int{1, 3, 4, 3, 2}, []int{1, 3, 2, 3, 2}, []int{1, 3, 4, 3, 2}}},

		{op: "GatherV2", types: moved, ins: []any{[]int{2, 5, 3}, matrix32(2, 4, 0, 1, 1), one32(1)}},
		{op: "GatherNd", types: moved, ins: []any{[]int{4, 3, 2}, matrix32(3, 1, 2, 0, 0, 3, 1)}},
		{op: "TensorScatterUpdate", types: moved, ins: []any{[]int{5, 3}, matrix32(2, 3, 0), []int{2, 3}}},
		{op: "TensorScatterAdd", types: []tensor.DType{f32, f64, tensor.Int32, tensor.Complex64}, ins: []any{[]int{5, 3}, matrix32(3, 3, 0, 3), []int{3, 3}}, ulps: 2},
		{op: "TensorScatterMax", types: []tensor.DType{f32, half, tensor.Int64}, ins: []any{[]int{5, 3}, matrix32(3, 3, 0, 3), []int{3, 3}}},
		{op: "ScatterNd", types: []tensor.DType{f32, f64, tensor.Int64}, ins: []any{matrix32(3, 3, 0, 3), []int{3, 2}, int32s(5, 2)}, ulps: 2},
		{op: "SegmentSum", types: []tensor.DType{f32, tensor.Int64}, ins: []any{[]int{4, 3}, int32s(0, 0, 2, 3)}, ulps: 2},
		{op: "SegmentProd", types: single, ins: []any{[]int{4, 3}, int32s(0, 0, 2, 3)}, ulps: 2},
		{op: "SegmentMean", types: []tensor.DType{f32, f64}, ins: []any{[]int{4, 3}, int32s(0, 0, 2, 3)}, ulps: 2},
		{op: "UnsortedSegmentSum", types: []tensor.DType{f32, half, tensor.Int32}, ins: []any{[]int{4, 3}, int32s(2, 0, -1, 2), one32(4)}, ulps: 2},
		{op: "UnsortedSegmentMin", types: []tensor.DType{f32, f64, tensor.Int32, tensor.Uint64}, ins: []any{[]int{4, 3}, int32s(2, 0, -1, 2), one32(4)}},
		{op: "UnsortedSegmentMax", types: []tensor.DType{half, brain, tensor.Int64, tensor.Uint32}, ins: []any{[]int{4, 3}, int32s(2, 0, -1, 2), one32(4)}},
		{op: "SparseSegmentMean", types: []tensor.DType{f32, f64}, ins: []any{[]int{5, 3}, int32s(4, 1, 1, 0), int32s(0, 0, 2, 3)}, ulps: 2},
		{op: "SparseSegmentSqrtNWithNumSegments", types: []tensor.DType{f32, f64}, ins: []any{[]int{5, 3}, int32s(4, 1, 1, 0), int32s(0, 0, 2, 3), one32(6)}, ulps: 2},
		{op: "SparseSegmentMeanGrad", types: []tensor.DType{f32, f64}, ins: []any{[]int{4, 3}, int32s(4, 1, 1, 0), int32s(0, 0, 2, 3), one32(5)}, ulps: 2},

		{op: "ResizeBilinear", types: floats, attrs: opstest.Attrs("half_pixel_centers", true), ins: []any{[]int{2, 3, 4, 2}, int32s(5, 7)}, ulps: 4},
		{op: "ResizeNearestNeighbor", types: []tensor.DType{f32, half, tensor.Uint8}, ins: []any{[]int{2, 3, 4, 2}, int32s(5, 7)}},
		{op: "ResizeBilinearGrad", types: single, ins: []any{[]int{2, 5, 7, 2}, []int{2, 3, 4, 2}}, ulps: 8},
		{op: "ResizeNearestNeighborGrad", types: single, ins: []any{[]int{2, 5, 7, 2}, int32s(3, 4)}, ulps: 8},
		{op: "CropAndResize", types: single, attrs: opstest.Attrs("method", "bilinear"), ins: []any{[]int{2, 5, 4, 2}, matrixF(2, 0, 0.1, 0.9, 1, 0.2, 0, 1.5, 0.5), int32s(1, 0), int32s(3, 2)}, ulps: 4},
		{op: "CropAndResizeGradImage", types: single, attrs: opstest.Attrs("method", "bilinear"), ins: []any{[]int{2, 3, 2, 2}, matrixF(2, 0, 0.1, 0.9, 1, 0.2, 0, 1.5, 0.5), int32s(1, 0), int32s(2, 5, 4, 2)}, ulps: 8},
		{op: "StatelessRandomUniform", types: floats, ins: []any{int32s(3, 7), int32s(1, 2)}},
		{op: "StatelessTruncatedNormal", types: single, ins: []any{int32s(3, 7), int32s(1, 2)}, ulps: 64},
		{op: "StatelessRandomUniformFullInt", types: []tensor.DType{tensor.Int32, tensor.Uint64}, ins: []any{int32s(3, 7), int32s(1, 2)}},
		{op: "RandomStandardNormal", types: single, attrs: opstest.Attrs("seed", int64(3), "seed2", int64(4)), ins: []any{int32s(3, 7)}, ulps: 64},
		{op: "AdjustContrastv2", types: single, ins: []any{[]int{2, 5, 4, 3}, &tensor.Tensor{DType: f32, Shape: tensor.Shape{}, Data: []float32{1.5}}}, ulps: 64},
		{op: "TopKV2", outs: 2, types: []tensor.DType{f32, half, tensor.Int8}, ins: []any{[]int{3, 9}, one32(4)}},
		{op: "LowerBound", types: []tensor.DType{f32, tensor.Int32}, attrs: opstest.Attrs("out_type", tensor.Int64), ins: []any{[]int{2, 9}, []int{2, 4}}},
	} {
		for _, d := range c.types {
			for _, open := range []bool{false, true} {
				t.Run(fmt.Sprint(c.op, " ", d, " ", open), func(t *testing.T) { c.check(t, d, open) })
			}
		}
	}
}

// with2 returns a copy of a with one more attribute.
func with2(a map[string]ir.Attr, name string, v ir.Attr) map[string]ir.Attr {
	a = maps.Clone(a)
	a[name] = v
	return a
}
