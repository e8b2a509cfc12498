package parse

// DenseString is DenseF32 for strings.
func DenseString(dst []string, serialized []string, spans []int64, def []string, p Params) error {
	return dense(dst, serialized, spans, def, &p)
}

// LongestString is LongestF32 for strings.
func LongestString(serialized []string, spans []int64, p Params) (int, error) {
	return longest[string](serialized, spans, &p)
}

// PaddedString is PaddedF32 for strings.
func PaddedString(dst []string, serialized []string, spans []int64, def []string, p Params) error {
	return padded(dst, serialized, spans, def, &p)
}

// TotalString is TotalF32 for strings.
func TotalString(serialized []string, spans []int64, p Params) (int, error) {
	return total[string](serialized, spans, &p)
}

// SparseString is SparseF32 for strings.
func SparseString(indices []int64, dst []string, shape []int64, serialized []string, spans []int64, p Params) error {
	return sparse(indices, dst, shape, serialized, spans, &p)
}
