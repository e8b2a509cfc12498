//go:build amd64 && !noasm

package cpu

import "os"

// HasAVX2FMA and HasAVX512 report whether a level is available: the processor and the operating
// system support it, and GRAPHC_CPU allows it.
var (
	HasAVX2FMA = detected >= AVX2
	HasAVX512  = detected >= AVX512
)

// HasNEON is false on amd64.
const HasNEON = false

var detected = min(detect(), fromEnv(os.Getenv("GRAPHC_CPU")))

func cpuid(leaf, sub uint32) (a, b, c, d uint32)
func xgetbv() (lo, hi uint32)

// fromEnv parses GRAPHC_CPU. For unknown text it returns AVX512, which means no limit.
func fromEnv(s string) Level {
	switch s {
	case "portable", "sse": // sse means the same as portable, because Go's compiler always uses SSE2
		return Portable
	case "avx2":
		return AVX2
	}
	return AVX512
}

// detect returns the highest level that the processor and the operating system support and
// GRAPHC_CPU allows. It follows Intel's manual, volume 1, sections 14.3 and 15.2: an instruction
// set counts as supported only if the operating system saves the registers that it uses (XCR0).
func detect() Level {
	const (
		fma, osxsave, avx, f16c                      = 1 << 12, 1 << 27, 1 << 28, 1 << 29
		bmi1, avx2, bmi2                             = 1 << 3, 1 << 5, 1 << 8
		avx512f, avx512dq, avx512bw, avx512vl        = 1 << 16, 1 << 17, 1 << 30, 1 << 31
		leaf1                                        = fma | osxsave | avx | f16c
		leaf7                                        = bmi1 | avx2 | bmi2
		leaf7wide                             uint32 = avx512f | avx512dq | avx512bw | avx512vl
	)
	top, _, _, _ := cpuid(0, 0)
	if top < 7 {
		return Portable
	}
	_, _, c1, _ := cpuid(1, 0)
	_, b7, _, _ := cpuid(7, 0)
	if c1&leaf1 != leaf1 || b7&leaf7 != leaf7 {
		return Portable
	}
	xcr0, _ := xgetbv()
	switch {
	case xcr0&0x06 != 0x06:
		return Portable
	case xcr0&0xe6 != 0xe6 || b7&leaf7wide != leaf7wide:
		return AVX2
	}
	return AVX512
}
