//go:build cuda && cgo && linux

package main

/*
#include <stdint.h>
*/
import "C"

import "slices"

// stream is a queue of work.
type stream struct {
	handle uintptr
	c      *context
	begun  int // number of work items that have begun
	todo   []func() int
	taking *graph // the graph being captured, or nil
	broken bool   // the capture is invalid
}

// push enqueues work. If the stream is being captured, push adds a node to the graph instead, and
// the node enqueues the work whenever the graph is launched.
func (s *stream) push(work func() int) int {
	if s.taking != nil {
		s.taking.nodes = append(s.taking.nodes, func(on *stream) int { return on.push(work) })
		return success
	}
	s.todo = append(s.todo, work)
	return success
}

// reach does the stream's work items, in order, until it has done the item with the given number.
// Items are counted from 1 over the stream's lifetime. After an error in the context, items are
// dropped without being done.
func (s *stream) reach(at int) {
	for s.begun < at && len(s.todo) > 0 {
		work := s.todo[0]
		s.todo = s.todo[1:]
		s.begun++
		ticks++
		if s.c.err == success {
			s.c.err = work()
		}
	}
}

// on is a helper for calls about streams. It passes the stream with the handle h to f, and returns
// the result of f. It returns an error if the current context has no such stream. The parameter what
// is the kind of call, for injected faults.
func on(what string, h uintptr, f func(s *stream) int) C.int {
	return enter(what, func(c *context) int {
		s := object[stream](h)
		if s == nil || s.c != c {
			return invalidHandle
		}
		return f(s)
	})
}

// idle is like the function on, but is for calls that are not allowed while the stream is being
// captured. During a capture, idle returns an error and makes the capture invalid.
func idle(what string, h uintptr, f func(s *stream) int) C.int {
	return on(what, h, func(s *stream) int {
		if s.taking != nil {
			s.broken = true
			return unsupported
		}
		return f(s)
	})
}

//export cuStreamCreate
func cuStreamCreate(h *uintptr, flags C.uint) C.int {
	return enter("stream", func(c *context) int {
		if flags != 1 { // only non-blocking streams are supported: others synchronize with stream 0
			return invalidValue
		}
		s := &stream{c: c}
		s.handle = add(s)
		c.streams = append(c.streams, s)
		*h = s.handle
		return success
	})
}

// cuStreamDestroy_v2 does the stream's remaining work at once; a real driver destroys a stream when
// its work is done.
//
//export cuStreamDestroy_v2
func cuStreamDestroy_v2(h uintptr) C.int {
	return on("destroy", h, func(s *stream) int {
		s.reach(s.begun + len(s.todo))
		drop(h)
		s.c.streams = slices.DeleteFunc(s.c.streams, func(o *stream) bool { return o == s })
		return success
	})
}

//export cuStreamSynchronize
func cuStreamSynchronize(h uintptr) C.int {
	return idle("sync", h, func(s *stream) int {
		s.reach(s.begun + len(s.todo))
		return s.c.err
	})
}

//export cuStreamQuery
func cuStreamQuery(h uintptr) C.int {
	return idle("query", h, func(s *stream) int {
		if len(s.todo) > 0 {
			return notReady
		}
		return success
	})
}

// event is a CUDA event. The field last is the mark of its last recording, or nil.
type event struct {
	handle  uintptr
	c       *context
	last    *mark
	queries int
}

// mark is the position in a stream at which an event was recorded.
type mark struct {
	s    *stream
	at   int
	done bool
	tick int
}

// ticks is the clock: the number of work items that have begun, in all streams.
var ticks int

func (m *mark) reach() { m.s.reach(m.at) }

// record records the event at the end of stream s.
func (e *event) record(s *stream) int {
	m := &mark{s: s, at: s.begun + len(s.todo) + 1}
	s.todo = append(s.todo, func() int { m.done, m.tick = true, ticks; return success })
	e.last, e.queries = m, 0
	return success
}

// wait makes stream s wait for event e.
func (e *event) wait(s *stream) int {
	m := e.last
	if m == nil {
		return success
	}
	s.todo = append(s.todo, func() int { m.reach(); return m.s.c.err })
	return success
}

// of is a helper for calls about events. It passes the event with the handle h to f, and returns the
// result of f. It returns an error if there is no such event. The parameter what is the kind of
// call, for injected faults.
func of(what string, h uintptr, f func(e *event) int) C.int {
	return enter(what, func(*context) int {
		e := object[event](h)
		if e == nil {
			return invalidHandle
		}
		return f(e)
	})
}

//export cuEventCreate
func cuEventCreate(h *uintptr, flags C.uint) C.int {
	return enter("event", func(c *context) int {
		e := &event{c: c}
		e.handle = add(e)
		*h = e.handle
		return success
	})
}

//export cuEventDestroy_v2
func cuEventDestroy_v2(h uintptr) C.int {
	return of("destroy", h, func(*event) int { drop(h); return success })
}

//export cuEventRecord
func cuEventRecord(h, s uintptr) C.int { return cuEventRecordWithFlags(h, s, 0) }

//export cuEventRecordWithFlags
func cuEventRecordWithFlags(h, to uintptr, flags C.uint) C.int {
	return on("record", to, func(s *stream) int {
		e := object[event](h)
		switch {
		case e == nil || e.c != s.c:
			return invalidHandle
		case s.taking == nil && flags == 0:
			return e.record(s)
		case s.taking == nil:
			return invalidValue // the external flag is for captures only
		case flags != 1:
			s.broken = true
			return unsupported // graphc does not use events within a graph
		}
		s.taking.nodes = append(s.taking.nodes, e.record)
		return success
	})
}

//export cuStreamWaitEvent
func cuStreamWaitEvent(to, h uintptr, flags C.uint) C.int {
	return on("wait", to, func(s *stream) int {
		e := object[event](h)
		switch {
		case e == nil:
			return invalidHandle
		case s.taking == nil && flags == 0:
			return e.wait(s)
		case s.taking == nil:
			return invalidValue
		case flags != 1:
			s.broken = true
			return unsupported
		}
		s.taking.nodes = append(s.taking.nodes, e.wait)
		return success
	})
}

//export cuEventQuery
func cuEventQuery(h uintptr) C.int {
	return of("query", h, func(e *event) int {
		if e.last == nil || e.last.done {
			return success
		}
		if e.queries++; e.queries%3 != 0 {
			return notReady
		}
		e.last.reach()
		return e.c.err
	})
}

//export cuEventSynchronize
func cuEventSynchronize(h uintptr) C.int {
	return of("sync", h, func(e *event) int {
		if e.last != nil {
			e.last.reach()
		}
		return e.c.err
	})
}

//export cuEventElapsedTime
func cuEventElapsedTime(ms *C.float, from, to uintptr) C.int {
	return enter("elapsed", func(*context) int {
		a, b := object[event](from), object[event](to)
		switch {
		case a == nil || b == nil || a.last == nil || b.last == nil:
			return invalidHandle
		case !a.last.done || !b.last.done:
			return notReady
		}
		*ms = C.float(float64(b.last.tick-a.last.tick) / 1000)
		return success
	})
}

//export cuEventElapsedTime_v2
func cuEventElapsedTime_v2(ms *C.float, from, to uintptr) C.int {
	return cuEventElapsedTime(ms, from, to)
}
