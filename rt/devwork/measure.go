package devwork

import (
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
)

// Measure reports whether a DeviceObserver observes the run of m. If so, it makes q measure the
// device work of the run. An error is kept by the queue, which returns it later.
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

// Measured ends a measurement that Measure has begun, after the run's last launch, and calls the
// observers. The function memory returns the run's device memory. The error is that of the queue.
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
