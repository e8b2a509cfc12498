//go:build cuda && cgo && linux

package main

/*
#include <stdint.h>
#include <stdlib.h>
*/
import "C"

import (
	"bytes"
	"slices"
	"unsafe"
)

// block is device memory. Its address is not an address of the process, and is not used again after
// the block is freed.
type block struct {
	at uint64
	b  []byte
	c  *context
}

// next is the address of the next block; a gap follows each block.
var next uint64 = 0x7f00_0000_0000

// blocks is sorted by address.
var blocks []*block

// locked maps the start of each locked part of host memory to its size.
var locked = map[uintptr]uintptr{}

// after returns the index of the first block that ends beyond addr.
func after(addr uint64) int {
	i, _ := slices.BinarySearchFunc(blocks, addr, func(m *block, a uint64) int {
		if m.at+uint64(len(m.b)) > a {
			return 1
		}
		return -1
	})
	return i
}

// memory is the memory that kernels of a context can access.
type memory struct{ c *context }

// Find returns the start and the bytes of the block that contains addr. The block must be on the
// context's device, or on a device that the context has peer access to; otherwise the bytes are
// nil.
func (m memory) Find(addr uint64) (uint64, []byte) {
	i := after(addr)
	if i == len(blocks) || blocks[i].at > addr || blocks[i].c != m.c && !m.c.peers[blocks[i].c.id] {
		return 0, nil
	}
	return blocks[i].at, blocks[i].b
}

// span returns n bytes at addr, or nil if they are not within a block of the context.
func span(c *context, addr uint64, n int) []byte {
	i := after(addr)
	if n < 0 || i == len(blocks) || blocks[i].at > addr || blocks[i].c != c {
		return nil
	}
	off := int(addr - blocks[i].at)
	if n > len(blocks[i].b)-off {
		return nil
	}
	return blocks[i].b[off : off+n]
}

//export cuMemAlloc_v2
func cuMemAlloc_v2(p *uint64, n C.size_t) C.int {
	return enter("alloc", func(c *context) int {
		if n == 0 {
			return invalidValue
		}
		if n > memoryOf || c.used+int(n) > memoryOf {
			return outOfMemory
		}
		m := &block{at: next, b: bytes.Repeat([]byte{0xff}, int(n)), c: c}
		next += (uint64(n) + 4095) &^ 4095
		next += 1 << 20
		blocks = append(blocks, m)
		c.used += int(n)
		*p = m.at
		return success
	})
}

//export cuMemFree_v2
func cuMemFree_v2(p uint64) C.int {
	return enter("free", func(c *context) int {
		i := after(p)
		if i == len(blocks) || blocks[i].at != p || blocks[i].c != c {
			return invalidValue
		}
		c.used -= len(blocks[i].b)
		blocks = slices.Delete(blocks, i, i+1)
		return success
	})
}

//export cuMemGetInfo_v2
func cuMemGetInfo_v2(free, total *C.size_t) C.int {
	return enter("info", func(c *context) int {
		*free, *total = C.size_t(memoryOf-c.used), memoryOf
		return success
	})
}

//export cuMemHostRegister_v2
func cuMemHostRegister_v2(p uintptr, n C.size_t, flags C.uint) C.int {
	return enter("lock", func(*context) int {
		if n == 0 {
			return invalidValue
		}
		for at, size := range locked {
			if p < at+size && at < p+uintptr(n) {
				return hostLocked
			}
		}
		locked[p] = uintptr(n)
		return success
	})
}

//export cuMemHostUnregister
func cuMemHostUnregister(p uintptr) C.int {
	return enter("unlock", func(*context) int {
		if locked[p] == 0 {
			return hostNotLocked
		}
		delete(locked, p)
		return success
	})
}

// isLocked reports whether n bytes at p are locked.
func isLocked(p uintptr, n int) bool {
	for at, size := range locked {
		if at <= p && p+uintptr(n) <= at+size {
			return true
		}
	}
	return false
}

// host returns the n bytes of host memory at the address p.
func host(p uintptr, n int) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&p))), n)
}
