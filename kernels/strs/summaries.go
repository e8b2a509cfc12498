package strs

import "github.com/graphc/graphc/rt/tensor"

// SummarizeF32 writes data, of the given dimensions, as text to dst[0], unless the
// condition holds: one that is absent does not.
func SummarizeF32(dst []string, unless []bool, data []float32, dims []int, p SummaryParams) {
	summarize(dst, unless, data, dims, p)
}

// SummarizeF64 is SummarizeF32 for float64.
func SummarizeF64(dst []string, unless []bool, data []float64, dims []int, p SummaryParams) {
	summarize(dst, unless, data, dims, p)
}

// SummarizeF16 is SummarizeF32 for f16.
func SummarizeF16(dst []string, unless []bool, data []tensor.F16, dims []int, p SummaryParams) {
	summarize(dst, unless, data, dims, p)
}

// SummarizeBF16 is SummarizeF32 for bf16.
func SummarizeBF16(dst []string, unless []bool, data []tensor.BF16, dims []int, p SummaryParams) {
	summarize(dst, unless, data, dims, p)
}

// SummarizeI8 is SummarizeF32 for int8.
func SummarizeI8(dst []string, unless []bool, data []int8, dims []int, p SummaryParams) {
	summarize(dst, unless, data, dims, p)
}

// SummarizeI16 is SummarizeF32 for int16.
func SummarizeI16(dst []string, unless []bool, data []int16, dims []int, p SummaryParams) {
	summarize(dst, unless, data, dims, p)
}

// SummarizeI32 is SummarizeF32 for int32.
func SummarizeI32(dst []string, unless []bool, data []int32, dims []int, p SummaryParams) {
	summarize(dst, unless, data, dims, p)
}

// SummarizeI64 is SummarizeF32 for int64.
func SummarizeI64(dst []string, unless []bool, data []int64, dims []int, p SummaryParams) {
	summarize(dst, unless, data, dims, p)
}

// SummarizeU8 is SummarizeF32 for uint8.
func SummarizeU8(dst []string, unless []bool, data []uint8, dims []int, p SummaryParams) {
	summarize(dst, unless, data, dims, p)
}

// SummarizeU16 is SummarizeF32 for uint16.
func SummarizeU16(dst []string, unless []bool, data []uint16, dims []int, p SummaryParams) {
	summarize(dst, unless, data, dims, p)
}

// SummarizeU32 is SummarizeF32 for uint32.
func SummarizeU32(dst []string, unless []bool, data []uint32, dims []int, p SummaryParams) {
	summarize(dst, unless, data, dims, p)
}

// SummarizeU64 is SummarizeF32 for uint64.
func SummarizeU64(dst []string, unless []bool, data []uint64, dims []int, p SummaryParams) {
	summarize(dst, unless, data, dims, p)
}

// SummarizeBool is SummarizeF32 for bool.
func SummarizeBool(dst []string, unless []bool, data []bool, dims []int, p SummaryParams) {
	summarize(dst, unless, data, dims, p)
}

// SummarizeC64 is SummarizeF32 for c64.
func SummarizeC64(dst []string, unless []bool, data []complex64, dims []int, p SummaryParams) {
	summarize(dst, unless, data, dims, p)
}

// SummarizeC128 is SummarizeF32 for c128.
func SummarizeC128(dst []string, unless []bool, data []complex128, dims []int, p SummaryParams) {
	summarize(dst, unless, data, dims, p)
}

// SummarizeString is SummarizeF32 for string.
func SummarizeString(dst []string, unless []bool, data []string, dims []int, p SummaryParams) {
	summarize(dst, unless, data, dims, p)
}
