package variable

import (
	"slices"

	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/kernels/gather"
	"github.com/graphc/graphc/rt/tensor"
)

func update[T any](v []tensor.Handle, x []T, shape []int, op func(dst, a, b []T, s elem.Dims)) error {
	y, data, err := hold[T](v)
	if err != nil {
		return err
	}
	defer y.Unlock()
	if err := y.Has(shape); err != nil {
		return err
	}
	if len(data) > 0 {
		op(data, data, x, elem.Dims{N: 1, A: [elem.MaxRank]int{len(data)}, B: [elem.MaxRank]int{len(data)}})
	}
	return nil
}

func countUpTo[T int32 | int64](dst []T, v []tensor.Handle, limit int) error {
	y, data, err := hold[T](v)
	if err != nil {
		return err
	}
	defer y.Unlock()
	if len(y.Shape) != 0 {
		return tensor.Errorf(tensor.InvalidArgument, "the variable %q has the shape %v, a scalar is required", y.Name, tensor.Shape(y.Shape))
	}
	if int64(data[0]) >= int64(limit) {
		return tensor.Errorf(tensor.OutOfRange, "the variable %q has reached its limit %d", y.Name, limit)
	}
	dst[0] = data[0]
	data[0]++
	return nil
}

func gatherRows[T any, I int32 | int64](dst []T, v []tensor.Handle, indices []I, shape []int, p gather.Params,
	op func(dst, params []T, indices []I, p gather.Params) error) error {
	y, data, err := holdToRead[T](v)
	if err != nil {
		return err
	}
	defer y.Unlock()
	if err := y.Has(shape); err != nil {
		return err
	}
	return op(dst, data, indices, p)
}

func gatherNd[T any, I int32 | int64](dst []T, v []tensor.Handle, indices []I, shape []int, depth, n, inner int,
	op func(dst, params []T, indices []I, dims []int, n, inner int) error) error {
	y, data, err := holdToRead[T](v)
	if err != nil {
		return err
	}
	defer y.Unlock()
	if err := y.Has(shape); err != nil {
		return err
	}
	return op(dst, data, indices, y.Shape[:depth], n, inner)
}

// ScatterParams describes a scatter of updates into a variable. Without Nd, each index selects a
// slice along the first axis of the variable. updates.shape is then [] or
// indices.shape + variable.shape[1:]. With Nd, each row along the last axis of indices is a
// position in the variable's first axes. The number of these axes, here called depth, is the length
// of the row. updates.shape is then indices.shape[:-1] + variable.shape[depth:]. If Lenient is set,
// positions out of bounds are skipped.
type ScatterParams struct{ Nd, Lenient bool }

func scatter[T any, I int32 | int64](v []tensor.Handle, updates []T, indices []I, ix, up []int, p ScatterParams,
	op func(dst, src, updates []T, indices []I, dims []int, p gather.ScatterParams) error) error {
	y, data, err := hold[T](v)
	if err != nil {
		return err
	}
	defer y.Unlock()
	depth, lead := 1, ix
	if p.Nd {
		if len(ix) == 0 {
			return tensor.Errorf(tensor.InvalidArgument, "indices must be at least a vector")
		}
		depth, lead = ix[len(ix)-1], ix[:len(ix)-1]
	}
	if depth > len(y.Shape) || len(y.Shape) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "the variable %q has the shape %v, indices %v do not fit it", y.Name, tensor.Shape(y.Shape), tensor.Shape(slices.Clone(ix)))
	}
	rest := y.Shape[depth:]
	q := gather.ScatterParams{N: product(lead), Inner: product(rest), Lenient: p.Lenient, Scalar: !p.Nd && len(up) == 0}
	if !q.Scalar && (len(up) != len(lead)+len(rest) || !slices.Equal(up[:len(lead)], lead) || !slices.Equal(up[len(lead):], rest)) {
		return tensor.Errorf(tensor.InvalidArgument, "updates %v do not fit indices %v and the variable %q of the shape %v",
			tensor.Shape(slices.Clone(up)), tensor.Shape(slices.Clone(ix)), y.Name, tensor.Shape(y.Shape))
	}
	return op(data, data, updates, indices, y.Shape[:depth], q)
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}
