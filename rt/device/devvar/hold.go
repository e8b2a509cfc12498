package devvar

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// Kind says how a segment first uses a variable. The possible errors of this use depend on the
// kind.
type Kind uint8

// The kinds.
const (
	// Read means that the segment reads the value. For an uninitialized variable, the error is
	// FailedPrecondition.
	Read Kind = iota
	// Update means that the segment modifies the value. For an uninitialized variable, the error is
	// that of resource.Var.Unset.
	Update
	// Assign means that the segment assigns a value. It may have any shape that the variable
	// accepts. The variable may be uninitialized.
	Assign
	// Reassign means that the segment assigns a value. If the variable is initialized, the new
	// value must have the shape of the old value.
	Reassign
)

// Use describes how a segment uses a variable.
type Use struct {
	Slot     int    // the variable's index in a User's list of variables
	Node, Op string // for errors
	Kind     Kind
	Write    bool // whether the segment writes the variable
	DType    tensor.DType
	Shape    []int // shape of the value that the segment reads, or of the value that the segment assigns
}

// User locks variables for the segments of one queue, and puts the values of these variables into
// the device's memory. It is not safe for concurrent use. It must be used within the device's Run.
type User struct {
	// At holds the address of each variable's value while the variable is held.
	At []device.Ptr

	s    *Store
	q    *device.Queue
	vars [][]tensor.Handle
	// orders holds, for each segment, the order in which the segment's variables are locked. The
	// key is the segment's first Use.
	orders map[*Use][]int
	held   []held
	locked bool
	made   []held // the variables for which the current run has set value.made
}

// held is a locked variable.
type held struct {
	v     *resource.Var
	x     *value
	use   *Use
	fresh bool // whether the device's memory did not yet contain the variable's value
}

// NewUser returns the User for the queue q, which must be on the store's device. The parameter vars
// contains the handles of the queue's variables.
func NewUser(s *Store, q *device.Queue, vars [][]tensor.Handle) *User {
	return &User{At: make([]device.Ptr, len(vars)), s: s, q: q, vars: vars, orders: map[*Use][]int{}}
}

// Hold locks the variables of a segment and makes their values available in the device's memory.
// The work that the queue enqueues next can use these values. The segment must use at least one
// variable. If the address of a value has changed, the queue's segments are recorded again. The
// errors are those of resource.Var, and ResourceExhausted if the device has too little memory. Each
// error names the node that uses the variable. After an error no variable is locked.
func (u *User) Hold(uses []Use) error {
	order, err := u.order(uses)
	if err != nil {
		return err
	}
	u.locked = true
	for _, i := range order {
		u.held[i].v.Lock()
	}
	for i := range u.held {
		h := &u.held[i]
		if err := u.ready(h); err != nil {
			u.abort()
			return tensor.AtNode(err, uses[i].Node, uses[i].Op)
		}
	}
	return nil
}

// order fills u.held, and returns the order in which Hold must lock the variables. Variables are
// locked in the order of their addresses. All functions that lock several variables use this order.
func (u *User) order(uses []Use) ([]int, error) {
	u.held = u.held[:0]
	for i := range uses {
		v, err := resource.VarOf(u.vars[uses[i].Slot])
		if err != nil {
			return nil, tensor.AtNode(err, uses[i].Node, uses[i].Op)
		}
		u.held = append(u.held, held{v: v, use: &uses[i]})
	}
	order, ok := u.orders[&uses[0]]
	if !ok {
		order = make([]int, len(uses))
		for i := range order {
			order[i] = i
		}
		address := func(i int) uintptr { return reflect.ValueOf(u.held[i].v).Pointer() }
		slices.SortFunc(order, func(i, j int) int { return cmp.Compare(address(i), address(j)) })
		u.orders[&uses[0]] = order
	}
	return order, nil
}

// ready makes sure that the value of the variable h is in the device's memory. It also makes the
// queue wait for the work of other queues on this value.
func (u *User) ready(h *held) error {
	v, use := h.v, h.use
	assign := use.Kind >= Assign
	if err := check(v, use); err != nil {
		return err
	}
	x, _ := v.Away.(*value)
	if x == nil || x.s != u.s {
		if err := v.Home(); err != nil {
			return err
		}
		if v.Away != nil {
			v.Away.Free()
		}
		x = &value{s: u.s}
		v.Away = x
	}
	h.x = x
	if err := u.room(h); err != nil {
		return err
	}
	if at := x.mem.Addr(); u.At[use.Slot] != at {
		u.At[use.Slot] = at
		u.q.Forget()
	}
	h.fresh = !x.valid
	if err := u.wait(x.wrote); err != nil {
		return err
	}
	if use.Write || h.fresh {
		for _, m := range x.reads {
			if err := u.wait(m); err != nil {
				return err
			}
		}
	}
	if !h.fresh || assign {
		return nil
	}
	u.q.At(use.Node, use.Op)
	return device.Put(u.q, x.mem.Addr(), tensor.Raw(reflect.ValueOf(v.Data)))
}

// check checks the state, type and shape of a variable. It returns an error if the use of the
// variable by a segment is not possible.
func check(v *resource.Var, use *Use) error {
	switch {
	case use.Kind >= Assign:
		return v.Assignable(use.DType, use.Shape, use.Kind == Reassign)
	case !v.Set && use.Kind == Update:
		return v.Unset()
	case !v.Set:
		return v.Unread()
	case v.DType != use.DType:
		return tensor.Errorf(tensor.InvalidArgument, "the variable %q holds %v, want %v", v.Name, v.DType, use.DType)
	}
	return v.Has(use.Shape)
}

// room makes sure that the value of a variable has memory of the right size on the device.
func (u *User) room(h *held) error {
	x := h.x
	size := h.use.DType.Size()
	for _, d := range h.use.Shape {
		size *= d
	}
	if x.mem != nil && x.size == size {
		return nil
	}
	if x.mem != nil {
		// Save the old value on the host, because the run may fail and the old value must then be
		// restored.
		if err := x.Home(h.v); err != nil {
			return err
		}
		x.Free()
	}
	m, err := u.s.dev.Alloc(max(size, 1))
	if err != nil {
		return full(err, u.s.dev, size, h.v.Name)
	}
	x.mem, x.size = m, size
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	u.s.values[x] = h.v
	return nil
}

// full adds the name of the variable and the size of its value to a ResourceExhausted error.
func full(err error, d device.Device, size int, name string) error {
	if tensor.CodeOf(err) != tensor.ResourceExhausted {
		return err
	}
	return tensor.Errorf(tensor.ResourceExhausted, "%s\n  %d bytes of %s's memory are needed for the value of the variable %q", tensor.Message(err), size, d.Name(), name)
}

// wait makes the queue wait for the event of mark m, unless no wait is needed; see Store.pending.
func (u *User) wait(m *mark) error {
	if !u.s.pending(m, u.q) {
		return nil
	}
	return u.q.Wait(m.event)
}

// Release unlocks the variables that Hold has locked. The caller calls it after the launch of the
// segment, with the error of the launch as the argument. If this error is not nil, the segment was
// not launched, the variables keep their old values, and Release returns the error. If it is nil,
// but Release itself fails, Release returns that error.
func (u *User) Release(err error) error {
	var m *mark
	if err == nil {
		if m, err = u.s.take(); err == nil {
			if err = u.q.Record(m.event); err != nil {
				u.s.mu.Lock()
				u.s.spare = append(u.s.spare, m)
				u.s.mu.Unlock()
			}
		}
	}
	if err != nil {
		u.abort()
		return err
	}
	u.s.mu.Lock()
	m.queue = u.q
	for i := range u.held {
		u.used(&u.held[i], m)
	}
	u.s.mu.Unlock()
	u.unlock()
	return nil
}

// used records how a segment has used the variable h. The mark m contains the event that was
// recorded after the segment. The caller holds the store's lock.
func (u *User) used(h *held, m *mark) {
	v, x, use := h.v, h.x, h.use
	if h.fresh || use.Write && !x.newer {
		u.s.put(&x.first, m)
		x.made, x.set, x.shape = u, v.Set, v.Shape
		u.made = append(u.made, *h)
	}
	if !h.fresh && !use.Write {
		x.read(m)
		return
	}
	u.s.put(&x.wrote, m)
	x.noReads()
	x.valid, x.newer = true, x.newer || use.Write
	if use.Kind >= Assign && (!v.Set || !slices.Equal(v.Shape, use.Shape)) {
		v.Set, v.Shape = true, slices.Clone(use.Shape)
	}
}

// abort unlocks the variables after an error. The variables keep their old values.
func (u *User) abort() {
	// After Reset, no work writes to the memory. The error of Reset is ignored, because the caller
	// returns the earlier error.
	_ = u.q.Reset()
	u.s.settle(u.q)
	for i := range u.held {
		if h := &u.held[i]; h.x != nil && h.use.Write && !h.x.newer {
			h.x.valid = false
		}
	}
	u.unlock()
}

func (u *User) unlock() {
	for i := range u.held {
		u.held[i].v.Unlock()
	}
	clear(u.held)
	u.held, u.locked = u.held[:0], false
}

// End ends a run. Before the call, the queue must have finished all work. If the run failed, the
// queue must have been reset instead. End restores the old value of a variable if three conditions
// are true: the run failed, the run was the first one to change the value, and the segment that was
// to make this change failed on the device.
func (u *User) End(failed bool) {
	if u.locked {
		u.abort()
	}
	for _, h := range u.made {
		h.v.Lock()
		if x := h.x; x.made == u {
			if failed && x.first.event.Wait() != nil {
				h.v.Set, h.v.Shape = x.set, x.shape
				x.valid, x.newer = false, false
			}
			u.s.mu.Lock()
			x.forgetMade()
			u.s.mu.Unlock()
		}
		h.v.Unlock()
	}
	clear(u.made)
	u.made = u.made[:0]
	if failed {
		u.s.settle(u.q)
	}
}

// Close ends the use of the queue, which must have finished all work.
func (u *User) Close() { u.s.settle(u.q) }
