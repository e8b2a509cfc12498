//go:build !unix && !windows

package caserun

// cpuTime returns false: the processor time is unknown on this platform.
func cpuTime() (int64, bool) { return 0, false }
