package variable

import (
	"slices"
	"sync"

	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/rt/tensor"
)

// StridedParams holds the masks of a strided slice. Bit i of each mask belongs to element i of
// begin, end and step. A bit of Begin makes the slice ignore that element of begin, and a bit of
// End does the same for end. If bit i of Ellipsis is set, begin[i], end[i] and step[i] are ignored,
// and position i covers all axes that no other position covers. A bit of NewAxis adds an axis of
// size 1. A bit of Shrink selects only the position begin[i], and drops the axis.
type StridedParams struct{ Begin, End, Ellipsis, NewAxis, Shrink int }

// slice is a strided slice of a variable. dims is the shape of the slice. strides and offset say
// where the elements of the slice are in the variable. from holds the strides of the value that is
// assigned to the slice.
type slice struct {
	rank                int // of the slice
	dims, strides, from [array.MaxRank]int
	offset              int
}

// spare holds unused values of type *slice for reuse. A local variable of type slice in the function
// strided would be allocated on the heap in each call: parts of the variable are passed to the
// function parameter move, so escape analysis assumes that the variable escapes.
var spare sync.Pool

func (s *slice) axis(n, stride int) error {
	if s.rank == array.MaxRank {
		return tensor.Errorf(tensor.Unimplemented, "a slice of more than %d axes", array.MaxRank)
	}
	s.dims[s.rank], s.strides[s.rank] = n, stride
	s.rank++
	return nil
}

func strided[T any, I int32 | int64](v []tensor.Handle, src []T, begin, end, step []I, shape []int, p StridedParams,
	move func(dst, src []T, dims, dstStrides []int, dstOff int, srcStrides []int, srcOff int)) error {
	y, data, err := hold[T](v)
	if err != nil {
		return err
	}
	defer y.Unlock()
	s, _ := spare.Get().(*slice)
	if s == nil {
		s = new(slice)
	}
	defer spare.Put(s)
	*s = slice{}
	if err := cut(s, y.Shape, begin, end, step, p); err != nil {
		return err
	}
	lead := s.rank - len(shape)
	if lead < 0 {
		return misfit(s, shape)
	}
	stride := 1
	for k := len(shape) - 1; k >= 0; k-- {
		switch shape[k] {
		case s.dims[lead+k]:
			s.from[lead+k] = stride
		case 1:
		default:
			return misfit(s, shape)
		}
		stride *= shape[k]
	}
	move(data, src, s.dims[:s.rank], s.strides[:s.rank], s.offset, s.from[:s.rank], 0)
	return nil
}

func misfit(s *slice, shape []int) error {
	return tensor.Errorf(tensor.InvalidArgument, "a value of the shape %v does not fit the slice of the shape %v",
		tensor.Shape(slices.Clone(shape)), tensor.Shape(slices.Clone(s.dims[:s.rank])))
}

// cut sets s to a strided slice of a tensor of the shape dims.
func cut[I int32 | int64](s *slice, dims []int, begin, end, step []I, p StridedParams) error {
	if len(end) != len(begin) || len(step) != len(begin) || len(begin) >= 32 {
		return tensor.Errorf(tensor.InvalidArgument, "begin, end and strides have %d, %d and %d elements", len(begin), len(end), len(step))
	}
	named, ellipses := 0, 0
	for i := range begin {
		switch {
		case p.Ellipsis>>i&1 != 0:
			ellipses++
		case p.NewAxis>>i&1 == 0:
			named++
		}
	}
	if ellipses > 1 || p.Ellipsis&(p.Ellipsis-1) != 0 || named > len(dims) {
		return tensor.Errorf(tensor.InvalidArgument, "a slice with %d ellipses over %d axes of a tensor of rank %d", ellipses, named, len(dims))
	}
	stride := 1
	for _, d := range dims {
		stride *= d
	}
	k := 0
	next := func() (n, w int) { // size and stride of axis k
		if n = dims[k]; n > 0 {
			stride /= n
		}
		k++
		return n, stride
	}
	for i := range begin {
		switch {
		case p.Ellipsis>>i&1 != 0:
			for range len(dims) - named {
				if err := s.axis(next()); err != nil {
					return err
				}
			}
		case p.NewAxis>>i&1 != 0:
			if err := s.axis(1, 0); err != nil {
				return err
			}
		case p.Shrink>>i&1 != 0:
			if step[i] <= 0 {
				return tensor.Errorf(tensor.InvalidArgument, "only a positive stride is allowed with a single index, not %d", step[i])
			}
			n, w := next()
			at, err := array.Index(int(begin[i]), n)
			if err != nil {
				return err
			}
			s.offset += at * w
		default:
			size, w := next()
			first, n, err := array.SliceRange(int(begin[i]), int(end[i]), int(step[i]), size,
				array.SliceFlags{NoBegin: p.Begin>>i&1 != 0, NoEnd: p.End>>i&1 != 0})
			if err != nil {
				return err
			}
			s.offset += first * w
			if err := s.axis(n, w*int(step[i])); err != nil {
				return err
			}
		}
	}
	for k < len(dims) {
		if err := s.axis(next()); err != nil {
			return err
		}
	}
	return nil
}
