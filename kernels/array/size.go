package array

import (
	"math"
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// ReshapeFits checks that a tensor can be reshaped. The parameter from is the tensor's shape, and dims
// is the new shape. One element of dims may be -1, which means the remaining size. If another element of
// dims is 0, the remaining size is computed without the dimensions that are 0.
func ReshapeFits(from, dims []int) error {
	_, err := ReshapeDim(from, dims, -1)
	return err
}

// ReshapeDim returns dimension k of the shape that ReshapeFits checks, or 0 for k = -1.
func ReshapeDim(from, dims []int, k int) (int, error) {
	known, at, zero := 1, -1, false
	for i, d := range dims {
		switch {
		case d == -1 && at < 0:
			at = i
		case d == -1:
			return 0, tensor.Errorf(tensor.InvalidArgument, "only one dimension of the new shape may be -1, not both %d and %d", at, i)
		case d < 0:
			return 0, tensor.Errorf(tensor.InvalidArgument, "dimension %d of the new shape is %d", i, d)
		case d == 0:
			zero = true
		case known > math.MaxInt/d:
			return 0, tensor.Errorf(tensor.InvalidArgument, "the new shape has too many elements")
		default:
			known *= d
		}
	}
	total, full := 1, 1
	for _, d := range from {
		total *= d
		if d != 0 {
			full *= d
		}
	}
	if !zero {
		full = total
	}
	missing := 1
	if at >= 0 {
		missing = full / known
	}
	made := known * missing
	if zero {
		made = 0
	}
	if made != total || at >= 0 && full == total && known*missing != total {
		return 0, tensor.Errorf(tensor.InvalidArgument, "a tensor of the shape %v does not fit the shape %v",
			tensor.Shape(slices.Clone(from)), tensor.Shape(slices.Clone(dims)))
	}
	switch {
	case k < 0:
		return 0, nil
	case k == at:
		return missing, nil
	}
	return dims[k], nil
}

// Size returns n, a dimension of a result that was computed from the elements of a tensor. If n is
// negative, Size returns InvalidArgument. The error message begins with the second argument, which
// is a name for n.
func Size(n int, what string) (int, error) {
	if n < 0 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "%s is %d, which is negative", what, n)
	}
	return n, nil
}

// Index returns i, an index into an axis of n elements, or i+n if i is negative. It returns
// InvalidArgument if i is out of range.
func Index(i, n int) (int, error) {
	j := i
	if i < 0 {
		j += n
	}
	if j < 0 || j >= n {
		return 0, tensor.Errorf(tensor.InvalidArgument, "index %d is out of range for a dimension of %d", i, n)
	}
	return j, nil
}

// IndexOK returns the error that Index returns.
func IndexOK(i, n int) error {
	_, err := Index(i, n)
	return err
}

// Within checks that the n elements from begin on are within a dimension of the given size.
func Within(begin, n, size int) error {
	if begin < 0 || n < 0 || begin > size || n > size-begin {
		return tensor.Errorf(tensor.InvalidArgument, "a slice of %d from %d on is outside a dimension of %d", n, begin, size)
	}
	return nil
}

// Slice returns the first index and the number of elements of a slice: n elements, beginning with
// begin, of an axis of the given size. n = -1 means up to the end. It returns InvalidArgument if
// the slice is not inside the axis.
func Slice(begin, n, size int) (int, int, error) {
	if n == -1 {
		n = size - begin
	}
	return begin, n, Within(begin, n, size)
}

// SliceFlags say which of a strided slice's bounds are ignored.
type SliceFlags struct{ NoBegin, NoEnd bool }

// SliceRange returns the first index and the number of elements of the slice begin:end:stride of an
// axis of the given size, as StridedSlice clamps them. The first index of an empty slice is 0. It
// returns InvalidArgument for a zero stride.
func SliceRange(begin, end, stride, size int, f SliceFlags) (int, int, error) {
	if stride == 0 {
		return 0, 0, tensor.Errorf(tensor.InvalidArgument, "a stride is 0")
	}
	lo, hi := 0, size
	if stride < 0 {
		lo, hi = -1, size-1
	}
	bound := func(x int) int {
		if x < 0 {
			x += size
		}
		return min(max(x, lo), hi)
	}
	first, last := bound(begin), bound(end)
	if f.NoBegin {
		first = lo
		if stride < 0 {
			first = hi
		}
	}
	if f.NoEnd {
		last = hi
		if stride < 0 {
			last = lo
		}
	}
	n := 0
	switch {
	case stride > 0 && last > first:
		n = (last-first-1)/stride + 1
	case stride < 0 && last < first:
		n = (first-last-1)/-stride + 1
	}
	if n == 0 {
		first = 0
	}
	return first, n, nil
}

// AxisSplit returns the product of the dimensions before axis, the dimension at axis and
// the product of those after it. A negative axis counts from the end. It returns
// InvalidArgument for an axis out of range.
func AxisSplit(axis int, dims []int) (int, int, int, error) {
	at, err := Axis(axis, len(dims))
	if err != nil {
		return 0, 0, 0, err
	}
	outer, inner := 1, 1
	for k, d := range dims {
		if k < at {
			outer *= d
		}
		if k > at {
			inner *= d
		}
	}
	return outer, dims[at], inner, nil
}

// Axis returns axis, or axis+rank if it is negative.
func Axis(axis, rank int) (int, error) {
	if axis < -rank || axis >= rank {
		return 0, tensor.Errorf(tensor.InvalidArgument, "axis %d is out of range for rank %d", axis, rank)
	}
	if axis < 0 {
		axis += rank
	}
	return axis, nil
}

// Divides checks that n is a positive divisor of size.
func Divides(n, size int, what string) error {
	if n <= 0 || size%n != 0 {
		return tensor.Errorf(tensor.InvalidArgument, "%s: %d is not divisible by %d", what, size, n)
	}
	return nil
}

// ExpandDim returns dimension k of dims with a 1 inserted at axis.
func ExpandDim(axis int, dims []int, k int) (int, error) {
	at, err := Axis(axis, len(dims)+1)
	switch {
	case err != nil:
		return 0, err
	case k < at:
		return dims[k], nil
	case k == at:
		return 1, nil
	}
	return dims[k-1], nil
}

// NotOne rejects a dimension of 1 that the compiler has assumed not to be 1.
func NotOne(n int) error {
	if n == 1 {
		return tensor.Errorf(tensor.Unimplemented, "Squeeze without axes meets a dimension of 1 that was unknown when compiling: name the axes, or fix the shape")
	}
	return nil
}

// ConcatDim returns dimension k of a concatenation along axis of tensors of the given rank.
// dims[i] is dimension k of input i.
func ConcatDim(axis, rank, k int, dims []int) (int, error) {
	at, err := Axis(axis, rank)
	if err != nil {
		return 0, err
	}
	n := dims[0]
	for _, d := range dims[1:] {
		if k == at {
			if n > math.MaxInt-d {
				return 0, tensor.Errorf(tensor.InvalidArgument, "the dimensions of a concatenation add up to more than an integer holds: %d and %d", n, d)
			}
			n += d
		} else if d != n {
			return 0, tensor.Errorf(tensor.InvalidArgument, "inputs of a concatenation differ on axis %d: %d against %d", k, n, d)
		}
	}
	return n, nil
}

// SplitDim returns dimension k of one of n equal parts of dims along axis.
func SplitDim(axis int, dims []int, n, k int) (int, error) {
	at, err := Axis(axis, len(dims))
	if err != nil {
		return 0, err
	}
	if k != at {
		return dims[k], nil
	}
	if err := Divides(n, dims[k], "the dimension to be split"); err != nil {
		return 0, err
	}
	return dims[k] / n, nil
}

// SplitVDim returns dimension k of a part of dims that has n elements along axis.
func SplitVDim(axis int, dims []int, n, k int) (int, error) {
	at, err := Axis(axis, len(dims))
	if err != nil {
		return 0, err
	}
	if k == at {
		return n, nil
	}
	return dims[k], nil
}

// SplitFits checks that sizes, one of which may be -1 for the rest, add up to total.
func SplitFits(total int, sizes []int) error {
	_, err := SplitSize(total, sizes, -1)
	return err
}

// SplitSize returns sizes[k] after the checks of SplitFits. If that size is -1, it returns the rest
// of total. For k = -1 it returns 0.
func SplitSize(total int, sizes []int, k int) (int, error) {
	rest, left := -1, total
	for i, n := range sizes {
		switch {
		case n == -1 && len(sizes) == 1: // TensorFlow's kernel rejects this, too
			return 0, tensor.Errorf(tensor.InvalidArgument, "if there is only one output, it must have the same size as the input: %d, not -1", total)
		case n == -1 && rest < 0:
			rest = i
		case n < 0:
			return 0, tensor.Errorf(tensor.InvalidArgument, "size_splits[%d] is %d", i, n)
		case n > left:
			return 0, tensor.Errorf(tensor.InvalidArgument, "size_splits add up to more than the dimension %d", total)
		default:
			left -= n
		}
	}
	if rest < 0 && left != 0 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "size_splits add up to %d, the dimension is %d", total-left, total)
	}
	switch {
	case k < 0:
		return 0, nil
	case k == rest:
		return left, nil
	}
	return sizes[k], nil
}

// PermDim permutes dims by perm. It returns dimension k of the result, and the stride that this
// axis has before the permutation. Negative elements of perm count from the end. It returns
// InvalidArgument if perm is not a permutation.
func PermDim(perm, dims []int, k int) (int, int, error) {
	at := 0
	for i, p := range perm {
		a, err := Axis(p, len(dims))
		if err != nil {
			return 0, 0, err
		}
		for j, q := range perm[:i] {
			if q == a || q+len(dims) == a {
				return 0, 0, tensor.Errorf(tensor.InvalidArgument, "elements %d and %d of perm name the same axis %d", j, i, a)
			}
		}
		if i == k {
			at = a
		}
	}
	stride := 1
	for _, d := range dims[at+1:] {
		stride *= d
	}
	return dims[at], stride, nil
}

// Positive returns n, or InvalidArgument if n is below 1. The error message begins with the second
// argument, which is a name for n.
func Positive(n int, what string) (int, error) {
	if n < 1 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "%s is %d, which is not positive", what, n)
	}
	return n, nil
}

// SameDim checks that two dimensions are equal.
func SameDim(a, b int) error {
	if a != b {
		return tensor.Errorf(tensor.InvalidArgument, "dimensions that must be equal are %d and %d", a, b)
	}
	return nil
}

// BroadcastStride returns the stride of an axis that has n elements and is broadcast to the given size.
// If n equals size, the result is the parameter stride. If n is 1, the result is 0. Otherwise
// BroadcastStride returns InvalidArgument.
func BroadcastStride(n, size, stride int) (int, error) {
	switch {
	case n == size:
		return stride, nil
	case n == 1:
		return 0, nil
	}
	return 0, tensor.Errorf(tensor.InvalidArgument, "a dimension of %d does not broadcast to %d", n, size)
}
