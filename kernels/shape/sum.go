package shape

import "github.com/graphc/graphc/rt/tensor"

// Sums checks that summing can reduce a dimension of size d to a dimension of size `to`. This is
// possible if both sizes are equal, or if the new size is 1.
func Sums(d, to int) error {
	if d != to && to != 1 {
		return tensor.Errorf(tensor.InvalidArgument, "a dimension of %d cannot be summed to %d", d, to)
	}
	return nil
}
