// Package csr holds the kernels of sparse matrices in compressed sparse row (CSR) form. An
// element of TensorFlow's variant type holds one matrix, or a batch of matrices of one shape.
//
// A matrix never changes after a kernel has made it. The kernels that make matrices check their
// inputs. The other kernels can therefore rely on three facts: row pointers do not decrease, there is
// one column index for each value, and all column indices are in bounds.
package csr

import (
	"math"

	"github.com/graphc/graphc/rt/tensor"
)

// Matrix is a value of TensorFlow's CSRSparseMatrix.
type Matrix struct {
	DType             tensor.DType
	Batched           bool // whether the rank is 3; then the first dimension is Batch
	Batch, Rows, Cols int
	Starts            []int32 // where each matrix of the batch begins in Values; Batch+1 elements
	RowPtr            []int32 // where each row begins in the values of its matrix; Rows+1 for each matrix
	Col               []int32 // the column of each value
	Values            any     // a slice of DType.GoType()
}

// field is an element type of a matrix.
type field interface {
	float32 | float64 | complex64 | complex128
}

// dims returns the shape of the tensor: [Batch, Rows, Cols] if it has a batch dimension, otherwise
// [Rows, Cols].
func (m *Matrix) dims() []int {
	if m.Batched {
		return []int{m.Batch, m.Rows, m.Cols}
	}
	return []int{m.Rows, m.Cols}
}

// rows returns the row pointers and columns of matrix b of the batch, and the bounds lo and hi of
// its values in Values.
func (m *Matrix) rows(b int) (ptr, col []int32, lo, hi int) {
	lo, hi = int(m.Starts[b]), int(m.Starts[b+1])
	return m.RowPtr[b*(m.Rows+1) : (b+1)*(m.Rows+1)], m.Col[lo:hi], lo, hi
}

// of returns the matrix in h[0]. It returns InvalidArgument if h[0] is something other than a
// matrix, or if it is a batch of no matrices.
func of(h []tensor.Handle) (*Matrix, error) {
	if len(h) > 0 {
		if m, ok := h[0].V.(*Matrix); ok {
			if len(m.RowPtr) == 0 {
				return nil, tensor.Errorf(tensor.InvalidArgument, "a sparse matrix of the shape %v, an empty batch, is not valid", tensor.Shape(m.dims()))
			}
			return m, nil
		}
		return nil, tensor.Errorf(tensor.InvalidArgument, "the variant is a %T, a sparse matrix is required", h[0].V)
	}
	return nil, tensor.Errorf(tensor.InvalidArgument, "there is no sparse matrix")
}

// typed returns a matrix and its values, or InvalidArgument if they are not of type T.
func typed[T field](h []tensor.Handle) (*Matrix, []T, error) {
	m, err := of(h)
	if err != nil {
		return nil, nil, err
	}
	v, ok := m.Values.([]T)
	if !ok {
		return nil, nil, tensor.Errorf(tensor.InvalidArgument, "the sparse matrix is of the type %v, %v is required", m.DType, tensor.DTypeOf[T]())
	}
	return m, v, nil
}

// Dim returns dimension k of a matrix, or InvalidArgument if its shape does not have the given rank.
func Dim(h []tensor.Handle, k, rank int) (int, error) {
	m, err := of(h)
	if err != nil {
		return 0, err
	}
	if d := m.dims(); len(d) == rank {
		return d[k], nil
	}
	return 0, tensor.Errorf(tensor.InvalidArgument, "got a sparse matrix of shape %v; the program was compiled for rank %d", tensor.Shape(m.dims()), rank)
}

// IsShape returns InvalidArgument unless the shape of a matrix is dims. An element of -1 in dims
// matches any size.
func IsShape(h []tensor.Handle, dims []int) error {
	m, err := of(h)
	if err != nil {
		return err
	}
	have := m.dims()
	ok := len(have) == len(dims)
	for k := 0; ok && k < len(dims); k++ {
		ok = dims[k] < 0 || dims[k] == have[k]
	}
	if !ok {
		return tensor.Errorf(tensor.InvalidArgument, "got a sparse matrix of shape %v; the program was compiled for shape %v", tensor.Shape(have), tensor.Shape(dims))
	}
	return nil
}

// RoomOf returns the number of row pointers that a matrix of the given shape needs. n is the number
// of the matrix's values. RoomOf returns InvalidArgument for a rank that is not 2 or 3, for a
// negative dimension, and if the matrix has more columns, values or row pointers than an int32 can
// count.
func RoomOf(shape []int64, n int) (int, error) {
	if len(shape) != 2 && len(shape) != 3 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "a sparse matrix must have the rank 2 or 3, not %d", len(shape))
	}
	total := int64(1)
	for k, d := range shape {
		if d < 0 {
			return 0, tensor.Errorf(tensor.InvalidArgument, "dimension %d of a sparse matrix is %d, which is negative", k, d)
		}
		if d > 0 && total > math.MaxInt64/d {
			return 0, tensor.Errorf(tensor.InvalidArgument, "a sparse matrix would have too many elements")
		}
		total *= max(d, 1)
	}
	batch, rows := int64(1), shape[len(shape)-2]
	if len(shape) == 3 {
		batch = shape[0]
	}
	if shape[len(shape)-1] > math.MaxInt32 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "a sparse matrix of %d columns, more than an int32 counts", shape[len(shape)-1])
	}
	if batch >= math.MaxInt32 || n > math.MaxInt32 || rows >= math.MaxInt32 || batch > 0 && rows+1 > math.MaxInt32/batch {
		return 0, tensor.Errorf(tensor.InvalidArgument, "%d sparse matrices of %d rows with %d values: more than an int32 counts", batch, rows, n)
	}
	return int((rows + 1) * batch), nil
}

// RoomOfDims is RoomOf for the shape of a dense tensor.
func RoomOfDims(dims []int, n int) (int, error) {
	var shape [3]int64
	if len(dims) > 3 {
		return RoomOf(make([]int64, len(dims)), n)
	}
	for k, d := range dims {
		shape[k] = int64(d)
	}
	return RoomOf(shape[:len(dims)], n)
}

// build makes a matrix of the shape dims from the indices of its values, which are in bounds. It
// returns InvalidArgument if the batch index decreases from one value to the next. Values keep their
// order.
func build(indices []int64, dims []int, d tensor.DType, values any) (*Matrix, error) {
	rank := len(dims)
	m := &Matrix{DType: d, Batched: rank == 3, Batch: 1, Rows: dims[rank-2], Cols: dims[rank-1], Values: values}
	if m.Batched {
		m.Batch = dims[0]
	}
	n := len(indices) / rank
	m.Starts, m.RowPtr, m.Col = make([]int32, m.Batch+1), make([]int32, m.Batch*(m.Rows+1)), make([]int32, n)
	last := 0
	for i := range n {
		ix := indices[i*rank : (i+1)*rank]
		b := 0
		if m.Batched {
			b = int(ix[0])
		}
		if b < last {
			return nil, tensor.Errorf(tensor.InvalidArgument, "indices[%d] is out of order: it goes back from batch %d to %d", i, last, b)
		}
		last = b
		m.Starts[b+1]++
		m.RowPtr[b*(m.Rows+1)+int(ix[rank-2])+1]++
		m.Col[i] = int32(ix[rank-1])
	}
	m.sum()
	return m, nil
}

// sum turns the counts in RowPtr and Starts into offsets. The count for position i is stored at
// position i+1.
func (m *Matrix) sum() {
	for b := range m.Batch {
		m.Starts[b+1] += m.Starts[b]
		ptr := m.RowPtr[b*(m.Rows+1) : (b+1)*(m.Rows+1)]
		for r := range m.Rows {
			ptr[r+1] += ptr[r]
		}
	}
}

// inside returns InvalidArgument unless all rows of indices are in bounds of dims.
func inside(indices []int64, dims []int) error {
	for i, v := range indices {
		if d := dims[i%len(dims)]; v < 0 || v >= int64(d) {
			return tensor.Errorf(tensor.InvalidArgument, "index %d of row %d is %d, which is outside of a dimension of %d", i%len(dims), i/len(dims), v, d)
		}
	}
	return nil
}

// fromSparse makes a matrix from a sparse tensor whose shape RoomOf has checked.
func fromSparse[T field](dst []tensor.Handle, indices []int64, values []T, shape []int64) error {
	var room [3]int
	dims := room[:len(shape)]
	for k, d := range shape {
		dims[k] = int(d)
	}
	if err := inside(indices, dims); err != nil {
		return err
	}
	m, err := build(indices, dims, tensor.DTypeOf[T](), append([]T{}, values...))
	dst[0] = tensor.Handle{V: m}
	return err
}

// fromDense makes a matrix from those elements of a dense tensor whose positions are in indices.
// The tensor has the shape dims, which RoomOfDims has checked.
func fromDense[T field](dst []tensor.Handle, dense []T, indices []int64, dims []int) error {
	if err := inside(indices, dims); err != nil {
		return err
	}
	rank := len(dims)
	values := make([]T, len(indices)/rank)
	for i := range values {
		at := 0
		for k, v := range indices[i*rank : (i+1)*rank] {
			at = at*dims[k] + int(v)
		}
		values[i] = dense[at]
	}
	m, err := build(indices, dims, tensor.DTypeOf[T](), values)
	dst[0] = tensor.Handle{V: m}
	return err
}

// toDense converts a matrix to a dense one in dst.
func toDense[T field](dst []T, h []tensor.Handle) error {
	m, values, err := typed[T](h)
	if err != nil {
		return err
	}
	if len(dst) != m.Batch*m.Rows*m.Cols {
		return tensor.Errorf(tensor.InvalidArgument, "a sparse matrix of the shape %v is read as %d elements", tensor.Shape(m.dims()), len(dst))
	}
	clear(dst)
	for b := range m.Batch {
		ptr, col, lo, _ := m.rows(b)
		for r := range m.Rows {
			for k := ptr[r]; k < ptr[r+1]; k++ {
				dst[(b*m.Rows+r)*m.Cols+int(col[k])] = values[lo+int(k)]
			}
		}
	}
	return nil
}

// Count returns the number of values of one matrix of a batch of matrices. The parameter batch is
// the index of this matrix, and must be less than the number of matrices. If the index is negative,
// Count returns the number of values of all matrices together.
func Count(h []tensor.Handle, batch int) (int, error) {
	m, err := of(h)
	switch {
	case err != nil:
		return 0, err
	case batch < 0:
		return len(m.Col), nil
	}
	return int(m.Starts[batch+1] - m.Starts[batch]), nil
}

// CountOf returns the number of values of matrix index[0] of a batch, or InvalidArgument if
// index[0] is out of range.
func CountOf(h []tensor.Handle, index []int32) (int, error) {
	m, err := of(h)
	if err != nil {
		return 0, err
	}
	if index[0] < 0 || int(index[0]) >= m.Batch {
		return 0, tensor.Errorf(tensor.InvalidArgument, "index (%d) not in [0, %d)", index[0], m.Batch)
	}
	return Count(h, int(index[0]))
}

// NNZ sets dst to the number of values of each matrix of a batch.
func NNZ(dst []int32, h []tensor.Handle) error {
	m, err := of(h)
	if err != nil {
		return err
	}
	if len(dst) != m.Batch {
		return tensor.Errorf(tensor.InvalidArgument, "a batch of %d sparse matrices is read as %d", m.Batch, len(dst))
	}
	for b := range dst {
		dst[b] = m.Starts[b+1] - m.Starts[b]
	}
	return nil
}

// toSparse converts a matrix to a sparse tensor: indices, values and shape.
func toSparse[T field](indices []int64, dst []T, shape []int64, h []tensor.Handle) error {
	m, values, err := typed[T](h)
	if err != nil {
		return err
	}
	dims := m.dims()
	if len(dst) != len(values) || len(shape) != len(dims) || len(indices) != len(dst)*len(dims) {
		return tensor.Errorf(tensor.InvalidArgument, "a sparse matrix of the shape %v with %d values is read as one of rank %d with %d", tensor.Shape(dims), len(values), len(shape), len(dst))
	}
	for k, d := range dims {
		shape[k] = int64(d)
	}
	copy(dst, values)
	at := 0
	for b := range m.Batch {
		ptr, col, _, _ := m.rows(b)
		for r := range m.Rows {
			for _, c := range col[ptr[r]:ptr[r+1]] {
				if m.Batched {
					indices[at] = int64(b)
					at++
				}
				indices[at], indices[at+1] = int64(r), int64(c)
				at += 2
			}
		}
	}
	return nil
}

// components copies the row pointers, the columns and the values of matrix index[0] of a batch to
// ptr, col and dst.
func components[T field](ptr, col []int32, dst []T, h []tensor.Handle, index []int32) error {
	m, values, err := typed[T](h)
	if err != nil {
		return err
	}
	n, err := CountOf(h, index)
	if err != nil {
		return err
	}
	if len(ptr) != m.Rows+1 || len(col) != n || len(dst) != n {
		return tensor.Errorf(tensor.InvalidArgument, "a sparse matrix of %d rows with %d values is read as one of %d rows with %d", m.Rows, n, len(ptr)-1, len(dst))
	}
	p, c, lo, hi := m.rows(int(index[0]))
	copy(ptr, p)
	copy(col, c)
	copy(dst, values[lo:hi])
	return nil
}

// Reserve does nothing. Its argument is scratch memory at least as large as the matrix that the next
// kernel builds. The run's memory budget includes scratch, and thus covers that matrix.
func Reserve([]byte) {}
