package random

import "github.com/graphc/graphc/rt/tensor"

// Broadcasts is InvalidArgument for a dimension d of a parameter that does not fit
// the joint one: it is 1 or equal.
func Broadcasts(d, joint int) error {
	if d != 1 && d != joint {
		return tensor.Errorf(tensor.InvalidArgument, "the shapes of the parameters do not broadcast: %d against %d", d, joint)
	}
	return nil
}

// EndsIn is InvalidArgument where n numbers are drawn, and a dimension at the end of their shape is not
// that of the parameters.
func EndsIn(n, d, params int) error {
	if n != 0 && d != params {
		return tensor.Errorf(tensor.InvalidArgument, "the shape must end with that of the parameters: %d against %d", d, params)
	}
	return nil
}
