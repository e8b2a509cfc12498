package resource

import (
	"slices"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// List is a value of TensorFlow's TensorList: nobody changes one. A change makes
// another version, which shares its tensors with the ones before.
//
// The newest of the versions owns the tensors; what each change replaced stands
// in a log, in which older versions look first. A chain of changes so costs the
// same whatever the list's length, as long as each begins with the newest
// version. A change to an older one copies the list, and so does one that finds
// the log longer than the list: the old tensors and their log are then left to
// those that still hold an old version.
type List struct {
	DType tensor.DType
	Elem  Partial // the shape of its tensors, as it was made
	Max   int     // the most tensors it takes by PushBack, -1 for any number

	st      *versions
	version int
	n       int
}

// versions is what the versions of a list share.
type versions struct {
	mu sync.Mutex
	cells
	log   []change // one for each version after the first
	heads []List   // room for versions to come
}

type change struct {
	k   int
	was cell
}

// NewList returns a list of n tensors none of which is there yet: InvalidArgument for a negative n.
func NewList(d tensor.DType, elem Partial, n, most int) (*List, error) {
	if n < 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "a list of %d tensors", n)
	}
	st := &versions{cells: cells{dtype: d}}
	return st.head(List{DType: d, Elem: elem.clone(), Max: most, st: st, n: n}), nil
}

// head stores a version.
func (s *versions) head(l List) *List {
	if len(s.heads) == cap(s.heads) {
		s.heads = make([]List, 0, min(max(2*cap(s.heads), 2), 64))
	}
	s.heads = append(s.heads, l)
	return &s.heads[len(s.heads)-1]
}

// Len returns the number of tensors.
func (l *List) Len() int { return l.n }

// cell returns tensor k as this version sees it. The lock is held.
func (l *List) cell(k int) cell {
	for _, c := range l.st.log[l.version:] {
		if c.k == k {
			return c.was
		}
	}
	return l.st.at(k)
}

// all returns the first n cells as this version sees them. The lock is held.
func (l *List) all(n int) []cell {
	now := l.st.c[:min(n, len(l.st.c))]
	old := l.st.log[l.version:]
	if len(old) == 0 {
		return now
	}
	now = slices.Clone(now)
	for _, c := range slices.Backward(old) {
		if c.k < len(now) {
			now[c.k] = c.was
		}
	}
	return now
}

// fork returns a list of n tensors of its own, those of l as far as it has any. The lock is held.
func (l *List) fork(n int) (*List, error) {
	st := &versions{cells: cells{dtype: l.DType}}
	for k, c := range l.all(min(n, l.n)) {
		if !c.set() {
			continue
		}
		if err := st.put(k, n, l.st.shapeOf(c), l.st.dataOf(c, k), false); err != nil {
			return nil, err
		}
	}
	f := *l
	f.st, f.version, f.n = st, 0, n
	return st.head(f), nil
}

// ready returns a version equal to l that is the newest of its kind and has no
// tensors from l's end up to n. The lock is held.
func (l *List) ready(n int) (*List, error) {
	st := l.st
	stale := l.version < len(st.log) || len(st.log) > 2*len(st.c)+64
	for k := l.n; k < n && !stale; k++ {
		if k >= len(st.c) {
			break
		}
		stale = st.c[k].set()
	}
	if stale {
		return l.fork(l.n)
	}
	return l, nil
}

// with returns the version of l, of n tensors then, whose tensor k is given.
// own says that nobody reads l or a version before it any more: l itself becomes
// the next one.
func (l *List) with(k, n int, shape []int, data Data, own bool) (*List, error) {
	l.st.mu.Lock()
	defer l.st.mu.Unlock()
	if own {
		l.drop(min(n, k))
		if err := l.st.put(k, n, shape, data, true); err != nil {
			return nil, err
		}
		l.n = n
		return l, nil
	}
	gap := n
	if k == n-1 {
		gap = k
	}
	l, err := l.ready(gap)
	if err != nil {
		return nil, err
	}
	st := l.st
	was := st.at(k)
	if err := st.put(k, n, shape, data, false); err != nil {
		return nil, err
	}
	st.log = append(st.log, change{k, was})
	next := *l
	next.version, next.n = len(st.log), n
	return st.head(next), nil
}

// drop empties the cells from l's end up to n. The lock is held, and nobody else has l.
func (l *List) drop(n int) {
	for k := l.n; k < min(n, len(l.st.c)); k++ {
		l.st.c[k] = cell{}
	}
}

// Set returns the list with tensor k replaced: InvalidArgument where there is no
// tensor k, unless resize makes room for it, or where the list takes no such shape.
// With own l may change: nobody reads it or a version before it any more.
func (l *List) Set(k int, shape []int, data Data, resize, own bool) (*List, error) {
	n := l.n
	if resize && k >= n && k < maxCells {
		n = k + 1
	}
	if k < 0 || k >= n {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Trying to modify element %d in a list with %d elements.", k, l.n)
	}
	if err := l.takes(shape); err != nil {
		return nil, err
	}
	return l.with(k, n, shape, data, own)
}

// Push returns the list with one more tensor: InvalidArgument where it is full or takes no such shape.
// For own see Set.
func (l *List) Push(shape []int, data Data, own bool) (*List, error) {
	if err := l.takes(shape); err != nil {
		return nil, err
	}
	if l.Max >= 0 && l.n >= l.Max {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Tried to push item into a full list of %d elements", l.Max)
	}
	return l.with(l.n, l.n+1, shape, data, own)
}

func (l *List) takes(shape []int) error {
	if !l.Elem.fits(shape) {
		return tensor.Errorf(tensor.InvalidArgument, "an item of the shape %v does not fit a list of elements of the shape %v",
			tensor.Shape(slices.Clone(shape)), l.Elem.String())
	}
	return nil
}

// Pop returns the list without its last tensor: InvalidArgument for an empty list.
// For own see Set.
func (l *List) Pop(own bool) (*List, error) {
	if l.n == 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Trying to pop from an empty list.")
	}
	return l.Resize(l.n-1, own)
}

// Resize returns the list with n tensors; new ones are not there yet.
// For own see Set.
func (l *List) Resize(n int, own bool) (*List, error) {
	if n < 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "a list cannot be resized to %d tensors", n)
	}
	l.st.mu.Lock()
	defer l.st.mu.Unlock()
	if own {
		l.drop(n)
		l.n = n
		return l, nil
	}
	if n > l.n {
		if f, err := l.ready(n); err != nil {
			return nil, err
		} else if f != l {
			f.n = n // nobody else has it
			return f, nil
		}
	}
	next := *l
	next.n = n
	return l.st.head(next), nil
}

// ItemShape returns the shape of tensor k, merged with what the reader asks for.
// One that is not there has the shape of those that are: InvalidArgument where
// that is not fully known, or there is no tensor k.
func (l *List) ItemShape(k int, ask Partial) ([]int, error) {
	l.st.mu.Lock()
	defer l.st.mu.Unlock()
	return l.itemShape(k, ask)
}

func (l *List) itemShape(k int, ask Partial) ([]int, error) {
	if k < 0 || k >= l.n {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Trying to access element %d in a list with %d elements.", k, l.n)
	}
	if c := l.cell(k); c.set() {
		return l.st.shapeOf(c), nil
	}
	return l.commonShape(ask, "read an uninitialized element")
}

// commonShape returns the shape that all tensors of l have by Elem, ask and the
// tensors that are there. The lock is held.
func (l *List) commonShape(ask Partial, what string) ([]int, error) {
	p, ok := l.Elem.merge(ask)
	if !ok {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Incompatible shapes during merge: %v vs. %v", l.Elem.String(), ask.String())
	}
	if p.full() {
		return p.Dims, nil
	}
	for _, c := range l.all(l.n) {
		if !c.set() {
			continue
		}
		q, ok := p.merge(Partial{true, l.st.shapeOf(c)})
		if !ok {
			return nil, tensor.Errorf(tensor.InvalidArgument, "Incompatible shapes during merge: %v vs. %v", p.String(), tensor.Shape(l.st.shapeOf(c)))
		}
		p = q
	}
	if !p.full() {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Tried to %s of a list whose element shape %v is not fully defined", what, p.String())
	}
	return p.Dims, nil
}

// Get copies tensor k, which must have the given shape, zeros where it is not there.
func (l *List) Get(k int, shape []int, ask Partial, dst Data) error {
	l.st.mu.Lock()
	defer l.st.mu.Unlock()
	s, err := l.itemShape(k, ask)
	if err != nil {
		return err
	}
	if !slices.Equal(s, shape) {
		return tensor.Errorf(tensor.InvalidArgument, "element %d of the list has the shape %v, not %v", k, tensor.Shape(slices.Clone(s)), tensor.Shape(slices.Clone(shape)))
	}
	if c := l.cell(k); c.set() {
		dst.copyFrom(l.st.dataOf(c, k))
	} else {
		dst.clear()
	}
	return nil
}

// StackShape returns the one shape of all tensors: InvalidArgument where they
// differ, or where it is not fully known.
func (l *List) StackShape(ask Partial) ([]int, error) {
	l.st.mu.Lock()
	defer l.st.mu.Unlock()
	return l.commonShape(ask, "stack the elements")
}

// Stack copies all n tensors of that shape one after the other, zeros for those
// that are not there.
func (l *List) Stack(n int, shape []int, ask Partial, dst Data) error {
	if l.n != n {
		return tensor.Errorf(tensor.InvalidArgument, "Operation expected a list with %d elements but got a list with %d elements.", n, l.n)
	}
	p, ok := l.Elem.merge(ask)
	if !ok || !p.fits(shape) {
		return tensor.Errorf(tensor.InvalidArgument, "Tried to stack elements of the shape %v as %v", l.Elem.String(), ask.String())
	}
	l.st.mu.Lock()
	defer l.st.mu.Unlock()
	st := l.st
	per := 1
	for _, d := range shape {
		per *= d
	}
	cs := l.all(n)
	if !p.full() && !slices.ContainsFunc(cs, cell.set) {
		return tensor.Errorf(tensor.InvalidArgument, "Tried to stack elements of an empty list with non-fully-defined element_shape: %v", p.String())
	}
	if st.known && slices.Equal(st.shape, shape) && len(cs) == n && !slices.ContainsFunc(cs, func(c cell) bool { return !c.in }) {
		dst.copyFrom(st.block)
		return nil
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

// Gather copies the tensors at those places one after the other.
func (l *List) Gather(at []int32, shape []int, ask Partial, dst Data) error {
	per := 1
	for _, d := range shape {
		per *= d
	}
	for i, k := range at {
		if err := l.Get(int(k), shape, ask, dst.Window(l.DType, i*per, per)); err != nil {
			return err
		}
	}
	return nil
}

// Scatter returns the list with row i of a tensor of that shape at place at[i],
// and as many tensors as that takes if it may grow: InvalidArgument where there
// is no such place, or the list takes no such shape.
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

// rows puts tensors of one shape, one after the other, into a list that nobody
// else has: at places at, or from the first place on where at is nil.
func (l *List) rows(at []int32, shape []int, data Data) error {
	per := 1
	for _, d := range shape {
		per *= d
	}
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

// Unstack returns a list of the rows of a tensor: InvalidArgument for a scalar,
// or rows that do not fit elem.
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
	st.known, st.shape, st.room, st.per = true, slices.Clone(shape[1:]), l.n, 1
	for _, d := range st.shape {
		st.per *= d
	}
	st.block = makeData(d, l.n*st.per)
	st.block.copyFrom(data)
	for k := range st.c {
		st.c[k].in = true
	}
	return l, nil
}
