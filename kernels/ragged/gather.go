package ragged

import (
	"github.com/graphc/graphc/rt/tensor"
)

// GatherCheck returns InvalidArgument unless the arguments of RaggedGather are valid. The elements
// of indices must be rows of the outermost partition. The splits of a partition must not be empty
// and must not decrease. The splits of the last partition must not exceed the number of values, which
// is the parameter rows. The last split of another partition may exceed the number of rows of the next
// partition by one, but only if no row that is gathered needs this split.
func GatherCheck(splits []int64, lens []int, indices []int64, rows int) error {
	all, past := splits, false
	n := int64(lens[0]) - 1
	for i, v := range indices {
		if v < 0 || v >= n {
			return tensor.Errorf(tensor.InvalidArgument, "indices[%d] = %d is not in [0, %d)", i, v, max(n, 0))
		}
	}
	for k, n := range lens {
		s := splits[:n]
		splits = splits[n:]
		last := int64(rows)
		if k+1 < len(lens) {
			last = int64(lens[k+1])
		}
		switch {
		case n == 0:
			return tensor.Errorf(tensor.InvalidArgument, "Ragged splits may not be empty")
		case s[0] < 0:
			return tensor.Errorf(tensor.InvalidArgument, "Ragged splits must be non-negative")
		case s[n-1] > last:
			return tensor.Errorf(tensor.InvalidArgument, "Ragged splits must not point past values")
		}
		for i, v := range s[1:] {
			if v < s[i] {
				return tensor.Errorf(tensor.InvalidArgument, "Ragged splits must be sorted")
			}
		}
		past = past || k+1 < len(lens) && s[n-1] == last
	}
	if !past {
		return nil
	}
	for _, v := range indices {
		for level := 1; level < len(lens); level++ {
			if _, hi := span(all, lens, v, level); hi >= int64(lens[level]) {
				return tensor.Errorf(tensor.InvalidArgument, "Ragged splits must not point past values")
			}
		}
	}
	return nil
}

// span returns the range [lo, hi) of those rows of an inner partition that belong to one row of the
// outermost partition. The parameter index is the number of the outermost row, and the parameter level
// is the number of the inner partition. If level is the number of all partitions, the result is a range
// of values.
func span(splits []int64, lens []int, index int64, level int) (lo, hi int64) {
	lo, hi = index, index+1
	for _, n := range lens[:level] {
		lo, hi = splits[lo], splits[hi]
		splits = splits[n:]
	}
	return lo, hi
}

// GatherLen returns the number of rows that the indices select in one partition. The parameter level
// is the number of this partition. If level is the number of all partitions, GatherLen returns the
// number of selected values. It returns InvalidArgument if the result overflows an int.
func GatherLen(splits []int64, lens []int, indices []int64, level int) (int, error) {
	total := int64(0)
	for _, v := range indices {
		lo, hi := span(splits, lens, v, level)
		if total += hi - lo; total < 0 {
			return 0, tensor.Errorf(tensor.InvalidArgument, "the gathered rows are too many")
		}
	}
	return int(total), nil
}

// GatherSplits writes the row splits of one partition of the result. The parameter level is the
// number of this partition.
func GatherSplits(dst, splits []int64, lens []int, indices []int64, level int) {
	s := part(splits, lens, level)
	dst[0] = 0
	at := 0
	for _, v := range indices {
		lo, hi := span(splits, lens, v, level)
		for j := lo; j < hi; j++ {
			dst[at+1] = dst[at] + s[j+1] - s[j]
			at++
		}
	}
}

// RegularSplits writes the row splits of rows that have n elements each.
func RegularSplits(dst []int64, n int) {
	for i := range dst {
		dst[i] = int64(i * n)
	}
}

func gatherRows[T any](dst, src []T, splits []int64, lens []int, indices []int64, row int) {
	for _, v := range indices {
		lo, hi := span(splits, lens, v, len(lens))
		dst = dst[copy(dst, src[int(lo)*row:int(hi)*row]):]
	}
}

// GatherRaw copies the values that the indices select. The parameter row is the size of a value in
// bytes.
func GatherRaw(dst, src []byte, splits []int64, lens []int, indices []int64, row int) {
	gatherRows(dst, src, splits, lens, indices, row)
}

// GatherStr is GatherRaw for strings.
func GatherStr(dst, src []string, splits []int64, lens []int, indices []int64, row int) {
	gatherRows(dst, src, splits, lens, indices, row)
}
