// Package sim simulates a GPU in pure Go. Where package device leaves the behaviour of a GPU open,
// the simulation chooses what is hardest for the program. Therefore a program that relies on
// anything that package device does not promise gets wrong numbers or an error.
//
//   - Streams are lazy: work is done only when the program waits for it, by Sync, by an event or by
//     a copy to memory that is not from AllocHost, and only as much work as needed. With a seed,
//     other streams sometimes also do work, in an order that the seed determines.
//   - Memory holds NaN before it is written, and addresses are never reused. Therefore an access
//     beyond the end of a block or to a freed block is an error of the kernel or copy.
//   - Kernels are run by package ptx, from the PTX text that a GPU's driver would get.
//   - Using a stream outside of Device.Run is an error, and so is using a closed stream or event.
//   - The calls listed in Options.Faults fail.
//
// The same program with the same options always behaves the same, unless it uses Event.Then: a
// goroutine of Then waits for the event, and Go's scheduler decides when. The error of a faulty
// kernel names the thread and the instruction.
//
// An error of a kernel is sticky, like an illegal address in CUDA: the device is then unusable. Any
// other error affects only its stream.
package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// Options are options of a device.
type Options struct {
	// Limit is the memory in bytes that may be in use at a time; 0 means 8 GiB.
	Limit int
	// Seed determines the order in which streams work and in which blocks of threads run, as far as
	// package device leaves this order open. If Seed is 0, streams do only work for which the program
	// waits, and blocks run in order of their index. The seed of the first device of a machine
	// applies to the whole machine.
	Seed uint64
	// Workers is how many blocks of a kernel run at a time; 0 means one for each CPU. A kernel with
	// atomic operations on the device's memory always runs with one worker, because sums of floats
	// depend on the order of the additions.
	Workers int
	// Instructions limits the warp instructions of a launch; 0 means ptx.DefaultLimit.
	Instructions uint64
	// Races turns on a check of shared memory, which slows kernels down. A kernel then fails if no
	// barrier orders two conflicting accesses to shared memory.
	Races bool
	// Processors is the number of processors in the result of Attributes; 0 means 4.
	Processors int
	// Gemm makes the device multiply matrices itself: see device.Multiplier.
	Gemm bool
	// Faults lists the calls that fail.
	Faults []Fault
	// Machine is shared by devices that copy to each other and wait for each other's events; nil
	// for a single device.
	Machine *Machine
}

// Machine is the shared state of several devices.
type Machine struct {
	// locked while a stream's work is appended or done
	mu      sync.Mutex
	calling atomic.Uint64 // the number of the goroutine that runs a device.Func of a stream; 0 if none runs one
	rng     *rand.Rand
	devices []*Device
	pinned  ranges
	made    int // the number of streams created so far
	code    map[*device.Module]*loaded
}

// lock locks mu. It panics if it is called by a device.Func that a stream runs, because it would
// deadlock. Such a function must not use a device.
func (m *Machine) lock() {
	if id := m.calling.Load(); id != 0 && id == goroutine() {
		panic("sim: work of the host's in a stream uses the device")
	}
	m.mu.Lock()
}

// call runs f, which is work of a stream on the host.
func (m *Machine) call(f device.Func) error {
	m.calling.Store(goroutine())
	defer m.calling.Store(0)
	return f()
}

// Device is a simulated GPU.
type Device struct {
	device.Account
	m      *Machine
	id     int
	name   string
	opt    Options
	broken atomic.Pointer[error]
	within goroutines
	memory blocks
	// the open streams, each with the source position at which it was created
	streams map[*stream]string
	events  map[*event]string
	modules map[*device.Module]*module
	counts  [faults]int
	clock   uint64
}

var _ device.Device = (*Device)(nil)

// New returns device i.
func New(i int, o Options) *Device {
	if o.Limit <= 0 {
		o.Limit = min(8<<30, math.MaxInt)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Processors <= 0 {
		o.Processors = 4
	}
	if o.Machine == nil {
		o.Machine = new(Machine)
	}
	m := o.Machine
	d := &Device{m: m, id: i, name: device.Full("GPU", i), opt: o, streams: map[*stream]string{}, events: map[*event]string{}, modules: map[*device.Module]*module{}}
	d.SetLimit(o.Limit)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.devices) == 0 && o.Seed != 0 {
		m.rng = rand.New(rand.NewPCG(o.Seed, 0))
	}
	m.devices = append(m.devices, d)
	d.memory.next = uint64(len(m.devices)) << 44
	return d
}

// Name returns the full name of GPU i.
func (d *Device) Name() string { return d.name }

// Type returns "GPU".
func (d *Device) Type() string { return "GPU" }

// Attributes describes the device as simulated.
func (d *Device) Attributes() device.Attributes {
	return device.Attributes{Name: d.name, Type: "GPU", MemoryLimit: int64(d.Usage().Limit), Incarnation: device.Incarnation(d.name),
		Description: fmt.Sprintf("device: %d, name: simulated GPU, compute capability: 9.0", d.id), Processors: d.opt.Processors}
}

// Err returns the error that made the device unusable: the error of a kernel, or of a call in
// Options.Faults that is sticky.
func (d *Device) Err() error {
	if p := d.broken.Load(); p != nil {
		return *p
	}
	return nil
}

// fail stores err as the device's error, unless the device already has an error. It returns the
// device's error.
func (d *Device) fail(err error) error {
	d.broken.CompareAndSwap(nil, &err)
	return *d.broken.Load()
}

// Sync does the work of all streams.
func (d *Device) Sync() error {
	if err := d.Err(); err != nil {
		return err
	}
	d.m.lock()
	defer d.m.mu.Unlock()
	if err := d.inject(SyncFault); err != nil {
		return err
	}
	for _, s := range d.ordered() {
		s.reach(s.begun + len(s.todo))
	}
	return d.Err()
}

// ordered returns the open streams in order of creation.
func (d *Device) ordered() []*stream {
	var out []*stream
	for s := range d.streams {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b *stream) int { return a.number - b.number })
	return out
}

// Leaks lists memory, streams and events that were not freed, each with the place of its creation.
func (d *Device) Leaks() []string {
	d.m.lock()
	defer d.m.mu.Unlock()
	var out []string
	for _, b := range d.memory.list {
		out = append(out, fmt.Sprintf("%d bytes of memory from %s", len(b.data), b.where))
	}
	for _, s := range d.ordered() {
		out = append(out, "a stream from "+d.streams[s])
	}
	var events []string
	for _, where := range d.events {
		events = append(events, "an event from "+where)
	}
	slices.Sort(events)
	return append(out, events...)
}

// Pending returns how many pieces of work on the device's streams are not done yet.
func (d *Device) Pending() int {
	d.m.lock()
	defer d.m.mu.Unlock()
	n := 0
	for s := range d.streams {
		n += len(s.todo)
	}
	return n
}

// Clock returns the device's time: the number of warp instructions that its kernels have executed,
// plus one for each 128 bytes copied.
func (d *Device) Clock() uint64 {
	d.m.lock()
	defer d.m.mu.Unlock()
	return d.clock
}

func internal(format string, args ...any) error {
	return tensor.Errorf(tensor.Internal, format, args...)
}
