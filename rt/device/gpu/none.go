//go:build !simgpu && !cuda

package gpu

import (
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

func open(i int, _ Options) (device.Device, error) {
	return nil, tensor.Errorf(tensor.Unimplemented, "the program needs %s and is built without GPUs: build it with -tags cuda, or with -tags simgpu for a simulated one", device.Full("GPU", i))
}
