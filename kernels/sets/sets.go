// Package sets holds the kernels of operations on sets. The sets are stored in dense or sparse
// tensors. A tensor holds one set, called a group, for each combination of indices in all
// dimensions except the last. The elements of the set are the different values along the last
// dimension. Results are sparse tensors, in which the values of each group are in rising order.
package sets

import (
	"cmp"
	"math"
	"slices"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// The kinds of operations.
const (
	AMinusB = iota
	BMinusA
	Intersection
	Union
)

// Params describes an operation on the sets of two operands, A and B. Each operand is either a
// dense tensor or a sparse one. A sparse operand has RowsA (or RowsB) values, and each value has
// ColsA (or ColsB) indices. If Validate is set, the indices must be inside the shape and in order.
type Params struct {
	Kind                       int
	Validate                   bool
	DenseA, DenseB             bool
	RowsA, ColsA, RowsB, ColsB int
	// IndicesA, of the shape [RowsA, ColsA], and IndicesB, of the shape [RowsB, ColsB], hold the
	// indices of sparse operands. For a dense operand, the slice is nil.
	IndicesA, IndicesB []int64
}

// operand iterates over the groups of a dense or sparse tensor.
type operand[T cmp.Ordered] struct {
	indices []int64 // indices of the remaining values of a sparse tensor, len(shape) for each value
	values  []T
	shape   []int64
	at      int // position of the first remaining value
}

// Check checks a sparse operand of n values. It returns InvalidArgument unless the shape has at
// least rank 2, no negative dimensions and a number of elements that does not overflow. There must
// be as many rows of indices as values, and each row must be as long as the shape. With validate,
// indices must also be inside the shape and in order.
func Check(indices, shape []int64, rows, cols, n int, validate bool) error {
	total := int64(1)
	for _, d := range shape {
		if d < 0 {
			return tensor.Errorf(tensor.InvalidArgument, "Dimension %d of a set's shape must be >= 0", d)
		}
		if d > 0 && total > math.MaxInt64/d {
			return tensor.Errorf(tensor.InvalidArgument, "the shape of a set has too many elements")
		}
		if d > 0 {
			total *= d
		}
	}
	switch {
	case len(shape) < 2:
		return tensor.Errorf(tensor.InvalidArgument, "Invalid rank %d, 2 at least is required.", len(shape))
	case rows != n:
		return tensor.Errorf(tensor.InvalidArgument, "Number of elements in values (%d) does not match the number of indices (%d)", n, rows)
	case cols != len(shape):
		return tensor.Errorf(tensor.InvalidArgument, "indices of %d elements do not fit a shape of %d", cols, len(shape))
	case !validate:
		return nil
	}
	for i := range rows {
		row := indices[i*cols:][:cols]
		for k, v := range row {
			if v < 0 || v >= shape[k] {
				return tensor.Errorf(tensor.InvalidArgument, "indices[%d] = %v is out of bounds: need 0 <= index < %v", i, slices.Clone(row), slices.Clone(shape))
			}
		}
		if i == 0 {
			continue
		}
		switch c := slices.Compare(indices[(i-1)*cols:i*cols], row); {
		case c == 0:
			return tensor.Errorf(tensor.InvalidArgument, "indices[%d] is repeated", i)
		case c > 0:
			return tensor.Errorf(tensor.InvalidArgument, "indices[%d] is out of order. Many sparse ops require sorted indices.", i)
		}
	}
	return nil
}

// group returns the number of values of the next group, and the indices of this group. If no group
// remains, the indices are nil.
func (o *operand[T]) group() (n int, key []int64) {
	r := len(o.shape)
	if len(o.indices) == 0 {
		return 0, nil
	}
	key = o.indices[:r-1]
	for n = 1; n*r < len(o.indices) && slices.Equal(o.indices[n*r:n*r+r-1], key); n++ {
	}
	return n, key
}

// take copies the next n values to dst, and returns the set of these values, sorted, in the same
// memory. It returns Internal for an index outside the shape. Such an index is possible only if
// indices have not been validated.
func (o *operand[T]) take(call *mem.Call, dst []T, n int) ([]T, error) {
	r := len(o.shape)
	for i, v := range o.indices[:n*r] {
		if d := o.shape[i%r]; v >= d {
			return nil, tensor.Errorf(tensor.Internal, "indices[%d, %d] expected < %d, got %d.", i/r, i%r, d, v)
		}
	}
	dst = append(dst[:0], o.values[o.at:o.at+n]...)
	o.at += n
	o.indices = o.indices[n*r:]
	return set(call, dst), nil
}

// fewValues is the number of values that are sorted in a few milliseconds.
const fewValues = 1 << 16

// set sorts the values in v and removes repeated ones.
func set[T cmp.Ordered](call *mem.Call, v []T) []T {
	if call.Work(8 * len(v)); len(v) < fewValues {
		slices.Sort(v)
	} else {
		slices.SortFunc(v, func(a, b T) int {
			call.Work(8)
			return cmp.Compare(a, b)
		})
	}
	return slices.Compact(v)
}

// join applies the operation k to the sets a and b, and appends the values of the result to dst.
// dst has enough capacity.
func join[T cmp.Ordered](dst, a, b []T, k int) []T {
	for len(a) > 0 || len(b) > 0 {
		var v T
		inA, inB := true, true
		switch {
		case len(a) == 0:
			inA = false
		case len(b) == 0:
			inB = false
		default:
			c := cmp.Compare(a[0], b[0])
			inA, inB = c <= 0, c >= 0
		}
		if inA {
			v, a = a[0], a[1:]
		}
		if inB {
			v, b = b[0], b[1:]
		}
		switch k {
		case AMinusB:
			inA = inA && !inB
		case BMinusA:
			inA = inB && !inA
		case Intersection:
			inA = inA && inB
		default:
			inA = true
		}
		if inA {
			dst = append(dst, v)
		}
	}
	return dst
}

// operate combines the sets of a and b group by group, and returns the number of values of the
// result. indices is large enough for the indices of all values of both operands, and values and
// scratch are large enough for these values. operate stores the shape of the result in shape. It
// returns InvalidArgument if Check refuses an operand, or if the dimensions that select a group
// differ between the operands. If p.Validate is not set, it returns Internal for an index outside
// the shape.
func operate[T cmp.Ordered](run *mem.Budget, indices []int64, values []T, shape []int64, av []T, as []int64, bv []T, bs []int64, scratch []T, p Params) (int, error) {
	if !p.DenseA {
		if err := Check(p.IndicesA, as, p.RowsA, p.ColsA, len(av), p.Validate); err != nil {
			return 0, err
		}
	}
	if !p.DenseB {
		if err := Check(p.IndicesB, bs, p.RowsB, p.ColsB, len(bv), p.Validate); err != nil {
			return 0, err
		}
	}
	if len(as) < 2 || len(bs) < 2 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "the shapes have the ranks %d and %d, 2 at least is required", len(as), len(bs))
	}
	r := len(as)
	if len(bs) != r || !slices.Equal(as[:r-1], bs[:r-1]) {
		return 0, tensor.Errorf(tensor.InvalidArgument, "Mismatched shapes %v vs %v", slices.Clone(as[:len(as)-1]), slices.Clone(bs[:len(bs)-1]))
	}
	w := writer[T]{call: run.Call(), indices: indices, values: values, rank: r}
	a := operand[T]{indices: p.IndicesA, values: av, shape: as}
	b := operand[T]{indices: p.IndicesB, values: bv, shape: bs}
	sa, sb := scratch[:0:len(av)], scratch[len(av):len(av)]
	var err error
	switch {
	case len(av) == 0 && (p.DenseA || p.DenseB) && len(bv) == 0:
	case p.DenseA && p.DenseB:
		w.dense(a, b, sa, sb, p.Kind)
	case p.DenseA && len(av) > 0:
		err = w.denseSparse(a, &b, sa, sb, p.Kind)
	default:
		a.indices = a.indices[:min(len(a.indices), len(av)*r)]
		err = w.sparse(&a, &b, sa, sb, p.Kind)
	}
	copy(shape, as[:r-1])
	shape[r-1] = int64(w.widest)
	return w.n, err
}

// writer writes the values of the result, one group after the other.
type writer[T cmp.Ordered] struct {
	call    mem.Call
	indices []int64
	values  []T
	rank    int
	n       int
	widest  int
}

// put applies the operation k to the sets a and b of a group, and appends the resulting values and
// their indices to the result. The function key stores the indices of the group in its argument.
func (w *writer[T]) put(a, b []T, k int, key func(dst []int64)) {
	w.call.Work(8 * (len(a) + len(b) + 4))
	set := join(w.values[w.n:w.n], a, b, k)
	w.widest = max(w.widest, len(set))
	for i := range set {
		row := w.indices[(w.n+i)*w.rank:][:w.rank]
		key(row[:w.rank-1])
		row[w.rank-1] = int64(i)
	}
	w.n += len(set)
}

// unravel writes the indices of group g of a dense shape.
func unravel(dst, shape []int64, g int) {
	for k := len(dst) - 1; k >= 0; k-- {
		dst[k] = int64(g % int(shape[k]))
		g /= int(shape[k])
	}
}

func (w *writer[T]) dense(a, b operand[T], sa, sb []T, k int) {
	na, nb := int(a.shape[w.rank-1]), int(b.shape[w.rank-1])
	groups := len(a.values) / max(na, 1)
	if na == 0 {
		groups = len(b.values) / nb
	}
	for g := range groups {
		x := set(&w.call, append(sa, a.values[g*na:][:na]...))
		y := set(&w.call, append(sb, b.values[g*nb:][:nb]...))
		w.put(x, y, k, func(dst []int64) { unravel(dst, a.shape, g) })
	}
}

func (w *writer[T]) denseSparse(a operand[T], b *operand[T], sa, sb []T, k int) error {
	na := int(a.shape[w.rank-1])
	n, key := b.group()
	for g := range len(a.values) / na {
		x := set(&w.call, append(sa, a.values[g*na:][:na]...))
		y := sb
		if key != nil && same(key, a.shape, g) {
			var err error
			if y, err = b.take(&w.call, sb, n); err != nil {
				return err
			}
			n, key = b.group()
		}
		w.put(x, y, k, func(dst []int64) { unravel(dst, a.shape, g) })
	}
	return nil
}

// same reports whether key holds the indices of group g.
func same(key, shape []int64, g int) bool {
	for k := len(key) - 1; k >= 0; k-- {
		if key[k] != int64(g%int(shape[k])) {
			return false
		}
		g /= int(shape[k])
	}
	return true
}

func (w *writer[T]) sparse(a, b *operand[T], sa, sb []T, k int) error {
	for {
		na, ka := a.group()
		nb, kb := b.group()
		c := 0
		switch {
		case ka == nil && kb == nil:
			return nil
		case ka == nil:
			c = 1
		case kb == nil:
			c = -1
		default:
			c = slices.Compare(ka, kb)
		}
		x, y, key := sa, sb, ka
		var err error
		if c <= 0 {
			if x, err = a.take(&w.call, sa, na); err != nil {
				return err
			}
		}
		if c >= 0 {
			key = kb
			if y, err = b.take(&w.call, sb, nb); err != nil {
				return err
			}
		}
		w.put(x, y, k, func(dst []int64) { copy(dst, key) })
	}
}

// size writes the number of different values of each group of a sparse tensor to dst. For a group
// without values, this number is 0. Check must have accepted the tensor. scratch has the length of
// values. If the indices have not been validated, size returns Internal for an index outside the
// shape.
func size[T cmp.Ordered](run *mem.Budget, dst []int32, indices []int64, values []T, shape []int64, scratch []T) error {
	clear(dst)
	call := run.Call()
	o := operand[T]{indices: indices, values: values, shape: shape}
	for {
		n, key := o.group()
		if key == nil {
			return nil
		}
		set, err := o.take(&call, scratch, n)
		if err != nil {
			return err
		}
		at := int64(0)
		for k, v := range key {
			if v < 0 {
				return tensor.Errorf(tensor.InvalidArgument, "Index out of range: %d", v)
			}
			at = at*shape[k] + v
		}
		dst[at] = int32(len(set))
	}
}
