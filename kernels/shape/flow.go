package shape

import "github.com/graphc/graphc/rt/tensor"

// NotEmpty stores n > 0.
func NotEmpty(dst []bool, n int) { dst[0] = n > 0 }

// NotBlank stores whether x[0] is not the empty string.
func NotBlank(dst []bool, x []string) { dst[0] = x[0] != "" }

// Alive is InvalidArgument unless alive[0]: the tensor that is fetched was not
// computed, because the branch it stands in was not taken.
func Alive(alive []bool, fetched string) error {
	if alive[0] {
		return nil
	}
	return tensor.Errorf(tensor.InvalidArgument, "the tensor %s is fetched, but has no value: it stands in a branch that was not taken", fetched)
}
