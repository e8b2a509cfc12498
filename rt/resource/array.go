package resource

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Array is TensorFlow's TensorArray, a list of tensors. Its flags restrict how the tensors are
// written and read. It is safe for concurrent use.
type Array struct {
	mu sync.Mutex
	cells
	name  string // for errors
	elem  Partial
	flags ArrayFlags
	n     int
	// how many tensors Unpack or Split wrote; see JoinedLen
	marked int
	closed bool
	state  []access // by cell
	// zeros[k] is the shape of the zeros that are read for tensor k if it was not written; nil if
	// unknown
	zeros [][]int
	grads map[string]*Array
	// whether this is an array of gradients: a repeated write to a cell adds to the tensor in the
	// cell
	grad bool
}

// ArrayFlags are the attributes of a TensorArray.
type ArrayFlags struct {
	Dynamic        bool // whether a write beyond the end makes the array longer
	ClearAfterRead bool // whether a tensor can be read only once
	Identical      bool // whether all tensors must have the shape of the first one
}

type access struct{ written, read, cleared bool }

// NewArray returns an array of n tensors that are not written yet. The error is InvalidArgument if
// n is negative or elem has a dimension below -1.
func NewArray(name string, d tensor.DType, elem Partial, n int, f ArrayFlags) (*Array, error) {
	if n < 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Size should be >= 0.")
	}
	if err := elem.check(); err != nil {
		return nil, err
	}
	return &Array{cells: cells{dtype: d}, name: name, elem: elem.clone(), flags: f, n: n}, nil
}

// ArrayOf returns the array that h holds. The error is NotFound for an empty handle and
// InvalidArgument for another kind of resource or, if d is valid, another element type.
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

// Len returns the number of tensors. The error is InvalidArgument for a closed array.
func (a *Array) Len() (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.n, a.open()
}

// JoinedLen returns how many tensors Concat joins. In an array of gradients, this is the number that
// Unpack or Split wrote to the original array.
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

// Close drops the tensors. Later calls return InvalidArgument.
func (a *Array) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reset()
	a.closed, a.state, a.zeros, a.grads = true, nil, nil, nil
}

// Charge counts the tensors toward the budget of a run from now on.
func (a *Array) Charge(run *mem.Budget) error { return a.charge(run) }

// Held implements mem.Holder.
func (a *Array) Held(seen map[any]bool) int { return a.reach(&a.mu, seen) }

// Destroy is Close.
func (a *Array) Destroy() { a.Close() }

// Grad is called on a TensorArray, the original array, and returns its array of gradients for the given
// source. The first call for a source creates the array of gradients, with as many tensors as the
// original array. A gradient that was not written is read as zeros. The shape of these zeros consists
// of the dimensions in the parameter prepend, followed by the dimensions of the tensor in the original
// array. After the call, the original array can no longer grow. The error is InvalidArgument if the
// original array is itself an array of gradients.
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
	g := &Array{cells: cells{dtype: a.dtype, run: a.run}, name: a.name + "@" + source, elem: elem, n: a.n, marked: a.marked, grad: true,
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

// zerosAt returns the shape of the zeros that are read for tensor k if it was not written, or nil
// if the shape is unknown.
func (a *Array) zerosAt(k int) []int {
	if k < len(a.zeros) {
		return a.zeros[k]
	}
	return nil
}

// accessed ensures that there are at least n cells and n access records.
func (a *Array) accessed(n int) error {
	if err := a.extend(n); err != nil {
		return err
	}
	if n := len(a.c); len(a.state) < n {
		if had := cap(a.state); n > had {
			room := max(n, had+had/4)
			if err := a.take((room - had) * int(unsafe.Sizeof(access{}))); err != nil {
				return err
			}
			a.state = slices.Grow(a.state, room-len(a.state))
		}
		a.state = append(a.state, make([]access, n-len(a.state))...)
	}
	return nil
}

// Write copies a tensor into cell k. If the cell was written before, an array of gradients adds the
// tensor to the one in the cell; for other arrays the error is InvalidArgument. The error is also
// InvalidArgument if the cell was read before, k is out of range, or the shape does not fit.
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

// shapeAt returns the shape of tensor k. The caller holds the lock.
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

// ShapeAt returns the shape of tensor k. The errors are those of Read.
func (a *Array) ShapeAt(k int) ([]int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.shapeAt(k)
}

// Read copies tensor k, which must have the given shape, to dst. If the tensor was not written but
// its shape is known, dst is filled with zeros. The error is InvalidArgument if k is out of range,
// or if the tensor has another or an unknown shape or was cleared by an earlier read.
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
		if p := a.c[k].p; p != nil {
			a.give(sizeOf(a.dtype, p.data.count(a.dtype)))
			a.c[k].p = &piece{shape: a.c[k].p.shape} // releases the elements
		}
	} else if !st.written {
		if n := len(a.c); len(a.zeros) < n {
			if err := a.take((n - len(a.zeros)) * int(unsafe.Sizeof([]int{}))); err != nil {
				return err
			}
			a.zeros = append(a.zeros, make([][]int, n-len(a.zeros))...)
		}
		a.zeros[k] = append([]int{}, s...)
	}
	return nil
}
