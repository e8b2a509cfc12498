package exec

import (
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/ptx"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/devvar"
	"github.com/graphc/graphc/rt/device/sim"
	"github.com/graphc/graphc/rt/devwork"
	"github.com/graphc/graphc/rt/tensor"
)

// opener is a function that opens a device, given the device's full name.
type opener func(name string) (device.Device, error)

// devices holds the devices on which a program's partitions run, except CPUs, by full name. They
// are opened when the program is made.
type devices struct {
	open opener
	by   map[string]*accelerator
}

// accelerator is a device other than a CPU, with the variables and constants that programs keep in
// its memory.
type accelerator struct {
	device.Device
	vars   *devvar.Store
	mu     sync.Mutex
	consts map[*plan.Const]device.Memory
}

// deviceOf returns the device of a plan, or nil for a CPU.
func (d *devices) deviceOf(p *plan.Plan) (*accelerator, error) {
	if device.IsCPU(p.Device) {
		return nil, nil
	}
	if a := d.by[p.Device]; a != nil {
		return a, nil
	}
	dev, err := d.open(p.Device)
	if err != nil {
		return nil, err
	}
	a := &accelerator{Device: dev, vars: devvar.NewStore(dev), consts: map[*plan.Const]device.Memory{}}
	d.by[p.Device] = a
	return a, nil
}

// maxPending limits the device memory, in bytes, that a run has released but not freed yet. Such
// memory cannot be freed at once, because queued work may still use it.
const maxPending = 256 << 20

// work is the state of a partition's run on its device. Every buffer has separate memory of its
// exact size.
type work struct {
	on      *accelerator
	queue   *device.Queue
	user    *devvar.User // gives the run access to the variables in the device's memory
	slots   map[*plan.Buf]int
	mem     map[*plan.Buf]device.Memory
	pending []device.Memory
	bytes   int // of pending
}

// onDevice calls f. If the program runs on a device other than a CPU, r.work is the state of the
// run on that device during the call.
func (r *run) onDevice(f func() error) error {
	if r.on == nil {
		return f()
	}
	return r.on.Run(func() error {
		q, err := device.NewQueue(r.on, 1)
		if err != nil {
			return err
		}
		r.work = &work{on: r.on, queue: q, slots: map[*plan.Buf]int{}, mem: map[*plan.Buf]device.Memory{}}
		var handles [][]tensor.Handle
		for i, b := range r.p.DeviceVars() {
			r.work.slots[b] = i
			handles = append(handles, r.kept[b.Var.Name].Interface().([]tensor.Handle))
		}
		r.work.user = devvar.NewUser(r.on.vars, q, handles)
		devwork.Measure(&r.mark, q)
		if err = f(); err == nil {
			err = devwork.Measured(&r.mark, q, r.work.held)
		}
		if err == nil {
			err = q.Finish()
		}
		if e := r.work.end(err); err == nil {
			err = e
		}
		if e := q.Release(); err == nil {
			err = e
		}
		return err
	})
}

// held returns the amount of device memory that belongs to the run.
func (w *work) held() devwork.DeviceWork {
	m := devwork.DeviceWork{Own: w.bytes, InUse: w.on.Usage().InUse}
	for _, b := range w.mem {
		m.Own += b.Size()
	}
	return m
}

// end frees everything after the run. err is the error with which the run ended.
func (w *work) end(err error) error {
	defer w.user.Close()
	if err != nil {
		e := w.queue.Reset()
		w.user.End(true)
		if e != nil {
			return e
		}
	} else {
		w.user.End(false)
	}
	for _, m := range w.mem {
		w.pending = append(w.pending, m)
	}
	return w.free()
}

// free frees the pending memory. No queued work may use it.
func (w *work) free() error {
	for _, m := range w.pending {
		if err := m.Free(); err != nil {
			return err
		}
	}
	w.pending, w.bytes = nil, 0
	return nil
}

// dropDevice releases the memory of a device buffer. The memory is freed later, because queued work
// may still use it.
func (r *run) dropDevice(b *plan.Buf) {
	w := r.work
	m, ok := w.mem[b]
	if !ok {
		return
	}
	delete(w.mem, b)
	w.pending = append(w.pending, m)
	// if Finish returns an error, the next call of the queue returns that error, too
	if w.bytes += m.Size(); w.bytes < maxPending || w.queue.Finish() != nil {
		return
	}
	w.queue.Fail(w.free())
}

// pointer returns the device address of the first element of v.
func (r *run) pointer(v plan.View) (device.Ptr, error) {
	root := v.Buf.Root()
	n, err := r.eval(v.Len)
	if err != nil {
		return 0, err
	}
	base, room := device.Ptr(0), 0
	if root.Place == plan.DeviceVar {
		base = r.work.user.At[r.work.slots[root]]
		room, err = r.eval(root.Bytes())
		if err != nil {
			return 0, err
		}
	} else {
		m, err := r.deviceMemory(root, v.Mode, n)
		if err != nil || m == nil {
			return 0, err
		}
		base, room = m.Addr(), m.Size()
	}
	off, err := r.eval(v.Buf.ByteOffset())
	if err != nil {
		return 0, err
	}
	size := v.Buf.DType.Size()
	if v.Off != nil {
		o, err := r.eval(v.Off)
		if err != nil {
			return 0, err
		}
		off += o * size
	}
	if n < 0 || off < 0 || off+n*size > room {
		return 0, tensor.Errorf(tensor.InvalidArgument, "%d elements at byte %d are outside the %d bytes of %s", n, off, room, root.Name)
	}
	return base + device.Ptr(off), nil
}

// deviceMemory returns a buffer's memory, and allocates it at the first write. n is the number of
// elements to be read or written. If n is 0 and the buffer has no memory yet, the result is nil.
func (r *run) deviceMemory(root *plan.Buf, mode plan.Mode, n int) (device.Memory, error) {
	w := r.work
	if root.Place == plan.DeviceConst {
		return w.on.constant(w.queue, root.Const)
	}
	if m, ok := w.mem[root]; ok {
		return m, nil
	}
	if n == 0 {
		return nil, nil
	}
	all, err := r.eval(root.Len)
	switch {
	case err != nil:
		return nil, err
	case mode == plan.Read:
		return nil, tensor.Errorf(tensor.Internal, "%s is read before it is written", root.Name)
	case all < 0:
		return nil, tensor.Errorf(tensor.InvalidArgument, "%s would have %d elements", root.Name, all)
	}
	size := root.DType.Size()
	if all > r.MaxBytes/size {
		return nil, tensor.Errorf(tensor.ResourceExhausted, "%s takes %d elements of %d bytes: a run may take %d bytes in all", root.Name, all, size, r.MaxBytes)
	}
	m, err := w.on.Alloc(all * size)
	if err != nil {
		return nil, err
	}
	w.mem[root] = m
	return m, nil
}

// constant returns the device memory that holds a constant. At the first call for a constant, it
// copies the constant to the device.
func (a *accelerator) constant(q *device.Queue, c *plan.Const) (device.Memory, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if m := a.consts[c]; m != nil {
		return m, nil
	}
	v := reflect.ValueOf(c.Data)
	var raw []byte
	if v.Len() > 0 {
		raw = tensor.Raw(v)
	}
	m, err := a.Alloc(max(1, len(raw)))
	if err != nil {
		return nil, err
	}
	if err = device.Put(q, m.Addr(), raw); err == nil {
		err = q.Finish() // other runs may use the constant from other queues
	}
	if err != nil {
		return nil, err
	}
	a.consts[c] = m
	return m, nil
}

// launch executes a step that calls a function which appends work to the queue of the device.
func (r *run) launch(c *plan.Call) error {
	q := r.work.queue
	q.At(r.p.Names.Short(c.Node), c.Op)
	if !plan.Recorded(c) {
		return r.call(c)
	}
	q.Begin(0, false)
	err := r.call(c)
	if e := q.End(); err == nil {
		err = e
	}
	return err
}

// move appends a copy within device memory to the queue of the device.
func (r *run) move(c *plan.Copy) error {
	q := r.work.queue
	q.At(r.p.Names.Short(c.Node), c.Op)
	dst, err := r.pointer(c.Dst)
	if err == nil {
		var src device.Ptr
		var n, m int
		if src, err = r.pointer(c.Src); err == nil {
			if n, err = r.eval(c.Dst.Len); err == nil {
				m, err = r.eval(c.Src.Len)
			}
		}
		if err == nil && n != m {
			err = tensor.Errorf(tensor.Internal, "copy of %d elements to %d", m, n)
		}
		if err == nil {
			q.Begin(0, false)
			q.Move(dst, src, n*c.Dst.Buf.DType.Size())
			err = q.End()
		}
	}
	return r.at(err, c.Node, c.Op)
}

// kernels caches the device kernels for element-wise work. The keys are the texts of plan.Elements.
var kernels sync.Map

// kernelOf returns the kernel that does the element-wise work e.
func kernelOf(e plan.Elements) (*device.Kernel, error) {
	key := e.Text()
	if k, ok := kernels.Load(key); ok {
		return k.(*device.Kernel), nil
	}
	text, err := ptx.Compile(&e.Work.Program, "elements")
	if err != nil {
		return nil, tensor.Errorf(tensor.Internal, "%v", err)
	}
	k, _ := kernels.LoadOrStore(key, &device.Kernel{Module: &device.Module{PTX: &text}, Entry: "elements"})
	return k.(*device.Kernel), nil
}

// simulated returns an opener of simulated GPUs in host memory, on which plans for GPUs run in this
// process. The GPUs belong to one machine.
func simulated() opener {
	machine := new(sim.Machine)
	return func(name string) (device.Device, error) {
		_, id, _ := strings.Cut(name, "/device:GPU:")
		i, err := strconv.Atoi(id)
		if err != nil {
			return nil, tensor.Errorf(tensor.Unimplemented, "unknown device %s: only simulated GPUs are available", name)
		}
		return sim.New(i, sim.Options{Machine: machine}), nil
	}
}
