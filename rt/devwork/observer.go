package devwork

import (
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/device"
)

// DeviceObserver is an rt.Observer that also learns what a device other than a CPU did, by the
// device's own clock.
type DeviceObserver interface {
	rt.Observer
	// Items says whether each kernel and copy is measured by itself, which takes the run
	// longer; else the whole is.
	Items() bool
	// Worked is called before End, on the goroutine of the run, unless the run has failed.
	Worked(w *DeviceWork)
}

// DeviceWork is what a device did in a run.
type DeviceWork struct {
	*device.Times
	// Block is the size of the block of the device's memory that most buffers share, Own
	// what the run has beside it, and InUse what all runs and weights have, in bytes.
	Block, Own, InUse int
}
