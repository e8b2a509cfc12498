package gather

import "github.com/graphc/graphc/rt/tensor"

// Room checks that n positions are not to be written into a result of no elements.
func Room(n, elements int) error {
	if n > 0 && elements == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "%d positions of an empty result", n)
	}
	return nil
}
