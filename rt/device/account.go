package device

import (
	"sync"
	"unsafe"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

// Account counts the memory of a device and enforces its limit.
type Account struct {
	mu  sync.Mutex
	use Usage
}

// SetLimit sets how many bytes may be in use at a time.
func (a *Account) SetLimit(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.use.Limit = n
}

// Take counts n bytes as in use. The error is InvalidArgument for a negative n, and
// ResourceExhausted if the limit would be exceeded.
func (a *Account) Take(n int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case n < 0:
		return tensor.Errorf(tensor.InvalidArgument, "%d bytes of memory are requested", n)
	case n > a.use.Limit-a.use.InUse:
		return tensor.Errorf(tensor.ResourceExhausted, "%d bytes of memory are requested, %d of %d are in use", n, a.use.InUse, a.use.Limit)
	}
	a.use.InUse += n
	a.use.Peak = max(a.use.Peak, a.use.InUse)
	return nil
}

// CheckHost checks the size of a requested block of host memory, which the account does not count.
// The error is InvalidArgument for a negative n, and ResourceExhausted if n is more than the limit
// of the device's memory.
func (a *Account) CheckHost(n int) error {
	if n < 0 {
		return tensor.Errorf(tensor.InvalidArgument, "%d bytes of memory are requested", n)
	}
	if limit := a.Usage().Limit; n > limit {
		return tensor.Errorf(tensor.ResourceExhausted, "%d bytes of memory are requested, the limit is %d", n, limit)
	}
	return nil
}

// Give reduces the number of bytes in use by n.
func (a *Account) Give(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.use.InUse -= n
}

// Usage returns the limit, the number of bytes in use, and the highest number so far.
func (a *Account) Usage() Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.use
}

// HostBlock returns n zeroed bytes of host memory, aligned to mem.Align.
func HostBlock(n int) []byte {
	if n == 0 {
		return []byte{}
	}
	b := make([]byte, n+mem.Align-1)
	off := -int(uintptr(unsafe.Pointer(&b[0]))) & (mem.Align - 1)
	return b[off : off+n : off+n]
}

// Window returns an Internal error unless n bytes from offset off on are inside a block. The
// parameter size is the number of bytes in the block.
func Window(size, off, n int) error {
	if off < 0 || n < 0 || off > size || n > size-off {
		return tensor.Errorf(tensor.Internal, "%d bytes from %d on are not in a block of %d", n, off, size)
	}
	return nil
}
