package quant

import (
	"unsafe"

	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/kernels/internal/panel8"
	"github.com/graphc/graphc/rt/tensor"
)

// ProductRange determines the range of the floats that are represented by int32 products of unsigned
// bytes, and stores this range in outLo and outHi. The bytes are over the ranges [loA, hiA] and
// [loB, hiB].
func ProductRange(outLo, outHi, loA, hiA, loB, hiB []float32) {
	r := product[uint8, uint8](spanOf(loA, hiA), spanOf(loB, hiB))
	outLo[0], outHi[0] = r.lo, r.hi
}

// MatMulRange is like ProductRange, but it returns InvalidArgument if the lower end of a range is
// not less than its upper end.
func MatMulRange(outLo, outHi, loA, hiA, loB, hiB []float32) error {
	if err := spanOf(loA, hiA).must("a"); err != nil {
		return err
	}
	if err := spanOf(loB, hiB).must("b"); err != nil {
		return err
	}
	ProductRange(outLo, outHi, loA, hiA, loB, hiB)
	return nil
}

// MatMul computes the matrix product c[M,N] = Σ (A - zeroA)·(B - zeroB), where zeroA and zeroB are
// the integers that represent 0 in the ranges of A and B. In each range, the lower end must be less
// than the upper end. gemm.PackU8 must have packed b and computed sums. scratch has
// gemm.Int8ScratchLen(p) bytes. A call may compute any sequence of consecutive rows.
func MatMul(c []int32, a []uint8, b []int8, sums []int32, loA, hiA, loB, hiB []float32, scratch []uint8, p gemm.Int8Params) {
	p.ZeroA, p.ZeroB = int32(unclamped[uint8](spanOf(loA, hiA), 0)), int32(unclamped[uint8](spanOf(loB, hiB), 0))
	gemm.Int8(c, a, b, sums, nil, scratch, p)
}

// ConvParams describes a convolution of an image [N,H,W,C] by a filter
// [KH,KW,C,OC] into [N,OH,OW,OC] with one stride for rows and columns.
type ConvParams struct {
	N, H, W, C, KH, KW, OH, OW, OC int
	Stride                         int
	// First is the number of the first output pixel to compute, and Count is the number of pixels. The
	// result y begins with pixel First. If Count is 0, all pixels are computed.
	First, Count int
	// Centred says where the windows are. If it is set, the windows as a whole are centred on the
	// image, even if the first pixels of the image are then not used. Otherwise, the first window
	// begins at the corner of the image.
	Centred bool
}

// origin returns the position of the first window along a dimension. It is negative if the window
// begins before the image.
func (p *ConvParams) origin(in, k, out int) int {
	if !p.Centred {
		return 0
	}
	return -(((out-1)*p.Stride + k - in) / 2)
}

const patchBytes = 1 << 17

func (p *ConvParams) rows() (n, stride int) {
	stride = panel8.Groups(p.KH*p.KW*p.C) * panel8.Group
	if stride%4096 == 0 {
		stride += 64
	}
	return min(max(patchBytes/max(stride, 1)/28*28, 28), p.pixels()), stride
}

// pixels returns the number of pixels computed.
func (p *ConvParams) pixels() int {
	if p.Count > 0 {
		return p.Count
	}
	return p.N * p.OH * p.OW
}

// ConvScratchLen returns the number of bytes of scratch that Conv needs.
func ConvScratchLen(p ConvParams) int {
	n, stride := p.rows()
	return n*stride + 4*(n+p.OC) + 8
}

// Conv computes a convolution of unsigned bytes into i32. The slices filter and sums must be the
// results of gemm.PackU8 for the filter, taken as a matrix [KH*KW*C, OC]. Positions outside the image
// hold the integer that represents zero in the range of x, so they add nothing. If the range lies below
// zero, that integer exceeds 255, and only its lower 8 bits are used.
func Conv(y []int32, x []uint8, filter []int8, sums []int32, loX, hiX, loF, hiF []float32, scratch []uint8, p ConvParams) {
	sx, sf := spanOf(loX, hiX), spanOf(loF, hiF)
	k, total := p.KH*p.KW*p.C, p.pixels()
	if total <= 0 || p.OC <= 0 {
		return
	}
	za, zb := int32(unclamped[uint8](sx, 0)), int32(unclamped[uint8](sf, 0))-128
	// If all floats in the range of x are positive, the integer that represents zero is negative,
	// and no byte equals it. Therefore the part of a window outside the image is left out of the
	// sums.
	exact := za < 0
	at := int(-uintptr(unsafe.Pointer(unsafe.SliceData(scratch))) & 3)
	step, stride := p.rows()
	ints := unsafe.Slice((*int32)(unsafe.Pointer(&scratch[at : at+4*(step+p.OC)][0])), step+p.OC)
	cols, terms := ints[:p.OC], ints[p.OC:]
	patches := scratch[at+4*(step+p.OC):][:step*stride]
	for n, s := range sums[:p.OC] {
		cols[n] = int32(k)*za*zb - za*s
	}
	q := panel8.Block{N: p.OC, K: k, Lda: stride, Ldc: p.OC, PanelStep: panel8.Groups(k) * panel8.Group * panel8.Width}
	inPlace := p.pointwise()
	if inPlace {
		q.Lda = p.C
	}
	for m := 0; m < total; m += step {
		q.M = min(step, total-m)
		src := patches
		if inPlace {
			src = x[(p.First+m)*p.C:]
		}
		for i := range q.M {
			if inPlace {
				terms[i] = -zb * panel8.Sum(src[i*p.C:][:p.C])
				continue
			}
			patch := patches[i*stride:][:stride]
			outside := p.patch(patch, x, p.First+m+i, uint8(za))
			clear(patch[k:])
			terms[i] = -zb * panel8.Sum(patch[:k])
			if exact && outside {
				terms[i] = 0
			}
		}
		p.run(y[m*p.OC:], src, filter, cols, terms[:q.M], q)
		if exact && !inPlace {
			p.borders(y, x, filter, m, q.M, za, zb)
		}
	}
}

// pointwise reports whether the convolution is a matrix product whose rows are the pixels of the
// image, as they lie in memory.
func (p *ConvParams) pointwise() bool {
	return p.KH == 1 && p.KW == 1 && p.Stride == 1 && p.C%panel8.Group == 0 && p.OH == p.H && p.OW == p.W
}

// run multiplies the patches by the filter. If the sums have more than panel8.MaxK terms, it
// multiplies part by part.
func (p *ConvParams) run(y []int32, patches []uint8, filter []int8, cols, terms []int32, q panel8.Block) {
	depth := q.K
	for k := 0; k == 0 || k < depth; k += panel8.MaxK {
		q.K, q.Add = min(panel8.MaxK, depth-k), k > 0
		panel8.Run(y, patches[k:], filter[k*panel8.Width:], cols, terms, q)
		cols, terms = nil, nil
	}
}

// patch copies the window of output pixel i to dst, with fill outside the image. It reports whether
// a part of the window is outside.
func (p *ConvParams) patch(dst, x []uint8, i int, fill uint8) (outside bool) {
	b, oy, ox := i/(p.OH*p.OW), i/p.OW%p.OH, i%p.OW
	y0, x0 := oy*p.Stride+p.origin(p.H, p.KH, p.OH), ox*p.Stride+p.origin(p.W, p.KW, p.OW)
	left, right := min(max(0, -x0), p.KW), min(max(0, p.W-x0), p.KW)
	row := p.KW * p.C
	for ky := range p.KH {
		d := dst[ky*row:][:row]
		iy := y0 + ky
		if iy < 0 || iy >= p.H || right <= left {
			set(d, fill)
			outside = true
			continue
		}
		set(d[:left*p.C], fill)
		copy(d[left*p.C:right*p.C], x[((b*p.H+iy)*p.W+x0+left)*p.C:])
		set(d[right*p.C:], fill)
		outside = outside || right-left < p.KW
	}
	return outside
}

func set(s []uint8, v uint8) {
	for i := range s {
		s[i] = v
	}
}

// borders goes through the output pixels [m, m+n) of the result y. It computes the pixels whose windows
// extend beyond the image, and skips all others.
func (p *ConvParams) borders(y []int32, x []uint8, filter []int8, m, n int, za, zb int32) {
	step := panel8.Groups(p.KH*p.KW*p.C) * panel8.Group * panel8.Width
	for o := m; o < m+n; o++ {
		i := p.First + o
		b, oy, ox := i/(p.OH*p.OW), i/p.OW%p.OH, i%p.OW
		y0, x0 := oy*p.Stride+p.origin(p.H, p.KH, p.OH), ox*p.Stride+p.origin(p.W, p.KW, p.OW)
		if y0 >= 0 && x0 >= 0 && y0+p.KH <= p.H && x0+p.KW <= p.W {
			continue
		}
		for ch := range p.OC {
			w := filter[ch/panel8.Width*step+ch%panel8.Width*panel8.Group:]
			var s int32
			for ky := max(0, -y0); ky < min(p.KH, p.H-y0); ky++ {
				for kx := max(0, -x0); kx < min(p.KW, p.W-x0); kx++ {
					src := x[((b*p.H+y0+ky)*p.W+x0+kx)*p.C:][:p.C]
					k := (ky*p.KW + kx) * p.C
					for c, v := range src {
						j := k + c
						s += (int32(v) - za) * (int32(w[j/panel8.Group*panel8.Group*panel8.Width+j%panel8.Group]) - zb)
					}
				}
			}
			y[o*p.OC+ch] = s
		}
	}
}

// CheckConv returns InvalidArgument if a size of the result [n,oh,ow,oc] is zero or negative.
func CheckConv(n, oh, ow, oc int) error {
	if n <= 0 || oh <= 0 || ow <= 0 || oc <= 0 {
		return tensor.Errorf(tensor.InvalidArgument, "a quantized convolution of the result [%d,%d,%d,%d] is refused: no size may be zero", n, oh, ow, oc)
	}
	return nil
}
