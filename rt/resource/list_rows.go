package resource

import (
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// StackShape returns the common shape of all tensors. The parameter ask is the partial shape that the
// reader expects. The error is InvalidArgument if shapes contradict each other or the common shape is
// not fully known.
func (l *List) StackShape(ask Partial) ([]int, error) {
	l.st.mu.Lock()
	defer l.st.mu.Unlock()
	return l.commonShape(ask, "stack the elements")
}

// Stack copies all n tensors, which must have the given shape, to dst, one after another.
// Uninitialized tensors are read as zeros. The error is InvalidArgument if the list has another
// length or tensors of other shapes.
func (l *List) Stack(n int, shape []int, ask Partial, dst Data) error {
	if l.n != n {
		return tensor.Errorf(tensor.InvalidArgument, "Operation expected a list with %d elements but got a list with %d elements.", n, l.n)
	}
	p, err := l.asked(ask)
	if err != nil {
		return err
	}
	if !p.fits(shape) {
		return tensor.Errorf(tensor.InvalidArgument, "Tried to stack elements of the shape %v as %v", l.Elem.String(), ask.String())
	}
	l.st.mu.Lock()
	defer l.st.mu.Unlock()
	st := l.st
	per := elements(shape)
	cs := l.all(n)
	if !p.full() && !slices.ContainsFunc(cs, cell.set) {
		return tensor.Errorf(tensor.InvalidArgument, "Tried to stack elements of an empty list with non-fully-defined element_shape: %v", p.String())
	}
	if st.known && slices.Equal(st.shape, shape) && len(cs) == n && !slices.ContainsFunc(cs, func(c cell) bool { return !c.in }) {
		dst.copyFrom(st.block)
		return nil
	}
	if per == 0 {
		n = len(cs) // any further tensors are uninitialized; they have no elements that must be cleared
	}
	for k := range n {
		to := dst.Window(l.DType, k*per, per)
		if k >= len(cs) || !cs[k].set() {
			to.clear()
			continue
		}
		if s := st.shapeOf(cs[k]); !slices.Equal(s, shape) {
			return tensor.Errorf(tensor.InvalidArgument, "Tried to stack list which contains elements of different shapes: element %d has %v, not %v", k, tensor.Shape(slices.Clone(s)), tensor.Shape(slices.Clone(shape)))
		}
		to.copyFrom(st.dataOf(cs[k], k))
	}
	return nil
}

// Gather copies several tensors, one after another, to dst. The parameter at contains the indices of
// these tensors. The error is InvalidArgument if an index is out of range or a tensor has another
// shape.
func (l *List) Gather(at []int32, shape []int, ask Partial, dst Data) error {
	if p, err := l.asked(ask); err != nil {
		return err
	} else if p.full() && elements(p.Dims) == 0 {
		// like TensorFlow, do not check the indices of tensors without elements
		return nil
	}
	per := elements(shape)
	for i, k := range at {
		if err := l.Get(int(k), shape, ask, dst.Window(l.DType, i*per, per)); err != nil {
			return err
		}
	}
	return nil
}

// Scatter returns a copy of the list in which row i of a tensor replaces the tensor with the index
// at[i]. If grow is set, an index beyond the end makes the list longer. The error is InvalidArgument if
// an index is out of range or the shape does not fit the list.
func (l *List) Scatter(at []int32, shape []int, data Data, grow bool) (*List, error) {
	if len(shape) < 1 || shape[0] != len(at) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%d indices for a tensor of the shape %v", len(at), tensor.Shape(slices.Clone(shape)))
	}
	if err := l.takes(shape[1:]); err != nil {
		return nil, err
	}
	n := l.n
	for _, k := range at {
		if grow && int(k) >= n && int(k) < maxCells {
			n = int(k) + 1
		}
		if k < 0 || int(k) >= n {
			return nil, tensor.Errorf(tensor.InvalidArgument, "Trying to scatter at index %d in list with size %d", k, n)
		}
	}
	l.st.mu.Lock()
	f, err := l.fork(n)
	l.st.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return f, f.rows(at, shape[1:], data)
}

// rows stores tensors of one shape into a new list, which no other goroutine uses yet. The parameter
// at contains the indices of these tensors in the list. If it is nil, the tensors fill the list from
// index 0 on.
func (l *List) rows(at []int32, shape []int, data Data) error {
	per := elements(shape)
	n := l.n
	if at != nil {
		n = len(at)
	}
	for i := range n {
		k := i
		if at != nil {
			k = int(at[i])
		}
		if err := l.st.put(k, l.n, shape, data.Window(l.DType, i*per, per), true); err != nil {
			return err
		}
	}
	return nil
}

// Unstack returns a list of the rows of a tensor. The error is InvalidArgument for a scalar or if
// the rows do not fit elem.
func Unstack(d tensor.DType, elem Partial, shape []int, data Data) (*List, error) {
	if len(shape) == 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Tensor must be at least a vector, but saw a scalar")
	}
	l, err := NewList(d, elem, shape[0], -1)
	if err != nil {
		return nil, err
	}
	if err := l.takes(shape[1:]); err != nil {
		return nil, err
	}
	st := l.st
	if err := st.extend(l.n); err != nil {
		return nil, err
	}
	if l.n == 0 {
		return l, nil
	}
	st.known, st.shape, st.room, st.per = true, slices.Clone(shape[1:]), l.n, elements(shape[1:])
	st.block = makeData(d, l.n*st.per)
	st.block.copyFrom(data)
	for k := range st.c {
		st.c[k].in = true
	}
	return l, nil
}
