// Package gpu opens the GPUs of a program. Build tags choose the implementation:
//
//   - cuda: NVIDIA's GPUs through their driver (package cuda), which needs cgo and Linux;
//   - simgpu: simulated GPUs (package sim);
//   - neither: no GPUs; Open then returns Unimplemented.
package gpu

import (
	"strconv"
	"strings"
	"sync"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// Options are options of a GPU; the zero value is the default.
type Options struct {
	// Limit is the number of bytes of the GPU's memory that may be in use at a time; 0 means all of
	// the memory.
	Limit int
	// If Check is set, streams wait after each item of work. Then an error names the node whose
	// work has failed.
	Check bool
	// If NoTF32 is set, the library computes products of float32 matrices in float32. By default
	// the factors are rounded to TF32 if the GPU supports it, as in TensorFlow.
	NoTF32 bool
}

// opened contains the devices that Open has opened. The key of the map is the number of the GPU.
var opened struct {
	sync.Mutex
	by map[int]device.Device
}

// Open returns the GPU with a full name such as /job:localhost/replica:0/task:0/device:GPU:0. All
// callers share the device. The error is InvalidArgument for another kind of name, NotFound for a
// missing GPU, and Unimplemented in a program built without GPUs.
func Open(name string) (device.Device, error) {
	_, id, ok := strings.Cut(name, "/device:GPU:")
	i, err := strconv.Atoi(id)
	if !ok || err != nil || i < 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%q is not the name of a GPU", name)
	}
	opened.Lock()
	defer opened.Unlock()
	if d := opened.by[i]; d != nil {
		return d, nil
	}
	d, err := New(i, Options{})
	if err != nil {
		return nil, err
	}
	if opened.by == nil {
		opened.by = map[int]device.Device{}
	}
	opened.by[i] = d
	return d, nil
}

// New returns a new device for GPU i with the given options. Unlike a device from Open, it is not
// shared with other callers. It can be passed to parts.WithDevices. The errors are those of Open.
func New(i int, o Options) (device.Device, error) { return open(i, o) }
