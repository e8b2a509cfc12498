package array

import (
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// DiagParams describes diagonals Lo to Hi of a batch of matrices. The matrices have the shape [Batch,
// Rows, Cols]. The diagonals are packed into a tensor of the shape [Batch, Hi-Lo+1, Len], the highest
// diagonal first. Diagonal k begins at column k for k ≥ 0, else at row -k. Diagonals shorter than Len
// are aligned left in their row. If SuperRight is set, those with k > 0 are aligned right. If SubRight
// is set, those with k < 0 are aligned right. The main diagonal is aligned right if both are set.
type DiagParams struct {
	Batch, Rows, Cols    int
	Lo, Hi, Len          int
	SuperRight, SubRight bool
}

// walk calls f for every element of a diagonal, with its positions in the packed
// diagonals and in the matrices.
func (p *DiagParams) walk(f func(packed, plain int)) {
	n := p.Hi - p.Lo + 1
	if p.Len <= 0 || p.Rows <= 0 || p.Cols <= 0 {
		return
	}
	for b := range p.Batch {
		for k := p.Hi; k >= p.Lo; k-- {
			size := min(p.Rows+min(k, 0), p.Cols-max(k, 0))
			at := (b*n + p.Hi - k) * p.Len
			if !(k >= 0 && !p.SuperRight || k <= 0 && !p.SubRight) {
				at += p.Len - size
			}
			to := (b*p.Rows-min(k, 0))*p.Cols + max(k, 0)
			for range size {
				f(at, to)
				at++
				to += p.Cols + 1
			}
		}
	}
}

func diagPart[T any](dst, src, padding []T, p DiagParams) {
	fill(dst, padding)
	p.walk(func(packed, plain int) { dst[packed] = src[plain] })
}

func diag[T any](dst, src, padding []T, p DiagParams) {
	fill(dst, padding)
	p.walk(func(packed, plain int) { dst[plain] = src[packed] })
}

func setDiag[T any](dst, src, packed []T, p DiagParams) {
	copy(dst, src)
	p.walk(func(from, to int) { dst[to] = packed[from] })
}

// DiagLen returns the length of the longest of the diagonals lo to hi of a matrix. It returns
// InvalidArgument if a diagonal is outside the matrix, or lo exceeds hi.
func DiagLen(rows, cols, lo, hi int) (int, error) {
	if lo > hi {
		return 0, tensor.Errorf(tensor.InvalidArgument, "lower_diag_index must not be larger than upper_diag_index: %d > %d", lo, hi)
	}
	for _, k := range [2]int{lo, hi} {
		if k != 0 && (k <= -rows || k >= cols) {
			return 0, tensor.Errorf(tensor.InvalidArgument, "diagonal %d is outside a matrix of %d rows and %d columns", k, rows, cols)
		}
	}
	return max(min(rows+min(hi, 0), cols-max(lo, 0)), 0), nil
}

// DiagFits returns InvalidArgument unless n is the length that DiagLen returns.
func DiagFits(rows, cols, lo, hi, n int) error {
	m, err := DiagLen(rows, cols, lo, hi)
	if err == nil && m != n {
		err = tensor.Errorf(tensor.InvalidArgument, "the diagonals %d to %d of a matrix of %d rows and %d columns have up to %d elements, not %d", lo, hi, rows, cols, m, n)
	}
	return err
}

// DiagSize returns the rows and columns of the smallest matrix with diagonals lo to hi of up to n
// elements. If rows or cols is -1, DiagSize chooses it; if both are -1, the matrix is square. It
// returns InvalidArgument if rows or cols are given but do not fit.
func DiagSize(lo, hi, n, rows, cols int) (int, int, error) {
	if lo > hi {
		return 0, 0, tensor.Errorf(tensor.InvalidArgument, "lower_diag_index must not be larger than upper_diag_index: %d > %d", lo, hi)
	}
	r, c := mem.Add(n, -min(hi, 0)), mem.Add(n, max(lo, 0))
	if rows == -1 && cols == -1 {
		rows = max(r, c)
		cols = rows
	}
	if rows == -1 {
		rows = r
	}
	if cols == -1 {
		cols = c
	}
	if rows < r || cols < c || rows != r && cols != c {
		return 0, 0, tensor.Errorf(tensor.InvalidArgument, "%d rows and %d columns do not fit diagonals %d to %d of %d elements", rows, cols, lo, hi, n)
	}
	return rows, cols, nil
}

// DiagHolds checks, by calling DiagSize, that diagonals lo to hi of up to n elements fit a matrix
// of rows by cols. Some of the diagonals may be outside the matrix.
func DiagHolds(rows, cols, lo, hi, n int) error {
	_, _, err := DiagSize(lo, hi, n, rows, cols)
	return err
}

// BandFits returns InvalidArgument if lower exceeds rows, or if upper exceeds cols. The parameters lower
// and upper are the numbers of diagonals that MatrixBandPart keeps below and above the main diagonal.
func BandFits(lower, upper, rows, cols int) error {
	if lower > rows {
		return tensor.Errorf(tensor.InvalidArgument, "num_lower must be negative or less or equal to number of rows (%d) got: %d", rows, lower)
	}
	if upper > cols {
		return tensor.Errorf(tensor.InvalidArgument, "num_upper must be negative or less or equal to number of columns (%d) got: %d", cols, upper)
	}
	return nil
}

func bandPart[T any](dst, src []T, rows, cols, lower, upper int) {
	if cols <= 0 {
		return
	}
	for i := 0; len(dst) >= cols; i++ {
		r := i % rows
		lo, hi := 0, cols
		if lower >= 0 {
			lo = min(max(r-lower, 0), cols)
		}
		if upper >= 0 {
			hi = max(min(r+upper+1, cols), lo)
		}
		clear(dst[:lo])
		copy(dst[lo:hi], src[lo:hi])
		clear(dst[hi:cols])
		dst, src = dst[cols:], src[cols:]
	}
}
