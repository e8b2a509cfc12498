// Package softmax holds softmax, its logarithm, and cross entropies with their gradients,
// on a GPU. Rows are contiguous. The largest element is subtracted first; halves and
// float32 are computed in float32, in a fixed order. A row that holds +Inf or NaN, or only
// -Inf, is NaN.
package softmax

import (
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
	// Mask is rows of N elements, as many as the strides reach; 0: there is none.
	Mask device.Ptr
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
