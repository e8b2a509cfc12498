//go:build cuda && cgo && linux

package cuda

/*
#include "call.h"
*/
import "C"

import (
	"runtime"
	"sync"
	"time"

	"gorgonia.org/cu"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// event is an event of the driver, with timing.
type event struct {
	d    *dev
	cu   cu.Event
	gone runtime.Cleanup // frees the driver's event if Close is never called
	mu   sync.Mutex
	err  error // the error that the stream had when it last recorded the event
}

func (d *dev) NewEvent() (device.Event, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	e := &event{d: d}
	if err := d.within(func() (err error) {
		e.cu, err = cu.MakeEvent(cu.DefaultEvent)
		return d.did(err, "an event is made")
	}); err != nil {
		return nil, err
	}
	e.gone = runtime.AddCleanup(e, func(of cu.Event) { _ = d.forget(of) }, e.cu)
	return e, nil
}

// forget frees an event of the driver, unless the device is unusable.
func (d *dev) forget(of cu.Event) error {
	if d.Err() != nil {
		return nil
	}
	return d.within(func() error { return d.did(cu.DestroyEvent(&of), "an event is given back") })
}

func (e *event) Close() error {
	e.gone.Stop()
	return e.d.forget(e.cu)
}

// state returns the error that the stream had when the event was last recorded.
func (e *event) state() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

func (e *event) set(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.err = err
}

// Record records the event, and stores the stream's error, if any, in the event. The event's
// methods then return this error.
func (s *stream) Record(of device.Event) error {
	e, ok := of.(*event)
	if !ok || e.d != s.d {
		return tensor.Errorf(tensor.Internal, "%T is not an event of %s", of, s.d.name)
	}
	if s.taking == nil {
		e.set(s.failed())
	}
	taking := s.taking != nil && !s.d.opt.Check
	return s.do(e, func(s *stream) error {
		if taking {
			return s.d.check(int(C.graphc_record(C.CUevent(raw(&e.cu)), s.raw())), "an event is recorded")
		}
		return s.d.did(e.cu.Record(s.own.cu), "an event is recorded")
	})
}

// Wait makes the stream wait for an event, which may belong to another device.
func (s *stream) Wait(of device.Event) error {
	if err := s.failed(); err != nil {
		return err
	}
	e, ok := of.(*event)
	if !ok {
		return tensor.Errorf(tensor.Internal, "%T is not an event of a GPU", of)
	}
	taking := s.taking != nil && !s.d.opt.Check
	return s.do(e, func(s *stream) error {
		if err := e.state(); err != nil {
			return err
		}
		if taking {
			return s.d.check(int(C.graphc_wait(s.raw(), C.CUevent(raw(&e.cu)))), "an event is waited for")
		}
		return s.d.did(s.own.cu.Wait(e.cu, 0), "an event is waited for")
	})
}

func (e *event) Done() (ok bool, err error) {
	if err := e.d.Err(); err != nil {
		return true, err
	}
	err = e.d.within(func() (err error) {
		ok, err = ready(e.cu.Query())
		return e.d.did(err, "an event is queried")
	})
	if err == nil {
		err = e.state()
	}
	return ok, err
}

func (e *event) Wait() error {
	if err := e.d.Err(); err != nil {
		return err
	}
	err := e.d.within(func() error { return e.d.did(e.cu.Synchronize(), "an event is waited for") })
	if err == nil {
		err = e.state()
	}
	return err
}

// Since returns the time that the driver has measured between the events. Its resolution is half a
// microsecond.
func (e *event) Since(since device.Event) (took time.Duration, err error) {
	from, ok := since.(*event)
	if !ok || from.d != e.d {
		return 0, tensor.Errorf(tensor.Internal, "%T is not an event of %s", since, e.d.name)
	}
	err = e.d.within(func() error {
		ms, err := from.cu.Elapsed(e.cu)
		took = time.Duration(ms * float64(time.Millisecond))
		return e.d.did(err, "time is measured")
	})
	return took, err
}

// Then makes the device's watcher poll the event.
func (e *event) Then(f func(error)) {
	if ok, err := e.Done(); ok || err != nil {
		f(err)
		return
	}
	e.d.watch.add(e.d, pending{e, f})
}

// pending is a function to call when an event has happened.
type pending struct {
	e *event
	f func(error)
}

// watcher polls those events of a device for which Then was called.
type watcher struct {
	mu      sync.Mutex
	fresh   []pending
	running bool
}

// The watcher first polls `eager` times without a pause, and then pauses between two polls. The
// pauses grow from `least` to `most`.
const (
	eager = 200
	least = 10 * time.Microsecond
	most  = 200 * time.Microsecond
)

func (w *watcher) add(d *dev, p pending) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fresh = append(w.fresh, p)
	if !w.running {
		w.running = true
		go w.run(d)
	}
}

// run polls while there are pending events.
func (w *watcher) run(d *dev) {
	var waiting []pending
	idle := 0
	for {
		w.mu.Lock()
		waiting = append(waiting, w.fresh...)
		clear(w.fresh) // the device must not keep the events reachable, because their finalizers refer to the device
		w.fresh = w.fresh[:0]
		if len(waiting) == 0 {
			w.running = false
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		rest := waiting[:0]
		for _, p := range waiting {
			ok, err := p.e.Done()
			if !ok && err == nil {
				rest = append(rest, p)
				continue
			}
			idle = 0
			go p.f(err)
		}
		clear(waiting[len(rest):])
		waiting = rest
		if idle++; idle < eager {
			runtime.Gosched()
		} else {
			time.Sleep(min(least*time.Duration(1+(idle-eager)/16), most))
		}
	}
}
