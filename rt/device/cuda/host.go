//go:build cuda && cgo && linux

package cuda

/*
#include "call.h"
*/
import "C"

import (
	"os"
	"runtime"
	"slices"
	"sync"
	"unsafe"
)

// hosts contains the blocks that AllocHost returned for all devices, sorted by address. The blocks
// are Go memory whose pages the driver locks (cuMemHostRegister). With Go memory, unlike memory
// from cuMemHostAlloc, the garbage collector keeps a block as long as the block is reachable.
// Locking is safe for three reasons: the collector never moves memory, no two blocks share a page,
// and a block's finalizer unlocks the pages before the memory is freed.
var hosts struct {
	sync.RWMutex
	list []block
}

// block is the address range of locked Go memory.
type block struct{ begin, end uintptr }

// find returns the index of the first block in the sorted list whose end is greater than the
// address p.
func find(list []block, p uintptr) int {
	i, _ := slices.BinarySearchFunc(list, p, func(b block, p uintptr) int {
		if b.end > p {
			return 1
		}
		return -1
	})
	return i
}

// locked reports whether b is memory from AllocHost.
func locked(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	p := address(b)
	hosts.RLock()
	defer hosts.RUnlock()
	i := find(hosts.list, p)
	return i < len(hosts.list) && hosts.list[i].begin <= p && p+uintptr(len(b)) <= hosts.list[i].end
}

// address returns the address of b as an integer. The driver uses the address longer than the C
// call lasts, which cgo does not allow for pointers. Therefore streams keep b reachable until their
// work is known to be done.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// AllocHost returns Go memory whose pages are locked for all devices.
func (d *dev) AllocHost(n int) ([]byte, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if err := d.CheckHost(n); err != nil {
		return nil, err
	}
	if n == 0 {
		return []byte{}, nil
	}
	page := os.Getpagesize()
	size := (n + page - 1) &^ (page - 1)
	whole := make([]byte, size+page)
	off := -int(address(whole)) & (page - 1)
	b := whole[off : off+n : off+n]
	at := block{address(b), address(b) + uintptr(size)}
	if err := d.within(func() error {
		return d.check(int(C.graphc_lock(C.uintptr_t(at.begin), C.size_t(size))), "host memory is locked")
	}); err != nil {
		return nil, err
	}
	hosts.Lock()
	hosts.list = slices.Insert(hosts.list, find(hosts.list, at.begin), at)
	hosts.Unlock()
	runtime.SetFinalizer(unsafe.SliceData(whole), func(*byte) { d.unlock(at) })
	return b, nil
}

// unlock unlocks the pages of a block. It ignores errors: after an error the memory may stay
// locked, and if the context has failed, other calls return the error.
func (d *dev) unlock(at block) {
	hosts.Lock()
	hosts.list = slices.DeleteFunc(hosts.list, func(b block) bool { return b == at })
	hosts.Unlock()
	_ = d.within(func() error {
		C.graphc_unlock(C.uintptr_t(at.begin))
		return nil
	})
}
