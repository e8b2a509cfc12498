package sim

import (
	"bytes"
	"runtime"
	"strconv"
	"sync"

	"github.com/graphc/graphc/rt/tensor"
)

// Call is a kind of call that can fail on request.
type Call int

// The kinds of calls. Launches and copies fail only when the stream reaches them. All other calls
// fail immediately.
const (
	AllocFault  Call = iota // Device.Alloc, with ResourceExhausted
	HostFault               // Device.AllocHost, with ResourceExhausted
	StreamFault             // Device.NewStream
	EventFault              // Device.NewEvent
	RecordFault             // Stream.Record
	PrepareFault
	LaunchFault // a launch of a kernel
	CopyFault   // a copy or a fill
	SyncFault   // Device.Sync and Stream.Sync
	faults      = iota
)

var callNames = [faults]string{"allocation", "allocation of host memory", "stream", "event", "record", "loading", "launch", "copy", "synchronisation"}

// String returns the name of the kind.
func (c Call) String() string { return callNames[c] }

// Fault describes a call that is to fail.
type Fault struct {
	Call Call
	// At is the number of the failing call among the calls of this kind; the first one has number
	// 1.
	At int
	// If Sticky is true, the fault makes the device unusable, as an ECC error does.
	Sticky bool
}

// inject adds one to the number of calls of kind c. It returns an error if a Fault says that this
// call is to fail.
func (d *Device) inject(c Call) error {
	d.counts[c]++
	for _, f := range d.opt.Faults {
		if f.Call != c || f.At != d.counts[c] {
			continue
		}
		code := tensor.Internal
		if c == AllocFault || c == HostFault {
			code = tensor.ResourceExhausted
		}
		err := tensor.Errorf(code, "injected: %s %d fails", c, f.At)
		if f.Sticky {
			return d.fail(err)
		}
		return err
	}
	return nil
}

// goroutines counts the nested calls of Run for each goroutine that is within Run.
type goroutines struct {
	mu sync.Mutex
	in map[uint64]int
}

// goroutine returns the number of the calling goroutine, from the first line of its stack:
// "goroutine 18 [running]:".
func goroutine() uint64 {
	var b [64]byte
	s := bytes.TrimPrefix(b[:runtime.Stack(b[:], false)], []byte("goroutine "))
	if i := bytes.IndexByte(s, ' '); i > 0 {
		if n, err := strconv.ParseUint(string(s[:i]), 10, 64); err == nil {
			return n
		}
	}
	return 0
}

func (g *goroutines) enter(id uint64, n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.in == nil {
		g.in = map[uint64]int{}
	}
	if g.in[id] += n; g.in[id] == 0 {
		delete(g.in, id)
	}
}

func (g *goroutines) inside() bool {
	id := goroutine()
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.in[id] > 0
}

// Run calls f while the goroutine is locked to its thread.
func (d *Device) Run(f func() error) error {
	if err := d.Err(); err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	id := goroutine()
	d.within.enter(id, 1)
	defer d.within.enter(id, -1)
	return f()
}
