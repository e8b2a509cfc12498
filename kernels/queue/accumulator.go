package queue

import (
	"cmp"
	"context"
	"slices"

	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

func addPlain[T float32 | float64](dst, src []T) {
	for i, x := range src {
		dst[i] += x
	}
}

func addF16(dst, src []tensor.F16) {
	for i, x := range src {
		dst[i] = tensor.ToF16(dst[i].Float32() + x.Float32())
	}
}

// accumulator returns the accumulator that h holds. It returns an error unless the accumulator is
// for gradients of the type T. If sparse is set, the accumulator must be for sparse gradients,
// otherwise for dense ones.
func accumulator[T float32 | float64 | tensor.F16](h []tensor.Handle, sparse bool) (*resource.Accumulator, error) {
	a, err := resource.AccumulatorOf(h)
	switch d := tensor.DTypeOf[T](); {
	case err != nil:
		return nil, err
	case a.DType != d:
		return nil, tensor.Errorf(tensor.InvalidArgument, "a gradient of %v is applied to an accumulator of %v", d, a.DType)
	case a.Sparse != sparse:
		return nil, tensor.Errorf(tensor.InvalidArgument, "an accumulator of slices was given a whole gradient, or the other way round")
	}
	return a, nil
}

func apply[T float32 | float64 | tensor.F16](h []tensor.Handle, step []int64, grad []T, dims []int, add func(dst, src []T)) error {
	a, err := accumulator[T](h, false)
	if err != nil {
		return err
	}
	return a.Apply(step[0], func(first bool) error {
		if !a.Takes(dims) {
			return tensor.Errorf(tensor.InvalidArgument, "Shape mismatch: expected %v, got %v", a.Declared, dims)
		}
		if first {
			a.Shape, a.Sum = slices.Clone(dims), slices.Clone(grad)
			return nil
		}
		if !slices.Equal(a.Shape, dims) {
			return tensor.Errorf(tensor.InvalidArgument, "Shape mismatch: expected %v, got %v", a.Shape, dims)
		}
		add(a.Sum.([]T), grad)
		return nil
	})
}

// sparse returns InvalidArgument unless a sparse gradient fits the accumulator a. A sparse gradient
// consists of some slices along the first dimension, which are selected by indices. dims is the
// shape of the tensor of these slices. shape is the shape of the whole gradient; it is only used if
// known is set.
func sparse(a *resource.Accumulator, indices, shape []int64, dims []int, known bool) error {
	if len(dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "Values cannot be scalar.")
	}
	if len(indices) != dims[0] {
		return tensor.Errorf(tensor.InvalidArgument, "Expected values to have the first dimension %d, the number of indices, but it is %d", len(indices), dims[0])
	}
	if len(indices) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "Must supply at least one index.")
	}
	limit := int64(-1)
	if known {
		if len(shape) != len(dims) {
			return tensor.Errorf(tensor.InvalidArgument, "the gradient's shape has %d dimensions, its values %d", len(shape), len(dims))
		}
		for i, d := range shape {
			if !a.AnyRank && i < len(a.Declared) && a.Declared[i] >= 0 && d >= 0 && int64(a.Declared[i]) != d || i > 0 && d >= 0 && d != int64(dims[i]) {
				return tensor.Errorf(tensor.InvalidArgument, "Shape mismatch: expected %v, got %v", a.Declared, shape)
			}
		}
		limit = shape[0]
	}
	if !a.TakesSlices(dims) {
		return tensor.Errorf(tensor.InvalidArgument, "Shape mismatch: expected %v, got slices of %v", a.Declared, dims[1:])
	}
	if !a.AnyRank && a.Declared[0] >= 0 {
		limit = int64(a.Declared[0])
	}
	for i, x := range indices {
		if x < 0 || limit >= 0 && x >= limit {
			return tensor.Errorf(tensor.InvalidArgument, "indices[%d] = %d is not in [0, %d)", i, x, limit)
		}
	}
	return nil
}

func applySparse[T float32 | float64 | tensor.F16](h []tensor.Handle, step, indices []int64, values []T, shape []int64, dims []int, known bool, add func(dst, src []T)) error {
	a, err := accumulator[T](h, true)
	if err != nil {
		return err
	}
	return a.Apply(step[0], func(first bool) error {
		if err := sparse(a, indices, shape, dims, known); err != nil {
			return err
		}
		if first {
			a.Shape, a.Sum, a.Indices = slices.Clone(dims), slices.Clone(values), slices.Clone(indices)
			a.Counts = slices.Repeat([]int{1}, len(indices))
			return nil
		}
		if !slices.Equal(a.Shape[1:], dims[1:]) {
			return tensor.Errorf(tensor.InvalidArgument, "Shape mismatch: expected slices of %v, got %v", a.Shape[1:], dims[1:])
		}
		sum := a.Sum.([]T)
		n := len(values) / len(indices)
		var out []T
		var at []int64
		var counts []int
		for i, j := 0, 0; i < len(a.Indices) || j < len(indices); {
			order := 0
			switch {
			case i == len(a.Indices):
				order = 1
			case j == len(indices):
				order = -1
			default:
				order = cmp.Compare(a.Indices[i], indices[j])
			}
			if order <= 0 {
				out, at, counts = append(out, sum[i*n:][:n]...), append(at, a.Indices[i]), append(counts, a.Counts[i])
				i++
			} else {
				out, at, counts = append(out, values[j*n:][:n]...), append(at, indices[j]), append(counts, 1)
				j++
			}
			if order == 0 {
				add(out[len(out)-n:], values[j*n:][:n])
				counts[len(counts)-1]++
				j++
			}
		}
		a.Shape[0] = len(at)
		a.Sum, a.Indices, a.Counts = out, at, counts
		return nil
	})
}

// TakeGradient waits until num[0] gradients have been added up, and stores a resource.Box with
// their mean or sum in dst[0]. It returns InvalidArgument if num[0] < 1, if the accumulator is for
// sparse gradients, or if its type is not d.
func TakeGradient(ctx context.Context, dst, a []tensor.Handle, num []int32, d tensor.DType) error {
	r, err := resource.AccumulatorOf(a)
	if err != nil {
		return err
	}
	if r.DType != d || r.Sparse {
		return tensor.Errorf(tensor.InvalidArgument, "a gradient of %v is taken as %v", r.DType, d)
	}
	return r.Take(ctx, int(num[0]), func(count int) error {
		if r.Mean {
			divide(r.Sum, count)
		}
		dst[0] = tensor.Handle{V: &resource.Box{DType: d, Shape: r.Shape, Data: r.Sum}}
		return nil
	})
}

// TakeSparse is like TakeGradient, but for sparse gradients. It stores three handles in dst, each
// of which holds a resource.Box: the indices, the values, and the shape of the whole gradient. If
// the first dimension of the shape is unknown, it is -1.
func TakeSparse(ctx context.Context, dst, a []tensor.Handle, num []int32, d tensor.DType) error {
	r, err := resource.AccumulatorOf(a)
	if err != nil {
		return err
	}
	if r.DType != d || !r.Sparse {
		return tensor.Errorf(tensor.InvalidArgument, "a gradient of %v is taken as slices of %v", r.DType, d)
	}
	return r.Take(ctx, int(num[0]), func(int) error {
		if r.Mean {
			divideSlices(r.Sum, r.Counts)
		}
		shape := make([]int64, len(r.Shape))
		for i, n := range r.Shape {
			shape[i] = int64(n)
		}
		shape[0] = -1
		if !r.AnyRank && len(r.Declared) > 0 {
			shape[0] = int64(r.Declared[0])
		}
		dst[0] = tensor.Handle{V: &resource.Box{DType: tensor.Int64, Shape: []int{len(r.Indices)}, Data: r.Indices}}
		dst[1] = tensor.Handle{V: &resource.Box{DType: d, Shape: r.Shape, Data: r.Sum}}
		dst[2] = tensor.Handle{V: &resource.Box{DType: tensor.Int64, Shape: []int{len(shape)}, Data: shape}}
		return nil
	})
}

// divide divides all elements of a sum by n.
func divide(sum any, n int) {
	switch s := sum.(type) {
	case []float32:
		for i := range s {
			s[i] /= float32(n)
		}
	case []float64:
		for i := range s {
			s[i] /= float64(n)
		}
	case []tensor.F16:
		by := tensor.ToF16(float32(n)).Float32()
		for i := range s {
			s[i] = tensor.ToF16(s[i].Float32() / by)
		}
	}
}

// divideSlices divides each slice of a sum by the number of gradients added to it.
func divideSlices(sum any, counts []int) {
	switch s := sum.(type) {
	case []float32:
		divideEach(s, counts)
	case []float64:
		divideEach(s, counts)
	case []tensor.F16:
		divideEach(s, counts)
	}
}

func divideEach[T any](sum []T, counts []int) {
	per := len(sum) / len(counts)
	for i, n := range counts {
		divide(sum[i*per:][:per], n)
	}
}

// SetStep sets the accumulator's step to step[0]. Gradients of earlier steps are dropped.
func SetStep(a []tensor.Handle, step []int64) error {
	r, err := resource.AccumulatorOf(a)
	if err != nil {
		return err
	}
	r.SetStep(step[0])
	return nil
}

// Accumulated stores in dst[0] the number of gradients that have been added up.
func Accumulated(dst []int32, a []tensor.Handle) error {
	r, err := resource.AccumulatorOf(a)
	if err != nil {
		return err
	}
	dst[0] = int32(r.Count())
	return nil
}
