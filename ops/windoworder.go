package ops

import (
	"math"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// Values of ksize, strides, dilations and rates below 1, and values of batch and
// channels that are not 1, are refused with different codes, and TensorFlow's ops look
// at them in different orders.

// windowOrder is the order in which an op looks at an attribute.
type windowOrder int

const (
	allFirst    windowOrder = iota // all must be positive, then batch and channels 1
	spaceFirst                     // those of the space must be positive, then batch and channels 1
	othersFirst                    // batch and channels must be 1, then all positive
	batchFirst                     // the batch must be 1, all positive, channels 1
	spaceBatch                     // the space must be positive, the batch 1, channels positive, then 1
	batchSpace                     // the batch must be 1, the space positive; channels do not matter
)

func windowOrderOf(op, attr string) windowOrder {
	switch {
	case op == "AvgPool" && attr == "ksize":
		return batchFirst
	case attr == "strides" && (op == "AvgPool" || op == "MaxPool" || op == "MaxPoolWithArgmax"):
		return spaceBatch
	case attr == "strides" && (op == "AvgPoolGrad" || op == "MaxPoolGradWithArgmax"):
		return batchSpace
	case attr == "ksize" && op == "MaxPoolGradWithArgmax":
		return allFirst
	case op == "AvgPoolGrad", op == "AvgPool3DGrad" && attr == "strides", strings.HasPrefix(op, "MaxPoolGrad"), strings.HasPrefix(op, "MaxPool3DGrad"),
		op == "Conv2DBackpropInput", strings.HasPrefix(op, "Dilation2DBackprop"), attr == "rates":
		return othersFirst
	case attr == "ksize":
		return allFirst
	}
	return spaceFirst
}

// checkWindow refuses values v of attr, one a dimension of the format.
func (f format) checkWindow(n *ir.Node, attr string, v []int) error {
	positive := func(of ...int) error {
		for _, i := range of {
			if v[i] < 1 {
				return tensor.Errorf(tensor.InvalidArgument, "%s must be positive and fit 32 bits: %v", attr, v)
			}
		}
		return nil
	}
	one := func(of ...int) error {
		for _, i := range of {
			if v[i] != 1 {
				code := tensor.Unimplemented
				if n.Op == "Conv2DBackpropFilter" || n.Op == "Conv2DBackpropInput" && f.channels == 1 || strings.Contains(n.Op, "Conv3D") || strings.HasPrefix(n.Op, "Depthwise") && attr == "strides" {
					code = tensor.InvalidArgument
				}
				return tensor.Errorf(code, "%s over batch or channels: %v", attr, v)
			}
		}
		return nil
	}
	for _, x := range v {
		if x < math.MinInt32 || x > math.MaxInt32 {
			return tensor.Errorf(tensor.InvalidArgument, "%s must be positive and fit 32 bits: %v", attr, v)
		}
	}
	all := append([]int{0, f.channels}, f.space...)
	var checks []error
	switch windowOrderOf(n.Op, attr) {
	case allFirst:
		checks = []error{positive(all...), one(0, f.channels)}
	case spaceFirst:
		checks = []error{positive(f.space...), one(0, f.channels)}
	case othersFirst:
		checks = []error{one(0, f.channels), positive(all...)}
	case batchFirst:
		checks = []error{one(0), positive(all...), one(f.channels)}
	case spaceBatch:
		checks = []error{positive(f.space...), one(0), positive(f.channels), one(f.channels)}
	case batchSpace:
		checks = []error{one(0), positive(f.space...)}
	}
	for _, err := range checks {
		if err != nil {
			return err
		}
	}
	return nil
}
