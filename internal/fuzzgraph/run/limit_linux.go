package main

import (
	"runtime/debug"
	"syscall"
)

// limitMemory makes this process fail before the machine runs out of memory.
func limitMemory() {
	lim := syscall.Rlimit{Cur: 10 << 30, Max: 10 << 30}
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &lim) // an error means that the hard limit is already lower
	debug.SetMemoryLimit(1500 << 20)
}
