package plan

import (
	"reflect"
	"slices"

	"github.com/graphc/graphc/rt/device"
)

// Queue is the argument of a call that works on the plan's device: what its work is
// appended to. A call with a Queue and without results is recorded; see Recorded.
type Queue struct{}

// Type implements Arg.
func (Queue) Type() reflect.Type { return reflect.TypeFor[*device.Queue]() }

// Views are windows of buffers of the plan's device, passed as a []device.Ptr.
// Kernels must not keep it.
type Views struct{ V []View }

// Type implements Arg.
func (Views) Type() reflect.Type { return reflect.TypeFor[[]device.Ptr]() }

// Recorded reports a step that only appends work to a segment of the device's: a
// call with a Queue that returns nothing, or a copy in the device's memory. Other steps
// are the host's, among them those that wait for the device.
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

// handsOver reports a step that hands what is in the device's memory to another partition
// by a stream of its own: the copy is under way when the step is over.
func handsOver(s Step) bool {
	c, ok := s.(*Call)
	return ok && c.Calls(device.SendFrom)
}

// slotOf returns the slot that a call sends or receives by, -1 where it does neither.
func (c *Call) slotOf() int {
	for i, a := range c.Args {
		if _, ok := a.(Exchange); !ok || i+1 == len(c.Args) {
			continue
		}
		switch a := c.Args[i+1].(type) {
		case Int:
			if n, ok := a.X.IsInt(); ok {
				return n
			}
		case Value:
			if n, ok := a.V.(int); ok {
				return n
			}
		}
	}
	return -1
}

// HandOver has parts on devices that are no CPUs hand each other tensors without the
// host, where the one makes them on its device and the other reads them on its own.
func (p *Plan) HandOver() {
	ends := make([][]*Call, len(p.Pairs))
	for _, q := range p.Parts {
		Walk(q.Steps, func(_ int, s Step) {
			if c, ok := s.(*Call); ok {
				if slot := c.slotOf(); slot >= 0 && slot < len(ends) {
					ends[slot] = append(ends[slot], c)
				}
			}
		})
	}
	for _, calls := range ends {
		sends, recvs := 0, 0
		for _, c := range calls {
			switch {
			case c.Calls(device.SendFrom):
				sends++
			case c.Calls(device.RecvTo):
				recvs++
			}
		}
		if sends == 0 || recvs == 0 || sends+recvs < len(calls) {
			continue
		}
		for _, c := range calls {
			if c.Calls(device.SendFrom) {
				c.Fn, c.Args = device.SendPeer, c.Args[:len(c.Args)-1]
			} else {
				c.Fn = device.RecvPeer
			}
		}
	}
}

// Queues reports that a step uses the plan's device.
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

// hasQueue reports that the call takes the device's queue.
func (c *Call) hasQueue() bool {
	return slices.ContainsFunc(c.Args, func(a Arg) bool { _, ok := a.(Queue); return ok })
}

// Calls reports that the call is one of fn.
func (c *Call) Calls(fn any) bool {
	if _, text := c.Fn.(Unresolved); !text {
		v := reflect.ValueOf(c.Fn)
		return v.Kind() == reflect.Func && v.Pointer() == reflect.ValueOf(fn).Pointer()
	}
	path, name, err := (&Call{Fn: fn}).Symbol()
	return err == nil && c.Fn == Unresolved(path+"."+name)
}
