//go:build !(amd64 || arm64) || noasm

package cpu

// Without assembly every kernel is portable Go.
const (
	HasAVX2FMA = false
	HasAVX512  = false
	HasNEON    = false
)
