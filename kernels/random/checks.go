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
