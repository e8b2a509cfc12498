//go:build arm64 && !noasm

package cpu

import "os"

// HasNEON is whether kernels have Advanced SIMD, which every arm64 processor has
// and GRAPHC_CPU=portable takes away.
var HasNEON = os.Getenv("GRAPHC_CPU") != "portable"

// What amd64 has.
const (
	HasAVX2FMA = false
	HasAVX512  = false
)
