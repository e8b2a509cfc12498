//go:build !linux

package main

import "os"

// resident returns 0: only Linux counts in known units.
func resident(*os.ProcessState) int { return 0 }

func forget() {}
