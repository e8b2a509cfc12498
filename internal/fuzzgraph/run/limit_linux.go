package main

import (
	"runtime/debug"
	"syscall"
)

// limitMemory makes this process fail before the machine runs out of memory.
func limitMemory() {
	lim := syscall.Rlimit{Cur: 10 << 30, Max: 10 << 30}
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &lim) // a lower hard limit stays
	debug.SetMemoryLimit(1500 << 20)
}
