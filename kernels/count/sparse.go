package count

import (
	"cmp"
	"math"
	"slices"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// SparseCheck checks a sparse tensor of n values. It returns InvalidArgument unless indices has n
// rows, with one index for each dimension of the shape, and all indices are inside the shape.
func SparseCheck(indices, shape []int64, rows, cols, n int) error {
	switch {
	case rows != n:
		return tensor.Errorf(tensor.InvalidArgument, "Number of elements in indices (%d) and values (%d) do not match", rows, n)
	case cols != len(shape):
		return tensor.Errorf(tensor.InvalidArgument, "Index rank (%d) and shape rank (%d) do not match", cols, len(shape))
	case len(shape) == 0:
		return tensor.Errorf(tensor.InvalidArgument, "The shape argument requires at least one element.")
	}
	for _, d := range shape {
		if d < 0 {
			return tensor.Errorf(tensor.InvalidArgument, "Elements in dense_shape must be >= 0, not %d", d)
		}
	}
	for i, v := range indices {
		if d := shape[i%cols]; v < 0 || v >= d {
			return tensor.Errorf(tensor.InvalidArgument, "Invalid index value at %d: dimension %d has value %d which is not in [0, %d)", i/cols, i%cols, v, d)
		}
	}
	return nil
}

// RaggedRows sets rows[i] to the row of value i, as given by the row splits. It returns InvalidArgument
// if len(splits) < least, if the first split is not 0, or if the last split is not the number of values.
// The row of a value is the first row that ends after the value. The search begins with the row of the
// previous value, which matters only if the splits decrease somewhere.
func RaggedRows(rows, splits []int64, least int) error {
	switch n := len(rows); {
	case len(splits) < least:
		return tensor.Errorf(tensor.InvalidArgument, "Must provide at least %d elements for the splits argument", least)
	case splits[0] != 0:
		return tensor.Errorf(tensor.InvalidArgument, "Splits must start with 0, not with %d", splits[0])
	case splits[len(splits)-1] != int64(n):
		return tensor.Errorf(tensor.InvalidArgument, "Splits must end with the number of values, got %d instead of %d", splits[len(splits)-1], n)
	}
	at := 0
	for i := range rows {
		for int64(i) >= splits[at] {
			at++
		}
		rows[i] = int64(at - 1)
	}
	return nil
}

// RowNumbers writes the row of each value of a dense matrix of cols columns.
func RowNumbers(rows []int64, cols int) {
	for i := range rows {
		rows[i] = int64(i / cols)
	}
}

// Inner returns how many numbers an index of the result has: 1 for values of rank 1, and 2 for
// higher ranks.
func Inner(rank int) int { return min(rank, 2) }

// TallyParams describes counts by row and value. Inner is the length of an index of the result. If there
// is one row, Inner is 1, and the index is the value. Otherwise Inner is 2, and the index is the row and
// the value. The slice Rows has Rank elements for each value, the first of which is the value's row. If
// Max is not negative, values of Max and more are not counted. If Max is negative, the result has at
// least Min columns. If Binary is set, the result is 1 for every value that occurs, whatever its count.
//
// TallyF32 and its variants write the counts of values, or the sums of their weights, to dst,
// sorted by row and value. They return n, the number of different pairs of row and value. They also
// write the pairs' indices [n,Inner], and the shape, which has Inner elements. indices and dst have
// room for all values. order is scratch with an element for each value. The kernels return
// InvalidArgument for a negative value, if there are no rows, and if weights is neither empty nor
// as long as values.
type TallyParams struct {
	Inner, Rank int
	Max, Min    int64
	Binary      bool
	// Rows[Rank·i] is the row of value i. Batches, of shape [1], holds the number of rows. Both are
	// nil if Inner is 1.
	Rows, Batches []int64
}

// tally implements TallyF32 and its variants for other types.
func tally[T number](run *mem.Budget, indices []int64, dst []T, shape, values []int64, weights []T, order []int64, p TallyParams) (int, error) {
	if len(weights) > 0 && len(weights) != len(values) {
		return 0, tensor.Errorf(tensor.InvalidArgument, "Weights and values must have the same shape: %d against %d", len(weights), len(values))
	}
	if p.Inner == 2 && (p.Batches[0] <= 0 || p.Batches[0] >= math.MaxInt32) {
		return 0, tensor.Errorf(tensor.InvalidArgument, "Cannot allocate %d batches, is the dense shape too wide?", p.Batches[0])
	}
	n, widest := 0, int64(0)
	for i, v := range values {
		if v < 0 {
			return 0, tensor.Errorf(tensor.InvalidArgument, "Input values must all be non-negative")
		}
		if p.Max < 0 || v < p.Max {
			order[n] = int64(i)
			n++
			widest = max(widest, v)
		}
	}
	if widest++; p.Max >= 0 {
		widest = p.Max
	} else {
		widest = max(widest, p.Min)
	}
	row := func(i int64) int64 {
		if p.Inner == 1 {
			return 0
		}
		return p.Rows[int(i)*p.Rank]
	}
	order = order[:n]
	call := run.Call()
	slices.SortFunc(order, func(i, j int64) int {
		call.Work(16)
		if c := cmp.Compare(row(i), row(j)); c != 0 {
			return c
		}
		if c := cmp.Compare(values[i], values[j]); c != 0 {
			return c
		}
		return cmp.Compare(i, j)
	})
	at := -1
	for k, i := range order {
		if k == 0 || row(i) != row(order[k-1]) || values[i] != values[order[k-1]] {
			at++
			dst[at] = 0
			if p.Inner == 2 {
				indices[2*at] = row(i)
			}
			indices[p.Inner*(at+1)-1] = values[i]
		}
		switch {
		case p.Binary:
			dst[at] = 1
		case len(weights) > 0:
			dst[at] += weights[i]
		default:
			dst[at]++
		}
	}
	if p.Inner == 2 {
		shape[0] = p.Batches[0]
	}
	shape[p.Inner-1] = widest
	return at + 1, nil
}

// BinsAtParams describes counts in rows of Size bins. The slice Rows has Rank elements for each
// value, the first of which is the value's row. If there is one row, Rank is 0. Values of Size and
// more are skipped. Negative values are rejected if Strict is set, and otherwise skipped. If Binary
// is set, the bin of a value that occurs is 1, whatever its count.
//
// BinsAtF32 and its variants count values, or sum their weights, in rows of bins. Unless Binary is
// set, they return InvalidArgument if there are weights, but not as many as values.
type BinsAtParams struct {
	Size, Rank     int
	Strict, Binary bool
	Rows           []int64 // Rows[Rank·i] is the row of value i; nil for one row
}

// each calls f for each counted value. The first argument of f is the number of the value. The second
// argument is the index of the value's bin in the result.
func (p *BinsAtParams) each(values []int64, weights int, f func(i, at int)) error {
	if !p.Binary && weights > 0 && weights != len(values) {
		return tensor.Errorf(tensor.InvalidArgument, "Input indices and weights must have the same size: %d against %d", len(values), weights)
	}
	for i, v := range values {
		if v < 0 && p.Strict {
			return tensor.Errorf(tensor.InvalidArgument, "Input arr must be non-negative!")
		}
		if v < 0 || v >= int64(p.Size) {
			continue
		}
		at := int(v)
		if p.Rank > 0 {
			at += int(p.Rows[i*p.Rank]) * p.Size
		}
		f(i, at)
	}
	return nil
}

func binsAt[T number](dst []T, values []int64, weights []T, p BinsAtParams) error {
	clear(dst)
	return p.each(values, len(weights), func(i, at int) {
		switch {
		case p.Binary:
			dst[at] = 1
		case len(weights) > 0:
			dst[at] += weights[i]
		default:
			dst[at]++
		}
	})
}

// halfBinsAt does the same as binsAt for 16-bit floats. It adds them in float32 and rounds each sum.
func halfBinsAt[T tensor.F16 | tensor.BF16](dst []T, values []int64, weights []T, p BinsAtParams, get func(T) float32, put func(float32) T) error {
	clear(dst)
	return p.each(values, len(weights), func(i, at int) {
		switch {
		case p.Binary:
			dst[at] = put(1)
		case len(weights) > 0:
			dst[at] = put(get(dst[at]) + get(weights[i]))
		default:
			dst[at] = put(get(dst[at]) + 1)
		}
	})
}
