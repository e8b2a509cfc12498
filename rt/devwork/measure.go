package devwork

import (
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
)

// Measure has q measure what the run of m hands to its device, where an observer of the
// run wants to be told. It reports whether one does. An error is the queue's.
func Measure(m *rt.Mark, q *device.Queue) bool {
	some, items := false, false
	m.Observers(func(o rt.Observer) {
		if d, ok := o.(DeviceObserver); ok {
			some, items = true, items || d.Items()
		}
	})
	if some {
		_ = q.Measure(items) // the queue keeps it
	}
	return some
}

// Measured ends Measure, when the run has handed over everything, and tells the observers.
// memory says what the run has of the device's memory.
func Measured(m *rt.Mark, q *device.Queue, memory func() DeviceWork) error {
	some := false
	m.Observers(func(o rt.Observer) {
		_, ok := o.(DeviceObserver)
		some = some || ok
	})
	if !some {
		return nil
	}
	times, err := q.Measured()
	if err != nil || times == nil {
		return err
	}
	w := memory()
	w.Times = times
	m.Observers(func(o rt.Observer) {
		if d, ok := o.(DeviceObserver); ok {
			d.Worked(&w)
		}
	})
	return nil
}
