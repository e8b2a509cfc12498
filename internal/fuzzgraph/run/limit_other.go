//go:build !linux

package main

import "runtime/debug"

// limitMemory makes the garbage collector run more often when the process uses nearly 1500 MiB.
func limitMemory() { debug.SetMemoryLimit(1500 << 20) }
