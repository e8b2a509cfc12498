package sparse

import (
	"cmp"
	"slices"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Sort computes the row-major order of the rows of indices, each of which has rank columns. It sets
// order[i] to the number of the row at position i of the sorted rows. Equal rows keep their order.
func Sort(run *mem.Budget, order, indices []int64, rank int) {
	sorted := true
	for i := range order {
		order[i] = int64(i)
		sorted = sorted && (i == 0 || compare(row(indices, i-1, rank), row(indices, i, rank)) <= 0)
	}
	if sorted {
		return
	}
	call := run.Call()
	slices.SortFunc(order, func(x, y int64) int {
		call.Work(compareWork + rank)
		if c := compare(row(indices, int(x), rank), row(indices, int(y), rank)); c != 0 {
			return c
		}
		return cmp.Compare(x, y)
	})
}

// compareWork is the work of comparing two rows, as mem.Call counts it, without the work for their
// columns.
const compareWork = 16

// Groups prepares a reduction of a sparse tensor over the dimensions in axes. The dimensions that
// are not in axes are kept. Groups sorts the rows of indices first by the kept dimensions, then by
// the reduced dimensions. Rows that agree in all kept dimensions form a group.
//
// Groups sets order[i] to the number of the row at position i of the sorted rows, and starts[g] to
// the position of the first row of group g. The last element that it sets in starts is the number
// of rows, so starts must have one element more than order. It sets dims to the numbers of the
// dimensions, the kept ones first. Groups returns the number of groups. It returns InvalidArgument
// for an axis out of range, and for a bad shape.
func Groups(run *mem.Budget, order, starts, dims, indices, shape []int64, axes []int32) (groups int, err error) {
	rank := len(shape)
	for _, a := range axes {
		if int(a) < -rank || int(a) >= rank {
			return 0, tensor.Errorf(tensor.InvalidArgument, "invalid reduction dimension %d for an input of %d dimensions", a, rank)
		}
	}
	if _, err := dense(shape); err != nil {
		return 0, err
	}
	at, kept := 0, 0
	for _, reduced := range [2]bool{false, true} {
		for k := range rank {
			if isAxis(axes, k, rank) == reduced {
				dims[at] = int64(k)
				at++
			}
		}
		if !reduced {
			kept = at
		}
	}
	for i := range order {
		order[i] = int64(i)
	}
	call := run.Call()
	slices.SortFunc(order, func(x, y int64) int {
		call.Work(compareWork + rank)
		if c := compareBy(dims, row(indices, int(x), rank), row(indices, int(y), rank)); c != 0 {
			return c
		}
		return cmp.Compare(x, y)
	})
	for i := range order {
		if i == 0 || compareBy(dims[:kept], row(indices, int(order[i-1]), rank), row(indices, int(order[i]), rank)) != 0 {
			starts[groups] = int64(i)
			groups++
		}
	}
	starts[groups] = int64(len(order))
	return groups, nil
}

// Kept returns how many dimensions of a tensor of the given rank are not in axes, or
// InvalidArgument for an axis out of range.
func Kept(axes []int32, rank int) (int, error) {
	n := 0
	for _, a := range axes {
		if int(a) < -rank || int(a) >= rank {
			return 0, tensor.Errorf(tensor.InvalidArgument, "invalid reduction dimension %d for an input of %d dimensions", a, rank)
		}
	}
	for k := range rank {
		if !isAxis(axes, k, rank) {
			n++
		}
	}
	return n, nil
}

// KeptRank returns InvalidArgument unless n is the rank of the result if a tensor of the given rank
// is reduced over axes. If keep is set, reduced dimensions stay in the result with size 1.
func KeptRank(n, rank int, axes []int32, keep bool) error {
	kept, err := Kept(axes, rank)
	if keep {
		kept = rank
	}
	if err == nil && kept != n {
		return tensor.Errorf(tensor.InvalidArgument, "the result has %d dimensions; the program was compiled for %d", kept, n)
	}
	return err
}

// KeptDim returns dimension k of the result if a tensor of the given shape is reduced over axes. If
// keep is set, reduced dimensions stay in the result with size 1. Otherwise they are dropped.
// KeptDim returns InvalidArgument for a negative dimension.
func KeptDim(k int, shape []int64, axes []int32, keep bool) (int, error) {
	at := 0
	for d, n := range shape {
		reduced := isAxis(axes, d, len(shape))
		if reduced && keep {
			n = 1
		}
		if reduced && !keep {
			continue
		}
		if at == k {
			if n < 0 {
				return 0, tensor.Errorf(tensor.InvalidArgument, "dimension %d of a sparse tensor is %d, which is negative", d, n)
			}
			return int(n), nil
		}
		at++
	}
	return 0, tensor.Errorf(tensor.InvalidArgument, "the result has %d dimensions, not more than %d", at, k)
}

// KeptShape computes the shape whose dimensions KeptDim returns, and stores it in the parameter out.
func KeptShape(out, shape []int64, axes []int32, keep bool) {
	at := 0
	for d, n := range shape {
		reduced := isAxis(axes, d, len(shape))
		if reduced && !keep {
			continue
		}
		if out[at] = n; reduced {
			out[at] = 1
		}
		at++
	}
}

// KeptRows writes one row of indices to out for each group that Groups found: the first row of the
// group, with the columns of the reduced dimensions left out. If keep is set, these columns are set
// to 0 instead.
func KeptRows(out, order, starts, indices []int64, rank int, axes []int32, keep bool) {
	at := 0
	for g := range len(starts) - 1 {
		for k, v := range row(indices, int(order[starts[g]]), rank) {
			switch {
			case !isAxis(axes, k, rank):
				out[at] = v
			case keep:
				out[at] = 0
			default:
				continue
			}
			at++
		}
	}
}

// KeptPlaces sets at[g] to the position of the result of group g in a dense tensor of n elements.
// The groups are those that Groups found. KeptPlaces returns Internal for a position out of range.
func KeptPlaces(at, order, starts, indices, shape []int64, axes []int32, n int) error {
	rank := len(shape)
	for g := range at {
		place := int64(0)
		for k, v := range row(indices, int(order[starts[g]]), rank) {
			if !isAxis(axes, k, rank) {
				place = place*shape[k] + v
			}
		}
		if place < 0 || place >= int64(n) {
			return tensor.Errorf(tensor.Internal, "obtained a write index of %d, which is outside of [0, %d)", place, n)
		}
		at[g] = place
	}
	return nil
}

func isAxis(axes []int32, k, rank int) bool {
	for _, a := range axes {
		if int(a) == k || int(a)+rank == k {
			return true
		}
	}
	return false
}

// compareBy is like compare, but compares only the given dimensions, in the order of dims.
func compareBy(dims, x, y []int64) int {
	for _, k := range dims {
		if c := cmp.Compare(x[k], y[k]); c != 0 {
			return c
		}
	}
	return 0
}
