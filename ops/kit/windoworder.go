package kit

import "strings"

// TensorFlow rejects values of ksize, strides, dilations and rates below 1, and values of batch and
// channels other than 1. It does so with different codes, and its ops check in different orders.

// windowOrder is the order in which an op checks the values of an attribute such as strides. The
// attribute has values for the batch, the channels, and each space dimension.
type windowOrder int

const (
	allFirst    windowOrder = iota // all values must be positive, then those for batch and channels must be 1
	spaceFirst                     // the space values must be positive, then those for batch and channels must be 1
	othersFirst                    // the values for batch and channels must be 1, then all values must be positive
	batchFirst                     // the batch value must be 1, then all must be positive, then the channel value must be 1
	// With spaceBatch, the op checks in four steps: the space values must be positive, the batch value
	// must be 1, the channel value must be positive, and the channel value must be 1.
	spaceBatch
	// With batchSpace, the op checks in two steps: the batch value must be 1, and the space values must
	// be positive. It does not check the channel value.
	batchSpace
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
