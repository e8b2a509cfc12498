package devwork

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/devvar"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/rendezvous"
	"github.com/graphc/graphc/rt/tensor"
)

// Link is the additional state of a partition on a device other than a CPU.
type Link struct {
	// Exchange passes messages between the partitions of the run.
	Exchange *rendezvous.Exchange
	// Work is the state of the run on its device. It is kept from run to run.
	Work *Work
}

// Work is the state of a partition's run on its device.
type Work struct {
	Queue   *device.Queue
	Base    device.Ptr // the address of the block
	Off     []int      // offsets of buffers in the block, if they depend on sizes
	Weights device.Ptr // the weights
	// the addresses of the buffers whose size is known only when a step runs
	Grown []device.Ptr
	// the addresses of the values of variables; valid between Hold and Release
	Vars []device.Ptr

	dev   device.Device
	block device.Memory
	grown []device.Memory
	// memory that GrowTo has replaced, but that work on the device may still use
	old     []device.Memory
	laidOut bool
	limit   int
	mark    *rt.Mark // the mark of the current run if a DeviceObserver observes the run, otherwise nil
	uses    [][]devvar.Use
	user    holder // nil if no segment uses variables
}

// holder has the methods of *devvar.User that a Work uses.
type holder interface {
	Hold(uses []devvar.Use) error
	Release(err error) error
	End(failed bool)
	Close()
}

// works implements rt.Worker for the states of one pool.
type works[D comparable] struct {
	code    *WorkCode[D]
	dev     device.Device
	weights device.Ptr
	limit   int
	steps   []rt.Step // the steps of the signature
	store   *devvar.Store
	handles [][]tensor.Handle // the handles of the variables

	mu   sync.Mutex
	last struct { // the last layout
		d    D
		offs []int
		size int
	}
}

// ReadyWork implements rt.Worker. It places the buffers in the block for the sizes d, and allocates
// the block.
func (p *works[D]) ReadyWork(x *Link, d *D, fresh bool) error {
	w := x.Work
	if w == nil {
		q, err := device.NewQueue(p.dev, p.code.Segments)
		if err != nil {
			return err
		}
		w = &Work{Queue: q, Weights: p.weights, dev: p.dev, limit: p.limit, Grown: make([]device.Ptr, p.code.Grow), grown: make([]device.Memory, p.code.Grow), uses: p.code.Vars}
		if p.store != nil {
			u := devvar.NewUser(p.store, q, p.handles)
			w.user, w.Vars = u, u.At
		}
		x.Work = w
	}
	if w.laidOut && !fresh {
		return nil
	}
	w.laidOut = false
	w.Queue.Forget()
	size, err := p.lay(w, d)
	if err != nil {
		return err
	}
	if w.block == nil || size > w.block.Size() {
		if w.block != nil {
			m := w.block
			w.block = nil
			if err := m.Free(); err != nil {
				return err
			}
		}
		if w.block, err = p.dev.Alloc(max(size, 1)); err != nil {
			return p.full(err, d, size)
		}
	}
	w.Base, w.laidOut = w.block.Addr(), true
	return nil
}

// full adds a list of the largest buffers to the text of a ResourceExhausted error. For each buffer,
// the list names the first and the last step that use it. Other errors are returned unchanged.
func (p *works[D]) full(err error, d *D, size int) error {
	if tensor.CodeOf(err) != tensor.ResourceExhausted {
		return err
	}
	text := fmt.Sprintf("%s\n  %d bytes of %s's memory are needed for a run's buffers", tensor.Message(err), size, p.dev.Name())
	held := p.code.Largest
	if n := len(p.code.Lives); n > 0 {
		sizes := make([]int, n)
		p.code.Sizes(d, sizes)
		for i, l := range p.code.Lives {
			held = append(held, Held{sizes[i], l})
		}
		slices.SortStableFunc(held, func(a, b Held) int { return cmp.Compare(b.Bytes, a.Bytes) })
	}
	const most = 8
	for _, h := range held[:min(len(held), most)] {
		text += fmt.Sprintf("\n  %d bytes from %s to %s", h.Bytes, p.label(int(h.Life.First)), p.label(int(h.Life.Last)))
	}
	return tensor.Errorf(tensor.ResourceExhausted, "%s", text)
}

// label formats a step's node and op.
func (p *works[D]) label(step int) string {
	if step < 0 || step >= len(p.steps) {
		return "the end"
	}
	return fmt.Sprintf("node %q (%s)", p.steps[step].Node, p.steps[step].Op)
}

// lay computes the offsets of the buffers in the block, and returns the size of the block.
func (p *works[D]) lay(w *Work, d *D) (size int, err error) {
	n := len(p.code.Lives)
	if n == 0 {
		return p.code.Arena, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last.offs != nil && p.last.d == *d {
		w.Off = p.last.offs
		return p.last.size, nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = rt.PanicError(r)
		}
	}()
	sizes, offs := make([]int, n), make([]int, n)
	p.code.Sizes(d, sizes)
	for _, s := range sizes {
		if s < 0 {
			return 0, tensor.Errorf(tensor.InvalidArgument, "the fed shapes make a size negative")
		}
	}
	if size, err = mem.Pack(sizes, p.code.Lives, offs, p.limit); err != nil {
		return 0, err
	}
	p.last.d, p.last.offs, p.last.size = *d, offs, size
	w.Off = offs
	return size, nil
}

// MeasureWork implements rt.Worker.
func (p *works[D]) MeasureWork(x *Link, m *rt.Mark) {
	if Measure(m, x.Work.Queue) {
		x.Work.mark = m
	}
}

// EndWork implements rt.Worker.
func (p *works[D]) EndWork(x *Link, err error) error {
	x.Exchange = nil
	w := x.Work
	if err == nil && w.mark != nil {
		err = Measured(w.mark, w.Queue, w.memory)
	}
	w.mark = nil
	if err == nil {
		err = w.Queue.Finish()
	}
	failed, useless := err != nil, false
	if failed {
		w.laidOut = false
		useless = w.Queue.Reset() != nil
	}
	w.endVars(failed)
	if useless {
		return err // the device is unusable, and the next run gets the same error
	}
	for _, m := range w.old {
		if e := m.Free(); err == nil {
			err = e
		}
	}
	w.old = w.old[:0]
	return err
}

// memory returns the run's device memory.
func (w *Work) memory() DeviceWork {
	m := DeviceWork{InUse: w.dev.Usage().InUse}
	if w.block != nil {
		m.Block = w.block.Size()
	}
	for _, g := range append(w.grown[:len(w.grown):len(w.grown)], w.old...) {
		if g != nil {
			m.Own += g.Size()
		}
	}
	return m
}

// DropWork implements rt.Worker.
func (p *works[D]) DropWork(x *Link) {
	w := x.Work
	if w == nil {
		return
	}
	x.Work = nil
	_ = p.dev.Run(func() error { return w.Queue.Release() }) // no caller is left that could get the error
	if w.user != nil {
		w.user.Close()
	}
	for _, m := range append(w.grown, w.block) {
		if m != nil {
			_ = m.Free() // the memory is not used any more, and no caller is left that could get the error
		}
	}
}

// At returns the address at a byte offset (the parameter off) in the block.
func (w *Work) At(off int) device.Ptr { return w.Base + device.Ptr(off) }

// Const returns a device address in the copy of the weights file. The parameter off is the offset in
// bytes from the beginning of the file.
func (w *Work) Const(off int) device.Ptr { return w.Weights + device.Ptr(off) }

// Own returns the address at a byte offset (the parameter off) in buffer k.
func (w *Work) Own(k, off int) device.Ptr { return w.Grown[k] + device.Ptr(off) }

// Var returns the address at a byte offset (the parameter off) in the value of variable k. The
// variable must be held.
func (w *Work) Var(k, off int) device.Ptr { return w.Vars[k] + device.Ptr(off) }

// Hold locks the variables of segment k, before the segment begins, and copies their values to the
// device's memory if needed. See devvar.User.
func (w *Work) Hold(k int) error { return w.user.Hold(w.uses[k]) }

// Release ends the current segment and unlocks its variables.
func (w *Work) Release() error { return w.user.Release(w.Queue.End()) }

// endVars ends a run's use of variables.
func (w *Work) endVars(failed bool) {
	if w.user != nil {
		w.user.End(failed)
	}
}

// GrowTo ensures that buffer k has room for n elements. The parameter size is the size of an
// element in bytes. GrowTo ends the run by a panic: with InvalidArgument for a negative n, and with
// ResourceExhausted beyond the limit.
func (w *Work) GrowTo(k, n, size int) {
	if n < 0 {
		panic(tensor.Errorf(tensor.InvalidArgument, "a tensor would have %d elements", n))
	}
	need := rt.Mul(n, size)
	if m := w.grown[k]; m != nil {
		if need <= m.Size() {
			return
		}
		// work that was enqueued before may still use the old memory m
		w.old = append(w.old, m)
		w.grown[k], w.Grown[k] = nil, 0
	}
	if need > w.limit {
		panic(tensor.Errorf(tensor.ResourceExhausted, "%d bytes of the device's memory are needed, the limit of a run is %d"+mem.Raise, need, w.limit))
	}
	m, err := w.dev.Alloc(min(rt.Add(need, need/4), w.limit))
	if err != nil {
		panic(tensor.Errorf(tensor.CodeOf(err), "%v", err))
	}
	w.grown[k], w.Grown[k] = m, m.Addr()
}
