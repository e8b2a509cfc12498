//go:build cuda && cgo && linux

package main

/*
#include <stdint.h>
*/
import "C"

// fakegpuInject replaces the list of injected faults; see control.Inject.
//
//export fakegpuInject
func fakegpuInject(spec *C.char) {
	mu.Lock()
	defer mu.Unlock()
	faults = parse(C.GoString(spec))
}

// fakegpuCount returns a count; see control.Count. For an unknown name, it returns -1.
//
//export fakegpuCount
func fakegpuCount(what *C.char) C.longlong {
	mu.Lock()
	defer mu.Unlock()
	switch name := C.GoString(what); name {
	case "blocks":
		return C.longlong(len(blocks))
	case "locked":
		return C.longlong(len(locked))
	case "pageable":
		return C.longlong(pageable)
	case "binaries":
		return C.longlong(binaries)
	case "streams", "events", "graphs", "modules":
		n := 0
		for _, o := range objects {
			switch o.(type) {
			case *stream:
				n += b2i(name == "streams")
			case *event:
				n += b2i(name == "events")
			case *graph:
				n += b2i(name == "graphs")
			case *program:
				n += b2i(name == "modules")
			}
		}
		return C.longlong(n)
	}
	return -1
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fakegpuMend makes contexts usable again after an error that disabled them. With a real driver,
// only a new process can do that.
//
//export fakegpuMend
func fakegpuMend() {
	mu.Lock()
	defer mu.Unlock()
	for _, c := range opened {
		c.err = success
		for _, s := range c.streams {
			s.begun += len(s.todo)
			s.todo = nil
		}
	}
}
