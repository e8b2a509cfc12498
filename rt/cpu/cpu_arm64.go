//go:build arm64 && !noasm

package cpu

import "os"

// HasNEON reports whether kernels may use Advanced SIMD. Every arm64 processor has it;
// GRAPHC_CPU=portable disables it.
var HasNEON = os.Getenv("GRAPHC_CPU") != "portable"

// Levels of amd64.
const (
	HasAVX2FMA = false
	HasAVX512  = false
)
