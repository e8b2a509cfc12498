package count

import "github.com/graphc/graphc/rt/tensor"

// The kernels below count values by row and value, in that order, in dst, or sum their weights, and
// return how many different ones there are: their indices [n,Inner], and the shape
// that holds them, of Inner elements. rows has the row of each value at Rank times its number,
// batches[0] is the number of rows. indices and dst have room for all values, order
// is scratch for as many. InvalidArgument for a negative value, no rows, and weights that are not as many.

// TallyF32 counts in float32.
func TallyF32(indices []int64, dst []float32, shape, rows, batches, values []int64, weights []float32, order []int64, p TallyParams) (int, error) {
	return tally(indices, dst, shape, rows, batches, values, weights, order, p)
}

// TallyF64 counts in float64.
func TallyF64(indices []int64, dst []float64, shape, rows, batches, values []int64, weights []float64, order []int64, p TallyParams) (int, error) {
	return tally(indices, dst, shape, rows, batches, values, weights, order, p)
}

// TallyI8 counts in int8.
func TallyI8(indices []int64, dst []int8, shape, rows, batches, values []int64, weights []int8, order []int64, p TallyParams) (int, error) {
	return tally(indices, dst, shape, rows, batches, values, weights, order, p)
}

// TallyI16 counts in int16.
func TallyI16(indices []int64, dst []int16, shape, rows, batches, values []int64, weights []int16, order []int64, p TallyParams) (int, error) {
	return tally(indices, dst, shape, rows, batches, values, weights, order, p)
}

// TallyI32 counts in int32.
func TallyI32(indices []int64, dst []int32, shape, rows, batches, values []int64, weights []int32, order []int64, p TallyParams) (int, error) {
	return tally(indices, dst, shape, rows, batches, values, weights, order, p)
}

// TallyI64 counts in int64.
func TallyI64(indices []int64, dst []int64, shape, rows, batches, values []int64, weights []int64, order []int64, p TallyParams) (int, error) {
	return tally(indices, dst, shape, rows, batches, values, weights, order, p)
}

// TallyU8 counts in uint8.
func TallyU8(indices []int64, dst []uint8, shape, rows, batches, values []int64, weights []uint8, order []int64, p TallyParams) (int, error) {
	return tally(indices, dst, shape, rows, batches, values, weights, order, p)
}

// TallyU16 counts in uint16.
func TallyU16(indices []int64, dst []uint16, shape, rows, batches, values []int64, weights []uint16, order []int64, p TallyParams) (int, error) {
	return tally(indices, dst, shape, rows, batches, values, weights, order, p)
}

// TallyU32 counts in uint32.
func TallyU32(indices []int64, dst []uint32, shape, rows, batches, values []int64, weights []uint32, order []int64, p TallyParams) (int, error) {
	return tally(indices, dst, shape, rows, batches, values, weights, order, p)
}

// TallyU64 counts in uint64.
func TallyU64(indices []int64, dst []uint64, shape, rows, batches, values []int64, weights []uint64, order []int64, p TallyParams) (int, error) {
	return tally(indices, dst, shape, rows, batches, values, weights, order, p)
}

// The kernels below count values, or sum their weights, in rows of bins; see
// BinsAtParams. InvalidArgument for weights that are not as many as values.

// BinsAtF32 counts in float32.
func BinsAtF32(dst []float32, rows, values []int64, weights []float32, p BinsAtParams) error {
	return binsAt(dst, rows, values, weights, p)
}

// BinsAtF64 counts in float64.
func BinsAtF64(dst []float64, rows, values []int64, weights []float64, p BinsAtParams) error {
	return binsAt(dst, rows, values, weights, p)
}

// BinsAtI8 counts in int8.
func BinsAtI8(dst []int8, rows, values []int64, weights []int8, p BinsAtParams) error {
	return binsAt(dst, rows, values, weights, p)
}

// BinsAtI16 counts in int16.
func BinsAtI16(dst []int16, rows, values []int64, weights []int16, p BinsAtParams) error {
	return binsAt(dst, rows, values, weights, p)
}

// BinsAtI32 counts in int32.
func BinsAtI32(dst []int32, rows, values []int64, weights []int32, p BinsAtParams) error {
	return binsAt(dst, rows, values, weights, p)
}

// BinsAtI64 counts in int64.
func BinsAtI64(dst []int64, rows, values []int64, weights []int64, p BinsAtParams) error {
	return binsAt(dst, rows, values, weights, p)
}

// BinsAtU8 counts in uint8.
func BinsAtU8(dst []uint8, rows, values []int64, weights []uint8, p BinsAtParams) error {
	return binsAt(dst, rows, values, weights, p)
}

// BinsAtU16 counts in uint16.
func BinsAtU16(dst []uint16, rows, values []int64, weights []uint16, p BinsAtParams) error {
	return binsAt(dst, rows, values, weights, p)
}

// BinsAtU32 counts in uint32.
func BinsAtU32(dst []uint32, rows, values []int64, weights []uint32, p BinsAtParams) error {
	return binsAt(dst, rows, values, weights, p)
}

// BinsAtU64 counts in uint64.
func BinsAtU64(dst []uint64, rows, values []int64, weights []uint64, p BinsAtParams) error {
	return binsAt(dst, rows, values, weights, p)
}

// BinsAtC64 counts in complex64.
func BinsAtC64(dst []complex64, rows, values []int64, weights []complex64, p BinsAtParams) error {
	return binsAt(dst, rows, values, weights, p)
}

// BinsAtC128 counts in complex128.
func BinsAtC128(dst []complex128, rows, values []int64, weights []complex128, p BinsAtParams) error {
	return binsAt(dst, rows, values, weights, p)
}

// BinsAtF16 counts in tensor.F16.
func BinsAtF16(dst []tensor.F16, rows, values []int64, weights []tensor.F16, p BinsAtParams) error {
	return halfBinsAt(dst, rows, values, weights, p, getF16, tensor.ToF16)
}

// BinsAtBF16 counts in tensor.BF16.
func BinsAtBF16(dst []tensor.BF16, rows, values []int64, weights []tensor.BF16, p BinsAtParams) error {
	return halfBinsAt(dst, rows, values, weights, p, getBF16, tensor.ToBF16)
}
