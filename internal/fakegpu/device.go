//go:build cuda && cgo && linux

package main

/*
#include <stdint.h>
#include <stdlib.h>
#include "thread.h"
*/
import "C"

import "unsafe"

// memoryOf is the size of a device's memory in bytes.
const memoryOf = 1 << 30

//export cuInit
func cuInit(C.uint) C.int {
	if devices == 0 {
		return noDevice
	}
	return success
}

//export cuDriverGetVersion
func cuDriverGetVersion(v *C.int) C.int { *v = 12090; return success }

//export cuDeviceGetCount
func cuDeviceGetCount(n *C.int) C.int { *n = C.int(devices); return success }

//export cuDeviceGet
func cuDeviceGet(d *C.int, i C.int) C.int {
	if i < 0 || int(i) >= devices {
		return invalidDevice
	}
	*d = i
	return success
}

//export cuDeviceGetName
func cuDeviceGetName(p *C.char, n, d C.int) C.int {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(p)), int(n)), "fake GPU\x00")
	return success
}

//export cuDeviceTotalMem_v2
func cuDeviceTotalMem_v2(n *C.size_t, d C.int) C.int { *n = memoryOf; return success }

//export cuDeviceGetAttribute
func cuDeviceGetAttribute(v *C.int, a, d C.int) C.int {
	switch a {
	case 16: // multiprocessors
		*v = 4
	case 33: // PCI bus
		*v = 1 + d
	case 75, 76: // compute capability
		*v = C.int([]int{9, 0}[a-75])
	default:
		return invalidValue
	}
	return success
}

//export cuDevicePrimaryCtxRetain
func cuDevicePrimaryCtxRetain(h *uintptr, d C.int) C.int {
	mu.Lock()
	defer mu.Unlock()
	if d < 0 || int(d) >= devices {
		return invalidDevice
	}
	c := opened[int(d)]
	if c == nil {
		c = &context{id: int(d), peers: map[int]bool{}}
		c.handle = add(c)
		opened[int(d)] = c
	}
	c.refs++
	*h = c.handle
	return success
}

//export cuDevicePrimaryCtxRelease_v2
func cuDevicePrimaryCtxRelease_v2(d C.int) C.int {
	mu.Lock()
	defer mu.Unlock()
	if c := opened[int(d)]; c != nil && c.refs > 0 {
		c.refs--
		return success
	}
	return invalidContext
}

//export cuCtxPushCurrent_v2
func cuCtxPushCurrent_v2(h uintptr) C.int {
	mu.Lock()
	defer mu.Unlock()
	if object[context](h) == nil || C.fakegpu_push(C.uintptr_t(h)) == 0 {
		return invalidContext
	}
	return success
}

//export cuCtxPopCurrent_v2
func cuCtxPopCurrent_v2(h *uintptr) C.int {
	c := uintptr(C.fakegpu_pop())
	if h != nil {
		*h = c
	}
	if c == 0 {
		return invalidContext
	}
	return success
}

//export cuCtxSetCurrent
func cuCtxSetCurrent(h uintptr) C.int { C.fakegpu_set(C.uintptr_t(h)); return success }

//export cuCtxGetCurrent
func cuCtxGetCurrent(h *uintptr) C.int { *h = uintptr(C.fakegpu_current()); return success }

//export cuCtxSynchronize
func cuCtxSynchronize() C.int {
	return enter("sync", func(c *context) int {
		for _, i := range rng.Perm(len(c.streams)) {
			if s := c.streams[i]; s.taking == nil {
				s.reach(s.begun + len(s.todo))
			}
		}
		return c.err
	})
}

//export cuDeviceCanAccessPeer
func cuDeviceCanAccessPeer(can *C.int, a, b C.int) C.int { *can = 1; return success }

//export cuCtxEnablePeerAccess
func cuCtxEnablePeerAccess(h uintptr, flags C.uint) C.int {
	return enter("peer", func(c *context) int {
		o := object[context](h)
		switch {
		case o == nil || o == c || flags != 0:
			return invalidValue
		case c.peers[o.id]:
			return peerEnabled
		}
		c.peers[o.id] = true
		return success
	})
}

// said has the texts of errors as C strings, which are never freed.
var said = map[string]*C.char{}

func text(code C.int, part int, p **C.char) C.int {
	mu.Lock()
	defer mu.Unlock()
	t, ok := texts[int(code)]
	if !ok {
		*p = nil
		return invalidValue
	}
	if said[t[part]] == nil {
		said[t[part]] = C.CString(t[part])
	}
	*p = said[t[part]]
	return success
}

//export cuGetErrorName
func cuGetErrorName(code C.int, p **C.char) C.int { return text(code, 0, p) }

//export cuGetErrorString
func cuGetErrorString(code C.int, p **C.char) C.int { return text(code, 1, p) }
