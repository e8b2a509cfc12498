package resource

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// List is a value of TensorFlow's TensorList. It is immutable: a change creates another version,
// which shares its tensors with the earlier ones.
//
// The cells contain the tensors of the newest version. For each change, a log records the index and
// the tensor that was replaced. An older version looks for a tensor in the later entries of the log,
// and then in the cells. Therefore the cost of a change does not depend on the list's length, as
// long as the newest version is changed. A change to an older version copies the list, and so does a
// change when the log is much longer than the list. In both cases the existing versions keep the old
// cells and the old log.
type List struct {
	DType tensor.DType
	Elem  Partial // the shape of the tensors, as given to NewList
	Max   int     // the most tensors that Push allows, -1 for no limit

	st      *versions
	version int
	n       int
}

// versions is the state that the versions of a list share.
type versions struct {
	mu sync.Mutex
	cells
	log   []change // all changes, in order
	heads []List   // a slice from which versions are allocated
}

type change struct {
	k   int
	was cell
}

// NewList returns a list of n uninitialized tensors. The error is InvalidArgument if n is negative
// or elem has a dimension below -1.
func NewList(d tensor.DType, elem Partial, n, most int) (*List, error) {
	if n < 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the number of tensors of a list is negative: %d", n)
	}
	if err := elem.check(); err != nil {
		return nil, err
	}
	st := &versions{cells: cells{dtype: d}}
	return st.head(List{DType: d, Elem: elem.clone(), Max: most, st: st, n: n}), nil
}

// head allocates a version with the value l.
func (s *versions) head(l List) *List {
	if len(s.heads) == cap(s.heads) {
		s.heads = make([]List, 0, min(max(2*cap(s.heads), 2), 64))
	}
	s.heads = append(s.heads, l)
	return &s.heads[len(s.heads)-1]
}

// versionBytes is the size of a version without its tensors.
const versionBytes = int(unsafe.Sizeof(List{}) + unsafe.Sizeof(change{}))

// Charge counts the tensors of all versions toward the budget of a run from now on.
func (l *List) Charge(run *mem.Budget) error {
	l.st.mu.Lock()
	defer l.st.mu.Unlock()
	return l.st.charge(run)
}

// Held implements mem.Holder. Several versions of one list count only once.
func (l *List) Held(seen map[any]bool) int {
	if seen[l.st] {
		return 0
	}
	seen[l.st] = true
	return l.st.reach(&l.st.mu, seen)
}

// Len returns the number of tensors.
func (l *List) Len() int { return l.n }

// cell returns cell k as it is in this version. The caller holds the lock.
func (l *List) cell(k int) cell {
	for _, c := range l.st.log[l.version:] {
		if c.k == k {
			return c.was
		}
	}
	return l.st.at(k)
}

// all returns the first n cells as they are in this version. The caller holds the lock.
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

// fork returns a list of n tensors that shares no memory with l. Its first tensors are copies of
// those of l. The caller holds the lock.
func (l *List) fork(n int) (*List, error) {
	st := &versions{cells: cells{dtype: l.DType, run: l.st.run}}
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

// ready returns a list with the contents of l, in whose cells the next change can be stored. This is
// l itself if three conditions hold: l is the newest version, the log is not too long, and no cell
// from l's end up to index n is in use. Otherwise it is a copy of l. The caller holds the lock.
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

// with stores the given tensor at index k, sets the number of tensors to n, and returns the resulting
// version of the list. If the parameter own is true, the result is l itself, changed in place. The
// caller then guarantees that the old contents of l, and earlier versions, are no longer read.
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
	if err := st.take(versionBytes); err != nil {
		return nil, err
	}
	st.log = append(st.log, change{k, was})
	next := *l
	next.version, next.n = len(st.log), n
	return st.head(next), nil
}

// drop empties the cells from l's end up to n. The caller holds the lock and guarantees that no other
// version is read any more.
func (l *List) drop(n int) {
	for k := l.n; k < min(n, len(l.st.c)); k++ {
		l.st.drop(k)
	}
}

// Set returns the list with tensor k replaced. If resize is set and k is at or beyond the end, the
// list becomes longer. The error is InvalidArgument if k is out of range or the shape does not fit
// the list. If own is set, the call may change l itself; the caller guarantees that neither the
// present l nor an earlier version is read any more.
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

// Push returns the list with a tensor appended. The error is InvalidArgument if the list is full
// or the shape does not fit. For the parameter own, see Set.
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

// Pop returns the list without its last tensor. The error is InvalidArgument for an empty list.
// For the parameter own, see Set.
func (l *List) Pop(own bool) (*List, error) {
	if l.n == 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Trying to pop from an empty list.")
	}
	return l.Resize(l.n-1, own)
}

// Resize returns the list with its length changed to n. Added tensors are uninitialized. The error
// is InvalidArgument for a negative n. For the parameter own, see Set.
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
			f.n = n // only this call refers to the copy f so far
			return f, nil
		}
	}
	if err := l.st.take(versionBytes); err != nil {
		return nil, err
	}
	next := *l
	next.n = n
	return l.st.head(next), nil
}

// ItemShape returns the shape of tensor k. The parameter ask is the partial shape that the reader
// expects. For an uninitialized tensor, ItemShape merges this partial shape, the list's element shape
// and, unless these suffice, the shapes of the other tensors. The error is InvalidArgument if the
// shapes contradict each other, if the merged shape is not fully known, or if k is out of range.
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

// asked merges the list's element shape with ask, the partial shape that a reader expects. The error
// is InvalidArgument if the two contradict each other.
func (l *List) asked(ask Partial) (Partial, error) {
	if err := ask.check(); err != nil {
		return ask, err
	}
	p, ok := l.Elem.merge(ask)
	if !ok {
		return p, tensor.Errorf(tensor.InvalidArgument, "Incompatible shapes during merge: %v vs. %v", l.Elem.String(), ask.String())
	}
	return p, nil
}

// commonShape returns the shape that all tensors of l have. It merges Elem, ask and, unless these
// suffice, the shapes of the initialized tensors. The parameter what describes the operation in
// errors. The caller holds the lock.
func (l *List) commonShape(ask Partial, what string) ([]int, error) {
	p, err := l.asked(ask)
	if err != nil {
		return nil, err
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

// Get copies tensor k, which must have the given shape, to dst. For an uninitialized tensor, dst is
// filled with zeros.
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
