package parse

// ListTotalsString is ListTotalsF32 for strings.
func ListTotalsString(serialized []string, spans []int64, p ListParams) (values, steps int, err error) {
	return listTotals[string](serialized, spans, &p)
}

// ListSparseString is ListSparseF32 for strings.
func ListSparseString(indices []int64, dst []string, shape []int64, serialized []string, spans []int64, p ListParams) error {
	return listSparse(indices, dst, shape, serialized, spans, &p)
}

// ListLongestString is ListLongestF32 for strings.
func ListLongestString(serialized []string, spans []int64, p ListParams) (int, error) {
	return listLongest[string](serialized, spans, &p)
}

// ListDenseString is ListDenseF32 for strings.
func ListDenseString(dst []string, serialized []string, spans []int64, p ListParams) error {
	return listDense(dst, serialized, spans, &p)
}

// ListRagged64String is ListRagged64F32 for strings.
func ListRagged64String(dst []string, outer, inner []int64, serialized []string, spans []int64, p ListParams) error {
	return listRagged(dst, outer, inner, serialized, spans, &p)
}

// ListRagged32String is ListRagged32F32 for strings.
func ListRagged32String(dst []string, outer, inner []int32, serialized []string, spans []int64, p ListParams) error {
	return listRagged(dst, outer, inner, serialized, spans, &p)
}
