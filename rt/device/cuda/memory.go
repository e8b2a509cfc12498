//go:build cuda && cgo && linux

package cuda

import (
	"sync/atomic"

	"gorgonia.org/cu"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// memory is a block of a device's memory. An empty block has no address.
type memory struct {
	d    *dev
	at   cu.DevicePtr
	n    int
	free atomic.Bool
}

// Alloc allocates memory from the driver, which aligns the memory to 256 bytes.
func (d *dev) Alloc(n int) (device.Memory, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if err := d.Take(n); err != nil {
		return nil, err
	}
	m := &memory{d: d, n: n}
	if n == 0 {
		return m, nil
	}
	err := d.within(func() (err error) {
		m.at, err = cu.MemAlloc(int64(n))
		if number(err) == outOfMemory {
			u := d.Usage()
			return tensor.Errorf(tensor.ResourceExhausted, "%s does not have %d bytes of memory left; the program has %d of at most %d in use there", d.name, n, u.InUse-n, u.Limit)
		}
		return d.did(err, "memory is allocated")
	})
	if err != nil {
		d.Give(n)
		return nil, err
	}
	return m, nil
}

func (m *memory) Size() int { return m.n }

func (m *memory) Addr() device.Ptr { return device.Ptr(m.at) }

func (m *memory) Host() []byte { return nil }

// Reaches reports whether m is memory of a GPU. Copies from any GPU are possible: if the GPUs
// cannot access each other's memory, the driver copies through the host.
func (d *dev) Reaches(m device.Memory) bool {
	_, ok := m.(*memory)
	return ok
}

// Free frees the memory. If the device is unusable, it only updates the account.
func (m *memory) Free() error {
	if m.free.Swap(true) {
		return tensor.Errorf(tensor.Internal, "memory is freed twice")
	}
	m.d.Give(m.n)
	if m.n == 0 || m.d.Err() != nil {
		return nil
	}
	return m.d.within(func() error { return m.d.did(cu.MemFree(m.at), "memory is freed") })
}

// freed is the error that a stream returns for freed memory.
var freed error = tensor.Errorf(tensor.Internal, "memory is used after it was freed")

// window returns the address of the n bytes of m that begin at offset off.
func window(m device.Memory, off, n int) (*memory, cu.DevicePtr, error) {
	c, ok := m.(*memory)
	if !ok {
		return nil, 0, tensor.Errorf(tensor.Internal, "%T is not memory of a GPU", m)
	}
	if c.free.Load() {
		return nil, 0, freed
	}
	if err := device.Window(c.n, off, n); err != nil {
		return nil, 0, err
	}
	return c, c.at + cu.DevicePtr(off), nil
}
