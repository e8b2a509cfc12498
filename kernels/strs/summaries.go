package strs

// SummarizeString is SummarizeF32 for string.
func SummarizeString(dst []string, unless []bool, data []string, dims []int, p SummaryParams) {
	summarize(dst, unless, data, dims, p)
}
