// Package device is the seam between a program and what its partitions run on: an
// arena of memory, ordered work, copies in, out and across, and events. A CPU does
// all of it at once, on the caller's thread.
//
// How a partition uses a device that works by itself, such as a GPU: it enters
// Run once per run, enqueues everything on streams of its own, and a step counts as
// done when it is enqueued. What is sent leaves by SendFrom, which completes when an event
// says so; what is received comes by RecvTo. From device to device it is SendPeer and
// RecvPeer, where the streams wait for each other. Nothing but events, Sync and CopyOut's
// rule may be relied on to know that work is over.
package device

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// Device is something that has memory and does work. All methods may be called by
// any goroutine.
type Device interface {
	// Name is the full name: /job:localhost/replica:0/task:0/device:CPU:0.
	Name() string
	// Type is the name's device type: CPU.
	Type() string
	Attributes() Attributes
	Usage() Usage

	// Alloc returns n bytes of memory that begin at a multiple of mem.Align and hold
	// anything. InvalidArgument for a negative n, ResourceExhausted beyond the limit;
	// the device is as usable as before then.
	Alloc(n int) (Memory, error)
	// AllocHost returns host memory that copies go to and from by themselves, for as
	// long as it is reachable. The errors are Alloc's.
	AllocHost(n int) ([]byte, error)

	// Run calls f where streams of the device may be used, on one thread from its
	// begin to its end, and returns f's error. One call for a whole run: it may change
	// threads.
	Run(f func() error) error
	NewStream() (Stream, error)
	NewEvent() (Event, error)
	// Reaches reports that streams of the device copy from memory of another device by
	// themselves, and wait for its events.
	Reaches(m Memory) bool
	// Prepare loads kernels, which may take long the first time. A kernel that was not
	// prepared is loaded when it is launched first. Unimplemented for a CPU,
	// InvalidArgument for code that the device does not take.
	Prepare(ks ...*Kernel) error
	// Sync waits until all streams are done, and returns Err.
	Sync() error
	// Err is the error after which the device is of no use any more, nil for none.
	// All other methods return it then.
	Err() error
}

// Memory is a block of a device's memory.
type Memory interface {
	Size() int
	// Addr is where the memory begins for the device's kernels; 0 where it has none.
	Addr() Ptr
	// Host is the memory itself where the host's kernels work on it, nil elsewhere.
	Host() []byte
	// Free gives it back. No work that uses it may be outstanding, and none may come;
	// streams refuse freed memory with Internal.
	Free() error
}

// Stream is a list of work that a device does in its order. One goroutine at a time
// uses it. The first error of its work is sticky: what follows is not done, and all
// methods return the error until Reset.
type Stream interface {
	// Launch appends work. Func is work of the host's that is done in the stream's
	// order, a Batch work of the device's; what else there is, is the device's own.
	// Unimplemented for other kinds. An error of an item names its node.
	Launch(w Work) error
	// CopyIn appends a copy of src to dst[off:]. src has been read when it returns,
	// unless it is memory of AllocHost: then when the stream has come so far.
	CopyIn(dst Memory, off int, src []byte) error
	// CopyOut appends a copy of src[off:] to dst. dst has been written when it
	// returns, unless it is memory of AllocHost.
	CopyOut(dst []byte, src Memory, off int) error
	// CopyPeer appends a copy of n bytes between memories of this device, or of one
	// that it reaches.
	CopyPeer(dst Memory, dstOff int, src Memory, srcOff, n int) error
	// Record appends a mark: e happens when the stream comes to it.
	Record(e Event) error
	// Wait makes the stream wait for what e was last recorded for; nothing if it never
	// was. If that failed, this stream fails with the same error.
	Wait(e Event) error
	// Sync waits until everything appended is done.
	Sync() error
	// Capture calls f and keeps what f appends to this stream instead of doing it.
	// The work returned does it all, each time it is launched, with the same memory.
	// A wait for the host in f is FailedPrecondition.
	Capture(f func() error) (Work, error)
	// Err is the first error of the work so far that is known, nil for none.
	Err() error
	// Reset waits for what was appended and forgets the error.
	Reset()
	// Close waits for what was appended and gives the stream back; nothing uses it any more.
	Close() error
}

// Work is something that a stream does.
type Work interface{ Work() }

// Func is work of the host's. It must not use the device.
type Func func() error

// Work marks Func as Work.
func (Func) Work() {}

// Event is a point in a stream. The one recorded last counts; one that was never
// recorded has happened.
type Event interface {
	// Done reports whether it has happened, without waiting, and the stream's error.
	Done() (bool, error)
	// Wait waits until it has happened, and returns the stream's error.
	Wait() error
	// Then has f called once with the stream's error when it has happened, by the
	// caller or another goroutine. f must not use the device.
	Then(f func(error))
	// Since is the time on the device between what since was last recorded for and
	// what e was, both of which have happened. Unimplemented where nobody measures it.
	Since(since Event) (time.Duration, error)
	// Close gives the event back; nothing waits for it any more.
	Close() error
}

// Attributes are what a listing of devices says.
type Attributes struct {
	Name        string
	Type        string
	MemoryLimit int64
	Incarnation uint64 // in rendezvous keys; never 0
	Description string
	// Processors is how many multiprocessors there are; 0 for a CPU.
	Processors int
}

// Usage is memory in bytes.
type Usage struct{ Limit, InUse, Peak int }

// Full returns the full name of device id of a type in the local process.
func Full(typ string, id int) string {
	return "/job:localhost/replica:0/task:0/device:" + typ + ":" + strconv.Itoa(id)
}

// TypeOf is the device type in a device's full name, "" where there is none.
func TypeOf(name string) string {
	_, d, _ := strings.Cut(name, "/device:")
	typ, _, _ := strings.Cut(d, ":")
	return typ
}

// IsCPU reports the name of a CPU; a name without a type is that of the process's first one.
func IsCPU(name string) bool {
	t := TypeOf(name)
	return t == "" || t == "CPU"
}

// List makes the devices that counts asks for by type, CPUs first; one CPU where
// counts has none. NotFound for a type that the program has no device of.
func List(counts map[string]int) ([]Device, error) {
	cpus, ok := counts["CPU"]
	if !ok {
		cpus = 1
	}
	if cpus < 1 || cpus > maxDevices {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%d CPU devices: from 1 to %d are possible", cpus, maxDevices)
	}
	for _, typ := range slices.Sorted(maps.Keys(counts)) {
		if typ != "CPU" && counts[typ] != 0 {
			return nil, tensor.Errorf(tensor.NotFound, "there is no device of type %q", typ)
		}
	}
	out := make([]Device, cpus)
	for i := range out {
		out[i] = CPU(i)
	}
	return out, nil
}

const maxDevices = 1 << 16
