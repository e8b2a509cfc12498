package caserun

import "syscall"

// cpuTime returns the processor time in nanoseconds that this process has used so far. It returns
// false if the time is unknown.
func cpuTime() (int64, bool) {
	var created, ended, kernel, user syscall.Filetime
	self, err := syscall.GetCurrentProcess()
	if err != nil || syscall.GetProcessTimes(self, &created, &ended, &kernel, &user) != nil {
		return 0, false
	}
	return 100 * (ticks(kernel) + ticks(user)), true
}

// ticks returns a length of time as a number of units of 100 ns.
func ticks(t syscall.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
