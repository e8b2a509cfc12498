//go:build cuda && cgo && linux

package cuda

/*
#include "call.h"
*/
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// captured is work that can be launched repeatedly: graphs, and host functions between them.
type captured struct {
	d      *dev
	pieces []piece
	// keep refers to the host memory and the batches that the graphs use, so that they stay
	// reachable.
	keep []any
	// uses is the device memory that the captured copies use. Each launch checks that none of this
	// memory has been freed.
	uses []*memory
	// open says whether the driver is capturing work of the stream.
	open bool
	err  error
}

// piece is a part of captured work: either a graph, or a function that the host calls.
type piece struct {
	graph *graph
	call  func(s *stream) error
}

// graph is an executable graph of the driver.
type graph struct{ exec C.CUgraphExec }

// Work marks captured as Work.
func (*captured) Work() {}

// Capture calls f and captures the work that f appends to the stream. The driver's capture begins
// only with the first work that f appends.
func (s *stream) Capture(f func() error) (device.Work, error) {
	if err := s.failed(); err != nil {
		return nil, err
	}
	if s.taking != nil {
		return nil, tensor.Errorf(tensor.FailedPrecondition, "the stream is being captured")
	}
	c := &captured{d: s.d}
	s.taking = c
	err := f()
	if end := c.cut(s); err == nil {
		err = c.err
		if err == nil {
			err = end
		}
	}
	s.taking = nil
	if err != nil {
		return nil, err
	}
	return c, nil
}

// add captures the work that f appends. With Options.Check, it does not capture the work, but
// stores f, and each launch of the captured work calls f.
func (c *captured) add(s *stream, keep any, f func(s *stream) error) error {
	if c.err != nil {
		return c.err
	}
	if keep != nil {
		c.keep = append(c.keep, keep)
	}
	if s.d.opt.Check {
		c.pieces = append(c.pieces, piece{call: f})
		return nil
	}
	if !c.open {
		if c.err = s.d.check(int(C.graphc_capture(s.raw())), "a capture is begun"); c.err != nil {
			return c.err
		}
		c.open = true
	}
	c.err = f(s)
	return c.err
}

// cut ends the driver's capture and creates a graph from the captured work.
func (c *captured) cut(s *stream) error {
	if c == nil || !c.open {
		return nil
	}
	c.open = false
	var exec C.CUgraphExec
	if err := s.d.check(int(C.graphc_captured(s.raw(), &exec)), "a capture is ended"); err != nil {
		if c.err == nil {
			c.err = err
		}
		return err
	}
	g := &graph{exec}
	d := s.d
	runtime.AddCleanup(g, func(e unsafe.Pointer) {
		if d.Err() == nil {
			_ = d.within(func() error { C.graphc_forget(C.CUgraphExec(e)); return nil })
		}
	}, unsafe.Pointer(exec))
	c.pieces = append(c.pieces, piece{graph: g})
	return nil
}

// The method call adds the host function f to the captured work.
func (c *captured) call(s *stream, f device.Func) error {
	if err := c.cut(s); err != nil {
		return err
	}
	c.pieces = append(c.pieces, piece{call: func(s *stream) error { return s.call(f) }})
	return nil
}

// The method append adds the pieces of w, which was captured earlier, to c.
func (c *captured) append(s *stream, w *captured) error {
	if err := c.cut(s); err != nil {
		return err
	}
	c.pieces, c.keep, c.uses = append(c.pieces, w.pieces...), append(c.keep, w), append(c.uses, w.uses...)
	return nil
}

// launch launches all pieces.
func (c *captured) launch(s *stream) error {
	for _, m := range c.uses {
		if m.free.Load() {
			return freed
		}
	}
	for _, p := range c.pieces {
		var err error
		if p.graph != nil {
			err = s.d.check(int(C.graphc_replay(p.graph.exec, s.raw())), "captured work is launched")
		} else {
			err = p.call(s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
