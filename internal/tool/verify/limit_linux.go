package verify

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"syscall"
	"time"
)

// memoryLimit bounds the address space of a process that runs an untrusted case.
const memoryLimit = 12 << 30

// limitMemory makes this process fail if a case needs too much memory, before the machine runs out.
func limitMemory() {
	lim := syscall.Rlimit{Cur: memoryLimit, Max: memoryLimit}
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &lim) // fails if the hard limit is already lower
	debug.SetMemoryLimit(memoryLimit / 2)
}

// resetPeak resets the peak of this process's memory.
func resetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // if not permitted, peakKB covers all cases so far
}

// cpuTime returns the processor time of this process.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakKB returns the peak memory of this process since resetPeak, or 0 if it is unknown.
func peakKB() int {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, ok := bytes.Cut(data, []byte("VmHWM:"))
	n := 0
	if !ok {
		return 0
	}
	if _, err := fmt.Sscan(string(after[:min(len(after), 40)]), &n); err != nil {
		return 0
	}
	return n
}
