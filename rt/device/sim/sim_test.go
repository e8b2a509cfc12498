package sim

import (
	"testing"

	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/device/devicetest"
)

func TestDevice(t *testing.T) {
	for seed := range uint64(4) {
		devicetest.Test(t, func() device.Device { return New(0, Options{Seed: seed, Limit: 1 << 30}) })
	}
}
