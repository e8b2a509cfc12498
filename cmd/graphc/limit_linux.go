package main

import (
	"runtime/debug"
	"syscall"
)

// memoryLimit bounds the address space of a process that runs an untrusted case.
const memoryLimit = 12 << 30

// limitMemory lets this process fail instead of the machine when a case asks
// for too much memory.
func limitMemory() {
	lim := syscall.Rlimit{Cur: memoryLimit, Max: memoryLimit}
	_ = syscall.Setrlimit(syscall.RLIMIT_AS, &lim) // a lower hard limit stays
	debug.SetMemoryLimit(memoryLimit / 2)
}
