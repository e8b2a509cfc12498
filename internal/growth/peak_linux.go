package main

import "syscall"

// peakMemory returns the largest number of bytes that this process has had in memory.
func peakMemory() (int64, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return int64(u.Maxrss) << 10, err
}
