//go:build !unix

package ir

import "time"

// CPUTime is how long this process runs: the processor time that it has used is not known here.
func CPUTime() time.Duration { return time.Since(started) }

var started = time.Now()
