//go:build !linux

package verify

import (
	"runtime/debug"
	"time"
)

// limitMemory makes the garbage collector run more often when the process uses about 6 GiB.
func limitMemory() { debug.SetMemoryLimit(6 << 30) }

// resetPeak does nothing: the peak memory is unknown on this system.
func resetPeak() {}

// cpuTime returns 0, because the processor time is unknown on this system.
func cpuTime() time.Duration { return 0 }

// peakKB returns 0, because the peak memory is unknown on this system.
func peakKB() int { return 0 }
