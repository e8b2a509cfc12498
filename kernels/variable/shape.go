package variable

import (
	"slices"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// Take makes dst[0] a private copy of the variable v, so that several kernels can read sizes and
// elements of the same value, even if the variable changes in between. If dst[0] already holds such
// a copy, its memory is reused.
//
// If the variable has no value, Take returns FailedPrecondition, with one exception: for a resource
// variable, and with read == false, it returns NotFound. Take returns InvalidArgument if the variable
// has a type other than d, or another rank than the given one. A negative rank allows any rank.
func Take(dst, v []tensor.Handle, d tensor.DType, rank int, read bool) error {
	x, err := resource.VarOf(v)
	if err != nil {
		return err
	}
	x.Lock()
	defer x.Unlock()
	switch {
	case !x.Set && read:
		return x.Unread()
	case !x.Set:
		return x.Unset()
	case x.DType != d:
		return tensor.Errorf(tensor.InvalidArgument, "the variable %q holds %v, %v is asked for", x.Name, x.DType, d)
	case rank >= 0 && len(x.Shape) != rank:
		return tensor.Errorf(tensor.InvalidArgument, "the variable %q has the shape %v, rank %d is required", x.Name, tensor.Shape(slices.Clone(x.Shape)), rank)
	}
	if err := x.Home(); err != nil {
		return err
	}
	c, ok := dst[0].V.(*resource.Var)
	if !ok || !c.Copy {
		c = &resource.Var{Copy: true}
		dst[0] = tensor.Handle{V: c}
	}
	c.Name, c.DType, c.Set, c.Ref = x.Name, x.DType, true, x.Ref
	c.Shape = append(c.Shape[:0], x.Shape...)
	c.Data = cloned(c.Data, x.Data)
	return nil
}

// cloned copies src into dst if both are slices of one type and length, else into a new slice.
func cloned(dst, src any) any {
	switch s := src.(type) {
	case []float32:
		return into(dst, s)
	case []float64:
		return into(dst, s)
	case []tensor.F16:
		return into(dst, s)
	case []tensor.BF16:
		return into(dst, s)
	case []int8:
		return into(dst, s)
	case []int16:
		return into(dst, s)
	case []int32:
		return into(dst, s)
	case []int64:
		return into(dst, s)
	case []uint8:
		return into(dst, s)
	case []uint16:
		return into(dst, s)
	case []uint32:
		return into(dst, s)
	case []uint64:
		return into(dst, s)
	case []bool:
		return into(dst, s)
	case []complex64:
		return into(dst, s)
	case []complex128:
		return into(dst, s)
	case []string:
		return into(dst, s)
	}
	return nil
}

func into[T any](dst any, src []T) any {
	if d, ok := dst.([]T); ok && len(d) == len(src) {
		copy(d, src)
		return dst
	}
	return append(make([]T, 0, len(src)), src...)
}

// Dim returns dimension k of the variable v. A missing value and a rank other than the
// given one are errors as in Take.
func Dim(v []tensor.Handle, rank, k int) (int, error) {
	x, err := resource.VarOf(v)
	if err != nil {
		return 0, err
	}
	x.Lock()
	defer x.Unlock()
	if err := ranked(x, rank); err != nil {
		return 0, err
	}
	return x.Shape[k], nil
}

// MaxRank is the largest rank that Sizes supports.
const MaxRank = 8

// Sizes returns the rank of the variable v and its dimensions. The results after the last dimension
// are 1. Sizes returns Unimplemented for a rank above MaxRank. A missing value is an error as in
// Take.
func Sizes(v []tensor.Handle) (rank, d0, d1, d2, d3, d4, d5, d6, d7 int, err error) {
	x, err := resource.VarOf(v)
	if err != nil {
		return
	}
	x.Lock()
	defer x.Unlock()
	if err = ranked(x, -1); err != nil {
		return
	}
	if rank = len(x.Shape); rank > MaxRank {
		err = tensor.Errorf(tensor.Unimplemented, "the variable %q has the rank %d, at most %d is supported if its declaration has none", x.Name, rank, MaxRank)
		return
	}
	d := [MaxRank]int{1, 1, 1, 1, 1, 1, 1, 1}
	copy(d[:], x.Shape)
	return rank, d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], nil
}

func ranked(x *resource.Var, rank int) error {
	switch {
	case !x.Set:
		return x.Unset()
	case rank >= 0 && len(x.Shape) != rank:
		return tensor.Errorf(tensor.InvalidArgument, "the variable %q has the shape %v, rank %d is required", x.Name, tensor.Shape(slices.Clone(x.Shape)), rank)
	}
	return nil
}

func shapeOf[T int32 | int64](dst []T, v []tensor.Handle, rank int) (int, error) {
	x, err := resource.VarOf(v)
	if err != nil {
		return 0, err
	}
	x.Lock()
	defer x.Unlock()
	if err := ranked(x, rank); err != nil {
		return 0, err
	}
	if len(x.Shape) > len(dst) {
		return 0, tensor.Errorf(tensor.InvalidArgument, "the variable %q has the rank %d", x.Name, len(x.Shape))
	}
	for k, d := range x.Shape {
		if int(T(d)) != d {
			return 0, tensor.Errorf(tensor.InvalidArgument, "dimension %d of the variable %q, %d, is too large", k, x.Name, d)
		}
		dst[k] = T(d)
	}
	return len(x.Shape), nil
}

// HasShape returns InvalidArgument if the variable v has another shape, and NotFound
// if a resource has no value.
func HasShape(v []tensor.Handle, shape []int) error {
	x, err := resource.VarOf(v)
	if err != nil {
		return err
	}
	x.Lock()
	defer x.Unlock()
	if err := ranked(x, -1); err != nil {
		return err
	}
	return x.Has(shape)
}
