// Package gputest runs kernels in tests. Its device interprets PTX and completes each launch before
// the launching call returns. The interpreter runs threads in a shuffled order. To reveal accesses
// out of range, each block of memory ends right after its last element. Memory is filled with 0xff
// bytes at first.
package gputest

import (
	"testing"
	"unsafe"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/packed"
	"github.com/graphc/graphc/rt/device/sim/ptx"
	"github.com/graphc/graphc/rt/tensor"
)

// Rig is a device with a queue.
type Rig struct {
	T testing.TB
	device.Device
	// Procs is the number of multiprocessors.
	Procs   int
	modules map[*device.Module]*ptx.Module
	blocks  []block
	// gpu runs the launches instead of the interpreter, unless it is nil.
	gpu device.Device
	// Launches counts launches of kernels.
	Launches int
	// Library reports whether the device's library accepts a product of matrices; nil means
	// that the device has none.
	Library func(g *device.Gemm) bool
	// Products counts the products that the library has computed.
	Products int
}

// New returns a device with four multiprocessors.
func New(t testing.TB) *Rig {
	r := &Rig{T: t, Device: device.CPU(0), Procs: 4, modules: map[*device.Module]*ptx.Module{}, gpu: realGPU(t)}
	return r
}

// block is a block of memory. The field at is its address in kernels, and the field b holds its
// contents on the host.
type block struct {
	at uint64
	b  []byte
	m  device.Memory // the memory on the device Rig.gpu, or nil if the interpreter runs the kernels
}

// Attributes returns the CPU's attributes with Procs processors.
func (r *Rig) Attributes() device.Attributes {
	a := r.Device.Attributes()
	a.Processors = r.Procs
	return a
}

// Multiplies asks Library.
func (r *Rig) Multiplies(g *device.Gemm) bool { return r.Library != nil && r.Library(g) }

// stream runs each batch before Launch returns.
type stream struct {
	device.Stream
	r *Rig
}

// NewStream returns a stream.
func (r *Rig) NewStream() (device.Stream, error) {
	s, err := r.Device.NewStream()
	return &stream{s, r}, err
}

func (s *stream) Launch(w device.Work) error {
	b, ok := w.(*device.Batch)
	if !ok {
		return s.Stream.Launch(w)
	}
	for i := range b.Items {
		if err := s.r.do(b, &b.Items[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *Rig) do(b *device.Batch, it *device.Item) error {
	switch it.Kind {
	case device.LaunchItem:
		r.Launches++
		if r.gpu != nil {
			return r.onGPU(b, it)
		}
		m := r.modules[it.Kernel.Module]
		if m == nil {
			text, err := packed.Text(it.Kernel.Module)
			if err != nil {
				return err
			}
			if m, err = ptx.Parse(text); err != nil {
				return err
			}
			r.modules[it.Kernel.Module] = m
		}
		return m.Launch(it.Kernel.Entry, [3]int{it.Grid.X, it.Grid.Y, it.Grid.Z}, [3]int{it.Block.X, it.Block.Y, it.Block.Z}, it.Shared, b.Arguments(it), r,
			&ptx.Options{Seed: uint64(r.Launches)})
	case device.FillItem:
		to, err := r.window(it.Dst, it.N)
		for i := range to {
			to[i] = it.Value
		}
		return err
	case device.MoveItem:
		to, err := r.window(it.Dst, it.N)
		if err != nil {
			return err
		}
		from, err := r.window(it.Src, it.N)
		copy(to, from)
		return err
	case device.GemmItem:
		r.Products++
		return r.multiply(&it.Gemm)
	}
	return tensor.Errorf(tensor.Unimplemented, "items of kind %d", it.Kind)
}

// multiply computes a product of float32. For other types it does nothing.
func (r *Rig) multiply(g *device.Gemm) error {
	if g.DType != tensor.Float32 {
		return nil
	}
	at := func(p device.Ptr, i int) (*float32, error) {
		b, err := r.window(p+device.Ptr(4*i), 4)
		if err != nil {
			return nil, err
		}
		return (*float32)(unsafe.Pointer(&b[0])), nil
	}
	for z := range g.Batch {
		for i := range g.M * g.N {
			m, n := i/g.N, i%g.N
			var sum float64
			for k := range g.K {
				x, y := m*g.LDA+k, k*g.LDB+n
				if g.TransA {
					x = k*g.LDA + m
				}
				if g.TransB {
					y = n*g.LDB + k
				}
				a, err := at(g.A, z*g.StrideA+x)
				if err != nil {
					return err
				}
				b, err := at(g.B, z*g.StrideB+y)
				if err != nil {
					return err
				}
				sum += float64(*a) * float64(*b)
			}
			c, err := at(g.C, z*g.StrideC+m*g.LDC+n)
			if err != nil {
				return err
			}
			if sum *= g.Alpha; g.Beta != 0 {
				sum += g.Beta * float64(*c)
			}
			*c = float32(sum)
		}
	}
	return nil
}

const (
	first = 0x7f00_0000_0000
	step  = 1 << 32 // distance between the addresses of two blocks
)

// Find implements ptx.Memory. The address just after the last byte of a block also belongs to this
// block. Thus an empty range of memory at the end of a block belongs to a block too. On a GPU, another
// block may start at this address. Then the address belongs to the block that starts there.
func (r *Rig) Find(addr uint64) (at uint64, b []byte) {
	for _, m := range r.blocks {
		switch end := m.at + uint64(len(m.b)); {
		case addr >= m.at && addr < end:
			return m.at, m.b
		case addr == end:
			at, b = m.at, m.b
		}
	}
	return at, b
}

func (r *Rig) window(p device.Ptr, n int) ([]byte, error) {
	base, b := r.Find(uint64(p))
	if b == nil {
		return nil, tensor.Errorf(tensor.Internal, "address %#x", p)
	}
	off := int(uint64(p) - base)
	if err := device.Window(len(b), off, n); err != nil {
		return nil, err
	}
	return b[off : off+n], nil
}

// alloc returns memory of n bytes.
func (r *Rig) alloc(n int) (device.Ptr, []byte) {
	b := device.HostBlock(n)
	for i := range b {
		b[i] = 0xff
	}
	m := block{at: first + step*uint64(len(r.blocks)), b: b}
	if r.gpu != nil {
		m = r.allocGPU(b)
	}
	r.blocks = append(r.blocks, m)
	return device.Ptr(m.at), b
}

// Room returns memory for n elements.
func Room[T any](r *Rig, n int) device.Ptr {
	p, _ := r.alloc(n * int(unsafe.Sizeof(*new(T))))
	return p
}

// Put returns memory with the elements of s.
func Put[T any](r *Rig, s []T) device.Ptr {
	p, b := r.alloc(len(s) * int(unsafe.Sizeof(*new(T))))
	if len(b) > 0 {
		copy(unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(s)), s)
	}
	return p
}

// Get returns n elements at p.
func Get[T any](r *Rig, p device.Ptr, n int) []T {
	r.T.Helper()
	b, err := r.window(p, n*int(unsafe.Sizeof(*new(T))))
	if err != nil {
		r.T.Fatal(err)
	}
	s := make([]T, n)
	if n > 0 {
		copy(s, unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n))
	}
	return s
}

// Do runs the work that f appends to a queue. An error fails the test.
func (r *Rig) Do(f func(q *device.Queue)) {
	r.T.Helper()
	q, err := device.NewQueue(r, 1)
	if err != nil {
		r.T.Fatal(err)
	}
	q.At("test", "Test")
	q.Begin(0, false)
	f(q)
	if err := q.End(); err != nil {
		r.T.Fatal(err)
	}
	if err := q.Finish(); err != nil {
		r.T.Fatal(err)
	}
}
