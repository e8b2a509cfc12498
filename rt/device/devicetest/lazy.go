package devicetest

import (
	"sync"
	"time"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// Lazy returns a simulated device that does each piece of work as late as possible: when the
// program waits for this work. The host memory of a copy is read and written only at that time.
// Device memory contains NaN until it is written. Therefore a program that lacks a wait always gets
// wrong results.
func Lazy(i int) device.Device {
	d := &lazy{name: device.Full("LAZY", i)}
	d.SetLimit(1 << 30)
	return d
}

type lazy struct {
	device.Account
	name string

	mu      sync.Mutex // guards the fields below and the streams
	streams []*lazyStream
	// pinned identifies the blocks from AllocHost, each by the address of its last byte; see the
	// function end.
	pinned map[*byte]bool
}

func (d *lazy) Name() string { return d.name }

func (d *lazy) Type() string { return "LAZY" }

func (d *lazy) Prepare(ks ...*device.Kernel) error {
	if len(ks) == 0 {
		return nil
	}
	return tensor.Errorf(tensor.Unimplemented, "%s has no kernel %s", d.name, ks[0].Entry)
}

func (d *lazy) Attributes() device.Attributes {
	return device.Attributes{Name: d.name, Type: "LAZY", MemoryLimit: int64(d.Usage().Limit), Incarnation: device.Incarnation(d.name), Description: "simulated"}
}

type lazyMemory struct {
	d    *lazy
	b    []byte
	free bool
}

func (d *lazy) Alloc(n int) (device.Memory, error) {
	if err := d.Take(n); err != nil {
		return nil, err
	}
	m := &lazyMemory{d: d, b: device.HostBlock(n)}
	for i := range m.b {
		m.b[i] = 0xff
	}
	return m, nil
}

func (m *lazyMemory) Addr() device.Ptr { return 0 }

// end returns the address of the last byte within the capacity of b. This address identifies the
// block: slices of one block whose capacity reaches to the end of the block have the same last
// byte.
func end(b []byte) *byte {
	if cap(b) == 0 {
		return nil
	}
	return &b[:cap(b)][cap(b)-1]
}

func (d *lazy) AllocHost(n int) ([]byte, error) {
	if err := d.Take(n); err != nil {
		return nil, err
	}
	d.Give(n)
	b := device.HostBlock(n)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pinned == nil {
		d.pinned = map[*byte]bool{}
	}
	if n > 0 {
		d.pinned[end(b)] = true
	}
	return b, nil
}

func (m *lazyMemory) Size() int { return len(m.b) }

func (m *lazyMemory) Host() []byte { return nil }

func (m *lazyMemory) Free() error {
	m.d.mu.Lock()
	defer m.d.mu.Unlock()
	if m.free {
		return tensor.Errorf(tensor.Internal, "memory is freed twice")
	}
	m.d.Give(len(m.b))
	m.free = true
	for i := range m.b {
		m.b[i] = 0xff
	}
	return nil
}

func (d *lazy) Run(f func() error) error { return f() }

func (d *lazy) NewStream() (device.Stream, error) {
	s := &lazyStream{d: d}
	d.mu.Lock()
	d.streams = append(d.streams, s)
	d.mu.Unlock()
	return s, nil
}

func (d *lazy) Reaches(m device.Memory) bool {
	l, ok := m.(*lazyMemory)
	return ok && l.d == d
}

func (d *lazy) NewEvent() (device.Event, error) { return &lazyEvent{d: d}, nil }

func (d *lazy) Sync() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.streams {
		s.reach(s.begun + len(s.todo))
	}
	return nil
}

func (d *lazy) Err() error { return nil }

// lazyStream holds work that is not done yet. The device's lock guards it.
type lazyStream struct {
	d         *lazy
	begun     int // number of pieces of work that have been begun so far
	todo      []func() error
	err       error
	capturing bool
	kept      lazyWork
}

type lazyWork []func() error

// Work marks lazyWork as device.Work.
func (lazyWork) Work() {}

// reach does the stream's work until the number of pieces of work that have been begun is equal to
// the parameter at. The caller holds the device's lock.
func (s *lazyStream) reach(at int) {
	for s.begun < at && len(s.todo) > 0 {
		f := s.todo[0]
		s.todo = s.todo[1:]
		s.begun++
		if s.err == nil {
			s.err = f()
		}
	}
}

func (s *lazyStream) add(f func() error) error {
	if s.err != nil {
		return s.err
	}
	if s.capturing {
		s.kept = append(s.kept, f)
	} else {
		s.todo = append(s.todo, f)
	}
	return nil
}

func (s *lazyStream) Launch(w device.Work) error {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	switch w := w.(type) {
	case device.Func:
		return s.add(w)
	case lazyWork:
		return s.add(func() error {
			for _, f := range w {
				if err := f(); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return tensor.Errorf(tensor.Unimplemented, "a lazy device does not support work of type %T", w)
}

func (d *lazy) window(m device.Memory, off, n int) ([]byte, error) {
	l, ok := m.(*lazyMemory)
	if !ok {
		return nil, tensor.Errorf(tensor.Internal, "%T is not memory of a lazy device", m)
	}
	if l.free {
		return nil, tensor.Errorf(tensor.Internal, "memory is used after it was freed")
	}
	if err := device.Window(len(l.b), off, n); err != nil {
		return nil, err
	}
	return l.b[off : off+n], nil
}

func (s *lazyStream) CopyIn(dst device.Memory, off int, src []byte) error {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	if !s.d.pinned[end(src)] {
		src = append([]byte(nil), src...)
	}
	return s.add(func() error {
		b, err := s.d.window(dst, off, len(src))
		copy(b, src)
		return err
	})
}

func (s *lazyStream) CopyOut(dst []byte, src device.Memory, off int) error {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	err := s.add(func() error {
		b, err := s.d.window(src, off, len(dst))
		copy(dst, b)
		return err
	})
	if err == nil && !s.capturing && !s.d.pinned[end(dst)] {
		s.reach(s.begun + len(s.todo))
		return s.err
	}
	return err
}

func (s *lazyStream) CopyPeer(dst device.Memory, dstOff int, src device.Memory, srcOff, n int) error {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	return s.add(func() error {
		to, err := s.d.window(dst, dstOff, n)
		if err != nil {
			return err
		}
		from, err := s.d.window(src, srcOff, n)
		copy(to, from)
		return err
	})
}

// The method event converts e to its concrete type. It returns an error if e is not an event of
// this device.
func (s *lazyStream) event(e device.Event) (*lazyEvent, error) {
	l, ok := e.(*lazyEvent)
	if !ok || l.d != s.d {
		return nil, tensor.Errorf(tensor.Internal, "%T is not an event of this device", e)
	}
	return l, nil
}

func (s *lazyStream) Record(e device.Event) error {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	l, err := s.event(e)
	if err != nil {
		return err
	}
	if s.capturing {
		s.kept = append(s.kept, func() error { l.s, l.at = s, s.begun; return nil })
		return nil
	}
	l.s, l.at = s, s.begun+len(s.todo)
	return s.err
}

func (s *lazyStream) Wait(e device.Event) error {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	l, err := s.event(e)
	if err != nil {
		return err
	}
	if l.s == nil || l.s == s {
		return s.err
	}
	of, at := l.s, l.at
	return s.add(func() error {
		of.reach(at)
		return of.err
	})
}

func (s *lazyStream) Sync() error {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	if s.capturing {
		return tensor.Errorf(tensor.FailedPrecondition, "a stream that is captured cannot be waited for")
	}
	s.reach(s.begun + len(s.todo))
	return s.err
}

func (s *lazyStream) Capture(f func() error) (device.Work, error) {
	s.d.mu.Lock()
	switch {
	case s.err != nil:
		defer s.d.mu.Unlock()
		return nil, s.err
	case s.capturing:
		defer s.d.mu.Unlock()
		return nil, tensor.Errorf(tensor.FailedPrecondition, "the stream is being captured")
	}
	s.capturing = true
	s.d.mu.Unlock()
	err := f()
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	w := s.kept
	s.capturing, s.kept = false, nil
	if err != nil {
		return nil, err
	}
	return w, nil
}

func (s *lazyStream) Err() error {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	return s.err
}

func (s *lazyStream) Reset() {
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	s.reach(s.begun + len(s.todo))
	s.err = nil
}

// lazyEvent is a position in a stream.
type lazyEvent struct {
	d  *lazy
	s  *lazyStream
	at int
}

func (e *lazyEvent) Done() (bool, error) {
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	if e.s == nil {
		return true, nil
	}
	return e.s.begun >= e.at, e.s.err
}

func (e *lazyEvent) Wait() error {
	e.d.mu.Lock()
	defer e.d.mu.Unlock()
	if e.s == nil {
		return nil
	}
	e.s.reach(e.at)
	return e.s.err
}

func (e *lazyEvent) Then(f func(error)) {
	e.d.mu.Lock()
	s, at := e.s, e.at
	e.d.mu.Unlock()
	go func() {
		var err error
		if s != nil {
			e.d.mu.Lock()
			s.reach(at)
			err = s.err
			e.d.mu.Unlock()
		}
		f(err)
	}()
}

func (e *lazyEvent) Since(device.Event) (time.Duration, error) {
	return 0, tensor.Errorf(tensor.Unimplemented, "the device has no clock")
}

func (e *lazyEvent) Close() error { return nil }

func (s *lazyStream) Close() error { return s.Sync() }
