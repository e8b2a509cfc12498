package devwork

import (
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
)

// Measure reports whether a DeviceObserver observes the run with the mark m. If so, it makes the
// queue q measure the device work of the run. If this fails, the queue keeps the error and returns it
// later.
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

// Measured must be called after the run's last launch. If Measure has begun a measurement, Measured
// ends it and passes the results to the observers. The function memory must return the run's device
// memory. The error is that of the queue.
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
