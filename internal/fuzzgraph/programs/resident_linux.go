package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"syscall"
)

// resident returns the peak memory in bytes of a child process that has ended, or 0 if it is
// unknown. At its start, a child process has a copy of its parent's memory, and Linux counts this
// memory as well. Therefore a peak is known only if it is above that of the parent, which is this
// process.
func resident(s *os.ProcessState) int {
	u, ok := s.SysUsage().(*syscall.Rusage)
	if !ok || int(u.Maxrss) <= held() {
		return 0
	}
	return int(u.Maxrss) << 10
}

// held returns the peak memory of this process in KiB since the last call of forget.
func held() (most int) {
	raw, _ := os.ReadFile("/proc/self/status") // if the file cannot be read, the result is 0
	for s := bufio.NewScanner(bytes.NewReader(raw)); s.Scan(); {
		if n, _ := fmt.Sscanf(s.Text(), "VmHWM: %d kB", &most); n == 1 {
			return most
		}
	}
	return 0
}

// forget frees unused memory of this process, limits its size from here on, and resets the peak
// memory that Linux records.
func forget() {
	debug.SetMemoryLimit(64 << 20)
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // if this fails, held returns a larger number
}
