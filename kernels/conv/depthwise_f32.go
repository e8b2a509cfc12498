package conv

// band returns the output rows made from one expanded band of input rows, and
// the most input rows it has. Only multipliers above one need bands.
func (p *DepthwiseParams) band() (rows, most int) {
	span := (p.KH-1)*p.DilH + 1
	rows = min(max((bandFloats/max(1, p.W*p.C*p.Mult)-span)/p.StrideH+1, 1), p.OH, atMost(p.Rows, p.N*p.OH))
	return rows, min((rows-1)*p.StrideH+span, max(p.H, 0))
}

// DepthwiseScratchLen is the number of floats of scratch DepthwiseF32 needs.
func DepthwiseScratchLen(p DepthwiseParams) int {
	p.dense()
	if p.empty() || p.Mult == 1 || p.KH <= 0 {
		return 0
	}
	_, most := p.band()
	return most * max(p.W, 0) * p.C * p.Mult
}

// DepthwiseF32 computes
//
//	out[n,y,x,c*Mult+m] = act(Σ_{i,j} in[n, y*StrideH-PadTop+i*DilH, x*StrideW-PadLeft+j*DilW, c] * filter[i,j,c,m] + bias[c*Mult+m])
//
// filter is [KH,KW,C,Mult] as TensorFlow has it; bias is absent if empty. out
// overlaps nothing. scratch has DepthwiseScratchLen(p) floats. Taps outside
// the input are left out. Sums run in the filter's order with fused
// multiply-add where the machine has it.
func DepthwiseF32(out, in, filter, bias, scratch []float32, p DepthwiseParams) {
	p.dense()
	if p.empty() || len(out) == 0 { // a filter [KH,KW,C,0] gives no channels
		return
	}
	if p.Mult == 1 || p.KH <= 0 {
		p.rows(out, in, filter, bias)
		return
	}
	// Each input channel is repeated Mult times; then there is one filter a channel.
	rows, _ := p.band()
	wide := p.C * p.Mult
	start, end := rowRange(p.First, p.Rows, p.N*p.OH)
	for row := start; row < end; {
		n, y := row/p.OH, row%p.OH
		img := in[n*p.H*p.W*p.C:]
		q := p
		q.N, q.C, q.Mult, q.OH, q.First, q.Rows = 1, wide, 1, min(rows, p.OH-y, end-row), 0, 0
		first := y*p.StrideH - p.PadTop
		from := min(max(first, 0), p.H)
		to := min(max(first+(q.OH-1)*p.StrideH+(p.KH-1)*p.DilH+1, from), p.H)
		q.H, q.PadTop = to-from, from-first
		band := scratch[:q.H*p.W*wide]
		repeat(band, img[from*p.W*p.C:to*p.W*p.C], p.Mult)
		q.rows(out[(row-start)*p.OW*wide:], band, filter, bias)
		row += q.OH
	}
}

// repeat writes every element of src n times in a row.
func repeat(dst, src []float32, n int) {
	if n == 2 {
		for len(src) >= 4 && len(dst) >= 8 {
			d, s := (*[8]float32)(dst), (*[4]float32)(src)
			d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7] = s[0], s[0], s[1], s[1], s[2], s[2], s[3], s[3]
			dst, src = dst[8:], src[4:]
		}
	}
	for i, v := range src {
		d := dst[i*n:][:n]
		for m := range d {
			d[m] = v
		}
	}
}

// strip is a run of output pixels of a row whose windows have the same taps.
// Strides and steps are in floats.
type strip struct {
	c          int // channels
	pixels     int
	step       int // between windows
	rows, cols int // taps
	row, col   int // between taps of the input
	wRow       int // between rows of the filter
	lo, hi     float32
}

// stripTaps bounds the taps of a strip, so that a kernel call is short.
const stripTaps = 1 << 16

// rows computes the rows asked for; there is one filter a channel (C*Mult channels if
// the filter is empty).
func (p *DepthwiseParams) rows(out, in, filter, bias []float32) {
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	c := p.C * p.Mult
	s := strip{c: c, step: p.StrideW * c, row: p.DilH * p.W * c, col: p.DilW * c, wRow: p.KW * c, lo: lo, hi: hi}
	first, last := rowRange(p.First, p.Rows, p.N*p.OH)
	out = out[:(last-first)*p.OW*c]
	for y := first; y < last; y++ {
		n, oy := y/p.OH, y%p.OH
		i0, i1 := clip(oy, p.StrideH, p.PadTop, p.DilH, p.KH, p.H)
		s.rows = i1 - i0
		for x := 0; x < p.OW; x += s.pixels {
			j0, j1 := clip(x, p.StrideW, p.PadLeft, p.DilW, p.KW, p.W)
			s.cols = j1 - j0
			s.pixels = min(p.sameTaps(x, j0, j1), stripTaps/max(s.rows*s.cols, 1)+1)
			dst := out[((y-first)*p.OW+x)*c:][:s.pixels*c]
			if s.rows <= 0 || s.cols <= 0 {
				s.none(dst, bias)
				continue
			}
			at := (n*p.H+oy*p.StrideH-p.PadTop+i0*p.DilH)*p.W + x*p.StrideW - p.PadLeft + j0*p.DilW
			s.run(dst, in[at*c:], filter[(i0*p.KW+j0)*c:], bias)
		}
	}
}

// sameTaps is the number of pixels from x on whose windows have taps [j0, j1).
func (p *DepthwiseParams) sameTaps(x, j0, j1 int) int {
	if p.KW > 0 && j0 == 0 && j1 == p.KW {
		// The last whole window begins at or before W - span.
		last := (p.W - (p.KW-1)*p.DilW - 1 + p.PadLeft) / p.StrideW
		return min(last, p.OW-1) - x + 1
	}
	n := 1
	for ; x+n < p.OW; n++ {
		if a, b := clip(x+n, p.StrideW, p.PadLeft, p.DilW, p.KW, p.W); a != j0 || b != j1 {
			break
		}
	}
	return n
}

// none writes what a sum of no taps gives.
func (s *strip) none(out, bias []float32) {
	for i := range out {
		var v float32
		if len(bias) != 0 {
			v = bias[i%s.c]
		}
		out[i] = clamp(v, s.lo, s.hi)
	}
}

// run computes the strip after checking that all it reads is there.
func (s *strip) run(out, in, filter, bias []float32) {
	if s.row < 0 || s.col < 0 || s.step < 0 || len(out) < s.pixels*s.c ||
		len(in) < (s.pixels-1)*s.step+(s.rows-1)*s.row+(s.cols-1)*s.col+s.c ||
		len(filter) < (s.rows-1)*s.wRow+s.cols*s.c || len(bias) != 0 && len(bias) < s.c {
		panic("conv: depthwise operand too short")
	}
	if stripSIMD(out, in, filter, bias, s) {
		return
	}
	for x := range s.pixels {
		dst := out[x*s.c:][:s.c]
		clear(dst)
		for i := range s.rows {
			for j := range s.cols {
				src := in[x*s.step+i*s.row+j*s.col:][:len(dst)]
				w := filter[i*s.wRow+j*s.c:][:len(dst)]
				for c := range dst {
					dst[c] += float32(src[c] * w[c])
				}
			}
		}
		for c, v := range dst {
			if len(bias) != 0 {
				v += bias[c]
			}
			dst[c] = clamp(v, s.lo, s.hi)
		}
	}
}
