//go:build unix

package caserun

import "syscall"

// cpuTime returns the processor time in nanoseconds that this process has used so far. It returns
// false if the time is unknown.
func cpuTime() (int64, bool) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, false
	}
	return u.Utime.Nano() + u.Stime.Nano(), true
}
