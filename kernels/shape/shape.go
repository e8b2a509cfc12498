// Package shape holds the small kernels that move sizes between the integers
// of a program and its tensors.
package shape

import "github.com/graphc/graphc/rt/tensor"

// I32 returns x[i]. It fails when x is shorter.
func I32(x []int32, i int) (int, error) {
	if i >= len(x) {
		return 0, tensor.Errorf(tensor.InvalidArgument, "element %d of a vector of %d is needed as a size", i, len(x))
	}
	return int(x[i]), nil
}

// I64 returns x[i]. It fails when x is shorter.
func I64(x []int64, i int) (int, error) {
	if i >= len(x) {
		return 0, tensor.Errorf(tensor.InvalidArgument, "element %d of a vector of %d is needed as a size", i, len(x))
	}
	return int(x[i]), nil
}

// SetI32 stores the sizes v; dst is as long as v.
func SetI32(dst []int32, v []int) {
	for i, x := range v {
		dst[i] = int32(x)
	}
}

// SetI64 stores the sizes v; dst is as long as v.
func SetI64(dst []int64, v []int) {
	for i, x := range v {
		dst[i] = int64(x)
	}
}

// Broadcastable checks that two dimensions are equal or one of them is 1.
func Broadcastable(a, b int) error {
	if a != b && a != 1 && b != 1 {
		return tensor.Errorf(tensor.InvalidArgument, "dimensions %d and %d do not broadcast", a, b)
	}
	return nil
}

// Comparable is Broadcastable for a comparison whose result would be a scalar if the dimensions do
// not broadcast. At run time, that case is Unimplemented.
func Comparable(a, b int) error {
	if Broadcastable(a, b) != nil {
		return tensor.Errorf(tensor.Unimplemented, "dimensions %d and %d do not broadcast, so that the answer is one bool: give the feeds' shapes when compiling", a, b)
	}
	return nil
}

// OneOr checks that a is 1 or b.
func OneOr(a, b int, what string) error {
	if a == 1 {
		return nil
	}
	return Equal(a, b, what)
}

// Equal checks that two dimensions are the same; the parameter what names them in the error.
func Equal(a, b int, what string) error {
	if a != b {
		return tensor.Errorf(tensor.InvalidArgument, "%s: %d against %d", what, a, b)
	}
	return nil
}

// SomeRows checks that n, the number of elements of a container without a given
// element shape, is at least one. code is that of the error.
func SomeRows(n, code int) error {
	if n <= 0 {
		return tensor.Errorf(tensor.Code(code), "the container is empty, but its element shape is not fully defined")
	}
	return nil
}

// Precondition is Equal with the code FailedPrecondition, for sizes that TensorFlow
// reports as a precondition of the op instead of an invalid argument.
func Precondition(a, b int, what string) error {
	if a != b {
		return tensor.Errorf(tensor.FailedPrecondition, "%s: %d against %d", what, a, b)
	}
	return nil
}

// AtLeast checks a ≥ lo; the parameter what names the number a in the error.
func AtLeast(a, lo int, what string) error {
	if a < lo {
		return tensor.Errorf(tensor.InvalidArgument, "%s is %d, at least %d is required", what, a, lo)
	}
	return nil
}

// Updates checks by numbers of elements that a scatter has places for its updates. If
// one of output, indices and updates is empty, indices and updates must both be empty.
func Updates(output, indices, updates int) error {
	if (indices != 0 || updates != 0) && (output == 0 || indices == 0 || updates == 0) {
		return tensor.Errorf(tensor.InvalidArgument, "%d elements of indices and %d of updates for an output of %d", indices, updates, output)
	}
	return nil
}
