package plan

import (
	"testing"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/rendezvous"
	"github.com/graphc/graphc/rt/tensor"
)

// TestHandOver: messages from device to device do without the host, in loops, too; those that
// the host makes or reads stay as they are.
func TestHandOver(t *testing.T) {
	src := &Buf{Place: Device, DType: tensor.Float32, Len: sym.Int(3)}
	host := &Buf{ID: 1, DType: tensor.Float32, Len: sym.Int(3)}
	send := func(slot int) *Call {
		return &Call{Fn: device.SendFrom, Args: []Arg{Queue{}, Exchange{}, Int{sym.Int(slot)}, Value{tensor.Float32}, Int{sym.Int(3)}, View{Buf: src, Len: src.Len, Mode: Read}, Value{true}}}
	}
	recv := func(slot int) *Call {
		return &Call{Fn: device.RecvTo, Args: []Arg{Queue{}, View{Buf: src, Len: src.Len, Mode: Write}, Exchange{}, Value{slot}, Value{tensor.Float32}, Int{sym.Int(3)}}}
	}
	onHost := func(fn any, slot int) *Call {
		return &Call{Fn: fn, Args: []Arg{View{Buf: host, Len: host.Len, Mode: Write}, Exchange{}, Value{slot}}}
	}
	s0, s1, s2 := send(0), send(1), send(2)
	r0, r1, r2 := recv(0), onHost(rendezvous.RecvOf(tensor.Float32), 1), recv(2)
	s3, r3 := onHost(rendezvous.SendOf(tensor.Float32), 3), recv(3)
	p := &Plan{Pairs: make([]Pair, 4), Parts: []*Plan{
		{Steps: []Step{s0, s1, &Loop{Body: []Step{s2}}, s3}},
		{Steps: []Step{r0, r1, &Loop{Body: []Step{r2}}, r3}},
	}}
	p.HandOver()
	for i, c := range []*Call{s0, s2} {
		if !c.Calls(device.SendPeer) || len(c.Args) != 6 || handsOver(c) {
			t.Errorf("send %d is not to a device", i)
		}
	}
	for i, c := range []*Call{r0, r2} {
		if !c.Calls(device.RecvPeer) {
			t.Errorf("receive %d is not from a device", i)
		}
	}
	if !s1.Calls(device.SendFrom) || !handsOver(s1) || !r3.Calls(device.RecvTo) {
		t.Error("messages to and from the host have changed")
	}
	p.HandOver() // changes nothing more
	if len(s0.Args) != 6 {
		t.Error("a send is changed twice")
	}
	if (&Call{Args: []Arg{Exchange{}}}).slotOf() >= 0 || (&Call{Args: []Arg{Exchange{}, Queue{}}}).slotOf() >= 0 {
		t.Error("a slot of a call that has none")
	}
}
