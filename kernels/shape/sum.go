package shape

import "github.com/graphc/graphc/rt/tensor"

// Sums checks that summing can reduce a dimension from d to the size given by to: the two are
// equal, or to is 1.
func Sums(d, to int) error {
	if d != to && to != 1 {
		return tensor.Errorf(tensor.InvalidArgument, "a dimension of %d cannot be summed to %d", d, to)
	}
	return nil
}
