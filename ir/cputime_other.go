//go:build !unix

package ir

import "time"

// CPUTime returns how long this process has run: the processor time is not available on this
// platform.
func CPUTime() time.Duration { return time.Since(started) }

var started = time.Now()
