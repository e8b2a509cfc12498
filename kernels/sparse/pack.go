package sparse

import (
	"encoding/binary"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Part is a tensor in a variant: the indices, the values or the shape of a sparse tensor. It
// is never changed.
type Part struct {
	DType tensor.DType
	Shape []int
	B     []byte // the elements, as they are in memory, if their type has a fixed size
	S     []string
	H     []tensor.Handle
}

const word = 8 // number of bytes of an index

// partBytes is the approximate number of bytes that a Part takes, apart from its elements.
const partBytes = 136

// Held implements mem.Holder.
func (p *Part) Held(seen map[any]bool) int {
	n := mem.Add(partBytes+len(p.B), mem.Add(len(p.S)*tensor.String.Size(), len(p.H)*tensor.Variant.Size()))
	return mem.Add(n, mem.Add(mem.Texts(p.S, seen), mem.Handles(p.H, seen)))
}

func putWord(dst []byte, v int64) { binary.NativeEndian.PutUint64(dst, uint64(v)) }

func getWord(src []byte) int64 { return int64(binary.NativeEndian.Uint64(src)) }

func appendWords(dst []byte, vs []int64) []byte {
	for _, v := range vs {
		dst = binary.NativeEndian.AppendUint64(dst, uint64(v))
	}
	return dst
}

// matrix returns a Part that holds a matrix of indices with n rows and rank columns. vector returns
// a Part that holds a vector.
func matrix(b []byte, n, rank int) *Part {
	return &Part{DType: tensor.Int64, Shape: []int{n, rank}, B: b}
}

func vector(b []byte) *Part {
	return &Part{DType: tensor.Int64, Shape: []int{len(b) / word}, B: b}
}

// pack stores a sparse tensor in dst, as three adjacent variants: the indices, of the shape [rows,
// cols], the values, and the shape. It does not check that the three parts belong together. The
// values take n bytes.
func pack(run *mem.Budget, dst []tensor.Handle, indices, shape []byte, rows, cols, n int, values func() *Part) {
	run.MustMake(mem.Add(len(indices)+len(shape)+3*partBytes, n))
	dst[0] = tensor.Handle{V: matrix(append([]byte{}, indices...), rows, cols)}
	dst[1] = tensor.Handle{V: values()}
	dst[2] = tensor.Handle{V: vector(append([]byte{}, shape...))}
}

// PackRaw stores copies of the three parts of a sparse tensor in dst, as variants of type *Part:
// the indices, of the shape [rows, cols], the values, of the type d, and the shape. It does not
// check that the three parts belong together.
func PackRaw(run *mem.Budget, dst []tensor.Handle, indices, values, shape []byte, rows, cols int, d tensor.DType) {
	pack(run, dst, indices, shape, rows, cols, len(values), func() *Part { return raws(d, values) })
}

// PackStr is PackRaw for strings.
func PackStr(run *mem.Budget, dst []tensor.Handle, indices []byte, values []string, shape []byte, rows, cols int, d tensor.DType) {
	pack(run, dst, indices, shape, rows, cols, len(values)*tensor.String.Size(), func() *Part { return strs(d, values) })
}

// PackHnd is PackRaw for handles.
func PackHnd(run *mem.Budget, dst []tensor.Handle, indices []byte, values []tensor.Handle, shape []byte, rows, cols int, d tensor.DType) {
	pack(run, dst, indices, shape, rows, cols, len(values)*tensor.Variant.Size(), func() *Part { return hnds(d, values) })
}

// raws returns a Part with copies of values whose type has a fixed size. strs does the same for
// strings, and hnds for handles.
func raws(d tensor.DType, values []byte) *Part {
	return &Part{DType: d, Shape: []int{len(values) / d.Size()}, B: append([]byte{}, values...)}
}

func strs(d tensor.DType, values []string) *Part {
	return &Part{DType: d, Shape: []int{len(values)}, S: append([]string{}, values...)}
}

func hnds(d tensor.DType, values []tensor.Handle) *Part {
	return &Part{DType: d, Shape: []int{len(values)}, H: append([]tensor.Handle{}, values...)}
}

// Batch checks a sparse tensor whose first dimension is the batch dimension, and returns the size of
// this dimension. It returns InvalidArgument for a rank below 2, for a bad shape, and for indices
// that are out of bounds, repeated or out of order.
func Batch(indices, shape []int64) (int, error) {
	rank := len(shape)
	if rank < 2 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "the rank of a batch of sparse tensors should be > 1, but is %d", rank)
	}
	if _, err := dense(shape); err != nil {
		return 0, err
	}
	if err := Inside(indices, shape); err != nil {
		return 0, err
	}
	for i := 1; i < len(indices)/rank; i++ {
		switch c := compare(row(indices, i-1, rank), row(indices, i, rank)); {
		case c > 0:
			return 0, tensor.Errorf(tensor.InvalidArgument, "indices[%d] is out of order: many sparse ops require sorted indices", i)
		case c == 0:
			return 0, tensor.Errorf(tensor.InvalidArgument, "indices[%d] is repeated", i)
		}
	}
	return int(shape[0]), nil
}

// batch calls visit once for each of the n elements b of a batch. The rows of indices that belong
// to b are those from lo up to, but not including, hi. The rows must be sorted.
func batch(call *mem.Call, indices []int64, rank, n int, visit func(b, lo, hi int)) {
	lo, rows := 0, len(indices)/rank
	for b := range n {
		call.Work(16)
		hi := lo
		for hi < rows && indices[hi*rank] == int64(b) {
			hi++
		}
		visit(b, lo, hi)
		lo = hi
	}
}

// inner appends the rows lo to hi-1 of indices to out, as words of 8 bytes. It leaves out the first
// column of these rows.
func inner(call *mem.Call, out []byte, indices []int64, rank, lo, hi int) []byte {
	if n := (hi - lo) * (rank - 1) * word; n > cap(out) {
		out = mem.Make[byte](call, n)[:0]
	}
	for i := lo; i < hi; i++ {
		call.Work(4 * rank)
		out = appendWords(out, row(indices, i, rank)[1:])
	}
	return out
}

// packMany does the work of pack for each element of a batch. part(lo, hi) returns a Part with the
// values lo to hi-1, which belong to one element. All elements without values share the same
// variants, because a batch may be large and nearly empty. The size of a value in bytes is given by
// the parameter each.
func packMany(run *mem.Budget, dst []tensor.Handle, indices, shape []int64, each int, part func(lo, hi int) *Part) {
	rank := len(shape)
	call := run.Call()
	rest := tensor.Handle{V: vector(appendWords(nil, shape[1:]))}
	none := [2]tensor.Handle{{V: matrix(nil, 0, rank-1)}, {V: part(0, 0)}}
	batch(&call, indices, rank, len(dst)/3, func(b, lo, hi int) {
		dst[3*b+2] = rest
		if lo == hi {
			copy(dst[3*b:], none[:])
			return
		}
		run.MustMake(mem.Add(2*partBytes, mem.Mul(hi-lo, each+(rank-1)*word)))
		rows := inner(&call, make([]byte, 0, (hi-lo)*(rank-1)*word), indices, rank, lo, hi)
		dst[3*b] = tensor.Handle{V: matrix(rows, hi-lo, rank-1)}
		dst[3*b+1] = tensor.Handle{V: part(lo, hi)}
	})
}

// PackManyRaw is PackRaw for each element of a batch that Batch has checked.
func PackManyRaw(run *mem.Budget, dst []tensor.Handle, indices []int64, values []byte, shape []int64, d tensor.DType) {
	size := d.Size()
	packMany(run, dst, indices, shape, size, func(lo, hi int) *Part { return raws(d, values[lo*size:hi*size]) })
}

// PackManyStr is PackManyRaw for strings.
func PackManyStr(run *mem.Budget, dst []tensor.Handle, indices []int64, values []string, shape []int64, d tensor.DType) {
	packMany(run, dst, indices, shape, d.Size(), func(lo, hi int) *Part { return strs(d, values[lo:hi]) })
}

// PackManyHnd is PackManyRaw for handles.
func PackManyHnd(run *mem.Budget, dst []tensor.Handle, indices []int64, values []tensor.Handle, shape []int64, d tensor.DType) {
	packMany(run, dst, indices, shape, d.Size(), func(lo, hi int) *Part { return hnds(d, values[lo:hi]) })
}
