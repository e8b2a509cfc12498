package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"syscall"
)

// resident is how many bytes of memory a process that has ended held at most, 0 where that
// is not known: Linux begins to count with what this process held at most when it started
// the other.
func resident(s *os.ProcessState) int {
	u, ok := s.SysUsage().(*syscall.Rusage)
	if !ok || int(u.Maxrss) <= held() {
		return 0
	}
	return int(u.Maxrss) << 10
}

// held is how much memory this process held at most since it forgot, in KiB.
func held() (most int) {
	raw, _ := os.ReadFile("/proc/self/status") // without it nothing is subtracted
	for s := bufio.NewScanner(bytes.NewReader(raw)); s.Scan(); {
		if n, _ := fmt.Sscanf(s.Text(), "VmHWM: %d kB", &most); n == 1 {
			return most
		}
	}
	return 0
}

// forget frees what this process uses no more, keeps it small from here on, and has Linux
// forget how much it held.
func forget() {
	debug.SetMemoryLimit(64 << 20)
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // where it is refused, held is more
}
