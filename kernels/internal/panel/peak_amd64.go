//go:build amd64 && !noasm

package panel

import "github.com/graphc/graphc/rt/cpu"

// Peak runs about n multiplications and additions in registers, as fast as the enabled vector
// instructions can, and returns how many operations these were. Benchmarks compare with this rate.
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

// Read loads s in four streams, except a rest of less than 64 floats, and returns the number of
// bytes. Benchmarks of memory-bound code compare with this rate.
func Read(s []float32) int {
	n := len(s) / 64
	if n == 0 || !cpu.UseAVX2() {
		return 0
	}
	read256((*byte)(at(s, 0)), uintptr(n*64), uintptr(n))
	return n * 256
}
