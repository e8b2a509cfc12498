//go:build !linux

package main

import "runtime/debug"

// limitMemory makes the collector work harder before memory runs out.
func limitMemory() { debug.SetMemoryLimit(1500 << 20) }
