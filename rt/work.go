package rt

import (
	"sync"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// WorkCode is the part of an emitted partition on a device that is no CPU which is data.
type WorkCode[D comparable] struct {
	Segments int // of recorded work
	// Arena is the size in bytes of the block in the device's memory where that does not
	// depend on D; else Lives are the lifetimes of its buffers and Sizes their bytes.
	Arena int
	Lives []mem.Life
	Sizes func(d *D, n []int)
	Grow  int  // the number of buffers with memory of their own
	Const bool // kernels read the weights
	// Kernels are prepared when the program is made.
	Kernels []*device.Kernel
}

// Work is what a run of a partition has on its device.
type Work struct {
	Queue   *device.Queue
	Base    device.Ptr   // of the block
	Off     []int        // offsets of buffers in the block, where they depend on sizes
	Weights device.Ptr   // the weights
	Grown   []device.Ptr // buffers whose size a step decides

	dev     device.Device
	block   device.Memory
	grown   []device.Memory
	old     []device.Memory // that the run may still use
	laidOut bool
	limit   int
}

// worker gives states what they have on a device. Only programs that use one link what
// implements it. The names of the methods are those of no others: the linker keeps what
// has the name of a method of a generic interface.
type worker[D comparable] interface {
	// readyWork lays w out for the sizes d, which differ from those before where fresh is
	// set, and makes it where it is nil.
	readyWork(w *Work, d *D, fresh bool) (*Work, error)
	// endWork ends a run with its error, or returns that of the device.
	endWork(w *Work, err error) error
	// dropWork frees the memory.
	dropWork(w *Work)
}

// works is the worker of a pool.
type works[D comparable] struct {
	code    *WorkCode[D]
	dev     device.Device
	weights device.Ptr
	limit   int

	mu   sync.Mutex
	last struct { // the layout found last
		d    D
		offs []int
		size int
	}
}

// WorkOn has a pool's states work on d, which is no CPU. It prepares the kernels and copies
// the weights to the device where no other partition of the instance has done so. It is no
// method of the pool: with it, all programs would link what works on devices.
func WorkOn[D comparable, V, I, M any](p *Pool[D, V, I, M], d device.Device, c *WorkCode[D]) error {
	w := &works[D]{code: c, dev: d, limit: p.base.opts.maxBytes}
	if err := d.Prepare(c.Kernels...); err != nil {
		return err
	}
	if c.Const {
		at, err := p.base.weightsOn(d)
		if err != nil {
			return err
		}
		w.weights = at
	}
	p.worker = w
	return nil
}

// weightsOn returns where the weights are in a device's memory.
func (b *Base) weightsOn(d device.Device) (device.Ptr, error) {
	if m := b.onDevice[d]; m != nil {
		return m.Addr(), nil
	}
	m, err := d.Alloc(len(b.weights))
	if err != nil {
		return 0, err
	}
	err = d.Run(func() error {
		q, err := device.NewQueue(d, 0)
		if err != nil {
			return err
		}
		if err := device.Put(q, m.Addr(), b.weights); err != nil {
			return err
		}
		return q.Release()
	})
	if err != nil {
		return 0, err
	}
	if b.onDevice == nil {
		b.onDevice = map[device.Device]device.Memory{}
	}
	b.onDevice[d] = m
	return m.Addr(), nil
}

func (p *works[D]) readyWork(w *Work, d *D, fresh bool) (*Work, error) {
	if w == nil {
		q, err := device.NewQueue(p.dev, p.code.Segments)
		if err != nil {
			return nil, err
		}
		w = &Work{Queue: q, Weights: p.weights, dev: p.dev, limit: p.limit, Grown: make([]device.Ptr, p.code.Grow), grown: make([]device.Memory, p.code.Grow)}
	}
	if w.laidOut && !fresh {
		return w, nil
	}
	w.laidOut = false
	w.Queue.Forget()
	size, err := p.lay(w, d)
	if err != nil {
		return w, err
	}
	if w.block == nil || size > w.block.Size() {
		if w.block != nil {
			m := w.block
			w.block = nil
			if err := m.Free(); err != nil {
				return w, err
			}
		}
		if w.block, err = p.dev.Alloc(max(size, 1)); err != nil {
			return w, err
		}
	}
	w.Base, w.laidOut = w.block.Addr(), true
	return w, nil
}

// lay computes the offsets, and returns the size of the block.
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
			err = panicError(r)
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

func (p *works[D]) endWork(w *Work, err error) error {
	if err == nil {
		err = w.Queue.Finish()
	}
	if err != nil {
		w.laidOut = false
		if e := w.Queue.Reset(); e != nil {
			return err // the device is of no use any more, and says so at the next run
		}
	}
	for _, m := range w.old {
		if e := m.Free(); err == nil {
			err = e
		}
	}
	w.old = w.old[:0]
	return err
}

func (p *works[D]) dropWork(w *Work) {
	for _, m := range append(w.grown, w.block) {
		if m != nil {
			_ = m.Free() // nothing uses it, and nobody is left to be told
		}
	}
	_ = w.Queue.Release()
	w.grown, w.block, w.laidOut = nil, nil, false
}

// At is where the memory off bytes into the block begins.
func (w *Work) At(off int) device.Ptr { return w.Base + device.Ptr(off) }

// Const is where the weights that begin off bytes into the file are.
func (w *Work) Const(off int) device.Ptr { return w.Weights + device.Ptr(off) }

// Own is where the memory off bytes into buffer k begins.
func (w *Work) Own(k, off int) device.Ptr { return w.Grown[k] + device.Ptr(off) }

// GrowTo gives buffer k room for n elements of size bytes. A size that is negative or
// beyond the limit ends the run.
func (w *Work) GrowTo(k, n, size int) {
	if n < 0 {
		panic(tensor.Errorf(tensor.InvalidArgument, "a tensor would have %d elements", n))
	}
	need := Mul(n, size)
	if m := w.grown[k]; m != nil {
		if need <= m.Size() {
			return
		}
		w.old = append(w.old, m) // what is under way may use it
		w.grown[k], w.Grown[k] = nil, 0
	}
	if need > w.limit {
		panic(tensor.Errorf(tensor.ResourceExhausted, "%d bytes of the device's memory are needed, the limit of a run is %d"+mem.Raise, need, w.limit))
	}
	m, err := w.dev.Alloc(min(Add(need, need/4), w.limit))
	if err != nil {
		panic(tensor.Errorf(tensor.CodeOf(err), "%v", err))
	}
	w.grown[k], w.Grown[k] = m, m.Addr()
}
