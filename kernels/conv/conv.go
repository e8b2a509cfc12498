// Package conv holds two-dimensional convolutions over NHWC tensors: full and
// grouped, depthwise, and the gradient with respect to the input (transposed
// convolution).
package conv

import (
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/kernels/internal/panel"
	"github.com/graphc/graphc/rt/tensor"
)

// Params describes Conv2D of in[N,H,W,C] with a filter [KH,KW,C/Groups,OC] into out[N,OH,OW,OC].
// Output (y,x) reads rows y*StrideH-PadTop+i*DilH and columns x*StrideW-PadLeft+j*DilW. Pixels
// outside the input count as zero, so padding below and to the right follows from OH and OW. First
// and Rows divide the rows among threads: the results are bit-identical for any division.
type Params struct {
	N, H, W, C       int
	KH, KW           int
	OH, OW, OC       int
	Groups           int // C and OC are multiples of Groups; 0 means 1
	StrideH, StrideW int // 0 means 1
	DilH, DilW       int // 0 means 1
	PadTop, PadLeft  int // negative values crop
	LdIn             int // elements between pixels of in, 0 meaning dense (C)
	LdOut            int // elements between pixels of out, 0 meaning dense (OC)
	LdRes            int // elements between pixels of Res, 0 meaning dense (OC)
	// First is the first row to compute, counted over the N*OH output rows of all images; out and
	// Res begin with this row. Rows is the number of rows to compute. If both are 0, all rows are
	// computed.
	First, Rows int
	Act         gemm.Act
	Lo, Hi      float32 // for gemm.Clip
	// Bias ([OC]) and Res are added to the sum, by the f32 convolutions only; each may be nil. Res
	// may be the same slice as out.
	Bias, Res []float32
}

func one(v *int) {
	if *v == 0 {
		*v = 1
	}
}

func (p *Params) dense() {
	for _, v := range []*int{&p.Groups, &p.StrideH, &p.StrideW, &p.DilH, &p.DilW} {
		one(v)
	}
	if p.LdIn == 0 {
		p.LdIn = p.C
	}
	if p.LdOut == 0 {
		p.LdOut = p.OC
	}
	if p.LdRes == 0 {
		p.LdRes = p.OC
	}
	p.check()
}

func (p *Params) check() {
	if p.StrideH < 1 || p.StrideW < 1 || p.DilH < 1 || p.DilW < 1 || p.Groups < 1 || p.C%p.Groups != 0 || p.OC%p.Groups != 0 {
		panic("conv: bad stride, dilation or groups")
	}
}

// PackedLen returns the number of floats that PackF32 writes for a filter [kh,kw,cg,oc]. cg is the
// number of input channels of one group.
func PackedLen(kh, kw, cg, oc, groups int) int {
	return groups * gemm.PackedLen(kh*kw*cg, oc/groups)
}

// PackF32 packs a filter [kh,kw,cg,oc] for F32: group by group, as the
// right-hand side [kh*kw*cg, oc/groups] of a product.
func PackF32(dst, filter []float32, kh, kw, cg, oc, groups int) {
	k, og := kh*kw*cg, oc/groups
	size := gemm.PackedLen(k, og)
	for g := range groups {
		if size > 0 {
			panel.Pack(dst[g*size:], filter[g*og:], k, og, oc, false)
		}
	}
}

// bandFloats bounds the size of a band, which is a copy of input rows. chunkFloats bounds the size
// of the filter's panels that are applied to one band at a time. A band and these panels should
// stay in the second-level cache.
const (
	bandFloats  = 1 << 16
	chunkFloats = 1 << 17
)

// section is a range [x0, x1) of output columns. The windows of these columns are read in place or
// from a band. A band is a copy of the input rows that some output rows need, with zeros left and
// right of the image.
type section struct {
	x0, x1  int
	inPlace bool
	rows    int // output rows computed from one band
	width   int // pixels of a band's row
}

// If some windows reach outside the image, the other windows are read in place only if they belong
// to at least sectionPixels output columns.
const sectionPixels = 48

// sections splits the output columns into at most three sections.
func (p *Params) sections() (sections [3]section, n int) {
	span := (p.KW-1)*p.DilW + 1
	// The columns [a, b) read nothing outside the image.
	a := 0
	if p.PadLeft > 0 {
		a = (p.PadLeft + p.StrideW - 1) / p.StrideW
	}
	b := 0
	if last := p.W - span + p.PadLeft; last >= 0 {
		b = min(last/p.StrideW+1, p.OW)
	}
	add := func(x0, x1 int, inPlace bool) {
		if x0 < x1 {
			sections[n] = p.section(x0, x1, inPlace)
			n++
		}
	}
	// If the pixels of a channel group are far apart in memory, copying them together is faster.
	if a == 0 && b == p.OW || b-a >= sectionPixels && p.LdIn < 2*p.C/p.Groups {
		add(0, a, false)
		add(a, b, true)
		add(b, p.OW, false)
	} else {
		add(0, p.OW, false)
	}
	return sections, n
}

func (p *Params) section(x0, x1 int, inPlace bool) section {
	t := section{x0: x0, x1: x1, inPlace: inPlace, width: (x1-x0-1)*p.StrideW + (p.KW-1)*p.DilW + 1}
	t.rows = min(p.OH, atMost(p.Rows, p.N*p.OH))
	if !inPlace {
		fit := (bandFloats/max(1, t.width*p.C/p.Groups) - p.spanH()) / p.StrideH
		t.rows = min(max(fit+1, 1), t.rows)
	}
	return t
}

// spanH returns how many input rows the window of an output row spans, including rows that dilation
// skips.
func (p *Params) spanH() int { return (p.KH-1)*p.DilH + 1 }

// band returns how many input rows the windows of the given number of output rows span.
func (p *Params) band(rows int) int { return (rows-1)*p.StrideH + p.spanH() }

func (p *Params) empty() bool { return p.N <= 0 || p.OH <= 0 || p.OW <= 0 || p.OC <= 0 }

// pointwise reports whether the convolution is a matrix product: the filter is 1×1, and
// neighbouring output pixels read neighbouring input pixels, across the ends of rows, too.
func (p *Params) pointwise() bool {
	return p.KH == 1 && p.KW == 1 && p.StrideH == 1 && p.StrideW == 1 && p.PadLeft == 0 && p.OW == p.W &&
		p.PadTop <= 0 && p.OH-p.PadTop <= p.H && (p.N == 1 || p.OH == p.H)
}

// corner returns the offset of the first input pixel that is read. Negative padding crops the
// input, so this pixel need not be the first of the image.
func (p *Params) corner() int { return (-p.PadTop*p.W - p.PadLeft) * p.LdIn }

func (p *Params) product() gemm.Params {
	return gemm.Params{
		M: atMost(p.Rows, p.N*p.OH) * p.OW, N: p.OC / p.Groups, K: p.C / p.Groups,
		Lda: p.LdIn, Ldc: p.LdOut, Ldr: p.LdRes, Act: p.Act, Lo: p.Lo, Hi: p.Hi,
	}
}

// ScratchLen returns the number of floats of scratch that F32 needs for p.
func ScratchLen(p Params) int {
	p.dense()
	if p.empty() || p.C <= 0 || p.KH <= 0 || p.KW <= 0 {
		return 0
	}
	if p.pointwise() {
		return gemm.ScratchLen(p.product())
	}
	most := 0
	sections, n := p.sections()
	for _, t := range sections[:n] {
		if !t.inPlace {
			most = max(most, p.band(t.rows)*t.width*p.C/p.Groups)
		}
	}
	return most
}

// F32 computes
//
//	out[n,y,x,o] = act(Σ_{i,j,c} in[n, y*StrideH-PadTop+i*DilH, x*StrideW-PadLeft+j*DilW, c] * filter[i,j,c,o] + Bias[o] + Res[n,y,x,o])
//
// with c over the channels of o's group. filter is packed by PackF32. out overlaps nothing but Res.
// scratch has ScratchLen(p) floats. If out is empty, F32 does nothing. Without input channels or
// taps the sums are zero. Taps outside the input are skipped or count as zeros (an infinite weight
// may give NaN there). Sums are in the filter's order, with fused multiply-add if the machine has
// it.
func F32(out, in, filter, scratch []float32, p Params) {
	p.dense()
	if p.empty() {
		return
	}
	if p.C <= 0 || p.KH <= 0 || p.KW <= 0 {
		q := p.product()
		q.N, q.K, q.Lda, q.Bias, q.Res = p.OC, 0, 0, p.Bias, p.Res
		gemm.F32(out, nil, nil, nil, q)
		return
	}
	first, last := rowRange(p.First, p.Rows, p.N*p.OH)
	cg, og := p.C/p.Groups, p.OC/p.Groups
	sections, n := p.sections()
	size := gemm.PackedLen(p.KH*p.KW*cg, og)
	for g := range p.Groups {
		f, bs := filter[g*size:(g+1)*size], panel.From(p.Bias, g*og)
		dst, src, r := out[g*og:], panel.From(in, g*cg), panel.From(p.Res, g*og)
		if p.pointwise() {
			q := p.product()
			q.Bias, q.Res = bs, r
			gemm.F32(dst, src[p.corner()+first*p.W*p.LdIn:], f, scratch, q)
			continue
		}
		for row := first; row < last; {
			b, y0 := row/p.OH, row%p.OH
			y1 := min(p.OH, y0+last-row)
			o, i := (row-first)*p.OW, b*p.H*p.W*p.LdIn
			for _, t := range sections[:n] {
				p.image(dst[o*p.LdOut:], src[i:], f, bs, panel.From(r, o*p.LdRes), scratch, y0, y1, &t)
			}
			row += y1 - y0
		}
	}
}

// image computes rows [y0, y1) of the output columns of t, for one image and one group. out and res
// begin with row y0.
func (p *Params) image(out, in, filter, bias, res, scratch []float32, y0, y1 int, t *section) {
	cg, og := p.C/p.Groups, p.OC/p.Groups
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	blk := panel.Block{Lo: lo, Hi: hi}
	ld, row := p.LdIn, p.W*p.LdIn
	if !t.inPlace {
		ld, row = cg, t.width*cg
	}
	blk.PlaneStep = p.DilH * row
	taps := p.KW * cg
	blk.K, blk.Segs, blk.SegStep = cg, p.KW, p.DilW*ld
	if p.DilW == 1 && ld == cg {
		blk.K, blk.Segs, blk.SegStep = taps, 1, 0
	}
	depth := p.KH * taps
	blk.PanelStep = depth * panel.Width
	chunk := max(chunkFloats/(depth*panel.Width)/4*4, 2) * panel.Width
	// The bands have about equal heights.
	bands := (y1 - y0 + t.rows - 1) / t.rows
	step := (y1 - y0 + bands - 1) / bands
	for y := y0; y < y1; y += step {
		end := min(y+step, y1)
		// top is the first input row in src.
		src, top := in, 0
		if t.inPlace {
			src = in[(t.x0*p.StrideW-p.PadLeft)*p.LdIn:]
		} else {
			top = y*p.StrideH - p.PadTop
			src = scratch[:p.band(end-y)*row]
			p.copyBand(src, in, top, t)
		}
		for n := 0; n < og; n += chunk {
			blk.N = min(chunk, og-n)
			for r, rows := y, 0; r < end; r += rows {
				var i0, i1 int
				i0, i1, rows = p.sameRows(r, end)
				o, b := (r-y0)*p.OW+t.x0, blk
				b.Planes = i1 - i0
				var a []float32
				if blk.Segs == 1 && blk.PlaneStep == blk.K { // the rows of a window are adjacent in src
					b.Planes, b.K = min(b.Planes, 1), b.Planes*blk.K
				}
				if i0 < i1 {
					a = src[(r*p.StrideH-p.PadTop+i0*p.DilH-top)*row:]
				} else {
					i0, b.Planes, b.Segs, b.K = 0, 1, 1, 0
				}
				p.lines(out[o*p.LdOut+n:], a, filter[n*depth+i0*taps*panel.Width:], panel.From(bias, n), panel.From(res, o*p.LdRes+n), rows, t.x1-t.x0, p.StrideH*row, p.StrideW*ld, b)
			}
		}
	}
}

// sameRows returns the range [i0, i1) of filter rows that are inside the image for output row y.
// It also returns how many consecutive rows of [y, end), beginning with row y, have this range.
func (p *Params) sameRows(y, end int) (i0, i1, rows int) {
	i0, i1 = clip(y, p.StrideH, p.PadTop, p.DilH, p.KH, p.H)
	for rows = 1; y+rows < end; rows++ {
		if a, b := clip(y+rows, p.StrideH, p.PadTop, p.DilH, p.KH, p.H); a != i0 || b != i1 {
			break
		}
	}
	return i0, i1, rows
}

// lines multiplies the windows of a block of output pixels by the filter. The block has the given
// number of rows, with the given number of pixels in each. The window of pixel j in row i of the
// block begins at a[i*line+j*dot]. Each matrix product computes the pixels of one row of the block.
// If the rows are short, it computes the pixels of one column instead.
func (p *Params) lines(out, a, filter, bias, res []float32, rows, pixels, line, dot int, blk panel.Block) {
	count, lineC, dotC := rows, p.OW, 1
	blk.M = pixels
	if pixels < 8 && rows > pixels {
		blk.M, count = rows, pixels
		line, dot, lineC, dotC = dot, line, dotC, lineC
	}
	blk.Lda, blk.Ldc, blk.Ldr = dot, dotC*p.LdOut, dotC*p.LdRes
	for l := range count {
		o := l * lineC
		panel.Run(out[o*p.LdOut:], panel.From(a, l*line), filter, bias, panel.From(res, o*p.LdRes), blk)
	}
}

// copyBand fills dst with the pixels that section t reads, row by row from input row y0 on. Pixels
// left and right of the image become zero. Rows of dst for input rows above or below the image stay
// unchanged.
func (p *Params) copyBand(dst, in []float32, y0 int, t *section) {
	cg := p.C / p.Groups
	row := t.width * cg
	at := t.x0*p.StrideW - p.PadLeft // the input column at which the rows of dst begin
	left := min(max(-at, 0), t.width)
	x0 := max(at, 0)
	n := max(min(t.width-left, p.W-x0), 0)
	for y := y0; len(dst) > 0; y++ {
		d := dst[:row]
		dst = dst[row:]
		if y < 0 || y >= p.H {
			continue
		}
		if n == 0 {
			clear(d)
			continue
		}
		clear(d[:left*cg])
		clear(d[(left+n)*cg:])
		d = d[left*cg : (left+n)*cg]
		s := in[(y*p.W+x0)*p.LdIn:]
		if p.LdIn == cg {
			copy(d, s)
			continue
		}
		for x := range n {
			copy(d[x*cg:(x+1)*cg], s[x*p.LdIn:])
		}
	}
}

// HasTaps rejects filters without rows or columns, unless the result is empty.
func HasTaps(out, taps int) error {
	if out > 0 && taps == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "the filter has no elements")
	}
	return nil
}
