package shape

import "github.com/graphc/graphc/rt/tensor"

// Sums checks that a dimension d is kept or summed to 1.
func Sums(d, to int) error {
	if d != to && to != 1 {
		return tensor.Errorf(tensor.InvalidArgument, "a dimension of %d cannot be summed to %d", d, to)
	}
	return nil
}
