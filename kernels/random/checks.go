package random

import "github.com/graphc/graphc/rt/tensor"

// Broadcasts returns InvalidArgument unless d is 1 or equal to joint. d is a dimension of one
// parameter, and joint is the corresponding dimension after all parameters are broadcast against
// each other.
func Broadcasts(d, joint int) error {
	if d != 1 && d != joint {
		return tensor.Errorf(tensor.InvalidArgument, "the shapes of the parameters do not broadcast: %d against %d", d, joint)
	}
	return nil
}

// EndsIn checks that the shape of a tensor of random numbers ends with the shape of the parameters.
// d is one of the last dimensions of that tensor, and params is the corresponding dimension of the
// parameters. EndsIn returns InvalidArgument if they differ, but not if n, the number of numbers to
// draw, is 0.
func EndsIn(n, d, params int) error {
	if n != 0 && d != params {
		return tensor.Errorf(tensor.InvalidArgument, "the shape must end with that of the parameters: %d against %d", d, params)
	}
	return nil
}
