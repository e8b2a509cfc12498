package sparse

import (
	"github.com/graphc/graphc/rt/tensor"
)

// places sets dst[i] to the row-major position of row i of indices in a dense tensor of the
// shape dims. It returns InvalidArgument for an index out of bounds. If ordered is set, it also
// returns InvalidArgument unless each row comes after the previous one in row-major order.
func places[I int32 | int64](dst []int64, indices []I, dims []int, ordered bool) error {
	if _, err := tensor.Shape(dims).Len(); err != nil {
		return err
	}
	rank := len(dims)
	for i := range dst {
		ix := indices[i*rank : (i+1)*rank]
		at := int64(0)
		for k, v := range ix {
			if int64(v) < 0 || int64(v) >= int64(dims[k]) {
				return tensor.Errorf(tensor.InvalidArgument, "index %d of row %d is %d, which is outside of a dimension of %d", k, i, v, dims[k])
			}
			at = at*int64(dims[k]) + int64(v)
		}
		if ordered && i > 0 {
			if at == dst[i-1] {
				return tensor.Errorf(tensor.InvalidArgument, "indices[%d] is repeated", i)
			}
			if at < dst[i-1] {
				return tensor.Errorf(tensor.InvalidArgument, "indices[%d] is out of order: many sparse ops require sorted indices", i)
			}
		}
		dst[i] = at
	}
	return nil
}

// DensePlaces prepares an operation on a sparse tensor and a dense tensor, where the dense tensor
// is broadcast to the shape of the sparse one. It sets dst[i] to the position of the dense element
// that corresponds to row i of indices. shape is the shape of the sparse tensor, and dims is the
// shape of the dense tensor. DensePlaces returns InvalidArgument if the dense tensor cannot be
// broadcast to the sparse tensor's shape, if an index is out of bounds, and if the sparse tensor
// does not have a rank from 1 to 5.
func DensePlaces(dst, indices, shape []int64, dims []int) error {
	if _, err := dense(shape); err != nil {
		return err
	}
	lead := len(shape) - len(dims)
	if lead < 0 {
		return tensor.Errorf(tensor.InvalidArgument, "a dense tensor of rank %d does not broadcast to a sparse one of rank %d", len(dims), len(shape))
	}
	for k, d := range dims {
		if int64(d) != shape[lead+k] && d != 1 || int64(d) > shape[lead+k] {
			return tensor.Errorf(tensor.InvalidArgument, "a dense dimension of %d does not broadcast to a sparse one of %d", d, shape[lead+k])
		}
	}
	if len(shape) < 1 || len(shape) > 5 {
		return tensor.Errorf(tensor.InvalidArgument, "only tensors of the ranks 1 to 5 are supported, not of rank %d", len(shape))
	}
	for i := range dst {
		at := int64(0)
		for k, v := range row(indices, i, len(shape)) {
			if v < 0 || v >= shape[k] {
				return tensor.Errorf(tensor.InvalidArgument, "index %d of row %d is %d, which is outside of a dimension of %d", k, i, v, shape[k])
			}
			if k < lead {
				continue
			}
			at *= int64(dims[k-lead])
			if dims[k-lead] != 1 {
				at += v
			}
		}
		dst[i] = at
	}
	return nil
}

// NonZeroRaw returns InvalidArgument if an element is 0 or, for floats, -0. size is the size
// of an element in bytes.
func NonZeroRaw(x []byte, size int, float bool) error {
	sign := byte(0)
	if float {
		sign = 0x80
	}
	for i := 0; i < len(x); i += size {
		any := x[i+size-1] &^ sign
		for _, v := range x[i : i+size-1] {
			any |= v
		}
		if any == 0 {
			return tensor.Errorf(tensor.InvalidArgument, "a sparse tensor cannot be divided by 0, which element %d of the dense one is", i/size)
		}
	}
	return nil
}

// IsShape returns InvalidArgument unless a sparse tensor's shape is dims.
func IsShape(shape []int64, dims []int) error {
	for k, d := range dims {
		if shape[k] != int64(d) {
			return tensor.Errorf(tensor.InvalidArgument, "dimension %d is %d on the sparse side and %d on the dense one; nothing is broadcast", k, shape[k], d)
		}
	}
	return nil
}
