package rt

import "github.com/graphc/graphc/rt/device"

// Measure has q measure what the run of m hands to its device, where an observer of the
// run wants to be told. An error is the queue's.
func Measure(m *Mark, q *device.Queue) {
	if o, ok := m.hook.(DeviceObserver); ok {
		_ = q.Measure(o.Items()) // the queue keeps it
	}
}

// Measured ends Measure, when the run has handed over everything, and tells the observer.
// memory says what the run has of the device's memory.
func Measured(m *Mark, q *device.Queue, memory func() DeviceWork) error {
	o, ok := m.hook.(DeviceObserver)
	if !ok {
		return nil
	}
	times, err := q.Measured()
	if err != nil || times == nil {
		return err
	}
	w := memory()
	w.Times = times
	o.Worked(&w)
	return nil
}
