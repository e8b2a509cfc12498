package devicetest

import (
	"testing"

	"github.com/graphc/graphc/rt/device"
)

func TestCPU(t *testing.T) { Test(t, func() device.Device { return device.CPU(1) }) }

func TestLazy(t *testing.T) { Test(t, func() device.Device { return Lazy(0) }) }
