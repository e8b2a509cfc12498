//go:build !simgpu && cuda && cgo && linux

package gpu

import (
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/cuda"
)

func open(i int, o Options) (device.Device, error) {
	return cuda.New(i, cuda.Options{Limit: o.Limit, Check: o.Check, NoTF32: o.NoTF32})
}
