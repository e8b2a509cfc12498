package reduce

import "github.com/graphc/graphc/rt/device"

// SumF32 sets dst = Σ src over the axis; see the package for order and wrapping.
func SumF32(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &sumF32Rows, cols: &sumF32Cols}, dst, src, scratch, d, 4, plain, plain, plain)
}

// SumF64 is SumF32 for float64.
func SumF64(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &sumF64Rows, cols: &sumF64Cols}, dst, src, scratch, d, 8, plain, plain, plain)
}

// SumF16 is SumF32 for binary16.
func SumF16(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &sumF16Rows, cols: &sumF16Cols, rowsIn: &sumF16InRows, colsIn: &sumF16InCols, rowsOut: &sumF16OutRows, colsOut: &sumF16OutCols}, dst, src, scratch, d, 4, plain, plain, plain)
}

// SumBF16 is SumF32 for bfloat16.
func SumBF16(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &sumBF16Rows, cols: &sumBF16Cols, rowsIn: &sumBF16InRows, colsIn: &sumBF16InCols, rowsOut: &sumBF16OutRows, colsOut: &sumBF16OutCols}, dst, src, scratch, d, 4, plain, plain, plain)
}

// SumU8 is SumF32 for uint8.
func SumU8(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{cols: &sumU8Cols}, dst, src, scratch, d, 1, plain, plain, plain)
}

// SumU16 is SumF32 for uint16.
func SumU16(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{cols: &sumU16Cols}, dst, src, scratch, d, 2, plain, plain, plain)
}

// SumU32 is SumF32 for uint32.
func SumU32(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &sumU32Rows, cols: &sumU32Cols}, dst, src, scratch, d, 4, plain, plain, plain)
}

// SumU64 is SumF32 for uint64.
func SumU64(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &sumU64Rows, cols: &sumU64Cols}, dst, src, scratch, d, 8, plain, plain, plain)
}

// SumC64 is SumF32 for complex64.
func SumC64(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &sumC64Rows, cols: &sumC64Cols}, dst, src, scratch, d, 8, plain, plain, plain)
}

// SumC128 is SumF32 for complex128.
func SumC128(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &sumC128Rows, cols: &sumC128Cols}, dst, src, scratch, d, 16, plain, plain, plain)
}

// MeanF32 sets dst = Σ src / N over the axis.
func MeanF32(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &sumF32Rows, cols: &sumF32Cols}, dst, src, scratch, d, 4, mean(d.N), plain, mean(d.N))
}

// MeanF64 is MeanF32 for float64.
func MeanF64(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &sumF64Rows, cols: &sumF64Cols}, dst, src, scratch, d, 8, mean(d.N), plain, mean(d.N))
}

// MeanF16 is MeanF32 for binary16.
func MeanF16(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &sumF16Rows, cols: &sumF16Cols, rowsIn: &sumF16InRows, colsIn: &sumF16InCols, rowsOut: &sumF16OutRows, colsOut: &sumF16OutCols}, dst, src, scratch, d, 4, mean(d.N), plain, mean(d.N))
}

// MeanBF16 is MeanF32 for bfloat16.
func MeanBF16(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &sumBF16Rows, cols: &sumBF16Cols, rowsIn: &sumBF16InRows, colsIn: &sumBF16InCols, rowsOut: &sumBF16OutRows, colsOut: &sumBF16OutCols}, dst, src, scratch, d, 4, mean(d.N), plain, mean(d.N))
}

// MeanC64 is MeanF32 for complex64.
func MeanC64(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &sumC64Rows, cols: &sumC64Cols}, dst, src, scratch, d, 8, mean(d.N), plain, mean(d.N))
}

// MeanC128 is MeanF32 for complex128.
func MeanC128(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &sumC128Rows, cols: &sumC128Cols}, dst, src, scratch, d, 16, mean(d.N), plain, mean(d.N))
}

// ProdF32 sets dst = Π src over the axis.
func ProdF32(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &prodF32Rows, cols: &prodF32Cols}, dst, src, scratch, d, 4, 0, 0, 0)
}

// ProdF64 is ProdF32 for float64.
func ProdF64(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &prodF64Rows, cols: &prodF64Cols}, dst, src, scratch, d, 8, 0, 0, 0)
}

// ProdF16 is ProdF32 for binary16.
func ProdF16(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &prodF16Rows, cols: &prodF16Cols}, dst, src, scratch, d, 2, 0, 0, 0)
}

// ProdBF16 is ProdF32 for bfloat16.
func ProdBF16(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &prodBF16Rows, cols: &prodBF16Cols}, dst, src, scratch, d, 2, 0, 0, 0)
}

// ProdU8 is ProdF32 for uint8.
func ProdU8(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{cols: &prodU8Cols}, dst, src, scratch, d, 1, 0, 0, 0)
}

// ProdU16 is ProdF32 for uint16.
func ProdU16(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{cols: &prodU16Cols}, dst, src, scratch, d, 2, 0, 0, 0)
}

// ProdU32 is ProdF32 for uint32.
func ProdU32(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &prodU32Rows, cols: &prodU32Cols}, dst, src, scratch, d, 4, 0, 0, 0)
}

// ProdU64 is ProdF32 for uint64.
func ProdU64(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &prodU64Rows, cols: &prodU64Cols}, dst, src, scratch, d, 8, 0, 0, 0)
}

// ProdC64 is ProdF32 for complex64.
func ProdC64(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &prodC64Rows, cols: &prodC64Cols}, dst, src, scratch, d, 8, 0, 0, 0)
}

// ProdC128 is ProdF32 for complex128.
func ProdC128(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &prodC128Rows, cols: &prodC128Cols}, dst, src, scratch, d, 16, 0, 0, 0)
}

// MaxF32 sets dst to the largest elements along the axis; NaN where there is one.
func MaxF32(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &maxF32Rows, cols: &maxF32Cols}, dst, src, scratch, d, 4, 0, 0, 0)
}

// MaxF64 is MaxF32 for float64.
func MaxF64(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &maxF64Rows, cols: &maxF64Cols}, dst, src, scratch, d, 8, 0, 0, 0)
}

// MaxF16 is MaxF32 for binary16.
func MaxF16(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &maxF16Rows, cols: &maxF16Cols}, dst, src, scratch, d, 2, 0, 0, 0)
}

// MaxBF16 is MaxF32 for bfloat16.
func MaxBF16(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &maxBF16Rows, cols: &maxBF16Cols}, dst, src, scratch, d, 2, 0, 0, 0)
}

// MaxI8 is MaxF32 for int8.
func MaxI8(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{cols: &maxI8Cols}, dst, src, scratch, d, 1, 0, 0, 0)
}

// MaxU8 is MaxF32 for uint8.
func MaxU8(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{cols: &maxU8Cols}, dst, src, scratch, d, 1, 0, 0, 0)
}

// MaxI16 is MaxF32 for int16.
func MaxI16(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{cols: &maxI16Cols}, dst, src, scratch, d, 2, 0, 0, 0)
}

// MaxU16 is MaxF32 for uint16.
func MaxU16(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{cols: &maxU16Cols}, dst, src, scratch, d, 2, 0, 0, 0)
}

// MaxI32 is MaxF32 for int32.
func MaxI32(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &maxI32Rows, cols: &maxI32Cols}, dst, src, scratch, d, 4, 0, 0, 0)
}

// MaxU32 is MaxF32 for uint32.
func MaxU32(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{cols: &maxU32Cols}, dst, src, scratch, d, 4, 0, 0, 0)
}

// MaxI64 is MaxF32 for int64.
func MaxI64(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &maxI64Rows, cols: &maxI64Cols}, dst, src, scratch, d, 8, 0, 0, 0)
}

// MaxU64 is MaxF32 for uint64.
func MaxU64(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{cols: &maxU64Cols}, dst, src, scratch, d, 8, 0, 0, 0)
}

// MinF32 sets dst to the smallest elements along the axis; NaN where there is one.
func MinF32(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &minF32Rows, cols: &minF32Cols}, dst, src, scratch, d, 4, 0, 0, 0)
}

// MinF64 is MinF32 for float64.
func MinF64(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &minF64Rows, cols: &minF64Cols}, dst, src, scratch, d, 8, 0, 0, 0)
}

// MinF16 is MinF32 for binary16.
func MinF16(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &minF16Rows, cols: &minF16Cols}, dst, src, scratch, d, 2, 0, 0, 0)
}

// MinBF16 is MinF32 for bfloat16.
func MinBF16(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &minBF16Rows, cols: &minBF16Cols}, dst, src, scratch, d, 2, 0, 0, 0)
}

// MinI8 is MinF32 for int8.
func MinI8(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{cols: &minI8Cols}, dst, src, scratch, d, 1, 0, 0, 0)
}

// MinU8 is MinF32 for uint8.
func MinU8(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{cols: &minU8Cols}, dst, src, scratch, d, 1, 0, 0, 0)
}

// MinI16 is MinF32 for int16.
func MinI16(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{cols: &minI16Cols}, dst, src, scratch, d, 2, 0, 0, 0)
}

// MinU16 is MinF32 for uint16.
func MinU16(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{cols: &minU16Cols}, dst, src, scratch, d, 2, 0, 0, 0)
}

// MinI32 is MinF32 for int32.
func MinI32(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &minI32Rows, cols: &minI32Cols}, dst, src, scratch, d, 4, 0, 0, 0)
}

// MinU32 is MinF32 for uint32.
func MinU32(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{cols: &minU32Cols}, dst, src, scratch, d, 4, 0, 0, 0)
}

// MinI64 is MinF32 for int64.
func MinI64(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &minI64Rows, cols: &minI64Cols}, dst, src, scratch, d, 8, 0, 0, 0)
}

// MinU64 is MinF32 for uint64.
func MinU64(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{cols: &minU64Cols}, dst, src, scratch, d, 8, 0, 0, 0)
}

// AllBool sets dst to whether all elements along the axis are true: they are bytes of 0 and 1.
func AllBool(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &allBoolRows, cols: &allBoolCols}, dst, src, scratch, d, 1, 0, 0, 0)
}

// AnyBool sets dst to whether an element along the axis is true: they are bytes of 0 and 1.
func AnyBool(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &anyBoolRows, cols: &anyBoolCols}, dst, src, scratch, d, 1, 0, 0, 0)
}

// EuclideanNormF32 sets dst = √Σ src² over the axis.
func EuclideanNormF32(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &squareF32Rows, cols: &squareF32Cols}, dst, src, scratch, d, 4, square|root, square, root)
}

// EuclideanNormF64 is EuclideanNormF32 for float64.
func EuclideanNormF64(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &squareF64Rows, cols: &squareF64Cols}, dst, src, scratch, d, 8, square|root, square, root)
}

// EuclideanNormF16 is EuclideanNormF32 for binary16.
func EuclideanNormF16(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &squareF16Rows, cols: &squareF16Cols, rowsIn: &squareF16InRows, colsIn: &squareF16InCols, rowsOut: &squareF16OutRows, colsOut: &squareF16OutCols}, dst, src, scratch, d, 4, square|root, square, root)
}

// EuclideanNormBF16 is EuclideanNormF32 for bfloat16.
func EuclideanNormBF16(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &squareBF16Rows, cols: &squareBF16Cols, rowsIn: &squareBF16InRows, colsIn: &squareBF16InCols, rowsOut: &squareBF16OutRows, colsOut: &squareBF16OutCols}, dst, src, scratch, d, 4, square|root, square, root)
}

// EuclideanNormC64 is EuclideanNormF32 for complex64, of numbers times their conjugates.
func EuclideanNormC64(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{cols: &squareC64Cols}, dst, src, scratch, d, 8, square|root, square, root)
}

// EuclideanNormC128 is EuclideanNormC64 for complex128.
func EuclideanNormC128(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{cols: &squareC128Cols}, dst, src, scratch, d, 16, square|root, square, root)
}

// L2LossF32 sets dst = Σ src² / 2 over the axis.
func L2LossF32(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &squareF32Rows, cols: &squareF32Cols}, dst, src, scratch, d, 4, square|half, square, half)
}

// L2LossF64 is L2LossF32 for float64.
func L2LossF64(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &squareF64Rows, cols: &squareF64Cols}, dst, src, scratch, d, 8, square|half, square, half)
}

// L2LossF16 is L2LossF32 for binary16.
func L2LossF16(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &squareF16Rows, cols: &squareF16Cols, rowsIn: &squareF16InRows, colsIn: &squareF16InCols, rowsOut: &squareF16OutRows, colsOut: &squareF16OutCols}, dst, src, scratch, d, 4, square|half, square, half)
}

// L2LossBF16 is L2LossF32 for bfloat16.
func L2LossBF16(q *device.Queue, dst, src, scratch device.Ptr, d Dims) {
	run(q, set{rows: &squareBF16Rows, cols: &squareBF16Cols, rowsIn: &squareBF16InRows, colsIn: &squareBF16InCols, rowsOut: &squareBF16OutRows, colsOut: &squareBF16OutCols}, dst, src, scratch, d, 4, square|half, square, half)
}
