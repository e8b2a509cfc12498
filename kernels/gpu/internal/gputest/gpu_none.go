//go:build !(cuda && cgo && linux)

package gputest

import (
	"testing"

	"github.com/graphc/graphc/rt/device"
)

// realGPU returns nil: without the tag cuda, the interpreter runs the kernels.
func realGPU(testing.TB) device.Device { return nil }
