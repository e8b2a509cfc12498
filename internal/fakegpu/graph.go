//go:build cuda && cgo && linux

package main

/*
#include <stdint.h>
*/
import "C"

// graph is captured work. Each node enqueues its work on the stream that the graph is launched on.
type graph struct {
	c     *context
	nodes []func(on *stream) int
	exec  bool
}

//export cuStreamBeginCapture_v2
func cuStreamBeginCapture_v2(h uintptr, mode C.int) C.int {
	return on("graph", h, func(s *stream) int {
		if s.taking != nil || mode < 0 || mode > 2 {
			return invalidValue
		}
		s.taking, s.broken = &graph{c: s.c}, false
		return success
	})
}

//export cuStreamEndCapture
func cuStreamEndCapture(h uintptr, g *uintptr) C.int {
	return on("end", h, func(s *stream) int {
		got := s.taking
		s.taking = nil // the capture ends even if this call fails
		*g = 0
		if code := injected("graph"); code != success {
			return code
		}
		switch {
		case got == nil:
			return invalidValue
		case s.broken:
			return invalidated
		}
		*g = add(got)
		return success
	})
}

//export cuGraphInstantiateWithFlags
func cuGraphInstantiateWithFlags(e *uintptr, h uintptr, flags C.ulonglong) C.int {
	return enter("graph", func(*context) int {
		g := object[graph](h)
		if g == nil || g.exec {
			return invalidHandle
		}
		*e = add(&graph{g.c, g.nodes, true})
		return success
	})
}

//export cuGraphLaunch
func cuGraphLaunch(h, to uintptr) C.int {
	return idle("graph", to, func(s *stream) int {
		g := object[graph](h)
		if g == nil || !g.exec || g.c != s.c {
			return invalidHandle
		}
		for _, n := range g.nodes {
			if code := n(s); code != success {
				return code
			}
		}
		return success
	})
}

// forget removes a graph's handle; work that was launched before is still done.
func forget(h uintptr, exec bool) C.int {
	return enter("destroy", func(*context) int {
		if g := object[graph](h); g == nil || g.exec != exec {
			return invalidHandle
		}
		drop(h)
		return success
	})
}

//export cuGraphExecDestroy
func cuGraphExecDestroy(h uintptr) C.int { return forget(h, true) }

//export cuGraphDestroy
func cuGraphDestroy(h uintptr) C.int { return forget(h, false) }
