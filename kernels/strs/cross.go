package strs

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// CrossParams describes crosses of the features of several columns.
//
// Kinds has two bytes for each column. The first is 'I' for integers or 'S' for strings. The second
// is 'D' for a dense column or 'E' for a sparse or ragged one.
//
// The kernels' parameter splits holds the Batch+1 row splits of each column, one column after the
// other. The values of all columns of integers are in one slice, and the values of all columns of
// strings in another. The parameter offs holds, for each column, the position at which its values
// begin in their slice.
type CrossParams struct {
	Kinds string
	Batch int
}

// CrossBatch returns the number of rows of a sparse column of the given shape. It returns
// InvalidArgument unless the shape has two dimensions.
func CrossBatch(shape []int64) (int, error) {
	if len(shape) != 2 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "shape should imply a 2D tensor, but got %d elements", len(shape))
	}
	if shape[0] < 0 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "a batch of %d rows", shape[0])
	}
	return int(shape[0]), nil
}

// CrossRows writes the row splits of a sparse column, whose indices should be sorted by row. An
// index is out of order if its row number is negative, or smaller than the row number of the index
// before it. With all == false, such an index and all later ones belong to no row. With all == true,
// such an index is counted for the current row. CrossRows returns InvalidArgument if dst and indices
// do not have the lengths that shape and values require.
func CrossRows(dst, indices, shape []int64, values int, all bool) error {
	n, err := CrossBatch(shape)
	switch {
	case err != nil:
		return err
	case n != len(dst)-1:
		return tensor.Errorf(tensor.InvalidArgument, "Expected batch size %d got %d", len(dst)-1, n)
	case len(indices) != 2*values:
		return tensor.Errorf(tensor.InvalidArgument, "Expected size of values to be %d got %d", len(indices)/2, values)
	}
	at := 0
	dst[0] = 0
	for r := range n {
		for at < values && (indices[2*at] == int64(r) || all && indices[2*at] < int64(r)) {
			at++
		}
		dst[r+1] = int64(at)
	}
	return nil
}

// CrossSplits checks the row splits of a ragged column of n values. It returns InvalidArgument
// unless they begin with 0, do not decrease and end with n.
func CrossSplits(splits []int64, n int) error {
	for i, v := range splits {
		if i == 0 && v != 0 || i > 0 && v < splits[i-1] {
			return tensor.Errorf(tensor.InvalidArgument, "Invalid ragged splits: they must begin with 0 and increase")
		}
	}
	if len(splits) == 0 || splits[len(splits)-1] != int64(n) {
		return tensor.Errorf(tensor.InvalidArgument, "Invalid ragged splits: the last one must be the number of values, %d", n)
	}
	return nil
}

// CrossCount writes the row splits of the crosses to dst. The number of crosses in a row is the
// product of the numbers of features that the columns have in the row. CrossCount returns the total
// number of crosses, and the largest number in a row. It returns ResourceExhausted if a row has more
// crosses than an int32 can count.
func CrossCount(dst, splits []int64, p CrossParams) (n, widest int, err error) {
	dst[0] = 0
	for r := range p.Batch {
		k := 1
		for at := r; at < len(splits); at += p.Batch + 1 {
			d := int(splits[at+1] - splits[at])
			if d > 0 && k > math.MaxInt32/d {
				return 0, 0, tensor.Errorf(tensor.ResourceExhausted, "the crosses of row %d are more than %d", r, math.MaxInt32)
			}
			if k *= d; k == 0 {
				break
			}
		}
		widest = max(widest, k)
		n += k
		dst[r+1] = int64(n)
	}
	return n, widest, nil
}

// crosses calls f for each cross of each row. Before each call it sets place, which has an element
// for each column, to the positions of the cross's values in the slices of values. The last column
// varies fastest. The argument i of f is the number of the cross.
func crosses(splits []int64, offs []int, place []int64, p CrossParams, f func(i int)) {
	cols, step := len(place), p.Batch+1
	i := 0
rows:
	for r := range p.Batch {
		for k := range cols {
			s := splits[k*step+r:]
			if s[0] == s[1] {
				continue rows
			}
			place[k] = int64(offs[k]) + s[0]
		}
		for more := true; more; i++ {
			f(i)
			more = false
			for k := cols - 1; k >= 0 && !more; k-- {
				s := splits[k*step+r:]
				if place[k]++; place[k] < int64(offs[k])+s[1] {
					more = true
				} else {
					place[k] = int64(offs[k]) + s[0]
				}
			}
		}
	}
}

// CrossStr writes each cross as a string: its values joined by separator[0], integers in decimal.
func CrossStr(run *mem.Budget, dst []string, splits, ints []int64, texts []string, offs []int, separator []string, place []int64, p CrossParams) error {
	if len(separator) != 1 {
		return tensor.Errorf(tensor.InvalidArgument, "Input separator should be a scalar.")
	}
	var b strings.Builder
	crosses(splits, offs, place, p, func(i int) {
		b.Reset()
		for k, at := range place {
			if k > 0 {
				b.WriteString(separator[0])
			}
			if p.Kinds[2*k] == 'S' {
				b.WriteString(texts[at])
			} else {
				b.WriteString(strconv.FormatInt(ints[at], 10))
			}
		}
		run.MustMake(b.Len()) // Count only the memory of the string: b holds just one value of each column.
		dst[i] = b.String()
	})
	return nil
}

func bucket(h uint64, buckets int64) int64 {
	if buckets > 0 {
		return int64(h % uint64(buckets))
	}
	return int64(h % math.MaxInt64)
}

// CrossHash writes a hash of each cross. The initial hash is the parameter key. FingerprintCat64
// combines it with the fingerprint of each of the cross's values, one after the other. The
// fingerprint of an integer is the integer. The result is taken modulo buckets, or modulo the
// largest int64 if buckets is 0.
func CrossHash(dst, splits, ints []int64, texts []string, offs []int, buckets, key int64, place []int64, p CrossParams) {
	crosses(splits, offs, place, p, func(i int) {
		h := uint64(key)
		for k, at := range place {
			v := uint64(0)
			if p.Kinds[2*k] == 'S' {
				v = Fingerprint64(texts[at])
			} else {
				v = uint64(ints[at])
			}
			h = FingerprintCat64(h, v)
		}
		dst[i] = bucket(h, buckets)
	})
}

// CrossHashKeyed writes a hash of each cross, as CrossHash does, but differs in two ways. There is
// no initial key, so the hash begins as the hash of the cross's first value. Values are hashed as
// follows:
//
//   - If strong[0] is true, the hash is SipHash-2-4 with the two elements of salt as the key.
//     Otherwise it is Fingerprint64.
//   - Only the 4 lowest bytes of an integer are hashed.
//   - An integer in a dense column is not hashed if strong[0] is false: the integer is used instead
//     of a hash.
//
// CrossHashKeyed returns InvalidArgument unless buckets and strong have one element and salt has
// two.
func CrossHashKeyed(dst, splits, ints []int64, texts []string, offs []int, buckets []int64, strong []bool, salt, place []int64, p CrossParams) error {
	switch {
	case len(buckets) != 1:
		return tensor.Errorf(tensor.InvalidArgument, "Input num_buckets should be a scalar.")
	case len(strong) != 1:
		return tensor.Errorf(tensor.InvalidArgument, "Input strong_hash should be a scalar.")
	case len(salt) != 2:
		return tensor.Errorf(tensor.InvalidArgument, "Input salt should have 2 elements, not %d", len(salt))
	}
	var low [4]byte
	crosses(splits, offs, place, p, func(i int) {
		h := uint64(0)
		for k, at := range place {
			var v uint64
			integer := p.Kinds[2*k] == 'I'
			if integer && p.Kinds[2*k+1] == 'D' && !strong[0] {
				v = uint64(ints[at])
			} else {
				s := ""
				if integer {
					binary.LittleEndian.PutUint32(low[:], uint32(ints[at]))
					s = text(low[:])
				} else {
					s = texts[at]
				}
				if strong[0] {
					v = sip(s, uint64(salt[0]), uint64(salt[1]))
				} else {
					v = Fingerprint64(s)
				}
			}
			if h = FingerprintCat64(h, v); k == 0 {
				h = v
			}
		}
		dst[i] = bucket(h, buckets[0])
	})
	return nil
}

// CrossIndices writes the indices and the shape of a sparse matrix of crosses. The index of a cross
// consists of its row and its position in the row. The number of columns of the matrix is the
// largest number of crosses in a row, given by the last argument.
func CrossIndices(indices, shape, splits []int64, widest int) {
	for r := range len(splits) - 1 {
		for i := splits[r]; i < splits[r+1]; i++ {
			indices[2*i], indices[2*i+1] = int64(r), i-splits[r]
		}
	}
	shape[0], shape[1] = int64(len(splits)-1), int64(widest)
}
