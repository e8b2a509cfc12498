package verify

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"syscall"
	"time"
)

// memoryLimit is the maximum size in bytes of the address space of a worker process, which may run
// an untrusted case.
const memoryLimit = 12 << 30

// limitMemory makes this process fail if a case needs too much memory, before the machine runs out.
func limitMemory() {
	lim := syscall.Rlimit{Cur: memoryLimit, Max: memoryLimit}
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &lim) // an error means that the hard limit is already lower
	debug.SetMemoryLimit(memoryLimit / 2)
}

// resetPeak frees unused memory and makes Linux record the peak memory of this process from now on.
func resetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // if this fails, peakKB also includes the peak memory of earlier cases
}

// cpuTime returns the processor time of this process.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakKB returns the peak memory in KiB of this process since the last call of resetPeak, or 0 if
// it is unknown.
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
