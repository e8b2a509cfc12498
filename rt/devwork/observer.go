package devwork

import (
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
)

// DeviceObserver is an rt.Observer that also observes the work of a device other than a CPU, timed
// by the device's own clock.
type DeviceObserver interface {
	rt.Observer
	// Items reports whether to measure each kernel and copy, which slows the run down. Otherwise
	// only the whole run is measured.
	Items() bool
	// Worked is called before End, on the goroutine of the run, unless the run has failed.
	Worked(w *DeviceWork)
}

// DeviceWork is the work of a device in a run.
type DeviceWork struct {
	*device.Times
	// All three are in bytes. Block is the size of the device memory block that most buffers share.
	// Own is the size of the run's other device memory. InUse is the device memory of all runs and
	// of the weights.
	Block, Own, InUse int
}
