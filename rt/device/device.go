// Package device is the interface between a program and the devices on which the program's
// partitions run. A device has memory and events, and does work and copies in order. A CPU does all
// work immediately, on the caller's thread.
//
// For a partition on an asynchronous device, such as a GPU, a run calls the device's method Run,
// and enqueues everything on streams that only this run uses. A step returns when its work is
// enqueued. SendFrom sends a tensor to the host; the message is complete when an event has
// happened. RecvTo receives a tensor from the host. SendPeer and RecvPeer transfer tensors between
// devices, whose streams wait for each other. The end of work is known only from events, from Sync,
// and from a CopyOut to memory that is not from AllocHost.
package device

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphc/graphc/rt/tensor"
)

// Device is a processor with memory, such as a CPU or a GPU, that does the work of partitions. Its
// methods are safe for concurrent use.
type Device interface {
	// Name returns the full name: /job:localhost/replica:0/task:0/device:CPU:0.
	Name() string
	// Type returns the device type in the name: CPU.
	Type() string
	Attributes() Attributes
	Usage() Usage

	// Alloc returns n bytes of memory, aligned to mem.Align, with undefined contents. The error is
	// InvalidArgument for a negative n, and ResourceExhausted if the limit would be exceeded. The
	// device stays usable after these errors.
	Alloc(n int) (Memory, error)
	// AllocHost returns n bytes of host memory. Streams can copy from and to this memory
	// asynchronously, as long as it is reachable. The errors are those of Alloc.
	AllocHost(n int) ([]byte, error)

	// Run calls f and returns the error of f. Streams of the device may be used only within f.
	// During the call, f stays on one OS thread. A program should call Run only once for a whole
	// run of the program, because a second call may use another thread.
	Run(f func() error) error
	NewStream() (Stream, error)
	NewEvent() (Event, error)
	// Reaches reports whether this device can access another device, to which the memory m belongs:
	// its streams can copy from m and can wait for events of that device.
	Reaches(m Memory) bool
	// Prepare loads kernels, which may take a long time if they are new to the device. A kernel
	// that was not prepared is loaded at its first launch. The error is Unimplemented for a CPU,
	// and InvalidArgument for code that the device does not accept.
	Prepare(ks ...*Kernel) error
	// Sync waits until all streams are done, and returns Err.
	Sync() error
	// Err returns the error that made the device unusable, or nil if the device is usable. All
	// methods of an unusable device that return errors return this error.
	Err() error
}

// Memory is a block of a device's memory.
type Memory interface {
	Size() int
	// Addr returns the address that the device's kernels use for the memory, or 0 if kernels cannot
	// access it by address.
	Addr() Ptr
	// Host returns the memory as a slice of bytes if kernels on the host can access it, and nil if
	// they cannot.
	Host() []byte
	// Free frees the memory. No current or later work may use the memory; if a stream gets work
	// with freed memory, the error is Internal.
	Free() error
}

// Stream is a list of work that a device does in order. It is not safe for concurrent use. After
// the first error of its work, a stream does no later work, and all methods of the stream return
// this error until Reset is called.
type Stream interface {
	// Launch appends work to the stream. If w is a Func, it is work on the host, which is done in
	// the stream's order. If w is a *Batch, it is work on the device. Capture returns Work of other
	// types. The error is Unimplemented for unknown types. An error of a batch's item names the
	// item's node.
	Launch(w Work) error
	// CopyIn appends a copy of src to dst[off:]. If src is memory from AllocHost, the copy reads
	// src only when the stream reaches the copy. If src is other memory, it has been read when
	// CopyIn returns.
	CopyIn(dst Memory, off int, src []byte) error
	// CopyOut appends a copy of src[off:] to dst. If dst is memory from AllocHost, the copy writes
	// dst only when the stream reaches the copy. If dst is other memory, it has been written when
	// CopyOut returns.
	CopyOut(dst []byte, src Memory, off int) error
	// CopyPeer appends a copy of n bytes from src to dst. Each block belongs to this device or is
	// memory that this device reaches; see Device.Reaches.
	CopyPeer(dst Memory, dstOff int, src Memory, srcOff, n int) error
	// Record appends a mark for the event e. The event happens when the stream reaches this mark.
	Record(e Event) error
	// Wait makes the stream wait for the event e, as most recently recorded. If e was never
	// recorded, Wait does nothing. If the stream that recorded e has failed, this stream fails with
	// the same error.
	Wait(e Event) error
	// Sync waits until all appended work is done.
	Sync() error
	// Capture calls f and records the work that f appends to this stream, instead of doing the
	// work. Each launch of the returned Work does all recorded work, with the same memory. If f
	// waits for the stream, the error is FailedPrecondition.
	Capture(f func() error) (Work, error)
	// Err returns the first known error of the work so far, or nil.
	Err() error
	// Reset waits for the appended work and clears the error.
	Reset()
	// Close waits for the appended work and frees the stream, which must not be used any more.
	Close() error
}

// Work is work that a stream can do: a Func, a *Batch or the result of Capture.
type Work interface{ Work() }

// Func is host work. It must not use the device.
type Func func() error

// Work marks Func as Work.
func (Func) Work() {}

// Event is a point in a stream, set by Stream.Record. If an event was recorded several times, only
// the most recent point counts. An event that was never recorded is treated as if it had happened.
type Event interface {
	// Done reports, without waiting, whether the event has happened. The error is that of the
	// stream that recorded the event.
	Done() (bool, error)
	// Wait waits until the event has happened, and returns the error of the stream that recorded
	// the event.
	Wait() error
	// Then makes sure that f is called exactly once, when the event has happened. The argument of f
	// is the stream's error. The call is made either on the caller's goroutine or on another one.
	// The function f must not use the device.
	Then(f func(error))
	// Since returns the time, by the device's clock, from an earlier event to this event. The
	// argument is the earlier event. For both events, the most recent recording counts. Both events
	// must have happened. The error is Unimplemented if the device does not measure time.
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
	Incarnation uint64 // a part of TensorFlow's rendezvous keys; never 0
	Description string
	// Processors is the number of multiprocessors; 0 for a CPU.
	Processors int
}

// Usage describes how much of a device's memory is in use, in bytes.
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

// IsCPU reports whether name is the name of a CPU device. A name without a device type means the
// first CPU of the process.
func IsCPU(name string) bool {
	t := TypeOf(name)
	return t == "" || t == "CPU"
}

// List creates CPU devices. The map counts contains the desired number of devices of each type.
// Without an entry for "CPU", List creates one CPU. The error is NotFound if devices of any other
// type are desired, and InvalidArgument if the number of CPUs is too small or too large.
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
