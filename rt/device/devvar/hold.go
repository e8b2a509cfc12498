package devvar

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// Kind is the kind of a segment's first use of a variable. The kind determines the errors of this
// use.
type Kind uint8

// The kinds.
const (
	Read     Kind = iota // reads the value; the error is FailedPrecondition if the variable is uninitialized
	Update               // modifies the value; the error is that of resource.Var.Unset if the variable is uninitialized
	Assign               // assigns a value of any accepted shape, also to an uninitialized variable
	Reassign             // assigns a value; if the variable is initialized, its shape must stay the same
)

// Use describes how a segment uses a variable.
type Use struct {
	Slot     int    // the variable's index in a User's list of variables
	Node, Op string // for errors
	Kind     Kind
	Write    bool // the segment writes the variable
	DType    tensor.DType
	Shape    []int // the shape of the variable's value when the segment uses it, or that of the assigned value
}

// User makes variables available in the device's memory for the work of one queue. It is not safe
// for concurrent use. It must be used within the device's Run.
type User struct {
	// At holds the address of each variable's value while the variable is held.
	At []device.Ptr

	s      *Store
	q      *device.Queue
	vars   [][]tensor.Handle
	orders map[*Use][]int // the orders of locking, by the first Use of a segment
	held   []held
	locked bool
	made   []held // values for which made is set to this User; see value.made
}

// held is a locked variable.
type held struct {
	v     *resource.Var
	x     *value
	use   *Use
	fresh bool // the device's memory did not hold the variable's value before
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

// order fills u.held and returns the order in which Hold must lock the variables. This is the order
// of their addresses, which all code that locks several variables uses.
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

// ready makes the value of a variable available in the device's memory, and makes the queue wait
// for the work of other queues on this value.
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

// check returns an error if the segment does not accept the variable.
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

// room allocates memory for a variable's value, unless the value already has memory of the right
// size.
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
		if err := x.Home(h.v); err != nil { // the old value is saved, because the run may fail
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

// wait makes the queue wait for a mark.
func (u *User) wait(m *mark) error {
	if !u.s.pending(m, u.q) {
		return nil
	}
	return u.q.Wait(m.event)
}

// Release unlocks the variables that Hold has locked. The caller calls it after the launch of the
// segment and passes the error of the launch. If err is not nil, the segment was not launched, and
// the variables keep their old values. Release returns err if it is not nil, otherwise any error of
// Release.
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

// used records how a segment has used a variable. The mark m is the event that follows the segment.
// The caller holds the store's lock.
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

// abort unlocks variables after an error; they keep their old values.
func (u *User) abort() {
	_ = u.q.Reset() // ends all writes to the memory; its error is ignored, because the caller returns the earlier one
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

// End ends a run. Before the call, the queue must have finished all work, or must have been reset
// if the run failed. If a failed run was the first one to change a value and the device did not do
// this work, End restores the old value.
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
