//go:build cuda && cgo && linux

package main

/*
#include <stdint.h>
*/
import "C"

// pageable counts the copies from or to host memory that is not locked.
var pageable int

// hostCopy enqueues a copy of n bytes between host and device memory. The first argument is the
// address of the device memory, and p is the address of the host memory. The fourth argument is the
// handle of the stream. If the last argument is true, the copy goes to the device, otherwise to the
// host.
func hostCopy(at uint64, p uintptr, n int, to uintptr, in bool) C.int {
	return on("copy", to, func(s *stream) int {
		if n == 0 || span(s.c, at, n) == nil {
			return invalidValue
		}
		direct := isLocked(p, n)
		if !direct {
			if s.taking != nil {
				s.broken = true
				return unsupported
			}
			pageable++
		}
		return s.push(func() int {
			b := span(s.c, at, n)
			if b == nil || direct && !isLocked(p, n) {
				return illegalAddress
			}
			if in {
				copy(b, host(p, n))
			} else {
				copy(host(p, n), b)
			}
			return success
		})
	})
}

//export cuMemcpyHtoDAsync_v2
func cuMemcpyHtoDAsync_v2(dst uint64, src uintptr, n C.size_t, s uintptr) C.int {
	return hostCopy(dst, src, int(n), s, true)
}

//export cuMemcpyDtoHAsync_v2
func cuMemcpyDtoHAsync_v2(dst uintptr, src uint64, n C.size_t, s uintptr) C.int {
	return hostCopy(src, dst, int(n), s, false)
}

// deviceCopy enqueues a copy of n bytes from the address src to the address dst. The parameter a is
// the context of dst, and the parameter b is the context of src. If the parameter a is nil, both
// addresses are in the stream's context. The parameter to is the handle of the stream.
func deviceCopy(dst, src uint64, a, b *context, n int, to uintptr) C.int {
	return on("copy", to, func(s *stream) int {
		x, y := a, b
		if x == nil {
			x, y = s.c, s.c
		}
		if n == 0 || span(x, dst, n) == nil || span(y, src, n) == nil {
			return invalidValue
		}
		return s.push(func() int {
			to, from := span(x, dst, n), span(y, src, n)
			if to == nil || from == nil {
				return illegalAddress
			}
			copy(to, from)
			return success
		})
	})
}

//export cuMemcpyDtoDAsync_v2
func cuMemcpyDtoDAsync_v2(dst, src uint64, n C.size_t, s uintptr) C.int {
	return deviceCopy(dst, src, nil, nil, int(n), s)
}

//export cuMemcpyPeerAsync
func cuMemcpyPeerAsync(dst uint64, dc uintptr, src uint64, sc uintptr, n C.size_t, s uintptr) C.int {
	mu.Lock()
	a, b := object[context](dc), object[context](sc)
	mu.Unlock()
	if a == nil || b == nil {
		return invalidContext
	}
	return deviceCopy(dst, src, a, b, int(n), s)
}

//export cuMemsetD8Async
func cuMemsetD8Async(dst uint64, v C.uchar, n C.size_t, to uintptr) C.int {
	return on("copy", to, func(s *stream) int {
		if span(s.c, dst, int(n)) == nil {
			return invalidValue
		}
		return s.push(func() int {
			b := span(s.c, dst, int(n))
			if b == nil {
				return illegalAddress
			}
			for i := range b {
				b[i] = byte(v)
			}
			return success
		})
	})
}
