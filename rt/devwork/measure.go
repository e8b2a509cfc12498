package devwork

import (
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
)

// Measure makes q measure the device work of the run of m, if a DeviceObserver observes the run,
// and reports whether one does. The queue keeps an error and returns it later.
func Measure(m *rt.Mark, q *device.Queue) bool {
	some, items := false, false
	m.Observers(func(o rt.Observer) {
		if d, ok := o.(DeviceObserver); ok {
			some, items = true, items || d.Items()
		}
	})
	if some {
		_ = q.Measure(items) // the queue keeps the error
	}
	return some
}

// Measured ends a measurement of Measure after the run's last launch, and calls the observers.
// memory returns the run's device memory. The error is the queue's.
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
