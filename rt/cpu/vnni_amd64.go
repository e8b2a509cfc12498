//go:build amd64 && !noasm

package cpu

// HasVNNI reports whether AVX-512 with the instruction VPDPBUSD is available. For each 32-bit lane,
// the instruction adds four products of bytes to a sum.
var HasVNNI = HasAVX512 && vnni()

func vnni() bool {
	_, _, c, _ := cpuid(7, 0)
	return c&(1<<11) != 0
}
