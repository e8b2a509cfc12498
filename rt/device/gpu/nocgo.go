//go:build !simgpu && cuda && !(cgo && linux)

package gpu

import (
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

func open(i int, _ Options) (device.Device, error) {
	return nil, tensor.Errorf(tensor.Unimplemented, "the program needs %s, and CUDA needs cgo and Linux: build it with CGO_ENABLED=1", device.Full("GPU", i))
}
