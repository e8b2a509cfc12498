package parse

// ListTotalsF32 returns the number of values and of steps of all lists.
func ListTotalsF32(serialized []string, spans []int64, p ListParams) (values, steps int, err error) {
	return listTotals[float32](serialized, spans, &p)
}

// ListTotalsI64 is ListTotalsF32 for i64.
func ListTotalsI64(serialized []string, spans []int64, p ListParams) (values, steps int, err error) {
	return listTotals[int64](serialized, spans, &p)
}

// ListTotalsString is ListTotalsF32 for strings.
func ListTotalsString(serialized []string, spans []int64, p ListParams) (values, steps int, err error) {
	return listTotals[string](serialized, spans, &p)
}

// ListSparseF32 writes indices [n,3] (Flat: [n,2]), values [n] and the shape of all lists.
func ListSparseF32(indices []int64, dst []float32, shape []int64, serialized []string, spans []int64, p ListParams) error {
	return listSparse(indices, dst, shape, serialized, spans, &p)
}

// ListSparseI64 is ListSparseF32 for i64.
func ListSparseI64(indices []int64, dst []int64, shape []int64, serialized []string, spans []int64, p ListParams) error {
	return listSparse(indices, dst, shape, serialized, spans, &p)
}

// ListSparseString is ListSparseF32 for strings.
func ListSparseString(indices []int64, dst []string, shape []int64, serialized []string, spans []int64, p ListParams) error {
	return listSparse(indices, dst, shape, serialized, spans, &p)
}

// ListLongestF32 returns the most steps a list has. InvalidArgument for a step that has not Elems
// values, and for an example that lacks the list unless Missing allows it.
func ListLongestF32(serialized []string, spans []int64, p ListParams) (int, error) {
	return listLongest[float32](serialized, spans, &p)
}

// ListLongestI64 is ListLongestF32 for i64.
func ListLongestI64(serialized []string, spans []int64, p ListParams) (int, error) {
	return listLongest[int64](serialized, spans, &p)
}

// ListLongestString is ListLongestF32 for strings.
func ListLongestString(serialized []string, spans []int64, p ListParams) (int, error) {
	return listLongest[string](serialized, spans, &p)
}

// ListDenseF32 writes every list to a row of Steps times Elems values, filled up with the type's zero, and
// how many steps each has to lengths, where there is room.
func ListDenseF32(dst []float32, lengths []int64, serialized []string, spans []int64, p ListParams) error {
	return listDense(dst, lengths, serialized, spans, &p)
}

// ListDenseI64 is ListDenseF32 for i64.
func ListDenseI64(dst []int64, lengths []int64, serialized []string, spans []int64, p ListParams) error {
	return listDense(dst, lengths, serialized, spans, &p)
}

// ListDenseString is ListDenseF32 for strings.
func ListDenseString(dst []string, lengths []int64, serialized []string, spans []int64, p ListParams) error {
	return listDense(dst, lengths, serialized, spans, &p)
}

// ListRagged64F32 writes the values of all lists, the row splits of the lists into steps, and those of
// the steps into values; Flat writes 0 as the only outer one.
func ListRagged64F32(dst []float32, outer, inner []int64, serialized []string, spans []int64, p ListParams) error {
	return listRagged(dst, outer, inner, serialized, spans, &p)
}

// ListRagged64I64 is ListRagged64F32 for i64.
func ListRagged64I64(dst []int64, outer, inner []int64, serialized []string, spans []int64, p ListParams) error {
	return listRagged(dst, outer, inner, serialized, spans, &p)
}

// ListRagged64String is ListRagged64F32 for strings.
func ListRagged64String(dst []string, outer, inner []int64, serialized []string, spans []int64, p ListParams) error {
	return listRagged(dst, outer, inner, serialized, spans, &p)
}

// ListRagged32F32 writes the values of all lists, the row splits of the lists into steps, and those of
// the steps into values; Flat writes 0 as the only outer one.
func ListRagged32F32(dst []float32, outer, inner []int32, serialized []string, spans []int64, p ListParams) error {
	return listRagged(dst, outer, inner, serialized, spans, &p)
}

// ListRagged32I64 is ListRagged32F32 for i64.
func ListRagged32I64(dst []int64, outer, inner []int32, serialized []string, spans []int64, p ListParams) error {
	return listRagged(dst, outer, inner, serialized, spans, &p)
}

// ListRagged32String is ListRagged32F32 for strings.
func ListRagged32String(dst []string, outer, inner []int32, serialized []string, spans []int64, p ListParams) error {
	return listRagged(dst, outer, inner, serialized, spans, &p)
}
