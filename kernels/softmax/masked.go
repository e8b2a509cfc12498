package softmax

import "github.com/graphc/graphc/kernels/internal/vmath"

// MaskedParams describes the softmax of attention: rows of N elements, a tensor
// [B, H, T, N] of them or a part of its rows. Row r of the whole is b = r/(H·T),
// h = r/T mod H, t = r mod T; its mask is row b·MaskB + h·MaskH + t·MaskT of
// Mask's rows. Therefore a stride of 0 repeats mask rows.
type MaskedParams struct {
	N, H, T             int
	MaskB, MaskH, MaskT int
	First               int // number in the whole of the first row given
	Scale               float32
	// Mask has the rows of N elements of the whole mask, whichever rows are given; nil for none.
	Mask []float32
}

// MaskedF32 sets every row of dst to softmax(Scale·x + mask), where x is the row of
// src and mask its mask row; product and sum are each rounded. H and T are at least 1.
// dst may be src. Nothing happens when N is zero.
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
		// Take the rows to the end of this t, or of all h and t if they share one mask row.
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

// masked computes rows whose masks are step elements apart.
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
