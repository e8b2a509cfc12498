//go:build cuda && cgo && linux

package main

/*
#include <stdint.h>
*/
import "C"

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"github.com/graphc/graphc/rt/device/sim/ptx"
)

// program is a loaded module.
type program struct {
	c *context
	m *ptx.Module
}

// binaries is the number of modules loaded from simulated machine code.
var binaries int

// function is a kernel of a module.
type function struct {
	p      *program
	name   string
	params []int
	shared int // maximum dynamic shared memory of a block
}

//export cuModuleLoadDataEx
func cuModuleLoadDataEx(h *uintptr, image *C.char, n C.uint, options *C.int, values *uintptr) C.int {
	return enter("load", func(c *context) int {
		text, machine := strings.CutPrefix(C.GoString(image), "\x7fELF")
		m, err := ptx.Parse(text)
		if machine {
			// The fake driver cannot run machine code. Tests simulate machine code by PTX after
			// ELF's magic bytes.
			if err != nil {
				return noBinary
			}
			binaries++
		}
		if err != nil {
			// Options 5 and 6 are the buffer for errors and its size.
			var at uintptr
			size := 0
			for i, o := range unsafe.Slice(options, n) {
				switch v := unsafe.Slice(values, n)[i]; o {
				case 5:
					at = v
				case 6:
					size = int(v)
				}
			}
			if at != 0 && size > 0 {
				log := host(at, size)
				log[copy(log[:size-1], err.Error())] = 0
			}
			return invalidPTX
		}
		*h = add(&program{c, m})
		return success
	})
}

//export cuModuleLoadData
func cuModuleLoadData(h *uintptr, image *C.char) C.int {
	return cuModuleLoadDataEx(h, image, 0, nil, nil)
}

//export cuModuleUnload
func cuModuleUnload(h uintptr) C.int {
	return enter("unload", func(*context) int {
		if object[program](h) == nil {
			return invalidHandle
		}
		drop(h)
		return success
	})
}

//export cuModuleGetFunction
func cuModuleGetFunction(h *uintptr, of uintptr, name *C.char) C.int {
	return enter("load", func(c *context) int {
		p := object[program](of)
		if p == nil || p.c != c {
			return invalidHandle
		}
		params, ok := p.m.Parameters(C.GoString(name))
		if !ok {
			return notFound
		}
		*h = add(&function{p, C.GoString(name), params, 48 << 10})
		return success
	})
}

//export cuFuncSetAttribute
func cuFuncSetAttribute(h uintptr, attribute, v C.int) C.int {
	return enter("attribute", func(*context) int {
		f := object[function](h)
		if f == nil {
			return invalidHandle
		}
		if attribute != 8 || v < 0 || int(v)+f.p.m.Shared(f.name) > ptx.SharedLimit {
			return invalidValue
		}
		f.shared = int(v)
		return success
	})
}

//export cuLaunchKernel
func cuLaunchKernel(h uintptr, gx, gy, gz, bx, by, bz, shared C.uint, to uintptr, args *unsafe.Pointer, extra *unsafe.Pointer) C.int {
	return on("launch", to, func(s *stream) int {
		f := object[function](h)
		switch {
		case f == nil || f.p.c != s.c:
			return invalidHandle
		case gx == 0 || gy == 0 || gz == 0 || bx == 0 || by == 0 || bz == 0 || bx > 1024 || by > 1024 || bz > 64 || bx*by*bz > 1024,
			gx > 1<<31-1 || gy > 65535 || gz > 65535 || int(shared) > f.shared || extra != nil:
			return invalidValue
		}
		values := make([]uint64, len(f.params))
		for i, p := range unsafe.Slice(args, len(f.params)) {
			b := make([]byte, 8)
			copy(b, unsafe.Slice((*byte)(p), f.params[i]))
			values[i] = binary.LittleEndian.Uint64(b)
		}
		return s.push(func() int {
			if code := injected("run"); code != success {
				return code
			}
			err := f.p.m.Launch(f.name, [3]int{int(gx), int(gy), int(gz)}, [3]int{int(bx), int(by), int(bz)}, int(shared), values, memory{s.c}, nil)
			if err != nil {
				fmt.Fprintln(os.Stderr, "fake GPU:", err)
				return illegalAddress
			}
			return success
		})
	})
}
