package sets

import (
	"math"
	"slices"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// DistanceParams describes the computation of edit distances between two sparse tensors: the
// hypothesis and the truth. The hypothesis has RowsH values, and each value has ColsH indices. The
// truth has RowsT values, and each value has ColsT indices. If Normalize is set, each distance is
// divided by the length of the truth.
//
// The values whose indices differ only in the last dimension form a group. DistanceF32 and its
// variants write, for each group, the edit distance between the values of the hypothesis and those
// of the truth. DistanceCheck must have accepted both tensors, and their groups must be in order.
// If neither tensor has values in a group, the distance is 0. If only the hypothesis has values in a
// group, the distance is their number, or infinity if Normalize is set. scratch has one element more
// than tv. The kernels return Internal for a group outside the output.
type DistanceParams struct {
	RowsH, ColsH, RowsT, ColsT int
	Normalize                  bool
}

// DistanceCheck returns InvalidArgument unless the arguments of EditDistance are valid. Both shapes
// must have the same rank, which must be at least 2, and the indices of each value must have that
// many elements. Dimensions must not be negative. There must be as many rows of indices as values,
// and at least one group. The numbers of elements and of groups must not overflow.
func DistanceCheck(hs, ts []int64, hn, tn int, p DistanceParams) error {
	switch {
	case len(hs) != p.ColsH || len(ts) != p.ColsT:
		return tensor.Errorf(tensor.InvalidArgument, "the shapes have %d and %d elements, the indices %d and %d", len(hs), len(ts), p.ColsH, p.ColsT)
	case len(ts) < 2 || len(hs) != len(ts):
		return tensor.Errorf(tensor.InvalidArgument, "Expected truth and hypothesis to have matching ranks of 2 at least, not %d and %d", len(ts), len(hs))
	case p.RowsH != hn || p.RowsT != tn:
		return tensor.Errorf(tensor.InvalidArgument, "%d and %d values for %d and %d indices", hn, tn, p.RowsH, p.RowsT)
	}
	for _, s := range [][]int64{hs, ts} {
		total := int64(1)
		for _, d := range s {
			if d < 0 {
				return tensor.Errorf(tensor.InvalidArgument, "Dimension %d must be >= 0", d)
			}
			if d > 0 && total > math.MaxInt64/d {
				return tensor.Errorf(tensor.InvalidArgument, "a shape would have more than 2**63 - 1 elements")
			}
			total *= max(d, 1)
		}
	}
	total := int64(1)
	for k, d := range hs[:len(hs)-1] {
		d = max(d, ts[k])
		if d == 0 {
			return tensor.Errorf(tensor.InvalidArgument, "the output has no elements")
		}
		if total > math.MaxInt64/d {
			return tensor.Errorf(tensor.InvalidArgument, "the output would have more than 2**63 - 1 elements")
		}
		total *= d
	}
	return nil
}

// DistanceDim returns dimension k of the output.
func DistanceDim(hs, ts []int64, k int) int { return int(max(hs[k], ts[k])) }

// entries iterates over the groups of the values of a sparse tensor, whose indices are sorted. A
// group consists of the values whose indices differ only in the last dimension.
type entries struct {
	indices  []int64
	rank, at int
}

func (e *entries) next() (n int, key []int64) {
	r := e.rank
	rest := e.indices[e.at*r:]
	if len(rest) == 0 {
		return 0, nil
	}
	key = rest[:r-1]
	for n = 1; n*r < len(rest) && slices.Equal(rest[n*r:n*r+r-1], key); n++ {
	}
	return n, key
}

// distances is the kernel of EditDistance. dst has an element for each group.
func distances[T any](run *mem.Budget, dst []float32, hi []int64, hv []T, hs, ti []int64, tv []T, ts []int64, scratch []int32, p DistanceParams, same func(a, b T) bool) error {
	clear(dst)
	r := len(hs)
	call := run.Call()
	h, t := entries{indices: hi, rank: r}, entries{indices: ti, rank: r}
	for {
		nh, kh := h.next()
		nt, kt := t.next()
		c, key := 0, kt
		switch {
		case kh == nil && kt == nil:
			return nil
		case kt == nil:
			c = -1
		case kh == nil:
			c = 1
		default:
			c = slices.Compare(kh, kt)
		}
		if c < 0 {
			key = kh
		}
		at := int64(0)
		for k, v := range key {
			at = at*max(hs[k], ts[k]) + v
		}
		if at < 0 || at >= int64(len(dst)) {
			return tensor.Errorf(tensor.Internal, "Got an inner product %d which would require writing to outside of the output of %d elements", at, len(dst))
		}
		var d float32
		switch {
		case c < 0:
			if d = float32(nh); p.Normalize {
				d = float32(math.Inf(1))
			}
		case c > 0:
			if d = float32(nt); p.Normalize {
				d = 1
			}
		default:
			d = float32(levenshtein(&call, hv[h.at:h.at+nh], tv[t.at:t.at+nt], scratch, same))
			if p.Normalize {
				d /= float32(nt)
			}
		}
		dst[at] = d
		if c <= 0 {
			h.at += nh
		}
		if c >= 0 {
			t.at += nt
		}
	}
}

// levenshtein returns the smallest number of insertions, deletions and replacements
// that turn s into t. row is scratch with one element more than t.
func levenshtein[T any](call *mem.Call, s, t []T, row []int32, same func(a, b T) bool) int32 {
	row = row[:len(t)+1]
	for j := range row {
		row[j] = int32(j)
	}
	for i, a := range s {
		call.Work(2 * len(t))
		diagonal := row[0]
		row[0] = int32(i + 1)
		for j, b := range t {
			best := diagonal
			if !same(a, b) {
				best = min(diagonal, row[j], row[j+1]) + 1
			}
			diagonal = row[j+1]
			row[j+1] = best
		}
	}
	return row[len(t)]
}

func equal[T comparable](a, b T) bool { return a == b }

func equalF16(a, b tensor.F16) bool { return a.Float32() == b.Float32() }

func equalBF16(a, b tensor.BF16) bool { return a.Float32() == b.Float32() }
