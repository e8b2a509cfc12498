package resource

import (
	"math"
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// ListOf returns the list that h holds. The error is InvalidArgument if h holds anything else.
func ListOf(h []tensor.Handle) (*List, error) {
	if len(h) == 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Input handle is not a list.")
	}
	l, ok := h[0].V.(*List)
	if !ok {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Input handle is not a list. Saw: %T", h[0].V)
	}
	return l, nil
}

// TypedListOf returns the list that h holds, which must have elements of type d. The error is
// InvalidArgument if h holds anything else.
func TypedListOf(h []tensor.Handle, d tensor.DType) (*List, error) {
	l, err := ListOf(h)
	if err == nil && l.DType != d {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Invalid data types; op elements %v but list elements %v", d, l.DType)
	}
	return l, err
}

// snapshot returns the cells of l, and a function that returns the shape and data of the tensor in
// cell k. The function needs no lock. The data does not change as long as l is reachable.
func (l *List) snapshot() ([]cell, func(k int) (shape []int, data Data)) {
	l.st.mu.Lock()
	defer l.st.mu.Unlock()
	cs := slices.Clone(l.all(l.n))
	shape, per, block, d := l.st.shape, l.st.per, l.st.block, l.DType
	return cs, func(k int) ([]int, Data) {
		if p := cs[k].p; p != nil {
			return p.shape, p.data
		}
		return shape, block.Window(d, k*per, per)
	}
}

// ConcatLists returns a list of the tensors of list a followed by those of list b. The error is
// InvalidArgument if their types or element shapes differ.
func ConcatLists(a, b *List) (*List, error) {
	if a.Elem.Known != b.Elem.Known || !slices.Equal(a.Elem.Dims, b.Elem.Dims) || a.DType != b.DType {
		return nil, tensor.Errorf(tensor.InvalidArgument, "lists of %v%v and %v%v cannot be concatenated", a.DType, a.Elem.String(), b.DType, b.Elem.String())
	}
	a.st.mu.Lock()
	f, err := a.fork(a.n + b.n)
	a.st.mu.Unlock()
	if err != nil {
		return nil, err
	}
	cs, get := b.snapshot()
	for k, c := range cs {
		if c.set() {
			shape, data := get(k)
			if err := f.st.put(a.n+k, f.n, shape, data, false); err != nil {
				return nil, err
			}
		}
	}
	return f, nil
}

// SplitRows returns a list of consecutive parts of a tensor; part i has lengths[i] rows. The error is
// InvalidArgument for a scalar, or if the sum of the lengths is not the number of rows. It is also
// InvalidArgument if the shape of a row does not fit elem.Dims[1:], or if elem is the shape of a
// scalar.
func SplitRows(d tensor.DType, elem Partial, lengths []int64, shape []int, data Data) (*List, error) {
	if len(shape) == 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Tensor must be at least a vector, but saw a scalar")
	}
	l, err := NewList(d, elem, len(lengths), -1)
	if err != nil {
		return nil, err
	}
	rest := Partial{Known: elem.Known}
	if elem.Known && len(elem.Dims) > 0 {
		rest.Dims = elem.Dims[1:]
	}
	if elem.Known && len(elem.Dims) == 0 || !rest.fits(shape[1:]) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "parts of a tensor of the shape %v do not fit a list of elements of the shape %v", tensor.Shape(slices.Clone(shape)), elem.String())
	}
	return l, eachPart(d, lengths, shape, data, func(k int, shape []int, part Data) error {
		return l.st.put(k, l.n, shape, part, false)
	})
}

// eachPart calls f with consecutive parts of a tensor; part k has lengths[k] rows. The error is
// InvalidArgument if the sum of the lengths is not the number of rows.
func eachPart(d tensor.DType, lengths []int64, shape []int, data Data, f func(k int, shape []int, part Data) error) error {
	per := elements(shape[1:])
	left := int64(shape[0])
	for k, n := range lengths {
		if n < 0 || n > left {
			return tensor.Errorf(tensor.InvalidArgument, "lengths[%d] is %d, of %d rows %d are left", k, n, shape[0], left)
		}
		left -= n
	}
	if left != 0 {
		return tensor.Errorf(tensor.InvalidArgument, "the lengths leave %d of %d rows", left, shape[0])
	}
	part := slices.Clone(shape)
	at := 0
	for k, n := range lengths {
		part[0] = int(n)
		if err := f(k, part, data.Window(d, at*per, int(n)*per)); err != nil {
			return err
		}
		at += int(n)
	}
	return nil
}

// ConcatShape returns the shape of the concatenation of all tensors along their first axis. The
// parameter ask is the partial shape of a tensor that the reader expects, including this axis. An
// uninitialized tensor k counts as leading[k] rows; ask and the list determine the shape of a row.
func (l *List) ConcatShape(ask Partial, leading []int64) ([]int, error) {
	_, shape, err := l.concat(ask, leading)
	return shape, err
}

// concat returns the number of rows of each tensor, and the shape of their concatenation.
func (l *List) concat(ask Partial, leading []int64) ([]int, []int, error) {
	elem, err := l.asked(ask)
	if err != nil {
		return nil, nil, err
	}
	rest := Partial{Known: elem.Known}
	if elem.Known {
		if len(elem.Dims) < 1 {
			return nil, nil, tensor.Errorf(tensor.InvalidArgument, "Concat requires elements to be at least vectors, found scalars instead.")
		}
		rest.Dims = slices.Clone(elem.Dims[1:])
	}
	// An uninitialized tensor may have no entry in the parameter leading. The variable first is the
	// number of rows of such a tensor. It is the first dimension in elem, if this is known.
	// Otherwise, if l.Elem is not fully known, it is the number of rows that all initialized tensors
	// have in common. In all other cases it is -1.
	first, alike := -1, false
	if len(elem.Dims) > 0 && elem.Dims[0] >= 0 {
		first = elem.Dims[0]
	} else {
		alike = !l.Elem.full()
	}
	cs, get := l.snapshot()
	for k, c := range cs {
		if !c.set() {
			continue
		}
		shape, _ := get(k)
		if alike && len(shape) > 0 {
			if first < 0 {
				first = shape[0]
			} else if first != shape[0] {
				first, alike = -1, false
			}
		}
		if len(shape) < 1 {
			return nil, nil, tensor.Errorf(tensor.InvalidArgument, "Concat saw a scalar shape at index %d but requires at least vectors.", k)
		}
		p, ok := rest.merge(Partial{true, shape[1:]})
		if !ok {
			return nil, nil, tensor.Errorf(tensor.InvalidArgument, "tried to concat tensors with unequal shapes: %v vs. %v", rest.String(), tensor.Shape(slices.Clone(shape[1:])))
		}
		rest = p
	}
	if !rest.full() {
		return nil, nil, tensor.Errorf(tensor.InvalidArgument, "All except the first dimension must be fully defined when concating an empty tensor list. element_shape: %v", elem.String())
	}
	rows := make([]int, 0, len(cs)) // l.n may be much larger than the number of stored cells
	total := 0
	for k := range l.n {
		var n int
		switch {
		case k < len(cs) && cs[k].set():
			s, _ := get(k)
			n = s[0]
		case k < len(leading) && leading[k] >= 0:
			n = int(leading[k])
		case k >= len(leading) && first >= 0:
			n = first
		default:
			return nil, nil, tensor.Errorf(tensor.InvalidArgument, "List contains uninitialized tensor at index %d but leading_dims has only %d elements.", k, len(leading))
		}
		if l.n > maxCells || n > maxRows-total {
			return nil, nil, tensor.Errorf(tensor.ResourceExhausted, "a list of %d tensors is too large to be concatenated", l.n)
		}
		rows = append(rows, n)
		total += n
	}
	return rows, append([]int{total}, rest.Dims...), nil
}

// Written reports whether any element of the list is initialized.
func (l *List) Written() bool {
	cs, _ := l.snapshot()
	for _, c := range cs {
		if c.set() {
			return true
		}
	}
	return false
}

// maxRows bounds the rows of a concatenation.
const maxRows = min(1<<40, math.MaxInt)

// Concat copies the concatenation of all tensors along their first axis to dst, and the number of
// rows of tensor k to lengths[k]. See ConcatShape for ask and leading. The error is InvalidArgument if
// dst or lengths has the wrong size.
func (l *List) Concat(ask Partial, leading []int64, dst Data, lengths []int64) error {
	rows, shape, err := l.concat(ask, leading)
	if err != nil {
		return err
	}
	if n := elements(shape); dst.count(l.DType) != n || len(lengths) != len(rows) {
		return tensor.Errorf(tensor.InvalidArgument, "%d tensors of together %d elements are read as %d of %d", len(rows), n, len(lengths), dst.count(l.DType))
	}
	per := elements(shape[1:])
	cs, get := l.snapshot()
	at := 0
	for k, n := range rows {
		to := dst.Window(l.DType, at*per, n*per)
		if k < len(cs) && cs[k].set() {
			_, data := get(k)
			to.copyFrom(data)
		} else {
			to.clear()
		}
		lengths[k] = int64(n)
		at += n
	}
	return nil
}

// ZeroVariant returns the zero value for the variant h. For a list, this is a list of zero tensors
// with the same shapes. Tensors that are uninitialized in h are uninitialized in the result.
func ZeroVariant(h tensor.Handle) (tensor.Handle, error) {
	l, ok := h.V.(*List)
	if h.V == nil {
		return h, nil
	}
	if !ok {
		v, err := zeroOther(h.V)
		return tensor.Handle{V: v}, err
	}
	z, err := NewList(l.DType, l.Elem, l.n, l.Max)
	if err != nil {
		return h, err
	}
	cs, get := l.snapshot()
	for k, c := range cs {
		if !c.set() {
			continue
		}
		shape, data := get(k)
		zero := makeData(l.DType, data.count(l.DType))
		for i, e := range data.H {
			if zero.H[i], err = ZeroVariant(e); err != nil {
				return h, err
			}
		}
		if err := z.st.put(k, z.n, shape, zero, false); err != nil {
			return h, err
		}
	}
	return tensor.Handle{V: z}, nil
}

// AddVariants returns the sum of two variants. Lists are added tensor by tensor; an uninitialized
// tensor counts as zero. The error is InvalidArgument if types, lengths or shapes differ.
func AddVariants(x, y tensor.Handle) (tensor.Handle, error) {
	if x.V == nil || y.V == nil {
		if x.V == nil {
			return y, nil
		}
		return x, nil
	}
	a, ok1 := x.V.(*List)
	b, ok2 := y.V.(*List)
	if !ok1 || !ok2 {
		v, err := addOther(x.V, y.V)
		return tensor.Handle{V: v}, err
	}
	elem, ok := a.Elem.merge(b.Elem)
	switch {
	case a.DType != b.DType:
		return x, tensor.Errorf(tensor.InvalidArgument, "Trying to add two lists of tensors of different dtypes. One is %v and the other is %v", a.DType, b.DType)
	case !ok:
		return x, tensor.Errorf(tensor.InvalidArgument, "Trying to add two lists of tensors with incompatible element shapes. One is %v and the other is %v", a.Elem.String(), b.Elem.String())
	case a.n != b.n:
		return x, tensor.Errorf(tensor.InvalidArgument, "Trying to add two lists of tensors with different lengths. One is %d and the other is %d", a.n, b.n)
	}
	a.st.mu.Lock()
	f, err := a.fork(a.n)
	a.st.mu.Unlock()
	if err != nil {
		return x, err
	}
	f.Elem = elem
	cs, get := b.snapshot()
	for k, c := range cs {
		if !c.set() {
			continue
		}
		shape, data := get(k)
		was := f.st.at(k)
		if !was.set() {
			if err := f.st.put(k, f.n, shape, data, false); err != nil {
				return x, err
			}
			continue
		}
		if !slices.Equal(f.st.shapeOf(was), shape) {
			return x, tensor.Errorf(tensor.InvalidArgument, "Trying to add elements %d of the shapes %v and %v", k, tensor.Shape(slices.Clone(f.st.shapeOf(was))), tensor.Shape(slices.Clone(shape)))
		}
		if err := f.st.dataOf(was, k).add(a.DType, data); err != nil {
			return x, err
		}
	}
	return tensor.Handle{V: f}, nil
}
