package random

import "github.com/graphc/graphc/rt/tensor"

// Broadcasts returns InvalidArgument unless a parameter's dimension d is 1 or equal
// to the joint one.
func Broadcasts(d, joint int) error {
	if d != 1 && d != joint {
		return tensor.Errorf(tensor.InvalidArgument, "the shapes of the parameters do not broadcast: %d against %d", d, joint)
	}
	return nil
}

// EndsIn returns InvalidArgument if n numbers are to be drawn and a dimension d at the
// end of their shape differs from that of the parameters.
func EndsIn(n, d, params int) error {
	if n != 0 && d != params {
		return tensor.Errorf(tensor.InvalidArgument, "the shape must end with that of the parameters: %d against %d", d, params)
	}
	return nil
}
