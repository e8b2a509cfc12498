package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// onCPU refuses what TensorFlow runs on no CPU, with its codes. Channels first are
// taken of the element types for which its default build has kernels; dilations
// where its plain kernels have them, and where pass dilated made them of a
// convolution of every b-th pixel, which it marks _dilated.
func (f format) onCPU(n *ir.Node, dils []int) error {
	code := tensor.InvalidArgument
	narrow := false // f16 is not taken either
	layouts := true
	switch n.Op {
	case "Conv2D", "_FusedConv2D", "DepthwiseConv2dNative", "_FusedDepthwiseConv2dNative",
		"DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter":
		code = tensor.Unimplemented
	case "AvgPool", "AvgPoolGrad":
		narrow = true
	case "MaxPoolV2", "MaxPoolGrad", "MaxPoolGradV2", "MaxPoolGradGrad", "MaxPoolGradGradV2", "MaxPool3DGrad", "MaxPool3DGradGrad":
		layouts = false
	}
	if f.first() {
		switch d := n.DType("T"); {
		case !layouts || d != tensor.Float32 && d != tensor.BFloat16 && d != tensor.Half || narrow && d == tensor.Half:
			return tensor.Errorf(code, "no CPU kernel takes %s with channels first", d)
		}
	}
	switch n.Op {
	case "Conv2D", "_FusedConv2D", "_FusedDepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter":
		return nil
	}
	for _, d := range dils {
		if d != 1 && !n.Bool("_dilated") {
			return tensor.Errorf(code, "no CPU kernel has dilations: %v", dils)
		}
	}
	return nil
}
