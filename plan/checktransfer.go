package plan

import (
	"fmt"

	"github.com/graphc/graphc/rt/tensor"
)

// transfer checks a step that moves a tensor between two memories or partitions.
func (c *checker) transfer(s Transfer) {
	fit := false
	switch s := s.(type) {
	case *Put:
		fit = c.onDevice(s.Dst, Write, true) && c.onDevice(s.Src, Read, false) && c.bytesOf(s.Src, s.Dst)
	case *Get:
		fit = c.onDevice(s.Dst, Write, false) && c.onDevice(s.Src, Read, true) && c.bytesOf(s.Dst, s.Src)
	case *Send:
		fit = c.message(s.Slot, s.Route, s.Src, Read)
	case *Recv:
		fit = c.message(s.Slot, s.Route, s.Dst, Write)
	}
	if !fit {
		return
	}
	if err := s.Call().Check(); err != nil {
		c.errs = append(c.errs, fmt.Errorf("plan: %w", err))
		return
	}
	c.uses(s)
}

// message checks one end of a message. The view v holds the elements that are sent or received.
func (c *checker) message(slot int, r Route, v View, mode Mode) bool {
	switch {
	case slot < 0:
		c.errorf("unknown slot %d", slot)
		return false
	case int(r) >= len(routeNames):
		c.errorf("unknown route %d", r)
		return false
	case r == RouteControl:
		return true
	}
	return c.onDevice(v, mode, r.onDevice())
}

// onDevice checks the mode and the place of a window. If the parameter want is true, the window
// must be in the memory of the plan's device. If it is false, the window must not be in device
// memory.
func (c *checker) onDevice(v View, mode Mode, want bool) bool {
	switch {
	case v.Buf == nil || v.Len == nil || !c.bufs[v.Buf]:
		c.errorf("a window without a buffer of this plan or a length")
	case v.Mode != mode:
		c.errorf("the mode of %s is wrong", viewText(v))
	case want && !v.Buf.Root().Place.OnDevice():
		c.errorf("%s is not in the memory of the device", v.Buf.Name)
	case !want && v.Buf.Root().Place.OnDevice():
		c.errorf("%s is not in the host's memory", v.Buf.Name)
	default:
		return true
	}
	return false
}

// bytesOf checks that host is a view of bytes whose length is the size of the view dev in bytes.
func (c *checker) bytesOf(host, dev View) bool {
	size := dev.Len.MulInt(dev.Buf.DType.Size())
	if host.Buf.DType != tensor.Uint8 {
		c.errorf("%s must be a buffer of bytes", host.Buf.Name)
		return false
	}
	if n, ok := host.Len.Sub(size).IsInt(); ok && n != 0 {
		c.errorf("the copy has %v bytes on the host, but %v on the device", host.Len, size)
		return false
	}
	return true
}

// checkSlots checks that the sends and receives of each part use only slots that belong to this
// part.
func (p *Plan) checkSlots(fault func(format string, args ...any)) {
	own := func(slot, part int, end func(Pair) int) bool {
		return slot >= 0 && slot < len(p.Pairs) && end(p.Pairs[slot]) == part
	}
	for k, q := range p.Parts {
		Walk(q.Steps, func(_ int, s Step) {
			switch s := s.(type) {
			case *Send:
				if !own(s.Slot, k, func(r Pair) int { return r.From }) {
					fault("part %d sends by slot %d, which is not its own", k, s.Slot)
				}
			case *Recv:
				if !own(s.Slot, k, func(r Pair) int { return r.To }) {
					fault("part %d receives by slot %d, which is not its own", k, s.Slot)
				}
			}
		})
	}
}
