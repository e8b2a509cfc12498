package plan

import (
	"fmt"

	"github.com/graphc/graphc/rt/tensor"
)

// transfer checks a step that moves elements between two memories.
func (c *checker) transfer(s Transfer) {
	fit := false
	switch s := s.(type) {
	case *Put:
		fit = c.onDevice(s.Dst, Write, true) && c.onDevice(s.Src, Read, false) && c.bytesOf(s.Src, s.Dst)
	case *Get:
		fit = c.onDevice(s.Dst, Write, false) && c.onDevice(s.Src, Read, true) && c.bytesOf(s.Dst, s.Src)
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

// onDevice checks that a window is used as it should be, and whether it is in the memory of the plan's device.
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

// bytesOf checks that host is the bytes of as many elements as dev has.
func (c *checker) bytesOf(host, dev View) bool {
	size := dev.Len.MulInt(dev.Buf.DType.Size())
	if host.Buf.DType != tensor.Uint8 {
		c.errorf("%s is not seen as bytes", host.Buf.Name)
		return false
	}
	if n, ok := host.Len.Sub(size).IsInt(); ok && n != 0 {
		c.errorf("%v bytes of the host for %v bytes of the device", host.Len, size)
		return false
	}
	return true
}
