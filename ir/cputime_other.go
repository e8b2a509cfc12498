//go:build !unix

package ir

import "time"

// CPUTime returns how long this process has run: its processor time is not available here.
func CPUTime() time.Duration { return time.Since(started) }

var started = time.Now()
