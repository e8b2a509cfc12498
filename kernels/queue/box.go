// Package queue holds the kernels of resources that pass tensors from run to run: queues, staging
// areas, barriers, accumulators, and the tensors that a session keeps by handles.
//
// The Put kernels copy a tensor of a run to a resource.Box, which a resource can keep. The Get
// kernels copy it back. A tuple is given as a slice of handles, each of which holds the box of one
// component.
package queue

import (
	"slices"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

func put[T any](dst []tensor.Handle, src []T, dims []int, d tensor.DType) {
	dst[0] = tensor.Handle{V: &resource.Box{DType: d, Shape: slices.Clone(dims), Data: slices.Clone(src)}}
}

// boxBytes is the memory in bytes of a row besides its elements: a resource.Box and a pointer.
const boxBytes = 56

func putRows[T any](run *mem.Budget, dst []tensor.Handle, src []T, dims []int, d tensor.DType) {
	run.MustMake(mem.Mul(dims[0], boxBytes))
	src = slices.Clone(src)
	row := slices.Clone(dims[1:])
	n := 1
	for _, k := range row {
		n *= k
	}
	r := &resource.Rows{DType: d, Shape: row, Boxes: make([]*resource.Box, dims[0])}
	boxes := make([]resource.Box, dims[0])
	for i := range boxes {
		boxes[i] = resource.Box{DType: d, Shape: row, Data: src[i*n:][:n:n]}
		r.Boxes[i] = &boxes[i]
	}
	dst[0] = tensor.Handle{V: r}
}

func get[T any](dst []T, src []tensor.Handle, d tensor.DType) error {
	switch b := src[0].V.(type) {
	case *resource.Box:
		data, ok := b.Data.([]T)
		if !ok || b.DType != d {
			return wrongType(b.DType, d)
		}
		if len(data) != len(dst) {
			return tensor.Errorf(tensor.InvalidArgument, "a tensor of %d elements is read as one of %d", len(data), len(dst))
		}
		copy(dst, data)
	case *resource.Rows:
		if b.DType != d {
			return wrongType(b.DType, d)
		}
		n := 1
		for _, k := range b.Shape {
			n *= k
		}
		if n*len(b.Boxes) != len(dst) {
			return tensor.Errorf(tensor.InvalidArgument, "a tensor of %d elements is read as one of %d", n*len(b.Boxes), len(dst))
		}
		for i, x := range b.Boxes {
			data, ok := x.Data.([]T)
			if !ok {
				return wrongType(x.DType, d)
			}
			corner(dst[i*n:][:n], data, b.Shape, x.Shape)
		}
	default:
		return tensor.Errorf(tensor.Internal, "the component is a %T, not a tensor", b)
	}
	return nil
}

func wrongType(have, want tensor.DType) error {
	return tensor.Errorf(tensor.InvalidArgument, "a tensor of type %v is read as %v", have, want)
}

// corner copies the tensor src to the beginning of each dimension of the larger tensor dst, and
// sets the other elements of dst to zero. The shape of src is small, and the shape of dst is big.
// Both have the same rank.
func corner[T any](dst, src []T, big, small []int) {
	if slices.Equal(big, small) {
		copy(dst, src)
		return
	}
	b, s := 1, 1
	for i := range big[1:] {
		b, s = b*big[1+i], s*small[1+i]
	}
	for i := range small[0] {
		corner(dst[i*b:][:b], src[i*s:][:s], big[1:], small[1:])
	}
	clear(dst[small[0]*b:])
}

// Dim returns the size of one dimension of the tensor in src. The parameter axis is the index of this
// dimension. Dim returns InvalidArgument if the tensor does not have the given rank.
func Dim(src []tensor.Handle, axis, rank int) (int, error) {
	shape, have := []int(nil), 0
	switch b := src[0].V.(type) {
	case *resource.Box:
		shape, have = b.Shape, len(b.Shape)
	case *resource.Rows:
		if have = 1 + len(b.Shape); axis == 0 && have == rank {
			return len(b.Boxes), nil
		}
		shape, axis = b.Shape, axis-1
	default:
		return 0, tensor.Errorf(tensor.Internal, "the component is a %T, not a tensor", b)
	}
	if have != rank {
		return 0, tensor.Errorf(tensor.InvalidArgument, "got a tensor of rank %d; the program was compiled for rank %d", have, rank)
	}
	return shape[axis], nil
}

// CheckShape returns InvalidArgument unless the tensor in src has a suitable shape. The tensor's first
// dimensions may have any size; the parameter lead is the number of these dimensions. The dimensions
// after them must be equal to dims, where -1 means any size.
func CheckShape(src []tensor.Handle, lead int, dims []int) error {
	for k, d := range dims {
		if have, err := Dim(src, lead+k, lead+len(dims)); err != nil {
			return err
		} else if d >= 0 && have != d {
			return tensor.Errorf(tensor.InvalidArgument, "dimension %d of a tensor is %d; the program was compiled for %d", lead+k, have, d)
		}
	}
	if len(dims) == 0 && lead > 0 {
		_, err := Dim(src, 0, lead)
		return err
	}
	if len(dims) == 0 {
		if b, ok := src[0].V.(*resource.Box); !ok || len(b.Shape) != 0 {
			return tensor.Errorf(tensor.InvalidArgument, "got a tensor of another rank; the program was compiled for a scalar")
		}
	}
	return nil
}
