package main

import (
	"runtime/debug"
	"syscall"
)

// limitMemory lets this process fail instead of the machine.
func limitMemory() {
	lim := syscall.Rlimit{Cur: 10 << 30, Max: 10 << 30}
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &lim) // a lower hard limit stays
	debug.SetMemoryLimit(1500 << 20)
}
