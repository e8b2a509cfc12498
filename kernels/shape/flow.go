package shape

import "github.com/graphc/graphc/rt/tensor"

// NotEmpty stores in dst[0] whether n is positive.
func NotEmpty(dst []bool, n int) { dst[0] = n > 0 }

// NotBlank stores in dst[0] whether x[0] is not the empty string.
func NotBlank(dst []bool, x []string) { dst[0] = x[0] != "" }

// Alive returns InvalidArgument unless alive[0] is true. A false alive[0] means that the fetched
// tensor was not computed, because it is in a branch that was not taken.
func Alive(alive []bool, fetched string) error {
	if alive[0] {
		return nil
	}
	return tensor.Errorf(tensor.InvalidArgument, "the tensor %s is fetched, but has no value: it is in a branch that was not taken", fetched)
}
