package device

import (
	"hash/fnv"
	"math"
	"runtime"

	"github.com/graphc/graphc/rt/tensor"
)

// cpu is a device that does all work immediately, on the caller's goroutine.
type cpu struct {
	Account
	name string
}

// DefaultLimit is the default limit of a CPU device's memory, in bytes.
const DefaultLimit = min(4<<30, math.MaxInt)

// CPU returns a new device for CPU i.
func CPU(i int) Device { return CPUWithLimit(i, DefaultLimit) }

// CPUWithLimit returns a new device for CPU i. The parameter limit bounds the device's memory, in
// bytes.
func CPUWithLimit(i, limit int) Device {
	d := &cpu{name: Full("CPU", i)}
	d.SetLimit(limit)
	return d
}

func (d *cpu) Name() string { return d.name }

func (d *cpu) Type() string { return "CPU" }

func (d *cpu) Attributes() Attributes {
	return Attributes{d.name, "CPU", int64(d.Usage().Limit), Incarnation(d.name), runtime.GOARCH, 0}
}

// Incarnation returns a hash of a device's name. The hash is never 0. A device that exists during
// the whole life of its process uses this hash as its Attributes.Incarnation.
func Incarnation(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64() | 1
}

// cpuMemory is a block of a CPU's memory. After the block has been freed, b is nil.
type cpuMemory struct {
	d    *cpu
	b    []byte
	free bool
}

func (d *cpu) Alloc(n int) (Memory, error) {
	if err := d.Take(n); err != nil {
		return nil, err
	}
	return &cpuMemory{d: d, b: HostBlock(n)}, nil
}

func (d *cpu) AllocHost(n int) ([]byte, error) {
	if err := d.CheckHost(n); err != nil {
		return nil, err
	}
	return HostBlock(n), nil
}

func (m *cpuMemory) Size() int { return len(m.b) }

func (m *cpuMemory) Addr() Ptr { return 0 }

func (m *cpuMemory) Host() []byte { return m.b }

func (m *cpuMemory) Free() error {
	if m.free {
		return tensor.Errorf(tensor.Internal, "memory is freed twice")
	}
	m.d.Give(len(m.b))
	m.b, m.free = nil, true
	return nil
}

func (d *cpu) Run(f func() error) error   { return f() }
func (d *cpu) NewStream() (Stream, error) { return &cpuStream{}, nil }
func (d *cpu) NewEvent() (Event, error)   { return &cpuEvent{}, nil }
func (d *cpu) Reaches(m Memory) bool {
	_, ok := m.(*cpuMemory)
	return ok
}
func (d *cpu) Sync() error { return nil }

func (d *cpu) Prepare(ks ...*Kernel) error {
	if len(ks) == 0 {
		return nil
	}
	return tensor.Errorf(tensor.Unimplemented, "a CPU device has no kernel %s", ks[0].Entry)
}
func (d *cpu) Err() error { return nil }

// cpuStream is a stream that does all work immediately. It stores only the first error and, during
// a capture, the captured work.
type cpuStream struct {
	err       error
	capturing bool
	kept      captured
}

// captured is the work that Capture recorded.
type captured []func(s *cpuStream) error

// Work marks captured as Work.
func (captured) Work() {}

// The method named do calls f, which does a piece of work. During a capture, it records f without
// calling it.
func (s *cpuStream) do(f func(s *cpuStream) error) error {
	if s.capturing {
		s.kept = append(s.kept, f)
		return nil
	}
	return s.fail(f(s))
}

func (s *cpuStream) fail(err error) error {
	if err != nil && s.err == nil {
		s.err = err
	}
	return err
}

func (s *cpuStream) Launch(w Work) error {
	if s.err != nil {
		return s.err
	}
	switch w := w.(type) {
	case Func:
		if s.capturing {
			return s.do(func(*cpuStream) error { return w() })
		}
		return s.fail(w())
	case captured:
		return s.do(func(s *cpuStream) error {
			for _, f := range w {
				if err := f(s); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return tensor.Errorf(tensor.Unimplemented, "a CPU device does not support work of type %T", w)
}

// window returns the n bytes of a CPU's memory that begin at offset off.
func window(m Memory, off, n int) ([]byte, error) {
	c, ok := m.(*cpuMemory)
	if !ok {
		return nil, tensor.Errorf(tensor.Internal, "%T is not memory of a CPU device", m)
	}
	if c.free {
		return nil, tensor.Errorf(tensor.Internal, "memory is used after it was freed")
	}
	if err := Window(len(c.b), off, n); err != nil {
		return nil, err
	}
	return c.b[off : off+n], nil
}

func (s *cpuStream) CopyIn(dst Memory, off int, src []byte) error {
	if s.err != nil {
		return s.err
	}
	if s.capturing {
		return s.do(func(*cpuStream) error { return copyIn(dst, off, src) })
	}
	return s.fail(copyIn(dst, off, src))
}

func copyIn(dst Memory, off int, src []byte) error {
	b, err := window(dst, off, len(src))
	copy(b, src)
	return err
}

func (s *cpuStream) CopyOut(dst []byte, src Memory, off int) error {
	if s.err != nil {
		return s.err
	}
	if s.capturing {
		return s.do(func(*cpuStream) error { return copyOut(dst, src, off) })
	}
	return s.fail(copyOut(dst, src, off))
}

func copyOut(dst []byte, src Memory, off int) error {
	b, err := window(src, off, len(dst))
	copy(dst, b)
	return err
}

func (s *cpuStream) CopyPeer(dst Memory, dstOff int, src Memory, srcOff, n int) error {
	if s.err != nil {
		return s.err
	}
	return s.do(func(*cpuStream) error {
		from, err := window(src, srcOff, n)
		if err != nil {
			return err
		}
		return copyIn(dst, dstOff, from)
	})
}

func (s *cpuStream) Record(e Event) error {
	c, ok := e.(*cpuEvent)
	if !ok {
		return tensor.Errorf(tensor.Internal, "%T is not an event of a CPU device", e)
	}
	if s.capturing {
		return s.do(func(s *cpuStream) error { c.set(s.err); return nil })
	}
	c.set(s.err)
	return s.err
}

func (s *cpuStream) Wait(e Event) error {
	if s.err != nil {
		return s.err
	}
	c, ok := e.(*cpuEvent)
	if !ok {
		return tensor.Errorf(tensor.Internal, "%T is not an event of a CPU device", e)
	}
	if s.capturing {
		return s.do(func(*cpuStream) error { return c.get() })
	}
	return s.fail(c.get())
}

func (s *cpuStream) Sync() error {
	if s.capturing {
		return tensor.Errorf(tensor.FailedPrecondition, "a stream that is captured cannot be waited for")
	}
	return s.err
}

func (s *cpuStream) Capture(f func() error) (Work, error) {
	if s.err != nil {
		return nil, s.err
	}
	if s.capturing {
		return nil, tensor.Errorf(tensor.FailedPrecondition, "the stream is being captured")
	}
	s.capturing = true
	defer func() { s.capturing, s.kept = false, nil }()
	if err := f(); err != nil {
		return nil, err
	}
	return s.kept, nil
}

func (s *cpuStream) Err() error { return s.err }

func (s *cpuStream) Reset() { s.err = nil }

func (s *cpuStream) Close() error { return s.Sync() }
