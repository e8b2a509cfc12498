package random

import "github.com/graphc/graphc/rt/tensor"

// Broadcasts returns InvalidArgument unless a parameter's dimension d is 1 or equal to joint, the
// dimension of all parameters broadcast together.
func Broadcasts(d, joint int) error {
	if d != 1 && d != joint {
		return tensor.Errorf(tensor.InvalidArgument, "the shapes of the parameters do not broadcast: %d against %d", d, joint)
	}
	return nil
}

// EndsIn returns InvalidArgument if d differs from params, unless n is 0. d is a dimension at the
// end of the shape of the n numbers to draw, and params is the corresponding dimension of the
// parameters.
func EndsIn(n, d, params int) error {
	if n != 0 && d != params {
		return tensor.Errorf(tensor.InvalidArgument, "the shape must end with that of the parameters: %d against %d", d, params)
	}
	return nil
}
