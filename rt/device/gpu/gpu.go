// Package gpu opens the GPUs of a program. What they are, is chosen when the program is built:
//
//   - with the tag cuda, NVIDIA's through their driver (package cuda), which needs cgo and Linux;
//   - with the tag simgpu, simulated ones (package sim);
//   - without either, none: Open says so.
package gpu

import (
	"strconv"
	"strings"
	"sync"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// Options are how a GPU is used; the zero value is the usual way.
type Options struct {
	// Limit is the memory in bytes that may be in use at a time, 0 for all that the GPU has.
	Limit int
	// Check waits for each item of work, so that an error names the very node.
	Check bool
	// NoTF32 has a library's products of float32 done in float32. TensorFlow rounds factors to
	// TF32 where the GPU has it, and so does a device otherwise.
	NoTF32 bool
}

// opened are the devices of Open, by number.
var opened struct {
	sync.Mutex
	by map[int]device.Device
}

// Open returns the GPU of a full name such as /job:localhost/replica:0/task:0/device:GPU:0, which
// is opened once for all who ask. InvalidArgument for a name of something else, NotFound for a GPU that
// there is not, Unimplemented in a program that is built for none.
func Open(name string) (device.Device, error) {
	_, id, ok := strings.Cut(name, "/device:GPU:")
	i, err := strconv.Atoi(id)
	if !ok || err != nil || i < 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%q is no name of a GPU", name)
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

// New returns GPU i for a program's parts.WithDevices, used in a way of its own. The errors are Open's.
func New(i int, o Options) (device.Device, error) { return open(i, o) }
