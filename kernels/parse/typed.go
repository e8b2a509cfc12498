package parse

// DenseF32 writes the values of every example that has Elems of them, and def for one
// that lacks the feature. InvalidArgument when there is no default, and for another number.
func DenseF32(dst []float32, serialized []string, spans []int64, def []float32, p Params) error {
	return dense(dst, serialized, spans, def, &p)
}

// DenseI64 is DenseF32 for i64.
func DenseI64(dst []int64, serialized []string, spans []int64, def []int64, p Params) error {
	return dense(dst, serialized, spans, def, &p)
}

// DenseString is DenseF32 for strings.
func DenseString(dst []string, serialized []string, spans []int64, def []string, p Params) error {
	return dense(dst, serialized, spans, def, &p)
}

// LongestF32 returns the most steps, of Elems values each, an example has.
func LongestF32(serialized []string, spans []int64, p Params) (int, error) {
	return longest[float32](serialized, spans, &p)
}

// LongestI64 is LongestF32 for i64.
func LongestI64(serialized []string, spans []int64, p Params) (int, error) {
	return longest[int64](serialized, spans, &p)
}

// LongestString is LongestF32 for strings.
func LongestString(serialized []string, spans []int64, p Params) (int, error) {
	return longest[string](serialized, spans, &p)
}

// PaddedF32 writes every example to a row of Width values, filled up with def, one value or none.
func PaddedF32(dst []float32, serialized []string, spans []int64, def []float32, p Params) error {
	return padded(dst, serialized, spans, def, &p)
}

// PaddedI64 is PaddedF32 for i64.
func PaddedI64(dst []int64, serialized []string, spans []int64, def []int64, p Params) error {
	return padded(dst, serialized, spans, def, &p)
}

// PaddedString is PaddedF32 for strings.
func PaddedString(dst []string, serialized []string, spans []int64, def []string, p Params) error {
	return padded(dst, serialized, spans, def, &p)
}

// TotalF32 returns the number of values of all examples.
func TotalF32(serialized []string, spans []int64, p Params) (int, error) {
	return total[float32](serialized, spans, &p)
}

// TotalI64 is TotalF32 for i64.
func TotalI64(serialized []string, spans []int64, p Params) (int, error) {
	return total[int64](serialized, spans, &p)
}

// TotalString is TotalF32 for strings.
func TotalString(serialized []string, spans []int64, p Params) (int, error) {
	return total[string](serialized, spans, &p)
}

// SparseF32 writes the values as a sparse matrix with a row an example; with Flat as a
// sparse vector of the one example.
func SparseF32(indices []int64, dst []float32, shape []int64, serialized []string, spans []int64, p Params) error {
	return sparse(indices, dst, shape, serialized, spans, &p)
}

// SparseI64 is SparseF32 for i64.
func SparseI64(indices []int64, dst []int64, shape []int64, serialized []string, spans []int64, p Params) error {
	return sparse(indices, dst, shape, serialized, spans, &p)
}

// SparseString is SparseF32 for strings.
func SparseString(indices []int64, dst []string, shape []int64, serialized []string, spans []int64, p Params) error {
	return sparse(indices, dst, shape, serialized, spans, &p)
}

// Ragged32F32 writes the values of all examples and where each begins, and their number; with Flat no beginnings.
func Ragged32F32(dst []float32, splits []int32, serialized []string, spans []int64, p Params) error {
	return ragged(dst, splits, serialized, spans, &p)
}

// Ragged32I64 is Ragged32F32 for values of int64 and splits of int32.
func Ragged32I64(dst []int64, splits []int32, serialized []string, spans []int64, p Params) error {
	return ragged(dst, splits, serialized, spans, &p)
}

// Ragged32String is Ragged32F32 for values of string and splits of int32.
func Ragged32String(dst []string, splits []int32, serialized []string, spans []int64, p Params) error {
	return ragged(dst, splits, serialized, spans, &p)
}

// Ragged64F32 is Ragged32F32 for values of float32 and splits of int64.
func Ragged64F32(dst []float32, splits []int64, serialized []string, spans []int64, p Params) error {
	return ragged(dst, splits, serialized, spans, &p)
}

// Ragged64I64 is Ragged32F32 for values of int64 and splits of int64.
func Ragged64I64(dst []int64, splits []int64, serialized []string, spans []int64, p Params) error {
	return ragged(dst, splits, serialized, spans, &p)
}

// Ragged64String is Ragged32F32 for values of string and splits of int64.
func Ragged64String(dst []string, splits []int64, serialized []string, spans []int64, p Params) error {
	return ragged(dst, splits, serialized, spans, &p)
}
