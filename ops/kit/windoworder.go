package kit

import "strings"

// TensorFlow rejects values of ksize, strides, dilations and rates below 1, and values of batch and
// channels other than 1. It does so with different codes, and its ops check in different orders.

// windowOrder is the order in which an op checks an attribute's values.
type windowOrder int

const (
	allFirst    windowOrder = iota // all must be positive, then batch and channels must be 1
	spaceFirst                     // spatial values must be positive, then batch and channels must be 1
	othersFirst                    // batch and channels must be 1, then all must be positive
	batchFirst                     // the batch must be 1, then all must be positive, then channels must be 1
	spaceBatch                     // spatial values must be positive, then the batch 1, then channels positive, then channels 1
	batchSpace                     // the batch must be 1, then spatial values must be positive; channels do not matter
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
