package plan

import (
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/rendezvous"
)

// Route is the way in which a message leaves or reaches one of its two partitions.
type Route uint8

// The routes.
const (
	RouteControl Route = iota // the message is a control edge and has no elements
	RouteHost                 // the elements are in host memory
	RouteStaged               // the elements are in the memory of the plan's device and pass through host memory
	RoutePeer                 // the elements are in the memory of the plan's device and move directly to or from another device
)

var routeNames = [...]string{RouteControl: "control", RouteHost: "host", RouteStaged: "staged", RoutePeer: "peer"}

// onDevice reports whether the elements are in the memory of the plan's device.
func (r Route) onDevice() bool { return r == RouteStaged || r == RoutePeer }

// Send passes a tensor, or a control edge, to another partition. It does not wait.
type Send struct {
	Node, Op string
	Slot     int // the index of the Pair in Plan.Pairs
	Route    Route
	Src      View // a view for reading the elements to send; no buffer for RouteControl
	// Reused is only for RouteStaged. It says that later steps may write Src while the message is
	// in transit, so that they must wait until the device has read Src.
	Reused bool
}

// Recv waits for a message from another partition and stores its elements. On a route to device
// memory, it waits only for the message; the device copies the elements later.
type Recv struct {
	Node, Op string
	Slot     int // the index of the Pair in Plan.Pairs
	Route    Route
	Dst      View // a view for storing the elements; no buffer for RouteControl
}

func (*Send) isStep() {}
func (*Recv) isStep() {}

// Views implements Step.
func (s *Send) Views(f func(View)) {
	if s.Route != RouteControl {
		f(s.Src)
	}
}

// Views implements Step.
func (s *Recv) Views(f func(View)) {
	if s.Route != RouteControl {
		f(s.Dst)
	}
}

// Call implements Transfer.
func (s *Send) Call() *Call {
	c, slot := &Call{Node: s.Node, Op: s.Op}, Value{s.Slot}
	switch s.Route {
	case RouteControl:
		c.Fn, c.Args = rendezvous.Signal, []Arg{Exchange{}, slot}
	case RouteHost:
		c.Fn, c.Args = rendezvous.SendOf(s.Src.Buf.DType), []Arg{Exchange{}, slot, s.Src}
	case RouteStaged:
		c.Fn, c.Args = device.SendFrom, []Arg{Queue{}, Exchange{}, slot, Value{s.Src.Buf.DType}, Int{s.Src.Len}, s.Src, Value{s.Reused}}
	case RoutePeer:
		c.Fn, c.Args = device.SendPeer, []Arg{Queue{}, Exchange{}, slot, Value{s.Src.Buf.DType}, Int{s.Src.Len}, s.Src}
	}
	return c
}

// Call implements Transfer.
func (s *Recv) Call() *Call {
	c, slot := &Call{Node: s.Node, Op: s.Op}, Value{s.Slot}
	switch s.Route {
	case RouteControl:
		c.Fn, c.Args = rendezvous.Wait, []Arg{Exchange{}, slot}
	case RouteHost:
		c.Fn, c.Args = rendezvous.RecvOf(s.Dst.Buf.DType), []Arg{s.Dst, Exchange{}, slot}
	case RouteStaged:
		c.Fn, c.Args = device.RecvTo, []Arg{Queue{}, s.Dst, Exchange{}, slot, Value{s.Dst.Buf.DType}, Int{s.Dst.Len}}
	case RoutePeer:
		c.Fn, c.Args = device.RecvPeer, []Arg{Queue{}, s.Dst, Exchange{}, slot, Value{s.Dst.Buf.DType}, Int{s.Dst.Len}}
	}
	return c
}

func (s *Send) onQueue() bool { return s.Route.onDevice() }
func (s *Recv) onQueue() bool { return s.Route.onDevice() }

// underway reports whether the device may still be reading the message's elements after the Send
// step has returned.
func (s *Send) underway() bool { return s.Route == RouteStaged }

// mapped returns the step with its window replaced by the result of the function view; a control
// edge has no window.
func (s *Send) mapped(view func(View) View) *Send {
	c := *s
	if s.Route != RouteControl {
		c.Src = view(s.Src)
	}
	return &c
}

// mapped returns the step with its window replaced by the result of the function view; a control
// edge has no window.
func (s *Recv) mapped(view func(View) View) *Recv {
	c := *s
	if s.Route != RouteControl {
		c.Dst = view(s.Dst)
	}
	return &c
}

// HandOver makes two parts on devices other than CPUs exchange a tensor directly, without the host,
// if one part computes the tensor on its device and the other part reads it on its device.
func (p *Plan) HandOver() {
	type pair struct {
		sends []*Send
		recvs []*Recv
		host  bool // whether a sender or receiver of the pair has the elements in host memory, or there are no elements
	}
	pairs := map[int]*pair{}
	end := func(slot int, r Route) *pair {
		if pairs[slot] == nil {
			pairs[slot] = &pair{}
		}
		pairs[slot].host = pairs[slot].host || r != RouteStaged
		return pairs[slot]
	}
	for _, q := range p.Parts {
		Walk(q.Steps, func(_ int, s Step) {
			switch s := s.(type) {
			case *Send:
				e := end(s.Slot, s.Route)
				e.sends = append(e.sends, s)
			case *Recv:
				e := end(s.Slot, s.Route)
				e.recvs = append(e.recvs, s)
			}
		})
	}
	for _, e := range pairs {
		if e.host || len(e.sends) == 0 || len(e.recvs) == 0 {
			continue
		}
		for _, s := range e.sends {
			s.Route, s.Reused = RoutePeer, false
		}
		for _, s := range e.recvs {
			s.Route = RoutePeer
		}
	}
}
