// Package device is the interface between a program and the devices that its partitions run on:
// memory, ordered work, copies in, out and between devices, and events. A CPU does everything at
// once, on the caller's thread.
//
// A partition on an asynchronous device, such as a GPU, enters Run once per run and enqueues
// everything on its own streams. A step counts as done when it is enqueued. SendFrom sends a
// tensor to the host; the message is complete when an event has happened. RecvTo receives from the
// host. SendPeer and RecvPeer transfer between devices, whose streams wait for each other. Work is
// known to be over only through events, Sync and the rule of CopyOut.
package device

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// Device has memory and does work. Its methods are safe for concurrent use.
type Device interface {
	// Name returns the full name: /job:localhost/replica:0/task:0/device:CPU:0.
	Name() string
	// Type returns the device type in the name: CPU.
	Type() string
	Attributes() Attributes
	Usage() Usage

	// Alloc returns n bytes of memory, aligned to mem.Align, with undefined contents. The error is
	// InvalidArgument for a negative n, and ResourceExhausted beyond the limit; the device stays
	// usable then.
	Alloc(n int) (Memory, error)
	// AllocHost returns host memory that streams can copy from and to asynchronously, as long as
	// it is reachable. The errors are those of Alloc.
	AllocHost(n int) ([]byte, error)

	// Run calls f and returns its error. Only within f may streams of the device be used. The call
	// of f stays on one OS thread. Call Run once for a whole run of a program, because a second
	// call may use another thread.
	Run(f func() error) error
	NewStream() (Stream, error)
	NewEvent() (Event, error)
	// Reaches reports whether streams of this device can copy from m, memory of another device,
	// and wait for events of that device.
	Reaches(m Memory) bool
	// Prepare loads kernels, which may take long the first time. Other kernels are loaded at their
	// first launch. The error is Unimplemented for a CPU, and InvalidArgument for code that the
	// device does not accept.
	Prepare(ks ...*Kernel) error
	// Sync waits until all streams are done, and returns Err.
	Sync() error
	// Err returns the error that made the device unusable, nil if it is usable. All other methods
	// then return it.
	Err() error
}

// Memory is a block of a device's memory.
type Memory interface {
	Size() int
	// Addr returns the address of the memory for the device's kernels, or 0 if it has none.
	Addr() Ptr
	// Host returns the memory itself if host kernels can access it, otherwise nil.
	Host() []byte
	// Free frees the memory. No current or later work may use it; streams refuse freed memory with
	// Internal.
	Free() error
}

// Stream is a list of work that a device does in order. It is not safe for concurrent use. The
// first error of its work is sticky: later work is not done, and all methods return the error
// until Reset.
type Stream interface {
	// Launch appends work. A Func is host work that is done in the stream's order, a Batch is
	// device work. Other types of Work are created by the device itself. The error is Unimplemented
	// for unknown types. An error of an item names its node.
	Launch(w Work) error
	// CopyIn appends a copy of src to dst[off:]. When CopyIn returns, src has been read, unless it
	// is memory from AllocHost: then src is read when the stream reaches the copy.
	CopyIn(dst Memory, off int, src []byte) error
	// CopyOut appends a copy of src[off:] to dst. When CopyOut returns, dst has been written,
	// unless it is memory from AllocHost: then dst is written when the stream reaches the copy.
	CopyOut(dst []byte, src Memory, off int) error
	// CopyPeer appends a copy of n bytes between two blocks of memory of this device, or of a
	// device that it reaches.
	CopyPeer(dst Memory, dstOff int, src Memory, srcOff, n int) error
	// Record appends a record of e: e happens when the stream reaches it.
	Record(e Event) error
	// Wait makes the stream wait for the last record of e. If e was never recorded, Wait does
	// nothing. If the stream that recorded e has failed, this stream fails with the same error.
	Wait(e Event) error
	// Sync waits until all appended work is done.
	Sync() error
	// Capture calls f and records the work that f appends to this stream, instead of doing it.
	// Each launch of the returned work does all of it, with the same memory. If f waits on the
	// host, the error is FailedPrecondition.
	Capture(f func() error) (Work, error)
	// Err returns the first known error of the work so far, or nil.
	Err() error
	// Reset waits for the appended work and clears the error.
	Reset()
	// Close waits for the appended work and frees the stream, which must not be used any more.
	Close() error
}

// Work is something that a stream can do.
type Work interface{ Work() }

// Func is host work. It must not use the device.
type Func func() error

// Work marks Func as Work.
func (Func) Work() {}

// Event is a point in a stream. Its last record counts; an event without a record has happened.
type Event interface {
	// Done reports, without waiting, whether the event has happened. It returns the stream's
	// error.
	Done() (bool, error)
	// Wait waits until the event has happened, and returns the stream's error.
	Wait() error
	// Then arranges one call of f, with the stream's error, when the event has happened: on the
	// caller's goroutine or on another one. f must not use the device.
	Then(f func(error))
	// Since returns the device time between the last records of since and e. Both events must have
	// happened. The error is Unimplemented if the device does not measure time.
	Since(since Event) (time.Duration, error)
	// Close frees the event. The caller must ensure that no stream or goroutine waits for it any
	// more.
	Close() error
}

// Attributes describes a device in a listing of devices.
type Attributes struct {
	Name        string
	Type        string
	MemoryLimit int64
	Incarnation uint64 // for rendezvous keys; never 0
	Description string
	// Processors is the number of multiprocessors; 0 for a CPU.
	Processors int
}

// Usage is the use of memory, in bytes.
type Usage struct{ Limit, InUse, Peak int }

// Full returns the full name of device id of the given type in the local process.
func Full(typ string, id int) string {
	return "/job:localhost/replica:0/task:0/device:" + typ + ":" + strconv.Itoa(id)
}

// TypeOf returns the device type in a device's full name, or "".
func TypeOf(name string) string {
	_, d, _ := strings.Cut(name, "/device:")
	typ, _, _ := strings.Cut(d, ":")
	return typ
}

// IsCPU reports whether name is that of a CPU. A name without a type means the first CPU of the
// process.
func IsCPU(name string) bool {
	t := TypeOf(name)
	return t == "" || t == "CPU"
}

// List creates new devices, CPUs first. The parameter counts holds the number of devices of each
// type. Without an entry for CPUs, List creates one CPU. The error is NotFound for another type,
// and InvalidArgument for a wrong number of CPUs.
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
