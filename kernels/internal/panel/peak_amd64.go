//go:build amd64 && !noasm

package panel

import "github.com/graphc/graphc/rt/cpu"

// Peak multiplies and adds in registers about n times, as fast as the machine can at the
// current level, and returns how many operations it did. Benchmarks compare with it.
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

// Read loads all of s except a rest below 64 floats, in four streams, and returns the
// number of bytes. Benchmarks of memory-bound code compare with it.
func Read(s []float32) int {
	n := len(s) / 64
	if n == 0 || !cpu.UseAVX2() {
		return 0
	}
	read256((*byte)(at(s, 0)), uintptr(n*64), uintptr(n))
	return n * 256
}
