package strs

// SummarizeString is SummarizeF32 for string.
func SummarizeString(dst []string, data []string, dims []int, p SummaryParams) {
	summarize(dst, data, dims, p)
}
