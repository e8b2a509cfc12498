//go:build amd64 && !noasm

package cpu

// HasVNNI is AVX-512 with VPDPBUSD, which adds four products of bytes at once.
var HasVNNI = HasAVX512 && vnni()

func vnni() bool {
	_, _, c, _ := cpuid(7, 0)
	return c&(1<<11) != 0
}
