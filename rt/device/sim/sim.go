// Package sim is a simulated GPU, in pure Go, that is as unkind as a GPU may be: a
// program that relies on anything but what package device promises gets wrong numbers or an error.
//
//   - Streams are lazy: work is done when somebody waits for it, by Sync, an event or a copy to
//     memory that is not AllocHost's, and no more work than that. With a seed, streams that nobody
//     waits for go on at times, too, in an order that the seed gives.
//   - Memory holds NaN before it is written, and addresses are never given out twice:
//     what is beyond a block or in one that was freed is an error of the kernel or copy.
//   - Kernels are run by package ptx from the text that a GPU's driver would be given.
//   - Streams work within Device.Run alone, and nothing that was closed works.
//   - Calls fail that Options.Faults names.
//
// The same program with the same options does the same, unless Event.Then is used, whose
// goroutine waits for the event whenever it is its turn. What a kernel does wrong, its error
// says with the thread and the instruction.
//
// An error of a kernel is sticky, as an illegal address is for CUDA: the device is of no
// use afterwards. Other errors are the stream's.
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

// Options say how a device is.
type Options struct {
	// Limit is the memory in bytes that may be in use at a time, 0 for 8 GiB.
	Limit int
	// Seed chooses among what streams and blocks of threads are free to do; with 0, streams do nothing
	// that is not waited for, and blocks run in order. It is the machine's, whose first device gives it.
	Seed uint64
	// Workers is how many blocks of a kernel are run at a time, 0 for one for each CPU. Kernels
	// with atomic operations on the device's memory are run by one, since sums of floats
	// depend on the order.
	Workers int
	// Instructions is how many instructions of warps a kernel may do, 0 for ptx.DefaultLimit.
	Instructions uint64
	// Races has accesses to shared memory found that no barrier orders, which takes time.
	Races bool
	// Processors is what Attributes says, 0 for 4.
	Processors int
	// Gemm has the device multiply matrices by itself: see device.Multiplier.
	Gemm bool
	// Faults are calls that fail.
	Faults []Fault
	// Machine is what devices that copy to each other and wait for each other's events
	// have in common; nil for a device alone.
	Machine *Machine
}

// Machine is what holds devices.
type Machine struct {
	mu      sync.Mutex    // held while work is appended and done
	calling atomic.Uint64 // the goroutine that does work of the host's, 0 for none
	rng     *rand.Rand
	devices []*Device
	pinned  ranges
	made    int // streams
	code    map[*device.Module]*loaded
}

// lock locks mu. Work of the host's that uses a device, which it must not, would wait for
// itself: it is stopped.
func (m *Machine) lock() {
	if id := m.calling.Load(); id != 0 && id == goroutine() {
		panic("sim: work of the host's in a stream uses the device")
	}
	m.mu.Lock()
}

// call does work of the host's.
func (m *Machine) call(f device.Func) error {
	m.calling.Store(goroutine())
	defer m.calling.Store(0)
	return f()
}

// Device is a simulated GPU.
type Device struct {
	device.Account
	m       *Machine
	id      int
	name    string
	opt     Options
	broken  atomic.Pointer[error]
	within  goroutines
	memory  blocks
	streams map[*stream]string // where they were made
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

// Name is the full name of GPU i.
func (d *Device) Name() string { return d.name }

// Type is GPU.
func (d *Device) Type() string { return "GPU" }

// Attributes say that the device is simulated.
func (d *Device) Attributes() device.Attributes {
	return device.Attributes{Name: d.name, Type: "GPU", MemoryLimit: int64(d.Usage().Limit), Incarnation: device.Incarnation(d.name),
		Description: fmt.Sprintf("device: %d, name: simulated GPU, compute capability: 9.0", d.id), Processors: d.opt.Processors}
}

// Err is the error of the first kernel that did something that no GPU goes on after, or of a
// fault that is sticky.
func (d *Device) Err() error {
	if p := d.broken.Load(); p != nil {
		return *p
	}
	return nil
}

// fail makes err the device's.
func (d *Device) fail(err error) error {
	d.broken.CompareAndSwap(nil, &err)
	return *d.broken.Load()
}

// Sync waits for all streams.
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

// ordered returns the open streams in the order in which they were made.
func (d *Device) ordered() []*stream {
	var out []*stream
	for s := range d.streams {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b *stream) int { return a.number - b.number })
	return out
}

// Leaks says what was not given back: memory, streams and events, each with the place where
// it was asked for.
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

// Pending is how much work there is on the device's streams that was not done.
func (d *Device) Pending() int {
	d.m.lock()
	defer d.m.mu.Unlock()
	n := 0
	for s := range d.streams {
		n += len(s.todo)
	}
	return n
}

// Clock is the device's time: the number of instructions that its kernels did, each for a
// warp, plus one for each 128 bytes that were copied.
func (d *Device) Clock() uint64 {
	d.m.lock()
	defer d.m.mu.Unlock()
	return d.clock
}

func internal(format string, args ...any) error {
	return tensor.Errorf(tensor.Internal, format, args...)
}
