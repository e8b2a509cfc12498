package plan

import (
	"reflect"
	"slices"

	"github.com/graphc/graphc/rt/device"
)

// Queue is the argument for a kernel that works on the plan's device. It passes the device's queue
// to the kernel, which must append its work to this queue. A call that has a Queue and returns
// nothing is recorded; see Recorded.
type Queue struct{}

// Type implements Arg.
func (Queue) Type() reflect.Type { return reflect.TypeFor[*device.Queue]() }

// Views is an argument that consists of windows of buffers on the plan's device. The kernel gets it
// as a []device.Ptr. Kernels must not keep the slice.
type Views struct{ V []View }

// Type implements Arg.
func (Views) Type() reflect.Type { return reflect.TypeFor[[]device.Ptr]() }

// Recorded reports whether a step only appends work to the device's queue. Such a step is a call
// with a Queue that returns nothing, or a copy in device memory. All other steps run on the host,
// even those that wait for the device.
func Recorded(s Step) bool {
	if c, ok := s.(*Copy); ok {
		return c.Dst.Buf.Root().Place.OnDevice()
	}
	c, ok := s.(*Call)
	if !ok || len(c.Rets) > 0 {
		return false
	}
	if _, text := c.Fn.(Unresolved); !text && c.HasError() {
		return false
	}
	return c.hasQueue()
}

// Queues reports whether a step uses the plan's device.
func Queues(s Step) bool {
	switch s := s.(type) {
	case *Copy:
		return s.Dst.Buf.Root().Place.OnDevice()
	case *Call:
		return s.hasQueue()
	case Transfer:
		return s.onQueue()
	}
	return false
}

// hasQueue reports whether the call gets the device's queue.
func (c *Call) hasQueue() bool {
	return slices.ContainsFunc(c.Args, func(a Arg) bool { _, ok := a.(Queue); return ok })
}
