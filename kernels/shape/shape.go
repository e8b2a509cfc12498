// Package shape holds small kernels that convert between sizes in tensors and the int variables of
// a program, and kernels that check sizes.
package shape

import "github.com/graphc/graphc/rt/tensor"

// I32 returns x[i]. It returns InvalidArgument if x is too short.
func I32(x []int32, i int) (int, error) {
	if i >= len(x) {
		return 0, tensor.Errorf(tensor.InvalidArgument, "element %d of a vector of %d is needed as a size", i, len(x))
	}
	return int(x[i]), nil
}

// I64 returns x[i]. It returns InvalidArgument if x is too short.
func I64(x []int64, i int) (int, error) {
	if i >= len(x) {
		return 0, tensor.Errorf(tensor.InvalidArgument, "element %d of a vector of %d is needed as a size", i, len(x))
	}
	return int(x[i]), nil
}

// SetI32 stores the sizes v in dst, which is as long as v.
func SetI32(dst []int32, v []int) {
	for i, x := range v {
		dst[i] = int32(x)
	}
}

// SetI64 stores the sizes v in dst, which is as long as v.
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

// Comparable is Broadcastable for comparisons that give a scalar if the operands do not broadcast.
// A compiled program cannot change the result's shape at run time, so the error is Unimplemented.
func Comparable(a, b int) error {
	if Broadcastable(a, b) != nil {
		return tensor.Errorf(tensor.Unimplemented, "dimensions %d and %d do not broadcast, so that the answer is one bool: give the feeds' shapes when compiling", a, b)
	}
	return nil
}

// OneOr returns an error unless a is 1 or equal to b. The parameter what describes the two numbers
// in the error.
func OneOr(a, b int, what string) error {
	if a == 1 {
		return nil
	}
	return Equal(a, b, what)
}

// Equal returns an error unless two dimensions are equal. The parameter what describes them in the
// error.
func Equal(a, b int, what string) error {
	if a != b {
		return tensor.Errorf(tensor.InvalidArgument, "%s: %d against %d", what, a, b)
	}
	return nil
}

// SomeRows returns an error unless n is positive. n is the number of elements of a container. Their
// shape is not known in advance, so it cannot be determined if there are no elements. The parameter
// code is the code of the error.
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

// AtLeast returns an error unless a ≥ lo. The parameter what is the name of the number a in the
// error.
func AtLeast(a, lo int, what string) error {
	if a < lo {
		return tensor.Errorf(tensor.InvalidArgument, "%s is %d, at least %d is required", what, a, lo)
	}
	return nil
}

// Updates checks a scatter by its numbers of elements. If the output, indices or updates are empty,
// both indices and updates must be empty.
func Updates(output, indices, updates int) error {
	if (indices != 0 || updates != 0) && (output == 0 || indices == 0 || updates == 0) {
		return tensor.Errorf(tensor.InvalidArgument, "%d elements of indices and %d of updates for an output of %d", indices, updates, output)
	}
	return nil
}
