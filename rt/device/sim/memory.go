package sim

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/graphc/graphc/rt/device"
)

// block is memory of a device.
type block struct {
	addr  uint64
	data  []byte
	where string
}

// blocks contains the blocks of a device's memory, sorted by address. The addresses of freed blocks
// are not used again.
type blocks struct {
	list []*block
	next uint64
	gone []block // the most recently freed blocks, without their contents
}

// alignment is the alignment of CUDA's allocations.
const alignment = 256

// add creates a block of n bytes, filled with NaN.
func (b *blocks) add(n int, where string) *block {
	x := &block{addr: b.next, data: device.HostBlock(n), where: where}
	poison(x.data)
	b.list = append(b.list, x)
	b.next += (uint64(n)+alignment-1)&^(alignment-1) + alignment
	return x
}

// poison fills memory with bytes that are NaN in every type of floats.
func poison(b []byte) {
	if len(b) == 0 {
		return
	}
	b[0] = 0xff
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}

// find returns the block that contains addr, or nil if no block contains it.
func (b *blocks) find(addr uint64) *block {
	i, _ := slices.BinarySearchFunc(b.list, addr, func(x *block, a uint64) int {
		if x.addr+uint64(len(x.data)) > a {
			return 1
		}
		return -1
	})
	if i < len(b.list) && b.list[i].addr <= addr {
		return b.list[i]
	}
	return nil
}

// remove removes a block.
func (b *blocks) remove(x *block) {
	b.list = slices.DeleteFunc(b.list, func(y *block) bool { return x == y })
	const kept = 64
	if len(b.gone) == kept {
		b.gone = b.gone[1:]
	}
	b.gone = append(b.gone, block{x.addr, x.data[:0:len(x.data)], x.where})
	poison(x.data)
}

// view is a device's memory as kernels see it.
type view struct{ d *Device }

func (v view) Find(addr uint64) (uint64, []byte) {
	if x := v.d.memory.find(addr); x != nil {
		return x.addr, x.data
	}
	return 0, nil
}

// Describe returns text for an error message about addr, an address that is in no block of the
// device. The text says which memory is at that address or near it.
func (v view) Describe(addr uint64) string {
	for _, o := range v.d.m.devices {
		for _, g := range o.memory.gone {
			if addr >= g.addr && addr < g.addr+uint64(cap(g.data)) {
				return fmt.Sprintf("; it was in a block of %d bytes from %s that is freed", cap(g.data), g.where)
			}
		}
		if o != v.d && o.memory.find(addr) != nil {
			return "; it is memory of " + o.name
		}
	}
	var last *block
	for _, b := range v.d.memory.list {
		if b.addr <= addr {
			last = b
		}
	}
	if last == nil {
		return ""
	}
	return fmt.Sprintf(": byte %d of the block of %d bytes from %s", addr-last.addr, len(last.data), last.where)
}

// bytes returns the n bytes at address p. The address may be in the memory of any device of the
// machine.
func (m *Machine) bytes(d *Device, p device.Ptr, n int) ([]byte, error) {
	for _, o := range m.devices {
		if b := o.memory.find(uint64(p)); b != nil {
			off := int(uint64(p) - b.addr)
			if n > len(b.data)-off {
				return nil, internal("%d bytes at %#x reach beyond the block of %d bytes from %s", n, p, len(b.data), b.where)
			}
			return b.data[off : off+n], nil
		}
	}
	return nil, internal("%d bytes at %#x are not allocated%s", n, p, view{d}.Describe(uint64(p)))
}

// memory implements device.Memory for a simulated GPU.
type memory struct {
	d    *Device
	b    *block
	free atomic.Bool
}

// Alloc returns memory filled with NaN.
func (d *Device) Alloc(n int) (device.Memory, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	d.m.lock()
	defer d.m.mu.Unlock()
	if err := d.inject(AllocFault); err != nil {
		return nil, err
	}
	if err := d.Take(n); err != nil {
		return nil, err
	}
	return &memory{d: d, b: d.memory.add(n, caller())}, nil
}

func (m *memory) Size() int { return len(m.b.data) }

func (m *memory) Addr() device.Ptr {
	if len(m.b.data) == 0 {
		return 0
	}
	return device.Ptr(m.b.addr)
}

func (m *memory) Host() []byte { return nil }

// Free frees the memory. Pending work that uses the memory will fail.
func (m *memory) Free() error {
	m.d.m.lock()
	defer m.d.m.mu.Unlock()
	if m.free.Swap(true) {
		return internal("memory is freed twice")
	}
	m.d.memory.remove(m.b)
	m.d.Give(len(m.b.data))
	return nil
}

// window returns the n bytes of a device's memory that begin at offset off.
func (m *Machine) window(of device.Memory, off, n int) (*memory, []byte, error) {
	x, ok := of.(*memory)
	if !ok || x.d.m != m {
		return nil, nil, internal("%T is not memory of a device of this machine", of)
	}
	if x.free.Load() {
		return nil, nil, internal("memory is used after it was freed")
	}
	if err := device.Window(len(x.b.data), off, n); err != nil {
		return nil, nil, err
	}
	return x, x.b.data[off : off+n], nil
}

// Reaches reports whether the memory belongs to a device of the same machine.
func (d *Device) Reaches(of device.Memory) bool {
	x, ok := of.(*memory)
	return ok && x.d.m == d.m
}

// ranges contains the address ranges of the blocks that AllocHost returned.
type ranges struct {
	mu   sync.Mutex
	list []span
	made uint64 // the number of blocks allocated so far
}

// span is a block of host memory. The Go runtime may reuse the address of a block before the old
// block's cleanup runs. Therefore each block has a number, which distinguishes the old block from
// the new one.
type span struct {
	begin, end uintptr
	number     uint64
}

func (r *ranges) index(p uintptr) int {
	i, _ := slices.BinarySearchFunc(r.list, p, func(s span, p uintptr) int {
		if s.end > p {
			return 1
		}
		return -1
	})
	return i
}

// add adds the block from address begin up to address end. It returns the span of the block, which
// has a new number.
func (r *ranges) add(begin, end uintptr) span {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.made++
	s := span{begin, end, r.made}
	// Blocks at the same addresses have been freed by the garbage collector.
	r.list = slices.DeleteFunc(r.list, func(x span) bool { return x.begin < end && begin < x.end })
	r.list = slices.Insert(r.list, r.index(begin), s)
	return s
}

func (r *ranges) remove(s span) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = slices.DeleteFunc(r.list, func(x span) bool { return x == s })
}

// has reports whether b is memory from AllocHost.
func (r *ranges) has(b []byte) bool {
	if len(b) == 0 {
		return true
	}
	p := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	r.mu.Lock()
	defer r.mu.Unlock()
	i := r.index(p)
	return i < len(r.list) && r.list[i].begin <= p && p+uintptr(len(b)) <= r.list[i].end
}

// AllocHost returns host memory. A copy reads or writes this memory when the stream reaches the
// copy. All devices of the machine recognize the memory.
func (d *Device) AllocHost(n int) ([]byte, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	d.m.lock()
	defer d.m.mu.Unlock()
	if err := d.inject(HostFault); err != nil {
		return nil, err
	}
	if err := d.CheckHost(n); err != nil {
		return nil, err
	}
	if n == 0 {
		return []byte{}, nil
	}
	b := device.HostBlock(n)
	s := d.m.pinned.add(uintptr(unsafe.Pointer(&b[0])), uintptr(unsafe.Pointer(&b[0]))+uintptr(n))
	runtime.AddCleanup(&b[0], d.m.pinned.remove, s)
	return b, nil
}

// caller returns the source position at which the program called a function of package sim or
// device.
func caller() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.Contains(f.Function, "/rt/device/sim.(") && !strings.Contains(f.Function, "/rt/device.(") || !more {
			return fmt.Sprintf("%s:%d", f.File[strings.LastIndexByte(f.File, '/')+1:], f.Line)
		}
	}
}
