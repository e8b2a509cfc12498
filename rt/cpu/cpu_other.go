//go:build !(amd64 || arm64) || noasm

package cpu

// Without assembly all kernels are portable Go.
const (
	HasAVX2FMA = false
	HasAVX512  = false
	HasNEON    = false
)
