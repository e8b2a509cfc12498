// Package softmax holds softmax, its logarithm, and cross entropies with their gradients,
// on a GPU. Rows are contiguous. The largest element is subtracted first; halves and
// float32 are computed in float32, in a fixed order. A row that holds +Inf or NaN, or only
// -Inf, is NaN.
package softmax

import (
	"math"

	"github.com/graphc/graphc/rt/device"
)

// launch gives each row a warp, or a block where it is long.
func launch(q *device.Queue, k *device.Kernel, rows, n int, args ...uint64) {
	if rows == 0 {
		return
	}
	block := device.Dim{X: 32, Y: 8, Z: 1}
	if n > 8192 {
		block = device.Dim{X: 1024, Y: 1, Z: 1}
	} else if n > 1024 {
		block = device.Dim{X: 256, Y: 1, Z: 1}
	}
	q.Launch(k, device.Line((rows+block.Y-1)/block.Y), block, 0, args...)
}

// MaskedParams describes the softmax of attention: rows of N elements, a tensor
// [B, H, T, N] of them. Row r is b = r/(H·T), h = r/T mod H, t = r mod T; its mask is row
// b·MaskB + h·MaskH + t·MaskT of the mask's rows, so that a stride of 0 repeats it.
type MaskedParams struct {
	Rows, N, H, T       int
	MaskB, MaskH, MaskT int
	Scale               float64
}

// Entropy says how features and labels meet: Rows by Cols, where an operand whose own
// dimension (FRows, FCols, LRows, LCols) is 1 repeats.
type Entropy struct{ Rows, Cols, FRows, FCols, LRows, LCols int }

// step is n, or 0 for a dimension of 1.
func step(dim, n int) uint64 {
	if dim == 1 {
		return 0
	}
	return uint64(n)
}

// SoftmaxF32 sets dst = e^x / Σ e^x for rows of n elements. dst may be src.
func SoftmaxF32(q *device.Queue, dst, src device.Ptr, rows, n int) {
	launch(q, &softmaxF32, rows, n, uint64(dst), uint64(src), uint64(rows), uint64(n))
}

// SoftmaxF64 is SoftmaxF32 for float64.
func SoftmaxF64(q *device.Queue, dst, src device.Ptr, rows, n int) {
	launch(q, &softmaxF64, rows, n, uint64(dst), uint64(src), uint64(rows), uint64(n))
}

// SoftmaxF16 is SoftmaxF32 for binary16.
func SoftmaxF16(q *device.Queue, dst, src device.Ptr, rows, n int) {
	launch(q, &softmaxF16, rows, n, uint64(dst), uint64(src), uint64(rows), uint64(n))
}

// SoftmaxBF16 is SoftmaxF32 for bfloat16.
func SoftmaxBF16(q *device.Queue, dst, src device.Ptr, rows, n int) {
	launch(q, &softmaxBF16, rows, n, uint64(dst), uint64(src), uint64(rows), uint64(n))
}

// LogSoftmaxF32 sets dst = x - log Σ e^x for rows of n elements. dst may be src.
func LogSoftmaxF32(q *device.Queue, dst, src device.Ptr, rows, n int) {
	launch(q, &logSoftmaxF32, rows, n, uint64(dst), uint64(src), uint64(rows), uint64(n))
}

// LogSoftmaxF64 is LogSoftmaxF32 for float64.
func LogSoftmaxF64(q *device.Queue, dst, src device.Ptr, rows, n int) {
	launch(q, &logSoftmaxF64, rows, n, uint64(dst), uint64(src), uint64(rows), uint64(n))
}

// LogSoftmaxF16 is LogSoftmaxF32 for binary16.
func LogSoftmaxF16(q *device.Queue, dst, src device.Ptr, rows, n int) {
	launch(q, &logSoftmaxF16, rows, n, uint64(dst), uint64(src), uint64(rows), uint64(n))
}

// LogSoftmaxBF16 is LogSoftmaxF32 for bfloat16.
func LogSoftmaxBF16(q *device.Queue, dst, src device.Ptr, rows, n int) {
	launch(q, &logSoftmaxBF16, rows, n, uint64(dst), uint64(src), uint64(rows), uint64(n))
}

// MaskedF32 sets every row of dst to softmax(Scale·x + mask), x being src's row; product and sum
// are each rounded. A mask at 0 is none. H and T are at least 1. dst may be src.
func MaskedF32(q *device.Queue, dst, src, mask device.Ptr, p MaskedParams) {
	launch(q, &maskedF32, p.Rows, p.N, uint64(dst), uint64(src), uint64(mask), uint64(p.Rows), uint64(p.N), uint64(p.H), uint64(p.T),
		uint64(p.MaskB), uint64(p.MaskH), uint64(p.MaskT), math.Float64bits(p.Scale))
}

// MaskedF64 is MaskedF32 for float64.
func MaskedF64(q *device.Queue, dst, src, mask device.Ptr, p MaskedParams) {
	launch(q, &maskedF64, p.Rows, p.N, uint64(dst), uint64(src), uint64(mask), uint64(p.Rows), uint64(p.N), uint64(p.H), uint64(p.T),
		uint64(p.MaskB), uint64(p.MaskH), uint64(p.MaskT), math.Float64bits(p.Scale))
}

// MaskedF16 is MaskedF32 for binary16.
func MaskedF16(q *device.Queue, dst, src, mask device.Ptr, p MaskedParams) {
	launch(q, &maskedF16, p.Rows, p.N, uint64(dst), uint64(src), uint64(mask), uint64(p.Rows), uint64(p.N), uint64(p.H), uint64(p.T),
		uint64(p.MaskB), uint64(p.MaskH), uint64(p.MaskT), math.Float64bits(p.Scale))
}

// MaskedBF16 is MaskedF32 for bfloat16.
func MaskedBF16(q *device.Queue, dst, src, mask device.Ptr, p MaskedParams) {
	launch(q, &maskedBF16, p.Rows, p.N, uint64(dst), uint64(src), uint64(mask), uint64(p.Rows), uint64(p.N), uint64(p.H), uint64(p.T),
		uint64(p.MaskB), uint64(p.MaskH), uint64(p.MaskT), math.Float64bits(p.Scale))
}

// CrossEntropyF32 sets, for rows x of features and y of labels, loss[Rows] = Σ y·(log(Σ e^x) - x) and
// back[Rows, Cols] = softmax(x) - y, the loss's gradient by the features. back may be features that do not repeat.
func CrossEntropyF32(q *device.Queue, loss, back, features, labels device.Ptr, p Entropy) {
	launch(q, &crossF32, p.Rows, p.Cols, uint64(loss), uint64(back), uint64(features), uint64(labels), uint64(p.Rows), uint64(p.Cols),
		step(p.FRows, p.FCols), step(p.FCols, 1), step(p.LRows, p.LCols), step(p.LCols, 1))
}

// CrossEntropyF64 is CrossEntropyF32 for float64.
func CrossEntropyF64(q *device.Queue, loss, back, features, labels device.Ptr, p Entropy) {
	launch(q, &crossF64, p.Rows, p.Cols, uint64(loss), uint64(back), uint64(features), uint64(labels), uint64(p.Rows), uint64(p.Cols),
		step(p.FRows, p.FCols), step(p.FCols, 1), step(p.LRows, p.LCols), step(p.LCols, 1))
}

// CrossEntropyF16 is CrossEntropyF32 for binary16.
func CrossEntropyF16(q *device.Queue, loss, back, features, labels device.Ptr, p Entropy) {
	launch(q, &crossF16, p.Rows, p.Cols, uint64(loss), uint64(back), uint64(features), uint64(labels), uint64(p.Rows), uint64(p.Cols),
		step(p.FRows, p.FCols), step(p.FCols, 1), step(p.LRows, p.LCols), step(p.LCols, 1))
}

// CrossEntropyBF16 is CrossEntropyF32 for bfloat16.
func CrossEntropyBF16(q *device.Queue, loss, back, features, labels device.Ptr, p Entropy) {
	launch(q, &crossBF16, p.Rows, p.Cols, uint64(loss), uint64(back), uint64(features), uint64(labels), uint64(p.Rows), uint64(p.Cols),
		step(p.FRows, p.FCols), step(p.FCols, 1), step(p.LRows, p.LCols), step(p.LCols, 1))
}

// SparseCrossEntropyF32I32 is CrossEntropyF32 for labels[rows], int32, which are the position of a
// single 1 in a row of cols elements. A position outside gives NaN in loss and back, as on
// TensorFlow's GPUs.
func SparseCrossEntropyF32I32(q *device.Queue, loss, back, features, labels device.Ptr, rows, cols int) {
	launch(q, &sparseCrossF32, rows, cols, uint64(loss), uint64(back), uint64(features), uint64(labels), uint64(rows), uint64(cols), 4)
}

// SparseCrossEntropyF32I64 is SparseCrossEntropyF32I32 for int64 labels.
func SparseCrossEntropyF32I64(q *device.Queue, loss, back, features, labels device.Ptr, rows, cols int) {
	launch(q, &sparseCrossF32, rows, cols, uint64(loss), uint64(back), uint64(features), uint64(labels), uint64(rows), uint64(cols), 8)
}

// SparseCrossEntropyF64I32 is SparseCrossEntropyF32I32 for float64.
func SparseCrossEntropyF64I32(q *device.Queue, loss, back, features, labels device.Ptr, rows, cols int) {
	launch(q, &sparseCrossF64, rows, cols, uint64(loss), uint64(back), uint64(features), uint64(labels), uint64(rows), uint64(cols), 4)
}

// SparseCrossEntropyF64I64 is SparseCrossEntropyF32I32 for float64 and int64 labels.
func SparseCrossEntropyF64I64(q *device.Queue, loss, back, features, labels device.Ptr, rows, cols int) {
	launch(q, &sparseCrossF64, rows, cols, uint64(loss), uint64(back), uint64(features), uint64(labels), uint64(rows), uint64(cols), 8)
}

// SparseCrossEntropyF16I32 is SparseCrossEntropyF32I32 for binary16.
func SparseCrossEntropyF16I32(q *device.Queue, loss, back, features, labels device.Ptr, rows, cols int) {
	launch(q, &sparseCrossF16, rows, cols, uint64(loss), uint64(back), uint64(features), uint64(labels), uint64(rows), uint64(cols), 4)
}

// SparseCrossEntropyF16I64 is SparseCrossEntropyF32I32 for binary16 and int64 labels.
func SparseCrossEntropyF16I64(q *device.Queue, loss, back, features, labels device.Ptr, rows, cols int) {
	launch(q, &sparseCrossF16, rows, cols, uint64(loss), uint64(back), uint64(features), uint64(labels), uint64(rows), uint64(cols), 8)
}

// SparseCrossEntropyBF16I32 is SparseCrossEntropyF32I32 for bfloat16.
func SparseCrossEntropyBF16I32(q *device.Queue, loss, back, features, labels device.Ptr, rows, cols int) {
	launch(q, &sparseCrossBF16, rows, cols, uint64(loss), uint64(back), uint64(features), uint64(labels), uint64(rows), uint64(cols), 4)
}

// SparseCrossEntropyBF16I64 is SparseCrossEntropyF32I32 for bfloat16 and int64 labels.
func SparseCrossEntropyBF16I64(q *device.Queue, loss, back, features, labels device.Ptr, rows, cols int) {
	launch(q, &sparseCrossBF16, rows, cols, uint64(loss), uint64(back), uint64(features), uint64(labels), uint64(rows), uint64(cols), 8)
}
