//go:build amd64 && !noasm

package panel

import "github.com/graphc/graphc/rt/cpu"

// Peak executes about n multiplications and additions in registers, at the highest rate that the
// enabled vector instructions allow. It returns the exact number of these operations. Benchmarks
// compare the rates of other functions with this rate.
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

// Read loads the elements of s into registers, in four streams, and returns the number of bytes
// that it has loaded. It omits up to 63 floats at the end of s. Benchmarks of memory-bound code
// compare their rates with this rate.
func Read(s []float32) int {
	n := len(s) / 64
	if n == 0 || !cpu.UseAVX2() {
		return 0
	}
	read256((*byte)(at(s, 0)), uintptr(n*64), uintptr(n))
	return n * 256
}
