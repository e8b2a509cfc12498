package ragged

import (
	"math"
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// DenseParams describes RaggedTensorToTensor. Kinds has a byte for each partition: 'S' if the
// partition is given by row splits, and 'R' if it is given by the row ids of values. Scalar is set
// if the op's input for the wanted shape is a scalar. This scalar must be -1, and it means that the
// whole shape is unknown.
type DenseParams struct {
	Kinds  string
	Scalar bool
	Head   []int64 // its only element is the number of rows; nil if row splits give this number
}

// denseDim returns the size of dimension k of the result, one of the dimensions before those of the
// values. If a size for this dimension is given in want, denseDim returns it. Otherwise, the result
// is the number of rows for k = 0, and the length of the longest row of partition k-1 for k > 0.
func denseDim(want, parts []int64, lens []int, p DenseParams, k int) (int64, error) {
	if !p.Scalar && want[k] >= 0 {
		return want[k], nil
	}
	if k == 0 {
		return rowsOf(p.Head, lens)
	}
	s, widest := part(parts, lens, k-1), int64(0)
	if p.Kinds[k-1] == 'R' {
		first := 0
		for i, v := range s {
			if v != s[first] {
				first = i
			}
			widest = max(widest, int64(i-first+1))
		}
		return widest, nil
	}
	for i := 1; i < len(s); i++ {
		widest = max(widest, s[i]-s[i-1])
	}
	return widest, nil
}

func rowsOf(head []int64, lens []int) (int64, error) {
	if len(head) == 1 {
		if head[0] < 0 {
			return 0, tensor.Errorf(tensor.InvalidArgument, "Dimension %d must be >= 0", head[0])
		}
		return head[0], nil
	}
	if len(head) > 1 || lens[0] == 0 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "Invalid first partition input. Tensor requires at least one element.")
	}
	return int64(lens[0] - 1), nil
}

// DenseCheck checks the arguments of RaggedTensorToTensor. want is the wanted shape, in which -1
// means any size. dims and def are the shapes of the values and of the default value. It returns
// InvalidArgument also for a result with too many elements.
func DenseCheck(want, parts []int64, lens, dims, def []int, p DenseParams) error {
	if _, err := rowsOf(p.Head, lens); err != nil {
		return err
	}
	depth := len(lens)
	if len(def) >= len(dims) {
		return tensor.Errorf(tensor.InvalidArgument, "default_value.rank = %d must be less than rt_input.flat_values.rank = %d", len(def), len(dims))
	}
	for i, d := range def {
		if d != 1 && d != dims[i+1] {
			return tensor.Errorf(tensor.InvalidArgument, "default_value.shape[%d] = %d but rt_input.flat_values.shape[%d] = %d", i-len(def), d, i+1-len(dims), dims[i+1])
		}
	}
	if p.Scalar {
		if want[0] != -1 {
			return tensor.Errorf(tensor.InvalidArgument, "The only valid scalar shape tensor is the fully unknown shape specified as -1.")
		}
	} else {
		for _, d := range want {
			if d < -1 {
				return tensor.Errorf(tensor.InvalidArgument, "Dimension %d must be >= -1", d)
			}
		}
		if len(want) != depth+len(dims) {
			return tensor.Errorf(tensor.InvalidArgument, "rt_input.rank = %d but shape.rank = %d", depth+len(dims), len(want))
		}
		for k, d := range dims[1:] {
			if w := want[depth+1+k]; w >= 0 && w != int64(d) {
				return tensor.Errorf(tensor.InvalidArgument, "rt_input.shape[%d] = %d but shape[%d] = %d", depth+1+k, d, depth+1+k, w)
			}
		}
	}
	total, empty := int64(1), false
	count := func(d int64) error {
		switch {
		case d == 0:
			empty = true
		case total > math.MaxInt64/d:
			return tensor.Errorf(tensor.InvalidArgument, "the dense tensor would have more than 2**63 - 1 elements")
		default:
			total *= d
		}
		return nil
	}
	for k := range depth + 1 {
		d, err := denseDim(want, parts, lens, p, k)
		if err == nil {
			err = count(d)
		}
		if err != nil {
			return err
		}
	}
	rows := !empty
	for _, d := range dims[1:] {
		if err := count(int64(d)); err != nil {
			return err
		}
	}
	if !rows {
		return nil
	}
	return checkParts(parts, lens, p)
}

// checkParts checks that each partition fits the number of rows that the partition before it
// describes. It also checks that row splits start with 0 and do not decrease.
func checkParts(parts []int64, lens []int, p DenseParams) error {
	above, err := rowsOf(p.Head, lens)
	if err != nil {
		return err
	}
	for k, n := range lens {
		s := parts[:n]
		parts = parts[n:]
		if p.Kinds[k] == 'R' {
			for _, v := range s {
				if v < 0 || v >= above {
					return tensor.Errorf(tensor.InvalidArgument, "Got value_rowid=%d which is not less than %d", v, above)
				}
			}
			above = int64(n)
			continue
		}
		if int64(n)-1 > above {
			return tensor.Errorf(tensor.InvalidArgument, "Row partition size is greater than output size: %d > %d", n-1, above)
		}
		if n == 0 || s[0] != 0 || !slices.IsSorted(s) {
			return tensor.Errorf(tensor.InvalidArgument, "Invalid row split size.")
		}
		above = s[n-1]
	}
	return nil
}

// DenseDim returns the size of dimension k of the result of RaggedTensorToTensor, one of the
// dimensions before those of the values.
func DenseDim(want, parts []int64, lens []int, p DenseParams, k int) (int, error) {
	n, err := denseDim(want, parts, lens, p, k)
	return int(n), err
}

// DenseRoom returns half of the number of scratch elements that DenseRaw needs. DenseRaw keeps the
// positions of the rows of two neighbouring partitions, and each half of the scratch memory holds the
// positions for one partition. Only rows to which the next partition refers are kept, so DenseRoom
// returns the largest number of such rows in a partition.
func DenseRoom(parts []int64, lens []int, p DenseParams) int {
	room := 0
	for k := range len(lens) - 1 { // no partition follows the last one, so the positions of its values are not stored
		s, next := part(parts, lens, k), part(parts, lens, k+1)
		n := int64(len(s))
		if p.Kinds[k] == 'S' && n > 0 {
			n = s[n-1]
		}
		switch {
		case p.Kinds[k+1] == 'S':
			n = min(n, int64(len(next)))
		case len(next) > 0:
			n = min(n, slices.Max(next)+1)
		default:
			n = 0
		}
		room = max(room, int(n))
	}
	return room
}

// places computes for each value the position at which it is stored in the result, and calls the
// function put with this position, in the order of the values. The position of a value that is cut off
// is -1. To find the positions of the values, places computes those of the rows of each partition.
// parents and rows are scratch of DenseRoom elements each. The slice out holds the dimensions of the
// result that precede the dimensions of the values.
func places(parts []int64, lens, out []int, p DenseParams, parents, rows []int64, put func(at int64) error) error {
	first, err := rowsOf(p.Head, lens)
	if err != nil {
		return err
	}
	step := int64(1)
	for _, d := range out[1:] {
		step *= int64(d)
	}
	lead, size := step, int64(out[0])
	level := 0
	parent := func(i int64) int64 {
		switch {
		case level > 0:
			return parents[i]
		case i < min(first, size):
			return i * lead
		}
		return -1
	}
	for k, n := range lens {
		s := parts[:n]
		parts = parts[n:]
		step /= int64(out[k+1])
		last, at := k+1 == len(lens), 0
		emit := func(i int64) error {
			if last {
				return put(i)
			}
			if at < len(rows) {
				rows[at] = i
				at++
			}
			return nil
		}
		if p.Kinds[k] == 'R' {
			err = rowIDs(s, int64(out[k+1]), step, parent, emit)
		} else {
			err = rowSplits(s, int64(out[k+1]), step, parent, emit, func() bool { return !last && at == len(rows) })
		}
		if err != nil || last {
			return err
		}
		parents, rows = rows, parents
		level++
	}
	return nil
}

func rowIDs(s []int64, width, step int64, parent func(int64) int64, emit func(int64) error) error {
	column, place := int64(0), int64(-1)
	for i, v := range s {
		if i == 0 || v != s[i-1] {
			column, place = 0, parent(v)
		} else if place >= 0 {
			if column++; column < width {
				place += step
			} else {
				place = -1
			}
		}
		if err := emit(place); err != nil {
			return err
		}
	}
	return nil
}

func rowSplits(s []int64, width, step int64, parent func(int64) int64, emit func(int64) error, full func() bool) error {
	for i := range len(s) - 1 {
		n, place := s[i+1]-s[i], parent(int64(i))
		kept := min(width, n)
		if place < 0 {
			kept = 0
		}
		for j := int64(0); j < n && !full(); j++ {
			at := int64(-1)
			if j < kept {
				at = place + j*step
			}
			if err := emit(at); err != nil {
				return err
			}
		}
	}
	return nil
}

// spread writes each value to its place in dst, and the default value def to all other places. Each
// place has n elements. The places of successive values normally increase. If the place of a value
// is less than the place of the previous value, this value and the values after it are written
// after all earlier values, as in TensorFlow.
type spread[T any] struct {
	dst, values, def []T
	n                int

	// The method put is called once for each value, and the field `at` is the number of these calls
	// so far. Values with consecutive places are copied together. The next copy writes the places
	// [to, end), and begins with the value whose number is the field `from`.
	at, from, to, end int
}

func (s *spread[T]) fill(to int) {
	for ; s.end < to; s.end++ {
		d := s.dst[s.end*s.n:][:s.n]
		for len(d) > 0 {
			d = d[copy(d, s.def):]
		}
	}
}

func (s *spread[T]) flush() error {
	if s.to < s.end {
		if (s.from+s.end-s.to)*s.n > len(s.values) || s.end*s.n > len(s.dst) {
			return tensor.Errorf(tensor.InvalidArgument, "the row partitions describe more values than there are, or are not in order")
		}
		copy(s.dst[s.to*s.n:s.end*s.n], s.values[s.from*s.n:])
	}
	return nil
}

func (s *spread[T]) put(place int64) error {
	i := int(place)
	s.at++
	if i == s.end {
		s.end++
		return nil
	}
	if err := s.flush(); err != nil {
		return err
	}
	if i > s.end {
		s.fill(i)
	}
	s.to = s.end
	if s.from = s.at; i >= 0 {
		s.from = s.at - 1
		s.end++
	}
	return nil
}

func (s *spread[T]) finish() error {
	if err := s.flush(); err != nil {
		return err
	}
	s.fill(len(s.dst) / s.n)
	return nil
}

func toDense[T any](dst, values, def []T, parts []int64, lens, out []int, n int, p DenseParams, room []int64) error {
	if len(dst) == 0 {
		return nil
	}
	s := spread[T]{dst: dst, values: values, def: def, n: n}
	half := len(room) / 2
	if err := places(parts, lens, out, p, room[:half:half], room[half:], s.put); err != nil {
		return err
	}
	return s.finish()
}

// DenseRaw writes the values of a ragged tensor, of n bytes each, to a dense tensor, and the
// default value def to all other places. out holds the dimensions of the dense tensor that precede
// the dimensions of the values; there is one more of them than there are partitions. def holds the
// bytes of one element or of a whole value. DenseCheck must have accepted the arguments. room is
// scratch for twice as many elements as DenseRoom returns. DenseRaw returns InvalidArgument if the
// partitions describe more values than the slice values holds.
func DenseRaw(dst, values, def []byte, parts []int64, lens, out []int, n int, p DenseParams, room []int64) error {
	return toDense(dst, values, def, parts, lens, out, n, p, room)
}

// DenseStr is DenseRaw for strings.
func DenseStr(dst, values, def []string, parts []int64, lens, out []int, n int, p DenseParams, room []int64) error {
	return toDense(dst, values, def, parts, lens, out, n, p, room)
}
