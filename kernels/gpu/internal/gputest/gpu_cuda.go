//go:build cuda && cgo && linux

package gputest

import (
	"testing"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/gpu"
)

// realGPU returns GPU 0: with the tag cuda, tests of kernels run on a GPU.
func realGPU(t testing.TB) device.Device {
	d, err := gpu.Open(device.Full("GPU", 0))
	if err != nil {
		t.Fatal(err)
	}
	return d
}
