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

// hosts are the blocks of AllocHost of all devices, sorted by address. They are Go memory, so that
// they live as long as they are reachable. The driver locks their pages (cuMemHostRegister);
// memory of cuMemHostAlloc would be unknown to the garbage collector. The collector never moves
// memory. A block does not share its pages, and its finalizer unlocks it while it still exists.
var hosts struct {
	sync.RWMutex
	list []block
}

// block is locked Go memory.
type block struct{ begin, end uintptr }

// find returns the index of the first block that ends after p.
func find(list []block, p uintptr) int {
	i, _ := slices.BinarySearchFunc(list, p, func(b block, p uintptr) int {
		if b.end > p {
			return 1
		}
		return -1
	})
	return i
}

// locked reports whether b is memory of AllocHost.
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

// address returns the address of b as a number, because the driver keeps it longer than a call.
// Streams keep b reachable until they have been waited for.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// AllocHost returns Go memory that is locked for all devices.
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

// unlock unlocks a block's pages. It ignores errors: either the context has failed, which its
// users learn anyway, or the memory stays locked.
func (d *dev) unlock(at block) {
	hosts.Lock()
	hosts.list = slices.DeleteFunc(hosts.list, func(b block) bool { return b == at })
	hosts.Unlock()
	_ = d.within(func() error {
		C.graphc_unlock(C.uintptr_t(at.begin))
		return nil
	})
}
