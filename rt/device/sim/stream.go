package sim

import (
	"bytes"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// op is a piece of a stream's work.
type op struct {
	do func(s *stream) error // the work, nil for marks and waits
	// the mark that is set to done when the stream reaches this op
	mark *mark
	// the mark that must be done before the stream can do this op
	after *mark
	// record and wait are the events that the op records or waits for. They are replaced by marks
	// when the op is appended to todo; for captured work, this happens at each launch.
	record, wait *event
}

// stream holds work that is not done yet. The exported methods and begin lock the machine. The
// other methods must be called with the machine locked.
type stream struct {
	d         *Device
	number    int
	begun     int // how many ops were begun so far
	todo      []op
	err       error
	closed    bool
	capturing bool
	spoiled   error // the error of a call that cannot be captured
	kept      []op
}

// captured is work that Capture has recorded. It can be launched several times.
type captured struct {
	d   *Device
	ops []op
}

// Work implements device.Work. It does nothing.
func (*captured) Work() {}

// NewStream returns a stream that does not synchronize with others implicitly.
func (d *Device) NewStream() (device.Stream, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	d.m.lock()
	defer d.m.mu.Unlock()
	if err := d.inject(StreamFault); err != nil {
		return nil, err
	}
	d.m.made++
	s := &stream{d: d, number: d.m.made}
	d.streams[s] = caller()
	return s, nil
}

// usable returns an error if the stream cannot be used, for example because it is closed. Methods
// that add work or wait for work return this error.
func (s *stream) usable() error {
	switch {
	case s.closed:
		return internal("a stream is used after it was closed")
	case !s.d.within.inside():
		return internal("a stream of %s is used outside of the device's Run", s.d.name)
	}
	return s.failed()
}

// failed returns the error that prevents further work on the stream, or nil.
func (s *stream) failed() error {
	if s.err == nil {
		s.err = s.d.Err()
	}
	return s.err
}

func (s *stream) fail(err error) error {
	if s.err == nil {
		s.err = err
	}
	return err
}

// add appends work.
func (s *stream) add(o op) {
	if s.capturing {
		s.kept = append(s.kept, o)
		return
	}
	s.todo = append(s.todo, s.resolve(o))
}

// resolve replaces the events of an op by marks.
func (s *stream) resolve(o op) op {
	if o.record != nil {
		o.mark = &mark{s: s, at: s.begun + len(s.todo) + 1}
		o.record.last = o.mark
		o.record = nil
	}
	if o.wait != nil {
		o.after = o.wait.last
		o.wait = nil
	}
	return o
}

func (s *stream) Launch(w device.Work) error {
	s.d.m.lock()
	defer s.d.m.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	switch w := w.(type) {
	case device.Func:
		s.add(op{do: func(s *stream) error { return s.d.m.call(w) }})
		return nil
	case *device.Batch:
		items, err := s.d.read(w)
		if err != nil {
			return s.fail(err)
		}
		for _, it := range items {
			s.add(op{do: it})
		}
		return nil
	case *captured:
		if w.d != s.d {
			return s.fail(internal("work of %s is launched on %s", w.d.name, s.d.name))
		}
		for _, o := range w.ops {
			s.add(o)
		}
		return nil
	}
	return tensor.Errorf(tensor.Unimplemented, "a GPU does not support work of type %T", w)
}

// own returns an error if the device memory of a copy from or to the host does not belong to the
// stream's device.
func (s *stream) own(of device.Memory, off, n int) error {
	x, _, err := s.d.m.window(of, off, n)
	if err == nil && x.d != s.d {
		err = internal("a stream of %s cannot copy between the host and %s", s.d.name, x.d.name)
	}
	return err
}

// CopyIn implements device.Stream. It reads src before it returns, unless AllocHost allocated src. In
// that case the stream reads src when it reaches the copy.
func (s *stream) CopyIn(dst device.Memory, off int, src []byte) error {
	s.d.m.lock()
	defer s.d.m.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	if err := s.own(dst, off, len(src)); err != nil {
		return s.fail(err)
	}
	if !s.d.m.pinned.has(src) {
		src = bytes.Clone(src)
	}
	s.add(op{do: func(s *stream) error {
		_, b, err := s.d.m.window(dst, off, len(src))
		return s.d.copy(b, src, err)
	}})
	return nil
}

// CopyOut implements device.Stream. It waits until the copy is done, unless AllocHost allocated dst.
func (s *stream) CopyOut(dst []byte, src device.Memory, off int) error {
	s.d.m.lock()
	defer s.d.m.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	if err := s.own(src, off, len(dst)); err != nil {
		return s.fail(err)
	}
	direct := s.d.m.pinned.has(dst)
	if !direct && s.capturing {
		s.spoiled = waits
		return waits
	}
	s.add(op{do: func(s *stream) error {
		_, b, err := s.d.m.window(src, off, len(dst))
		return s.d.copy(dst, b, err)
	}})
	if direct {
		return nil
	}
	s.reach(s.begun + len(s.todo))
	return s.err
}

// copy copies all of src to dst. If err is not nil, it copies nothing and returns err.
func (d *Device) copy(dst, src []byte, err error) error {
	if err == nil {
		err = d.inject(CopyFault)
	}
	if err != nil {
		return err
	}
	d.clock += uint64(len(src)+127) / 128
	copy(dst, src)
	return nil
}

func (s *stream) CopyPeer(dst device.Memory, dstOff int, src device.Memory, srcOff, n int) error {
	s.d.m.lock()
	defer s.d.m.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	both := func() (to, from []byte, err error) {
		a, to, err := s.d.m.window(dst, dstOff, n)
		if err != nil {
			return nil, nil, err
		}
		b, from, err := s.d.m.window(src, srcOff, n)
		if err == nil && a == b && dstOff != srcOff && dstOff < srcOff+n && srcOff < dstOff+n {
			err = internal("a copy of %d bytes from %d to %d overlaps itself", n, srcOff, dstOff)
		}
		return to, from, err
	}
	if _, _, err := both(); err != nil {
		return s.fail(err)
	}
	s.add(op{do: func(s *stream) error {
		to, from, err := both()
		return s.d.copy(to, from, err)
	}})
	return nil
}

// Record implements device.Stream. If the stream has failed, Record stores the stream's error in the
// event.
func (s *stream) Record(of device.Event) error {
	s.d.m.lock()
	defer s.d.m.mu.Unlock()
	e, ok := of.(*event)
	if !ok || e.d != s.d {
		return internal("%T is not an event of %s", of, s.d.name)
	}
	err := s.usable()
	if err == nil {
		err = e.usable()
	}
	if err == nil {
		err = s.d.inject(RecordFault)
		if err != nil {
			return s.fail(err)
		}
	}
	if err != nil {
		if !s.closed && !e.closed {
			e.last = &mark{s: s, at: s.begun, done: true, err: err, time: s.d.clock}
		}
		return err
	}
	s.add(op{record: e})
	return nil
}

// Wait implements device.Stream. It accepts events of all devices that belong to the same machine.
func (s *stream) Wait(of device.Event) error {
	s.d.m.lock()
	defer s.d.m.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	e, ok := of.(*event)
	if !ok || e.d.m != s.d.m {
		return internal("%T is not an event of this machine", of)
	}
	if err := e.usable(); err != nil {
		return s.fail(err)
	}
	s.add(op{wait: e})
	return nil
}

// waits is the error for waiting during a capture.
var waits = tensor.Errorf(tensor.FailedPrecondition, "a stream that is captured cannot be waited for")

func (s *stream) Sync() error {
	s.d.m.lock()
	defer s.d.m.mu.Unlock()
	if s.capturing {
		s.spoiled = waits
		return waits
	}
	if err := s.usable(); err != nil {
		return err
	}
	if err := s.d.inject(SyncFault); err != nil {
		return s.fail(err)
	}
	s.reach(s.begun + len(s.todo))
	return s.err
}

// Capture implements device.Stream. It fails if f made a call that cannot be captured, even if f
// ignores the error of that call.
func (s *stream) Capture(f func() error) (device.Work, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	err := f()
	s.d.m.lock()
	defer s.d.m.mu.Unlock()
	w := &captured{s.d, s.kept}
	if err == nil {
		err = s.spoiled
	}
	if err == nil {
		err = s.err
	}
	s.capturing, s.spoiled, s.kept = false, nil, nil
	if err != nil {
		return nil, err
	}
	return w, nil
}

// begin begins a capture.
func (s *stream) begin() error {
	s.d.m.lock()
	defer s.d.m.mu.Unlock()
	if err := s.usable(); err != nil {
		return err
	}
	if s.capturing {
		return tensor.Errorf(tensor.FailedPrecondition, "the stream is being captured")
	}
	s.capturing = true
	return nil
}

func (s *stream) Err() error {
	s.d.m.lock()
	defer s.d.m.mu.Unlock()
	return s.err
}

func (s *stream) Reset() {
	s.d.m.lock()
	defer s.d.m.mu.Unlock()
	s.reach(s.begun + len(s.todo))
	s.err = nil
}

// Close implements device.Stream. It can also close a stream of an unusable device; it then drops the
// remaining work.
func (s *stream) Close() error {
	s.d.m.lock()
	defer s.d.m.mu.Unlock()
	if s.closed {
		return internal("a stream is closed twice")
	}
	s.reach(s.begun + len(s.todo))
	s.closed = true
	delete(s.d.streams, s)
	return nil
}
