//go:build !linux

package verify

import (
	"runtime/debug"
	"time"
)

// limitMemory makes the collector work harder before memory runs out.
func limitMemory() { debug.SetMemoryLimit(6 << 30) }

// resetPeak does nothing: what a process has at most is not told here.
func resetPeak() {}

// cpuTime returns 0: it is not told here.
func cpuTime() time.Duration { return 0 }

// peakKB returns 0: it is not told here.
func peakKB() int { return 0 }
