//go:build !linux

package main

import "runtime"

// peakMemory returns the number of bytes that Go has got from the system: the largest number of bytes
// in memory is not available on this system.
func peakMemory() (int64, error) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys), nil
}
