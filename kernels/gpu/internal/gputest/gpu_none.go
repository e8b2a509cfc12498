//go:build !(cuda && cgo && linux)

package gputest

import (
	"testing"

	"github.com/graphc/graphc/rt/device"
)

// realGPU is none without the tag cuda: the interpreter does the work.
func realGPU(testing.TB) device.Device { return nil }
