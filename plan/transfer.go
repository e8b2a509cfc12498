package plan

import "github.com/graphc/graphc/rt/device"

// Transfer is a step that moves a tensor between host memory and the plan's device (*Put or *Get),
// or between two partitions (*Send or *Recv).
type Transfer interface {
	Step
	// Call returns the run-time call that performs the step. Package exec makes this call, and
	// package codegen emits it. Analyses of a plan use the step's fields instead of the call.
	Call() *Call
	// onQueue reports whether the step appends work to the queue of the plan's device.
	onQueue() bool
}

// Put copies from host memory to the memory of the plan's device. The device does the copy after
// all work that was queued earlier. The step does not wait for the device. Src may change as soon
// as the step has returned.
type Put struct {
	Node, Op string
	Dst      View // the destination, in the device's memory
	Src      View // the source: the elements of Dst as bytes, in the host's memory
}

// Get copies from the memory of the plan's device to host memory. The device does the copy after
// all work that was queued earlier. The step waits until the copy is done.
type Get struct {
	Node, Op string
	Dst      View // the destination: the elements of Src as bytes, in the host's memory
	Src      View // the source, in the device's memory
}

// CallOf returns the call that step s consists of. If s is a Transfer, that is the call that
// performs it. For steps that are neither a *Call nor a Transfer, CallOf returns false.
func CallOf(s Step) (*Call, bool) {
	if t, ok := s.(Transfer); ok {
		return t.Call(), true
	}
	c, ok := s.(*Call)
	return c, ok
}

func (*Put) isStep() {}
func (*Get) isStep() {}

// Views implements Step.
func (s *Put) Views(f func(View)) { f(s.Dst); f(s.Src) }

// Views implements Step.
func (s *Get) Views(f func(View)) { f(s.Dst); f(s.Src) }

// Call implements Transfer.
func (s *Put) Call() *Call {
	return &Call{Node: s.Node, Op: s.Op, Fn: device.Put, Args: []Arg{Queue{}, s.Dst, s.Src}}
}

// Call implements Transfer.
func (s *Get) Call() *Call {
	return &Call{Node: s.Node, Op: s.Op, Fn: device.Get, Args: []Arg{Queue{}, s.Dst, s.Src}}
}

func (*Put) onQueue() bool { return true }
func (*Get) onQueue() bool { return true }
