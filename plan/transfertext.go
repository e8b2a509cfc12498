package plan

import (
	"fmt"
	"slices"
	"strings"
)

func writeTransfer(w *strings.Builder, t Transfer) {
	switch s := t.(type) {
	case *Put:
		fmt.Fprintf(w, "put %q %s %s, %s\n", s.Node, opName(s.Op), viewText(s.Dst), viewText(s.Src))
	case *Get:
		fmt.Fprintf(w, "get %q %s %s, %s\n", s.Node, opName(s.Op), viewText(s.Dst), viewText(s.Src))
	case *Send:
		fmt.Fprintf(w, "send %q %s %s", s.Node, opName(s.Op), messageText(s.Slot, s.Route, s.Src))
		if s.Reused {
			w.WriteString(" reused")
		}
		w.WriteByte('\n')
	case *Recv:
		fmt.Fprintf(w, "recv %q %s %s\n", s.Node, opName(s.Op), messageText(s.Slot, s.Route, s.Dst))
	}
}

func messageText(slot int, r Route, v View) string {
	text := fmt.Sprintf("slot %d %v", slot, r)
	if r != RouteControl {
		text += " " + viewText(v)
	}
	return text
}

// String returns the route's name in the text of a plan.
func (r Route) String() string {
	if int(r) < len(routeNames) {
		return routeNames[r]
	}
	return fmt.Sprintf("route(%d)", uint8(r))
}

// transfer parses the line of a transfer. It returns false if the verb is not that of a transfer.
func (p *reader) transfer(verb string) bool {
	switch verb {
	case "put":
		s := &Put{Node: p.quoted(), Op: p.op()}
		s.Dst, s.Src = p.twoViews()
		p.step(s)
	case "get":
		s := &Get{Node: p.quoted(), Op: p.op()}
		s.Dst, s.Src = p.twoViews()
		p.step(s)
	case "send":
		s := &Send{Node: p.quoted(), Op: p.op()}
		s.Slot, s.Route, s.Src = p.message()
		s.Reused = p.eat("reused")
		p.step(s)
	case "recv":
		s := &Recv{Node: p.quoted(), Op: p.op()}
		s.Slot, s.Route, s.Dst = p.message()
		p.step(s)
	default:
		return false
	}
	return true
}

// The method message parses the slot and the route of a message. If the message has elements, it
// also parses the view that contains them.
func (p *reader) message() (slot int, r Route, v View) {
	p.want("slot")
	slot = p.int()
	name := p.word()
	at := slices.Index(routeNames[:], name)
	if at < 0 {
		p.fail("unknown route %q", name)
		return slot, 0, v
	}
	if r = Route(at); r != RouteControl {
		v = p.view()
	}
	return slot, r, v
}

// twoViews parses two windows that are separated by a comma.
func (p *reader) twoViews() (dst, src View) {
	dst = p.view()
	p.want(",")
	return dst, p.view()
}
