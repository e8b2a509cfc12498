// Package softmax computes softmax, its logarithm, and cross entropies with their gradients, on a
// GPU. Rows are contiguous. The largest element of a row is subtracted before exponentials are
// computed. Half-precision and float32 rows are computed in float32, with sums in a fixed order. A
// row that contains +Inf or NaN, or only -Inf, gives NaN.
package softmax

import (
	"github.com/graphc/graphc/rt/device"
)

// launch launches the kernel k with one warp for each row, or with one block of threads for each
// row if the rows are long.
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

// MaskedParams describes the softmax of attention over Rows rows of N elements, which form a tensor
// [B, H, T, N]. Row r has the indices b = r/(H·T), h = r/T mod H, and t = r mod T. The mask row
// b·MaskB + h·MaskH + t·MaskT is added to row r. If one of these three strides is 0, the mask is the
// same for all indices of that dimension.
type MaskedParams struct {
	Rows, N, H, T       int
	MaskB, MaskH, MaskT int
	Scale               float64
	// Mask is the address of the mask, which has rows of N elements. An address of 0 means no mask.
	Mask device.Ptr
}

// Entropy describes the cross entropy of Rows by Cols elements. Features are FRows by FCols and
// labels LRows by LCols; dimensions of 1 are broadcast.
type Entropy struct{ Rows, Cols, FRows, FCols, LRows, LCols int }

// step returns the stride of a dimension of size dim: n, or 0 if dim is 1, since such a dimension
// is broadcast.
func step(dim, n int) uint64 {
	if dim == 1 {
		return 0
	}
	return uint64(n)
}
