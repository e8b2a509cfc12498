package cpu

// UseVNNI reports whether a kernel may use AVX-512 with VNNI now.
func UseVNNI() bool { return HasVNNI && UseAVX512() }
