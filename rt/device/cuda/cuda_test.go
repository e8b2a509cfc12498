//go:build cuda && cgo && linux

package cuda

import (
	"testing"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/devicetest"
)

// The function open returns a device for GPU 0 that uses at most 1 GiB of memory.
func open(t testing.TB, o Options) device.Device {
	t.Helper()
	o.Limit = 1 << 30
	d, err := New(0, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDevice(t *testing.T) {
	devicetest.Test(t, func() device.Device { return open(t, Options{}) })
}

func TestDeviceChecked(t *testing.T) {
	devicetest.Test(t, func() device.Device { return open(t, Options{Check: true}) })
}
