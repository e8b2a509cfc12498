//go:build !(amd64 || arm64) || noasm

package cpu

// In builds without assembly, all kernels are portable Go code.
const (
	HasAVX2FMA = false
	HasAVX512  = false
	HasNEON    = false
)
