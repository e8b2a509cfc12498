// Package ragged holds the kernels of ragged tensors: values in rows of different lengths, which
// row partitions describe.
//
// A slice of int64 holds all row partitions, one after the other, the outermost first. The slice
// lens has the number of elements of each. A partition that consists of row splits has one element
// more than it has rows. Its elements r and r+1 are the beginning and the end of row r. They are
// numbers of rows of the next partition, or numbers of values in the last partition. Values are
// given as bytes (Raw), strings (Str) or handles (Hnd), since they are only moved.
package ragged

import "github.com/graphc/graphc/rt/tensor"

// Widen writes src as int64.
func Widen(dst []int64, src []int32) {
	for i, v := range src {
		dst[i] = int64(v)
	}
}

// Narrow writes src as int32. It returns InvalidArgument for a number that does not fit.
func Narrow(dst []int32, src []int64) error {
	for i, v := range src {
		if int64(int32(v)) != v {
			return tensor.Errorf(tensor.InvalidArgument, "the row split %d does not fit int32", v)
		}
		dst[i] = int32(v)
	}
	return nil
}

// part returns partition k of all partitions, whose lengths are lens.
func part(all []int64, lens []int, k int) []int64 {
	off := 0
	for _, n := range lens[:k] {
		off += n
	}
	return all[off : off+lens[k]]
}

// Strict returns InvalidArgument unless the row splits of each partition begin with 0 and do not
// decrease. The last split of a partition must be the number of rows of the next partition. In the
// last partition, it must equal the parameter rows.
func Strict(splits []int64, lens []int, rows int) error {
	for k, n := range lens {
		s := splits[:n]
		splits = splits[n:]
		if n == 0 {
			return tensor.Errorf(tensor.InvalidArgument, "ragged splits may not be empty.")
		}
		if s[0] != 0 {
			return tensor.Errorf(tensor.InvalidArgument, "First value of ragged splits must be 0.")
		}
		for i, v := range s[1:] {
			if v < s[i] {
				return tensor.Errorf(tensor.InvalidArgument, "Ragged splits should be non decreasing, but we got %d followed by %d", s[i], v)
			}
		}
		want := rows
		if k+1 < len(lens) {
			want = lens[k+1] - 1
		}
		if s[n-1] != int64(want) {
			return tensor.Errorf(tensor.InvalidArgument, "Final value of ragged splits must match the length the corresponding ragged values: %d against %d", s[n-1], want)
		}
	}
	return nil
}
