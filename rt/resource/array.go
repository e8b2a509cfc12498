package resource

import (
	"slices"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// Array is a TensorArray: tensors by number, each written and read as the
// flags say. Several goroutines may use it.
type Array struct {
	mu sync.Mutex
	cells
	name   string // as errors name it
	elem   Partial
	flags  ArrayFlags
	n      int
	marked int // the size that the gradient of a pack or a concatenation has
	closed bool
	state  []access // of the cells
	zeros  [][]int  // shapes of the zeros that are read where nothing was written
	grads  map[string]*Array
	grad   bool // writes to a tensor add up
}

// ArrayFlags are attributes of a TensorArray.
type ArrayFlags struct {
	Dynamic        bool // a write behind the end makes it longer
	ClearAfterRead bool // a tensor is read once
	Identical      bool // all tensors have the shape of the first
}

type access struct{ written, read, cleared bool }

// NewArray returns an array of n tensors that are not written yet: InvalidArgument for a negative n.
func NewArray(name string, d tensor.DType, elem Partial, n int, f ArrayFlags) (*Array, error) {
	if n < 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Size should be >= 0.")
	}
	return &Array{cells: cells{dtype: d}, name: name, elem: elem.clone(), flags: f, n: n}, nil
}

// ArrayOf returns the array that h holds: InvalidArgument where it holds none,
// or one of elements of another type than d, if that is valid; NotFound where there is no handle.
func ArrayOf(h []tensor.Handle, d tensor.DType) (*Array, error) {
	a, err := of[Array](h, "a TensorArray")
	if err != nil {
		return nil, err
	}
	if d != tensor.Invalid && a.dtype != d {
		return nil, tensor.Errorf(tensor.InvalidArgument, "TensorArray dtype is %v but op has dtype %v.", a.dtype, d)
	}
	return a, nil
}

func (a *Array) errorf(format string, args ...any) error {
	return tensor.Errorf(tensor.InvalidArgument, "TensorArray "+a.name+": "+format, args...)
}

func (a *Array) open() error {
	if a.closed {
		return a.errorf("it has already been closed.")
	}
	return nil
}

// Len returns the number of tensors; InvalidArgument once it is closed.
func (a *Array) Len() (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.n, a.open()
}

// JoinedLen returns how many tensors a concatenation of all has.
func (a *Array) JoinedLen() (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.joined(), a.open()
}

func (a *Array) joined() int {
	if a.grad {
		return a.marked
	}
	return a.n
}

// Close drops the tensors; what comes after is InvalidArgument.
func (a *Array) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed, a.cells, a.state, a.zeros, a.grads = true, cells{dtype: a.dtype}, nil, nil, nil
}

// Grad returns the array of gradients for source, made by the first call: of as
// many tensors, where those that nobody writes are zeros of prepend and the
// shape of the forward tensor. From now on a has a fixed size. InvalidArgument
// for an array of gradients.
func (a *Array) Grad(source string, prepend []int) (*Array, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.open(); err != nil {
		return nil, err
	}
	if g := a.grads[source]; g != nil {
		return g, nil
	}
	if a.grad {
		return nil, a.errorf("gradients of an array of gradients")
	}
	a.flags.Dynamic = false
	elem := a.elem.clone()
	if elem.Known {
		elem.Dims = append(slices.Clone(prepend), elem.Dims...)
	}
	g := &Array{cells: cells{dtype: a.dtype}, name: a.name + "@" + source, elem: elem, n: a.n, marked: a.marked, grad: true,
		flags: ArrayFlags{ClearAfterRead: true, Identical: a.flags.Identical}}
	if err := g.extend(len(a.c)); err != nil {
		return nil, err
	}
	g.state, g.zeros = make([]access, len(a.c)), make([][]int, len(a.c))
	for k, st := range a.state {
		s := a.zerosAt(k)
		if st.written {
			s = append([]int{}, a.shapeOf(a.c[k])...)
		}
		if s != nil && len(prepend) > 0 {
			s = append(slices.Clone(prepend), s...)
		}
		g.zeros[k] = s
	}
	if a.grads == nil {
		a.grads = map[string]*Array{}
	}
	a.grads[source] = g
	return g, nil
}

// zerosAt returns the shape of the zeros that tensor k is, nil where it is none or not known.
func (a *Array) zerosAt(k int) []int {
	if k < len(a.zeros) {
		return a.zeros[k]
	}
	return nil
}

// accessed makes cells up to n and what is known of the accesses to them.
func (a *Array) accessed(n int) error {
	if err := a.extend(n); err != nil {
		return err
	}
	if n := len(a.c); len(a.state) < n {
		a.state = append(a.state, make([]access, n-len(a.state))...)
	}
	return nil
}

// Write copies a tensor of that shape to place k, or adds it there in a gradient:
// InvalidArgument where the place is outside, written or read before, or of
// another shape.
func (a *Array) Write(k int, shape []int, data Data) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.open(); err != nil {
		return err
	}
	return a.write(k, shape, data)
}

func (a *Array) write(k int, shape []int, data Data) error {
	if k < 0 || k >= a.n && !a.flags.Dynamic {
		return a.errorf("Tried to write to index %d but array is not resizeable and size is: %d", k, a.n)
	}
	if !a.elem.fits(shape) {
		return a.errorf("Could not write to index %d because the value shape is %v which is incompatible with the TensorArray's inferred element shape: %v (consider setting infer_shape=False).",
			k, tensor.Shape(slices.Clone(shape)), a.elem.String())
	}
	if err := a.accessed(k + 1); err != nil {
		return err
	}
	a.n = max(a.n, k+1)
	if a.flags.Identical && !a.elem.full() {
		a.elem = Partial{true, slices.Clone(shape)}
	}
	st := &a.state[k]
	switch {
	case st.read:
		return a.errorf("Could not write to index %d because it has already been read.", k)
	case st.written && !a.grad:
		return a.errorf("Could not write to index %d because it has already been written to.", k)
	case st.written:
		c := a.c[k]
		if s := a.shapeOf(c); !slices.Equal(s, shape) {
			return a.errorf("Could not aggregate to index %d because the existing shape is %v but the new input shape is %v.", k, tensor.Shape(slices.Clone(s)), tensor.Shape(slices.Clone(shape)))
		}
		return a.dataOf(c, k).add(a.dtype, data)
	}
	if err := a.put(k, a.n, shape, data, true); err != nil {
		return err
	}
	st.written = true
	return nil
}

// shapeAt returns the shape of tensor k; the lock is held.
func (a *Array) shapeAt(k int) ([]int, error) {
	if err := a.open(); err != nil {
		return nil, err
	}
	if k < 0 || k >= a.n {
		return nil, a.errorf("Tried to read from index %d but array size is: %d", k, a.n)
	}
	var st access
	if k < len(a.state) {
		st = a.state[k]
	}
	switch {
	case st.cleared:
		return nil, a.errorf("Could not read index %d twice because it was cleared after a previous read (perhaps try setting clear_after_read = false?).", k)
	case st.written:
		return a.shapeOf(a.c[k]), nil
	case a.zerosAt(k) != nil:
		return a.zeros[k], nil
	case a.elem.full():
		return a.elem.Dims, nil
	}
	return nil, a.errorf("Could not read index %d: it has not been written, and the element shape %v is not fully defined.", k, a.elem.String())
}

// ShapeAt returns the shape of tensor k; see Read.
func (a *Array) ShapeAt(k int) ([]int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.shapeAt(k)
}

// Read copies tensor k, which must have that shape; zeros where it was not
// written but its shape is known. InvalidArgument where it is outside, of another
// shape, cleared by an earlier read, or not known.
func (a *Array) Read(k int, shape []int, dst Data) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.read(k, shape, dst)
}

func (a *Array) read(k int, shape []int, dst Data) error {
	s, err := a.shapeAt(k)
	if err != nil {
		return err
	}
	if !slices.Equal(s, shape) {
		return a.errorf("element %d has the shape %v, not %v", k, tensor.Shape(slices.Clone(s)), tensor.Shape(slices.Clone(shape)))
	}
	if k < len(a.c) && a.c[k].set() && a.state[k].written {
		dst.copyFrom(a.dataOf(a.c[k], k))
	} else {
		dst.clear()
	}
	if err := a.accessed(k + 1); err != nil {
		return err
	}
	st := &a.state[k]
	st.read = true
	if a.flags.ClearAfterRead {
		st.cleared = true
		if a.c[k].p != nil {
			a.c[k].p = &piece{shape: a.c[k].p.shape} // its room goes
		}
	} else if !st.written {
		if n := len(a.c); len(a.zeros) < n {
			a.zeros = append(a.zeros, make([][]int, n-len(a.zeros))...)
		}
		a.zeros[k] = append([]int{}, s...)
	}
	return nil
}

// restrict merges the element shape with what a reader asks for: InvalidArgument where they differ.
func (a *Array) restrict(ask Partial) error {
	if err := a.open(); err != nil {
		return err
	}
	if !ask.Known {
		return nil
	}
	p, ok := a.elem.merge(ask)
	if !ok {
		return a.errorf("the element shape %v is asked for as %v", a.elem.String(), ask.String())
	}
	a.elem = p
	return nil
}

// GatherShape returns the shape of each of the tensors at those places. Of none
// it is ask, Unimplemented where that is not fully known.
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

// ofNone returns the shape of each of no tensors, which the reader must state in full.
func (p Partial) ofNone() ([]int, error) {
	if !p.full() {
		return nil, tensor.Errorf(tensor.Unimplemented, "TensorArray has size zero, but element shape %v is not fully defined. Currently only static shapes are supported when packing zero-size TensorArrays.", p.String())
	}
	return p.Dims, nil
}

// PackShape is GatherShape of the first n tensors.
func (a *Array) PackShape(n int, ask Partial) ([]int, error) {
	return a.GatherShape(make([]int32, min(n, 1)), ask)
}

// Gather reads the tensors at those places one after the other; all must have
// that shape.
func (a *Array) Gather(at []int32, shape []int, ask Partial, dst Data) error {
	return a.gather(len(at), func(i int) int { return int(at[i]) }, shape, ask, dst)
}

// Pack is Gather of the first n tensors.
func (a *Array) Pack(n int, shape []int, ask Partial, dst Data) error {
	return a.gather(n, func(i int) int { return i }, shape, ask, dst)
}

// gather reads n tensors, of which at tells the places.
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
			return a.errorf("elements of the shape %v are asked for as %v", tensor.Shape(slices.Clone(s)), tensor.Shape(slices.Clone(shape)))
		}
	}
	per := 1
	for _, d := range shape {
		per *= d
	}
	for i := range n {
		if err := a.read(at(i), shape, dst.Window(a.dtype, i*per, per)); err != nil {
			return err
		}
	}
	return nil
}

// Scatter writes row i of a tensor of that shape to place at[i].
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

// writeRows writes the rows of a tensor, of which at tells the places, all below end. The lock is held.
func (a *Array) writeRows(end int, at func(i int) int, shape []int, data Data) error {
	per := 1
	for _, d := range shape[1:] {
		per *= d
	}
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

// Unpack writes the rows of a tensor of that shape to the places from the first on.
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

// fixed checks that n tensors fill the array, or that it may grow, and notes
// their number for the gradient.
func (a *Array) fixed(n int) error {
	if n != a.n && !(a.flags.Dynamic && n > a.n) {
		return a.errorf("TensorArray's size is not equal to the number of parts (%d vs. %d), and the TensorArray is not marked as dynamically resizeable", a.n, n)
	}
	a.marked = n
	return nil
}

// Split writes part i, of lengths[i] rows, of a tensor of that shape to place i:
// InvalidArgument for lengths that do not add up, or that are not as many as the array's tensors.
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

// ConcatShape returns the shape of all tensors joined along their first axis; ask
// is what the reader expects of the others.
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

// Concat reads all tensors joined along their first axis, and their rows.
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
	per := 1
	for _, d := range shape[1:] {
		per *= d
	}
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
