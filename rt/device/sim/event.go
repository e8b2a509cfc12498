package sim

import (
	"time"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// mark is a position in a stream's list of work.
type mark struct {
	s *stream
	// The event of this mark happens when the stream has begun the number of pieces of work given
	// by the field at.
	at   int
	done bool
	err  error
	time uint64
}

// event is an event of the device, with its last record.
type event struct {
	d      *Device
	last   *mark
	closed bool
}

// NewEvent returns an event that has happened.
func (d *Device) NewEvent() (device.Event, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	d.m.lock()
	defer d.m.mu.Unlock()
	if err := d.inject(EventFault); err != nil {
		return nil, err
	}
	e := &event{d: d}
	d.events[e] = caller()
	return e, nil
}

// usable returns an error if the event cannot be used, because it is closed or the device is
// unusable. Every method of the event must return this error.
func (e *event) usable() error {
	if err := e.d.Err(); err != nil {
		return err
	}
	if e.closed {
		return internal("an event is used after it was closed")
	}
	return nil
}

// Done reports whether the event has happened. If it has not, Done does one piece of the stream's
// work, so that the event happens eventually if a caller calls Done repeatedly.
func (e *event) Done() (bool, error) {
	e.d.m.lock()
	defer e.d.m.mu.Unlock()
	if err := e.usable(); err != nil {
		return true, err
	}
	if e.last == nil {
		return true, nil
	}
	if !e.last.done {
		e.last.s.step()
		return false, nil
	}
	return true, e.last.err
}

func (e *event) Wait() error {
	e.d.m.lock()
	defer e.d.m.mu.Unlock()
	if err := e.usable(); err != nil {
		return err
	}
	return e.last.wait()
}

// wait does all work of the stream that comes before the mark, and returns the error of that work.
func (k *mark) wait() error {
	if k == nil {
		return nil
	}
	if !k.done {
		k.s.reach(k.at)
	}
	return k.err
}

// Then starts a goroutine that waits for the event and then calls f.
func (e *event) Then(f func(error)) {
	e.d.m.lock()
	k, err := e.last, e.usable()
	e.d.m.mu.Unlock()
	if err != nil {
		f(err)
		return
	}
	go func() {
		e.d.m.lock()
		err := k.wait()
		e.d.m.mu.Unlock()
		f(err)
	}()
}

// Since returns the difference of the events' times. A tick of the simulated clock counts as a
// nanosecond.
func (e *event) Since(since device.Event) (time.Duration, error) {
	o, ok := since.(*event)
	if !ok || o.d != e.d {
		return 0, internal("%T is not an event of %s", since, e.d.name)
	}
	e.d.m.lock()
	defer e.d.m.mu.Unlock()
	if e.last == nil || o.last == nil || !e.last.done || !o.last.done {
		return 0, tensor.Errorf(tensor.FailedPrecondition, "the events have not happened")
	}
	return time.Duration(e.last.time - o.last.time), nil
}

func (e *event) Close() error {
	e.d.m.lock()
	defer e.d.m.mu.Unlock()
	if e.closed {
		return internal("an event is closed twice")
	}
	e.closed = true
	delete(e.d.events, e)
	return nil
}
