//go:build amd64 && !noasm

package panel

import "github.com/graphc/graphc/rt/cpu"

// Peak multiplies and adds in registers, as fast as the machine can at the level
// in force, about n times, and returns how many operations it did.
// Benchmarks compare with it.
func Peak(n int) int {
	const ops = 2 * 48
	switch {
	case cpu.UseAVX512():
		r := max(n/(ops*16), 1)
		peak512(uintptr(r))
		return r * ops * 16
	case cpu.UseAVX2():
		r := max(n/(ops*8), 1)
		peak256(uintptr(r))
		return r * ops * 8
	}
	return 0
}

// Read loads all of s but a rest below 64 floats, in four streams, as benchmarks
// of what is bound by memory compare with; it returns the number of bytes.
func Read(s []float32) int {
	n := len(s) / 64
	if n == 0 || !cpu.UseAVX2() {
		return 0
	}
	read256((*byte)(at(s, 0)), uintptr(n*64), uintptr(n))
	return n * 256
}
