package csr

import (
	"math"
	"math/bits"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// checkPermutation checks the permutations of a batch of matrices with n rows. They are stored in
// perm, one after the other. It returns InvalidArgument if one of them does not contain each number
// from 0 to n-1 exactly once. seen is scratch of n elements.
func checkPermutation(perm []int32, n int, seen []bool) error {
	for at := 0; at < len(perm); at += n {
		clear(seen)
		for i, v := range perm[at : at+n] {
			if v < 0 || int(v) >= n || seen[v] {
				return tensor.Errorf(tensor.InvalidArgument, "permutation[%d] is %d: it should have each number from 0 to %d once", at+i, v, n-1)
			}
			seen[v] = true
		}
	}
	return nil
}

// elimination is the lower triangle of a permuted matrix, by rows, and the elimination tree
// of the rows processed so far.
type elimination struct {
	call    *mem.Call
	rows    [][]source
	parent  []int
	mark    []int
	pattern []int32
}

// source locates an element of the permuted matrix in the original.
type source struct {
	col  int32
	at   int  // among all values
	conj bool // whether the permutation moved the element above the diagonal, so that its conjugate is used
}

// sourceBytes is the size in bytes of a source.
const sourceBytes = 24

// newElimination permutes the lower triangle of one matrix of a batch. The parameter batch is the
// index of this matrix.
func newElimination(call *mem.Call, a *Matrix, batch int, perm []int32) *elimination {
	place := mem.Make[int32](call, len(perm))
	for i, p := range perm {
		place[p] = int32(i)
	}
	ptr, col, lo, hi := a.rows(batch)
	call.Need(mem.Mul(hi-lo, 2*sourceBytes)) // the slices in rows may get twice the necessary capacity
	e := &elimination{call: call, rows: mem.Make[[]source](call, a.Rows), parent: mem.Make[int](call, a.Rows), mark: mem.Make[int](call, a.Rows)}
	for r := range a.Rows {
		for k := ptr[r]; k < ptr[r+1]; k++ {
			if int(col[k]) > r {
				continue
			}
			i, s := place[r], source{place[col[k]], lo + int(k), false}
			if i < s.col {
				i, s.col, s.conj = s.col, i, true
			}
			e.rows[i] = append(e.rows[i], s)
		}
	}
	return e
}

// row returns the sorted columns of row k of L, without the diagonal. These are the nodes on the
// paths that lead from the columns of row k of the permuted matrix to the roots of the elimination
// tree of rows 0 to k-1.
func (e *elimination) row(k int) []int32 {
	e.parent[k], e.mark[k] = -1, k+1
	e.pattern = e.pattern[:0]
	for _, s := range e.rows[k] {
		for i := int(s.col); e.mark[i] != k+1; i = e.parent[i] {
			if e.parent[i] == -1 {
				e.parent[i] = k
			}
			e.mark[i] = k + 1
			e.pattern = append(e.pattern, int32(i))
		}
	}
	n := len(e.pattern)
	e.call.Work(len(e.rows[k]) + n*(2+bits.Len(uint(n))))
	sortInts(e.call, e.pattern)
	return e.pattern
}

// CholeskyRoom returns the total number of values in the factors L of all matrices of the batch,
// for the permutations in perm. It returns InvalidArgument for a matrix that is not square and for
// an invalid permutation. It returns ResourceExhausted for more values than an int32 can count.
func CholeskyRoom(run *mem.Budget, h []tensor.Handle, perm []int32) (int, error) {
	a, err := of(h)
	if err != nil {
		return 0, err
	}
	n := a.Rows
	if a.Cols != n {
		return 0, tensor.Errorf(tensor.InvalidArgument, "the sparse matrix must be square, it has the shape %v", tensor.Shape(a.dims()))
	}
	if len(perm) != a.Batch*n {
		return 0, tensor.Errorf(tensor.InvalidArgument, "the permutation has %d elements for %d matrices of %d rows", len(perm), a.Batch, n)
	}
	call := run.Call()
	defer call.Free()
	if n > 0 {
		if err := checkPermutation(perm, n, mem.Make[bool](&call, n)); err != nil {
			return 0, err
		}
	}
	total := 0
	for b := range a.Batch {
		mark := call.Mark()
		e := newElimination(&call, a, b, perm[b*n:(b+1)*n])
		for k := range n {
			if total += len(e.row(k)) + 1; total > math.MaxInt32 {
				return 0, tensor.Errorf(tensor.ResourceExhausted, "a Cholesky factor has more values than an int32 counts")
			}
		}
		call.Release(mark)
	}
	return total, nil
}

// cholesky computes the lower triangular L with P·A·Pᴴ = L·Lᴴ for each matrix A of the batch. P
// moves row perm[i] of A to row i. Only the lower triangle of A is read. room is the result of
// CholeskyRoom. cholesky returns InvalidArgument if A is not positive definite. The method is the
// up-looking one in T. Davis, Direct Methods for Sparse Linear Systems, 4.7. L has a stored value
// at every position where the elimination can produce a nonzero value, even if the value turns out
// to be 0.
func cholesky[T field](run *mem.Budget, dst, h []tensor.Handle, perm []int32, room int, conj func(T) T, re func(T) float64, of func(float64) T) error {
	a, values, err := typed[T](h)
	if err != nil {
		return err
	}
	n := a.Rows
	m := &Matrix{DType: a.DType, Batched: a.Batched, Batch: a.Batch, Rows: n, Cols: n,
		Starts: make([]int32, a.Batch+1), RowPtr: make([]int32, a.Batch*(n+1)), Col: make([]int32, 0, room)}
	out := make([]T, 0, room)
	call := run.Call()
	defer call.Free()
	call.Need(mem.Mul(room, 2*(8+a.DType.Size()))) // the slices in columns may get twice the necessary capacity
	for b := range a.Batch {
		mark := call.Mark()
		e := newElimination(&call, a, b, perm[b*n:(b+1)*n])
		columns := mem.Make[[]entry[T]](&call, n) // columns of L, below the diagonal
		diag, y := mem.Make[T](&call, n), mem.Make[T](&call, n)
		for k := range n {
			d := 0.0
			for _, s := range e.rows[k] {
				v := values[s.at]
				switch {
				case int(s.col) == k:
					d += re(v)
				case s.conj:
					y[s.col] += conj(v)
				default:
					y[s.col] += v
				}
			}
			pattern := e.row(k)
			for _, i := range pattern {
				v := y[i] / diag[i]
				y[i] = 0
				call.Work(2 * len(columns[i]))
				for _, l := range columns[i] {
					y[l.row] -= T(conj(l.v) * v)
				}
				d -= re(v * conj(v))
				m.Col, out = append(m.Col, i), append(out, v)
				columns[i] = append(columns[i], entry[T]{int32(k), v})
			}
			if d <= 0 {
				return tensor.Errorf(tensor.InvalidArgument, "sparse Cholesky factorization failed for batch index %d: the input might not be valid", b)
			}
			diag[k] = of(math.Sqrt(d))
			m.Col, out = append(m.Col, int32(k)), append(out, diag[k])
			m.RowPtr[b*(n+1)+k+1] = int32(len(pattern) + 1)
			m.Starts[b+1] += int32(len(pattern) + 1)
		}
		call.Release(mark)
	}
	m.sum()
	m.Values = out
	dst[0] = tensor.Handle{V: m}
	return nil
}

// entry is a value in a column of L, with its row.
type entry[T field] struct {
	row int32
	v   T
}

func re[T float32 | float64](v T) float64 { return float64(v) }

func re64(v complex64) float64 { return float64(real(v)) }

func re128(v complex128) float64 { return real(v) }

func of32(v float64) float32 { return float32(v) }

func of64(v float64) float64 { return v }

func ofC64(v float64) complex64 { return complex(float32(v), 0) }

func ofC128(v float64) complex128 { return complex(v, 0) }
