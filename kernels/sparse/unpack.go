package sparse

import (
	"math"

	"github.com/graphc/graphc/kernels/tensorproto"
	"github.com/graphc/graphc/rt/tensor"
)

// packed is a sequence of sparse tensors. Each has three pieces: tensor i has the indices in piece
// 3i, the values in piece 3i+1, and the shape in piece 3i+2.
type packed interface {
	// piece returns the type and shape of piece k, or InvalidArgument if it is not a tensor.
	piece(k int) (tensor.DType, []int, error)
	// raw copies the elements of piece k, which have a fixed size.
	raw(k int, dst []byte)
}

type texts []string

func (t texts) piece(k int) (tensor.DType, []int, error) {
	m, err := tensorproto.Parse(t[k])
	if err == nil && m.Len > tensor.MaxBytes/max(m.DType.Size(), 1) {
		err = tensor.Errorf(tensor.InvalidArgument, "a serialized tensor of %d elements", m.Len)
	}
	return m.DType, m.Shape, err
}

func (t texts) raw(k int, dst []byte) {
	if m, err := tensorproto.Parse(t[k]); err == nil {
		m.Raw(dst)
	}
}

type parts []tensor.Handle

func (p parts) piece(k int) (tensor.DType, []int, error) {
	v, ok := p[k].V.(*Part)
	if !ok {
		return 0, nil, tensor.Errorf(tensor.InvalidArgument, "could not get a tensor from serialized_sparse[%d, %d]: it is a %T", k/3, k%3, p[k].V)
	}
	return v.DType, v.Shape, nil
}

func (p parts) raw(k int, dst []byte) {
	if v, ok := p[k].V.(*Part); ok {
		copy(dst, v.B)
	}
}

// sizes checks n sparse tensors with values of type d. It returns the total number of values and
// the rank that all tensors have.
func sizes(src packed, n int, d tensor.DType) (values, rank int, err error) {
	if n == 0 {
		return 0, 0, tensor.Errorf(tensor.InvalidArgument, "serialized sparse should have at least 1 serialized tensor")
	}
	for i := range n {
		t, ix, err := src.piece(3 * i)
		if err != nil {
			return 0, 0, err
		}
		if t != tensor.Int64 || len(ix) != 2 {
			return 0, 0, tensor.Errorf(tensor.InvalidArgument, "serialized_sparse[%d, 0] should be a matrix of indices, not %v of the shape %v", i, t, tensor.Shape(ix))
		}
		t, vs, err := src.piece(3*i + 1)
		if err != nil {
			return 0, 0, err
		}
		if t != d || len(vs) != 1 || vs[0] != ix[0] {
			return 0, 0, tensor.Errorf(tensor.InvalidArgument, "serialized_sparse[%d, 1] should be %d values of %v, not %v of the shape %v", i, ix[0], d, t, tensor.Shape(vs))
		}
		t, sh, err := src.piece(3*i + 2)
		if err != nil {
			return 0, 0, err
		}
		if t != tensor.Int64 || len(sh) != 1 || sh[0] != ix[1] {
			return 0, 0, tensor.Errorf(tensor.InvalidArgument, "serialized_sparse[%d, 2] should be a shape of %d dimensions, not %v of the shape %v", i, ix[1], t, tensor.Shape(sh))
		}
		if i > 0 && ix[1] != rank {
			return 0, 0, tensor.Errorf(tensor.InvalidArgument, "inconsistent shape across sparse tensors: rank %d, but that of tensor %d is %d", rank, i, ix[1])
		}
		if vs[0] > math.MaxInt-values {
			return 0, 0, tensor.Errorf(tensor.InvalidArgument, "the sparse tensors have too many values")
		}
		rank, values = ix[1], values+vs[0]
	}
	return values, rank, nil
}

// stack stacks the sparse tensors that sizes has checked. The parameter dims is the shape in which
// they are arranged. stack writes the stacked indices to out, as a matrix of 8-byte words with
// len(dims)+rank columns. Each row begins with its tensor's position in dims. stack sets shape to
// dims followed by the largest size that a tensor has in each dimension. If dims is not empty,
// stack returns InvalidArgument for a tensor with a negative dimension.
func stack(out []byte, shape []int64, src packed, dims []int, rank int) error {
	if rank > maxRank {
		return tensor.Errorf(tensor.InvalidArgument, "a sparse tensor of rank %d; at most %d is supported", rank, maxRank)
	}
	lead := len(dims)
	wide := (lead + rank) * word
	n := 1
	for k, d := range dims {
		shape[k] = int64(d)
		n *= d
	}
	for i := range n {
		_, ix, _ := src.piece(3 * i)
		// Read the indices of this tensor into the beginning of rows. Then move each row to its
		// final place, and write the tensor's position in dims before it. Rows are moved from the
		// last to the first, so that no row is overwritten before it is moved.
		rows := out[:ix[0]*wide]
		out = out[len(rows):]
		src.raw(3*i, rows[:ix[0]*rank*word])
		for r := ix[0] - 1; r >= 0; r-- {
			to := rows[r*wide : (r+1)*wide]
			copy(to[lead*word:], rows[r*rank*word:(r+1)*rank*word])
			rest := i
			for k := lead - 1; k >= 0; k-- {
				putWord(to[k*word:], int64(rest%dims[k]))
				rest /= dims[k]
			}
		}
		var one [maxRank * word]byte
		src.raw(3*i+2, one[:rank*word])
		for k := range rank {
			d := getWord(one[k*word:])
			if d < 0 && lead > 0 {
				return tensor.Errorf(tensor.InvalidArgument, "dimension %d of sparse tensor %d is %d, which is negative", k, i, d)
			}
			if i == 0 || d > shape[lead+k] {
				shape[lead+k] = d
			}
		}
	}
	return nil
}

// renew normalizes the rows of indices in out: an index that exceeds its dimension carries over to
// the dimension before it. It returns InvalidArgument if out has rows but a tensor of the given
// shape has no elements.
func renew(out []byte, shape []int64) error {
	total, err := dense(shape)
	if err != nil {
		return err
	}
	if total == 0 && len(out) > 0 {
		return tensor.Errorf(tensor.InvalidArgument, "stacked sparse tensors have values, but their shape is empty")
	}
	wide := len(shape) * word
	for r := 0; r < len(out); r += wide {
		place := int64(0)
		for k, d := range shape {
			place = place*d + getWord(out[r+k*word:])
		}
		for k := len(shape) - 1; k > 0; k-- {
			putWord(out[r+k*word:], place%shape[k])
			place /= shape[k]
		}
		putWord(out[r:], place)
	}
	return nil
}

// maxRank is the largest rank that TensorFlow supports.
const maxRank = 254

// TextSizes checks serialized sparse tensors, three strings each, with values of type d. It returns
// the total number of values and the rank of the tensors. It returns InvalidArgument if src is
// empty, if a string cannot be parsed, if the three strings of a tensor do not belong together, or
// if the tensors differ in rank.
func TextSizes(src []string, d tensor.DType) (values, rank int, err error) {
	return sizes(texts(src), len(src)/3, d)
}

// PartSizes is TextSizes for variants.
func PartSizes(src []tensor.Handle, d tensor.DType) (values, rank int, err error) {
	return sizes(parts(src), len(src)/3, d)
}

// StackTexts stacks the sparse tensors that TextSizes has checked. The parameter dims is the shape
// in which they are arranged. StackTexts writes the stacked indices to out, as a matrix of 8-byte
// words with len(dims)+rank columns. Each row begins with its tensor's position in dims. StackTexts
// sets shape to dims followed by the largest size that a tensor has in each dimension.
//
// If dims is not empty, StackTexts returns InvalidArgument for a tensor with a negative dimension.
// If dims has two elements or more, an index that exceeds its dimension carries over to the
// dimension before it, as after a reshape.
func StackTexts(out []byte, shape []int64, src []string, dims []int, rank int) error {
	if err := stack(out, shape, texts(src), dims, rank); err != nil || len(dims) < 2 {
		return err
	}
	return renew(out, shape)
}

// StackParts is StackTexts for variants, but never carries an index over.
func StackParts(out []byte, shape []int64, src []tensor.Handle, dims []int, rank int) error {
	return stack(out, shape, parts(src), dims, rank)
}

// TextValuesRaw joins the values of the sparse tensors that TextSizes has checked. size is the
// size of a value in bytes.
func TextValuesRaw(dst []byte, src []string, size int) {
	for i := 1; i < len(src); i += 3 {
		if m, err := tensorproto.Parse(src[i]); err == nil {
			m.Raw(dst[:m.Len*size])
			dst = dst[m.Len*size:]
		}
	}
}

// TextValuesStr is TextValuesRaw for strings.
func TextValuesStr(dst, src []string, _ int) {
	for i := 1; i < len(src); i += 3 {
		if m, err := tensorproto.Parse(src[i]); err == nil {
			m.Strings(dst[:m.Len])
			dst = dst[m.Len:]
		}
	}
}

// join concatenates the values of variants.
func join[T any](dst []T, src []tensor.Handle, values func(*Part) []T) {
	for i := 1; i < len(src); i += 3 {
		if v, ok := src[i].V.(*Part); ok {
			dst = dst[copy(dst, values(v)):]
		}
	}
}

// PartValuesRaw joins the values of the sparse tensors that PartSizes has checked.
func PartValuesRaw(dst []byte, src []tensor.Handle, _ int) {
	join(dst, src, func(p *Part) []byte { return p.B })
}

// PartValuesStr is PartValuesRaw for strings.
func PartValuesStr(dst []string, src []tensor.Handle, _ int) {
	join(dst, src, func(p *Part) []string { return p.S })
}

// PartValuesHnd is PartValuesRaw for handles.
func PartValuesHnd(dst, src []tensor.Handle, _ int) {
	join(dst, src, func(p *Part) []tensor.Handle { return p.H })
}
