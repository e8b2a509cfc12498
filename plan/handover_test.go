package plan

import (
	"testing"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// TestHandOver checks that messages from device to device bypass the host, also in loops, and that
// messages do not change if the host writes or reads their elements.
func TestHandOver(t *testing.T) {
	dev := &Buf{Place: Device, DType: tensor.Float32, Len: sym.Int(3)}
	host := &Buf{ID: 1, DType: tensor.Float32, Len: sym.Int(3)}
	at := func(r Route, m Mode) View {
		if r == RouteHost {
			return View{Buf: host, Len: host.Len, Mode: m}
		}
		return View{Buf: dev, Len: dev.Len, Mode: m}
	}
	send := func(slot int, r Route) *Send {
		return &Send{Slot: slot, Route: r, Src: at(r, Read), Reused: r == RouteStaged}
	}
	recv := func(slot int, r Route) *Recv { return &Recv{Slot: slot, Route: r, Dst: at(r, Write)} }
	s0, s1, s2, s3 := send(0, RouteStaged), send(1, RouteStaged), send(2, RouteStaged), send(3, RouteHost)
	r0, r1, r2, r3 := recv(0, RouteStaged), recv(1, RouteHost), recv(2, RouteStaged), recv(3, RouteStaged)
	// No part has the recv for s4 or the send for r5.
	s4, r5 := send(4, RouteStaged), recv(5, RouteStaged)
	p := &Plan{Pairs: make([]Pair, 6), Parts: []*Plan{
		{Steps: []Step{s0, s1, &Loop{Body: []Step{s2}}, s3, s4}},
		{Steps: []Step{r0, r1, &Loop{Body: []Step{r2}}, r3, r5}},
	}}
	for range 2 { // the second call changes nothing
		p.HandOver()
		for i, s := range []*Send{s0, s2} {
			if s.Route != RoutePeer || s.Reused || s.underway() || len(s.Call().Args) != 6 {
				t.Errorf("send %d is not to a device: %+v", i, s)
			}
		}
		for i, s := range []*Recv{r0, r2} {
			if s.Route != RoutePeer {
				t.Errorf("receive %d is not from a device: %+v", i, s)
			}
		}
		if s1.Route != RouteStaged || !s1.Reused || !s1.underway() || r1.Route != RouteHost || s3.Route != RouteHost || r3.Route != RouteStaged {
			t.Error("messages to and from the host have changed")
		}
		if s4.Route != RouteStaged || r5.Route != RouteStaged {
			t.Error("messages with one end have changed")
		}
	}
}
