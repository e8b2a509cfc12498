// Package cpu reports which instruction sets kernels may use.
//
// A kernel calls UseAVX512, UseAVX2 or UseNEON each time it runs, and selects the code for the best
// instruction set that it may use. Two settings restrict the choice to a lower level. The
// environment variable GRAPHC_CPU (portable or sse, avx2, avx512, neon) limits the level for the
// whole life of the process. SetLimit limits it until the next call of SetLimit. Constant folding
// runs at the level Portable, so that folded constants do not depend on the machine on which graphc
// runs.
package cpu

import "sync/atomic"

// Level is a set of instructions. A higher level includes the lower ones.
type Level int32

// The levels.
const (
	Portable Level = iota // Go code only
	AVX2                  // the instruction sets AVX2, FMA, F16C, BMI1 and BMI2
	AVX512                // in addition, the instruction sets AVX-512 F, BW, DQ and VL

	NEON = AVX2 // on arm64: Advanced SIMD, which every arm64 processor has
)

// String returns the level's name, as in GRAPHC_CPU.
func (l Level) String() string {
	switch {
	case l >= AVX512:
		return "avx512"
	case l == NEON && HasNEON:
		return "neon"
	case l == AVX2:
		return "avx2"
	}
	return "portable"
}

// lowered says by how many levels SetLimit has lowered the limit, counted down from AVX512. The
// zero value means that there is no limit.
var lowered atomic.Int32

// SetLimit limits kernels in all goroutines to level l from now on, and returns the previous
// limit. A limit above the machine's level has no effect.
func SetLimit(l Level) Level {
	l = min(max(l, Portable), AVX512)
	return AVX512 - Level(lowered.Swap(int32(AVX512-l)))
}

// Available returns the highest level that this machine, GRAPHC_CPU and the build allow.
func Available() Level {
	switch {
	case HasAVX512:
		return AVX512
	case HasAVX2FMA:
		return AVX2
	case HasNEON:
		return NEON
	}
	return Portable
}

// UseAVX512 reports whether a kernel may use AVX-512 F, BW, DQ and VL now.
func UseAVX512() bool { return HasAVX512 && lowered.Load() == 0 }

// UseAVX2 reports whether a kernel may use AVX2, FMA, F16C and BMI now.
func UseAVX2() bool { return HasAVX2FMA && lowered.Load() <= 1 }

// UseNEON reports whether a kernel may use arm64's Advanced SIMD now.
func UseNEON() bool { return HasNEON && lowered.Load() <= 1 }
