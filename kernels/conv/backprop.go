package conv

import (
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/kernels/internal/panel"
	"github.com/graphc/graphc/rt/tensor"
)

// BackpropParams describes Conv2DBackpropInput for a Conv2D with a filter [KH,KW,C,OC]. From the
// gradient [N,OH,OW,OC] with respect to the output of this Conv2D, it computes the gradient
// [N,H,W,C] with respect to its input. Strides, dilations and padding are those of the forward
// convolution.
type BackpropParams struct {
	N, H, W, C       int
	KH, KW           int
	OH, OW, OC       int
	StrideH, StrideW int // 0 means 1
	DilH, DilW       int // 0 means 1
	PadTop, PadLeft  int
	// First is the first row to compute, counted over the N*H rows of all images; out begins with
	// this row. Rows is the number of rows to compute. If both are 0, all rows are computed.
	First, Rows int
	Act         gemm.Act
	Lo, Hi      float32 // for gemm.Clip
	// Bias ([C]) is added to the sum, by BackpropInputF32 only; it may be nil.
	Bias []float32
}

func (p *BackpropParams) dense() {
	for _, v := range []*int{&p.StrideH, &p.StrideW, &p.DilH, &p.DilW} {
		one(v)
	}
	if p.StrideH < 1 || p.StrideW < 1 || p.DilH < 1 || p.DilW < 1 {
		panic("conv: bad stride or dilation")
	}
}

func (p *BackpropParams) empty() bool { return p.N <= 0 || p.H <= 0 || p.W <= 0 || p.C <= 0 }

// taps returns how many values a pixel of grad contributes: one for each filter position and input
// channel.
func (p *BackpropParams) taps() int { return max(p.KH, 0) * max(p.KW, 0) * max(p.C, 0) }

// BackpropPackedLen returns the number of floats that BackpropPackF32 writes.
func BackpropPackedLen(kh, kw, c, oc int) int { return gemm.PackedLen(oc, kh*kw*c) }

// BackpropPackF32 packs a filter [kh,kw,c,oc] for BackpropInputF32.
func BackpropPackF32(dst, filter []float32, kh, kw, c, oc int) {
	gemm.PackF32(dst, filter, oc, kh*kw*c, true)
}

// colFloats bounds the number of values in scratch. If the values of 28 pixels exceed this bound, scratch
// nevertheless holds the values of up to 28 pixels.
const colFloats = 1 << 16

// pixels returns the number of pixels of a row of grad that are processed together. scratch holds the
// values that these pixels contribute to the result.
func (p *BackpropParams) pixels() int {
	return min(max(colFloats/max(p.taps(), 1)/28*28, 28), max(p.OW, 0))
}

// BackpropScratchLen returns the number of floats of scratch that BackpropInputF32 needs.
func BackpropScratchLen(p BackpropParams) int {
	p.dense()
	return p.pixels() * p.taps()
}

// BackpropInputF32 computes, with y = (h+PadTop-i*DilH)/StrideH and x = (w+PadLeft-j*DilW)/StrideW
// where these are integers and inside grad,
//
//	out[n,h,w,c] = act(Σ_{i,j,o} grad[n,y,x,o] * filter[i,j,c,o] + Bias[c])
//
// filter is packed by BackpropPackF32; out overlaps nothing. scratch has BackpropScratchLen(p) floats.
func BackpropInputF32(out, grad, filter, scratch []float32, p BackpropParams) {
	p.dense()
	if p.empty() {
		return
	}
	first, last := rowRange(p.First, p.Rows, p.N*p.H)
	out = out[:(last-first)*p.W*p.C]
	if p.tiles() {
		p.tiled(out, grad, filter, scratch, first, last)
		return
	}
	clear(out)
	if p.taps() > 0 && p.OC > 0 {
		for row := first; row < last; {
			n, h0 := row/p.H, row%p.H
			h1 := min(p.H, h0+last-row)
			p.image(out[(row-first)*p.W*p.C:], grad[n*p.OH*p.OW*p.OC:], filter, scratch, h0, h1)
			row += h1 - h0
		}
	}
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	if len(p.Bias) != 0 || p.Act != gemm.NoAct {
		panel.AddClamp(out, p.Bias, p.C, lo, hi)
	}
}

// tiles reports whether the method tiled can compute the result. Each pixel of the result must get
// its value from exactly one tap: the filter is as large as its strides, and the image consists of
// whole windows. A row of the filter must fill whole panels.
func (p *BackpropParams) tiles() bool {
	return p.KH == p.StrideH && p.KW == p.StrideW && p.DilH == 1 && p.DilW == 1 && p.PadTop == 0 && p.PadLeft == 0 &&
		p.H == p.OH*p.KH && p.W == p.OW*p.KW && p.KW*p.C%panel.Width == 0 && p.OC > 0
}

// tiled computes rows [first, last) of the result. The method tiles must have returned true. Each of the
// rows is the product of a row of grad and one row of the filter, which has KW*C columns.
func (p *BackpropParams) tiled(out, grad, filter, scratch []float32, first, last int) {
	wide, bias := p.KW*p.C, p.Bias
	if len(bias) != 0 {
		for j := range p.KW {
			copy(scratch[j*p.C:], bias[:p.C])
		}
		bias = scratch[:wide]
	}
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	blk := panel.Block{M: p.OW, N: wide, K: p.OC, Segs: 1, Planes: 1, Lda: p.OC, Ldc: wide, Lo: lo, Hi: hi}
	for row := first; row < last; row++ {
		y, i := row/p.KH, row%p.KH // y is counted over all images; each image has OH rows of windows
		panel.Run(out[(row-first)*p.W*p.C:], grad[y*p.OW*p.OC:], filter[i*wide*p.OC:], bias, nil, blk)
	}
}

// image computes rows [h0, h1) of one image. out begins with row h0.
func (p *BackpropParams) image(out, grad, filter, scratch []float32, h0, h1 int) {
	step, wide := p.pixels(), p.KW*p.C
	for y := range p.OH {
		// The filter rows [i0, i1) contribute to rows [h0, h1). The product begins with column c0,
		// the beginning of a panel.
		i0, i1 := clip(y, p.StrideH, p.PadTop+h0, p.DilH, p.KH, h1-h0)
		if i0 >= i1 {
			continue
		}
		c0 := i0 * wide / panel.Width * panel.Width
		taps := i1*wide - c0
		for x := 0; x < p.OW; x += step {
			px := min(step, p.OW-x)
			col := scratch[:px*taps]
			panel.Run(col, grad[(y*p.OW+x)*p.OC:], filter[c0*p.OC:], nil, nil, panel.Block{
				M: px, N: taps, K: p.OC, Segs: 1, Planes: 1, Lda: p.OC, Ldc: taps,
				Lo: panel.Unclamped, Hi: -panel.Unclamped,
			})
			p.scatter(out, col[i0*wide-c0:], taps, y, x, px, i0, i1, h0)
		}
	}
}

// scatter adds values from col to the pixels of img, which begins with row h0. The values are the
// contributions of px pixels of grad, of which the first is (y,x), through the filter rows [i0, i1). In
// col, the values of neighbouring pixels are taps floats apart.
func (p *BackpropParams) scatter(img, col []float32, taps, y, x, px, i0, i1, h0 int) {
	for k := range px {
		j0, j1 := clip(x+k, p.StrideW, p.PadLeft, p.DilW, p.KW, p.W)
		if j0 >= j1 {
			continue
		}
		for i := i0; i < i1; i++ {
			src := col[k*taps+(i-i0)*p.KW*p.C:][:p.KW*p.C]
			at := (y*p.StrideH-p.PadTop+i*p.DilH-h0)*p.W + (x+k)*p.StrideW - p.PadLeft
			if p.DilW == 1 {
				panel.Add(img[(at+j0)*p.C:], src[j0*p.C:j1*p.C])
				continue
			}
			for j := j0; j < j1; j++ {
				panel.Add(img[(at+j*p.DilW)*p.C:], src[j*p.C:(j+1)*p.C])
			}
		}
	}
}

// BackpropInputF64 is Conv2DBackpropInput for f64 with an unpacked filter [KH,KW,C,OC]
// and without a bias.
func BackpropInputF64(out, grad, filter []float64, p BackpropParams) {
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	backprop(out, grad, filter, &p, dot[float64], func(v float64) float64 {
		return clamp(v, float64(lo), float64(hi))
	})
}

// BackpropInputI32 is BackpropInputF64 for i32. Sums wrap around, and there is no activation.
func BackpropInputI32(out, grad, filter []int32, p BackpropParams) {
	backprop(out, grad, filter, &p, dot[int32], identity[int32])
}

// BackpropInputF16 is BackpropInputF64 for f16. It computes the sums in f32.
func BackpropInputF16(out, grad, filter []tensor.F16, p BackpropParams) {
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	backprop(out, grad, filter, &p, dotF16, func(v float32) tensor.F16 {
		return tensor.ToF16(clamp(v, lo, hi))
	})
}

// BackpropInputBF16 is BackpropInputF64 for bf16. It computes the sums in f32.
func BackpropInputBF16(out, grad, filter []tensor.BF16, p BackpropParams) {
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	backprop(out, grad, filter, &p, dotBF16, func(v float32) tensor.BF16 {
		return tensor.ToBF16(clamp(v, lo, hi))
	})
}

func dot[T sum](g, f []T) T {
	var s T
	f = f[:len(g)]
	for o, v := range g {
		s += T(v * f[o])
	}
	return s
}

func dotF16(g, f []tensor.F16) float32 {
	var s float32
	for o, v := range g {
		s += float32(v.Float32() * f[o].Float32())
	}
	return s
}

func dotBF16(g, f []tensor.BF16) float32 {
	var s float32
	for o, v := range g {
		s += float32(v.Float32() * f[o].Float32())
	}
	return s
}

// backprop computes each element of out as the sum of its products.
func backprop[T any, A sum](out, grad, filter []T, p *BackpropParams, dot func(g, f []T) A, finish func(v A) T) {
	p.dense()
	if p.empty() {
		return
	}
	first, last := rowRange(p.First, p.Rows, p.N*p.H)
	for px := first * p.W; px < last*p.W; px++ {
		n, h, w := px/(p.H*p.W), px/p.W%p.H, px%p.W
		for c := range p.C {
			var s A
			for i := range p.KH {
				y, ok := source(h+p.PadTop-i*p.DilH, p.StrideH, p.OH)
				if !ok {
					continue
				}
				for j := range p.KW {
					x, ok := source(w+p.PadLeft-j*p.DilW, p.StrideW, p.OW)
					if !ok {
						continue
					}
					s += dot(grad[((n*p.OH+y)*p.OW+x)*p.OC:][:p.OC], filter[((i*p.KW+j)*p.C+c)*p.OC:][:p.OC])
				}
			}
			out[(px-first*p.W)*p.C+c] = finish(s)
		}
	}
}

// source returns the output position whose window begins at a padded input position, given by the
// parameter at. It also reports whether such an output position exists.
func source(at, stride, size int) (int, bool) {
	return at / stride, at >= 0 && at%stride == 0 && at/stride < size
}
