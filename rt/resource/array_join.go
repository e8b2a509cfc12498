package resource

import (
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// restrict merges a partial shape into the array's element shape. The parameter ask is this partial
// shape, which a reader of the array expects. The error is InvalidArgument if the two shapes
// contradict each other.
func (a *Array) restrict(ask Partial) error {
	if err := a.open(); err != nil {
		return err
	}
	if !ask.Known {
		return nil
	}
	p, ok := a.elem.merge(ask)
	if !ok {
		return a.errorf("the element shape is %v, the reader expects %v", a.elem.String(), ask.String())
	}
	a.elem = p
	return nil
}

// GatherShape returns the shape of the tensors that Gather reads. The parameter at contains the
// indices of these tensors, and ask is the partial shape that the reader expects. GatherShape returns
// the shape of the first of the tensors; Gather checks that all of them have this shape. If there are
// no indices, the result is ask; the error is then Unimplemented if ask is not fully known.
func (a *Array) GatherShape(at []int32, ask Partial) ([]int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.restrict(ask); err != nil {
		return nil, err
	}
	if len(at) > 0 {
		return a.shapeAt(int(at[0]))
	}
	return ask.ofNone()
}

// ofNone returns the dimensions of p, the shape that a reader expects for zero tensors. The error is
// Unimplemented if p is not fully known.
func (p Partial) ofNone() ([]int, error) {
	if !p.full() {
		return nil, tensor.Errorf(tensor.Unimplemented, "TensorArray has size zero, but element shape %v is not fully defined. Currently only static shapes are supported when packing zero-size TensorArrays.", p.String())
	}
	return p.Dims, nil
}

// PackShape returns the shape of the tensors that Pack reads, as GatherShape does for Gather.
func (a *Array) PackShape(n int, ask Partial) ([]int, error) {
	return a.GatherShape(make([]int32, min(n, 1)), ask)
}

// Gather reads several tensors, one after another, into dst. The parameter at contains the indices of
// these tensors. Each of them must have the given shape.
func (a *Array) Gather(at []int32, shape []int, ask Partial, dst Data) error {
	return a.gather(len(at), func(i int) int { return int(at[i]) }, shape, ask, dst)
}

// Pack reads the first n tensors, one after another, into dst. Each of them must have the given
// shape.
func (a *Array) Pack(n int, shape []int, ask Partial, dst Data) error {
	return a.gather(n, func(i int) int { return i }, shape, ask, dst)
}

// gather reads n tensors of the array, one after another, into dst. Tensor i of the result is element
// at(i) of the array.
func (a *Array) gather(n int, at func(i int) int, shape []int, ask Partial, dst Data) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.restrict(ask); err != nil {
		return err
	}
	if n == 0 {
		if s, err := ask.ofNone(); err != nil {
			return err
		} else if !slices.Equal(s, shape) {
			return a.errorf("elements of the shape %v are read as %v", tensor.Shape(slices.Clone(s)), tensor.Shape(slices.Clone(shape)))
		}
	}
	if n > maxCells {
		return tooMany(n)
	}
	per := elements(shape)
	for i := range n {
		if err := a.read(at(i), shape, dst.Window(a.dtype, i*per, per)); err != nil {
			return err
		}
	}
	return nil
}

// Scatter writes row i of a tensor to cell at[i]. The tensor consists of shape and data.
func (a *Array) Scatter(at []int32, shape []int, data Data) error {
	if len(shape) < 1 || shape[0] != len(at) {
		return a.errorf("Expected len(indices) == values.shape[0], but saw: %d indices and the shape %v", len(at), tensor.Shape(slices.Clone(shape)))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.open(); err != nil {
		return err
	}
	top := -1
	for _, k := range at {
		top = max(top, int(k))
	}
	if top >= a.n && !a.flags.Dynamic {
		return a.errorf("Max scatter index must be < array size (%d vs. %d)", top, a.n)
	}
	return a.writeRows(top+1, func(i int) int { return int(at[i]) }, shape, data)
}

// writeRows writes each row i of a tensor to cell at(i). All these cell indices are less than the
// parameter end. The caller holds the lock.
func (a *Array) writeRows(end int, at func(i int) int, shape []int, data Data) error {
	per := elements(shape[1:])
	if err := a.extend(min(max(a.n, end), maxCells)); err != nil {
		return err
	}
	for i := range shape[0] {
		if err := a.write(at(i), shape[1:], data.Window(a.dtype, i*per, per)); err != nil {
			return err
		}
	}
	return nil
}

// Unpack writes the rows of a tensor to the cells from 0 on. The tensor consists of shape and data.
func (a *Array) Unpack(shape []int, data Data) error {
	if len(shape) == 0 {
		return a.errorf("the value must be at least a vector, not a scalar")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.open(); err != nil {
		return err
	}
	if err := a.fixed(shape[0]); err != nil {
		return err
	}
	return a.writeRows(shape[0], func(i int) int { return i }, shape, data)
}

// fixed returns an error unless n is the array's length or a length to which the array may grow. It
// stores n as the number of tensors for JoinedLen.
func (a *Array) fixed(n int) error {
	if n != a.n && !(a.flags.Dynamic && n > a.n) {
		return a.errorf("TensorArray's size is not equal to the number of parts (%d vs. %d), and the TensorArray is not marked as dynamically resizeable", a.n, n)
	}
	a.marked = n
	return nil
}

// Split writes consecutive parts of a tensor to the cells; part i has lengths[i] rows. The error is
// InvalidArgument if the sum of the lengths is not the tensor's number of rows. It is also
// InvalidArgument if the number of lengths is not the array's length, unless the array may grow.
func (a *Array) Split(lengths []int64, shape []int, data Data) error {
	if len(shape) == 0 {
		return a.errorf("Expected value to be at least a vector, but received a scalar")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.open(); err != nil {
		return err
	}
	if err := a.fixed(len(lengths)); err != nil {
		return err
	}
	return eachPart(a.dtype, lengths, shape, data, a.write)
}

// ConcatShape returns the shape of the concatenation of all tensors along their first axis. The
// parameter ask is the partial shape that the reader expects, without this axis.
func (a *Array) ConcatShape(ask Partial) ([]int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.concatShape(ask)
}

func (a *Array) concatShape(ask Partial) ([]int, error) {
	if ask.Known {
		ask.Dims = append([]int{-1}, ask.Dims...)
	}
	if err := a.restrict(ask); err != nil {
		return nil, err
	}
	n := a.joined()
	if n == 0 {
		if !a.elem.Known || !(Partial{true, a.elem.Dims[min(1, len(a.elem.Dims)):]}).full() {
			return nil, tensor.Errorf(tensor.Unimplemented, "TensorArray has size zero, but element_shape_except0 %v is not fully defined. Currently only static shapes are supported when concatenating zero-size TensorArrays.", a.elem.String())
		}
		return append([]int{0}, a.elem.Dims[min(1, len(a.elem.Dims)):]...), nil
	}
	if n > maxCells {
		return nil, tooMany(n)
	}
	var all []int
	for k := range n {
		s, err := a.shapeAt(k)
		switch {
		case err != nil:
			return nil, err
		case len(s) == 0:
			return nil, a.errorf("Concat saw a scalar shape at index %d but requires at least vectors. Did you mean to call pack?", k)
		case all == nil:
			all = slices.Clone(s)
		case !slices.Equal(all[1:], s[1:]):
			return nil, a.errorf("TensorArray has inconsistent shapes. Index 0 has (excepting dimension 0) shape: %v but index %d has (excepting dimension 0) shape: %v", tensor.Shape(all[1:]), k, tensor.Shape(slices.Clone(s[1:])))
		default:
			all[0] += s[0]
		}
	}
	return all, nil
}

// Concat reads the concatenation of all tensors along their first axis into dst. It stores the number
// of rows of tensor k in lengths[k].
func (a *Array) Concat(ask Partial, shape []int, dst Data, lengths []int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	all, err := a.concatShape(ask)
	if err != nil {
		return err
	}
	if !slices.Equal(all, shape) {
		return a.errorf("the concatenation has the shape %v, not %v", tensor.Shape(all), tensor.Shape(slices.Clone(shape)))
	}
	if n := a.joined(); len(lengths) != n {
		return a.errorf("%d tensors are read as %d", n, len(lengths))
	}
	per := elements(shape[1:])
	at := 0
	for k := range a.joined() {
		s, err := a.shapeAt(k)
		if err != nil {
			return err
		}
		n := s[0]
		if err := a.read(k, slices.Clone(s), dst.Window(a.dtype, at*per, n*per)); err != nil {
			return err
		}
		lengths[k] = int64(n)
		at += n
	}
	return nil
}
