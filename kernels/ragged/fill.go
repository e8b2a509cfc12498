package ragged

import (
	"github.com/graphc/graphc/rt/tensor"
)

// FillCount returns the number of values of the result of RaggedFillEmptyRows. ids[i] is the row of
// input value i, and there are len(empty) rows. FillCount sets empty[r] to whether row r has no
// input values. It sets ends[r] to the index in the result that follows the last value of row r. It
// returns InvalidArgument if a row in ids is out of range.
func FillCount(empty []bool, ends, ids []int64) (int, error) {
	if len(empty) == 0 && len(ids) > 0 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = %d", len(ids))
	}
	clear(ends)
	for i, r := range ids {
		if r < 0 || r >= int64(len(ends)) {
			return 0, tensor.Errorf(tensor.InvalidArgument, "indices(%d, 0) is invalid: %d >= %d", i, r, len(ends))
		}
		ends[r]++
	}
	total := int64(0)
	for r, n := range ends {
		empty[r] = n == 0
		total += max(n, 1)
		ends[r] = total
	}
	return int(total), nil
}

// FillPlaces computes the order of the values in the result, which are sorted by rows. It sets
// places[i] to the index that input value i has in the result, and rows[j] to the row of result value
// j. next is scratch with an element for each row.
func FillPlaces(rows, places, ends, ids, next []int64) {
	at := int64(0)
	for r, end := range ends {
		next[r] = at
		for ; at < end; at++ {
			rows[at] = int64(r)
		}
	}
	for i, r := range ids {
		places[i] = next[r]
		next[r]++
	}
}

func fillRows[T any](dst, values, def []T, places, ends []int64, empty []bool, n int) {
	for r, e := range empty {
		if e {
			copy(dst[(int(ends[r])-1)*n:][:n], def)
		}
	}
	for i, p := range places {
		copy(dst[int(p)*n:][:n], values[i*n:][:n])
	}
}

// FillRaw writes the result of RaggedFillEmptyRows. It copies input value i, of n bytes, to position
// places[i] of the result, and writes the default value def for each empty row.
func FillRaw(dst, values, def []byte, places, ends []int64, empty []bool, n int) {
	fillRows(dst, values, def, places, ends, empty, n)
}

// FillStr is FillRaw for strings.
func FillStr(dst, values, def []string, places, ends []int64, empty []bool, n int) {
	fillRows(dst, values, def, places, ends, empty, n)
}

// FillHnd is FillRaw for handles.
func FillHnd(dst, values, def []tensor.Handle, places, ends []int64, empty []bool, n int) {
	fillRows(dst, values, def, places, ends, empty, n)
}
