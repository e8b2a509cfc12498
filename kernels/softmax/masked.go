package softmax

import "github.com/graphc/graphc/kernels/internal/vmath"

// MaskedParams describes the softmax of attention over rows of N elements. The rows are those of a
// tensor [B, H, T, N], or a part of them. Row r of the whole tensor has the indices b = r/(H·T), h
// = r/T mod H and t = r mod T. Its mask is row b·MaskB + h·MaskH + t·MaskT of Mask. A stride of 0
// therefore uses the same mask rows for all indices of its dimension.
type MaskedParams struct {
	N, H, T             int
	MaskB, MaskH, MaskT int
	First               int // row number, in the whole tensor, of the first row of src
	Scale               float32
	// Mask is the mask of the whole tensor in rows of N elements, even if src holds only a part of
	// the tensor. If Mask is nil, no mask is added.
	Mask []float32
}

// MaskedF32 computes softmax(Scale·x + mask) for every row x of src and stores the results in dst.
// The mask of a row is the row of Mask that MaskedParams describes. The product and the sum are
// each rounded to float32. H and T must be at least 1. dst may be src. Nothing happens if N is
// zero.
func MaskedF32(dst, src []float32, p MaskedParams) {
	n := p.N
	if n <= 0 {
		return
	}
	if len(p.Mask) == 0 {
		masked(dst, src, nil, n, 0, p.Scale)
		return
	}
	for r := p.First; len(dst) >= n; {
		t := r % p.T
		// Process all remaining rows that have the same indices b and h. If the mask has only one
		// row for all indices h and t, process all remaining rows that have the same index b.
		rows, step := p.T-t, p.MaskT*n
		at := r/(p.H*p.T)*p.MaskB + r/p.T%p.H*p.MaskH + t*p.MaskT
		if p.MaskT == 0 && p.MaskH == 0 {
			rows = p.H*p.T - r%(p.H*p.T)
		}
		rows = min(rows, len(dst)/n)
		masked(dst[:rows*n], src, p.Mask[at*n:], n, step, p.Scale)
		dst, src = dst[rows*n:], src[rows*n:]
		r += rows
	}
}

// masked computes the masked softmax of all rows of dst, each of which has n elements. The first
// row uses the mask that begins at mask[0]. Each further mask begins step elements after the mask
// before it.
func masked(dst, src, mask []float32, n, step int, scale float32) {
	if vmath.SoftmaxMasked(dst, src, mask, n, step, scale) {
		return
	}
	for len(dst) >= n {
		d := dst[:n]
		for i, x := range src[:n] {
			d[i] = x * scale
		}
		if len(mask) != 0 {
			for i, v := range mask[:n] {
				d[i] += v
			}
		}
		softmaxRow(d, d)
		dst, src = dst[n:], src[n:]
		if len(mask) > step {
			mask = mask[step:]
		}
	}
}
