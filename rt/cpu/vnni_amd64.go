//go:build amd64 && !noasm

package cpu

// HasVNNI reports whether AVX-512 with the instruction VPDPBUSD is available. The instruction adds
// four products of bytes at once.
var HasVNNI = HasAVX512 && vnni()

func vnni() bool {
	_, _, c, _ := cpuid(7, 0)
	return c&(1<<11) != 0
}
