package conv

// band returns how many output rows are computed from one band, and the largest number of input
// rows in a band. A band is a copy of input rows in which each channel is repeated Mult times. It
// is needed only if Mult is above 1.
func (p *DepthwiseParams) band() (rows, most int) {
	span := (p.KH-1)*p.DilH + 1
	rows = min(max((bandFloats/max(1, p.W*p.C*p.Mult)-span)/p.StrideH+1, 1), p.OH, atMost(p.Rows, p.N*p.OH))
	return rows, min((rows-1)*p.StrideH+span, max(p.H, 0))
}

// DepthwiseScratchLen returns the number of floats of scratch that DepthwiseF32 needs.
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
//	out[n,y,x,c*Mult+m] = act(Σ_{i,j} in[n, y*StrideH-PadTop+i*DilH, x*StrideW-PadLeft+j*DilW, c] * filter[i,j,c,m] + Bias[c*Mult+m])
//
// filter is [KH,KW,C,Mult] as in TensorFlow. out overlaps nothing. scratch has
// DepthwiseScratchLen(p) floats. Taps outside the input are skipped or count as zeros (an
// infinite weight may give NaN there). Sums are in the filter's order, with fused
// multiply-add if the machine has it.
func DepthwiseF32(out, in, filter, scratch []float32, p DepthwiseParams) {
	p.dense()
	if p.empty() || len(out) == 0 { // with a filter [KH,KW,C,0], out has no channels
		return
	}
	if p.Mult == 1 || p.KH <= 0 {
		p.rows(out, in, filter)
		return
	}
	// Each input channel is repeated Mult times, so that each channel has one filter.
	rows, _ := p.band()
	wide := p.C * p.Mult
	start, end := rowRange(p.First, p.Rows, p.N*p.OH)
	for row := start; row < end; {
		n, y := row/p.OH, row%p.OH
		img := n*p.H - p.InFirst
		q := p
		q.N, q.C, q.Mult, q.OH, q.First, q.Rows, q.InFirst = 1, wide, 1, min(rows, p.OH-y, end-row), 0, 0, 0
		first := y*p.StrideH - p.PadTop
		from := min(max(first, 0), p.H)
		to := min(max(first+(q.OH-1)*p.StrideH+(p.KH-1)*p.DilH+1, from), p.H)
		q.H, q.PadTop = to-from, from-first
		band := scratch[:q.H*p.W*wide]
		repeat(band, in[(img+from)*p.W*p.C:(img+to)*p.W*p.C], p.Mult)
		q.rows(out[(row-start)*p.OW*wide:], band, filter)
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

// segment is a run of output pixels of a row for which the same filter columns are inside the
// image. The offsets src, w and dst are in floats. src is the offset, in an input row, of the first
// pixel that the run's first window reads. w is the offset, in a filter row, of the weights for
// this pixel. dst is the offset of the run's first pixel from the first output pixel of the strip's
// row.
type segment struct {
	pixels, cols int
	src, w, dst  int
}

// strip is a run of output rows for which the same filter rows are inside the image. The rows are split
// into segments or into groups. Distances are in floats if not stated otherwise.
type strip struct {
	c        int // channels
	lines    int // output rows
	srcLine  int // distance between the windows of neighbouring output rows
	dstLine  int
	step     int // distance between neighbouring windows of a row
	rows     int // number of rows of taps
	row, col int // distances between rows and between columns of taps in the input
	wRow     int // distance between rows of the filter
	lo, hi   float32
	segs     [16]segment
	count    int
	stride   int // distance between neighbouring windows of a row, in pixels
	groups   [16]group
	grouped  int // the number of groups; 0 if the rows are split into segments
	run      int // number of output pixels of a run in a group
}

// runs are the numbers of output pixels of a run for which there are kernels.
var runs = [...]int{7, 5, 3}

// group is a sequence of count adjacent runs of output pixels in a row. The pixels of a run are computed
// together. The field dst has the same meaning as in a segment. The field src is the offset
// at which the first window begins, which may be outside the image. A run that reads pixels outside the
// image is a group by itself, with edge set. Of the input columns that such a run reads, only [from, to)
// are inside the image.
type group struct {
	count    int
	src, dst int
	edge     bool
	from, to int
}

// stripFloats limits the input of a strip, so that it stays in the second-level cache while the
// strip's channels are computed. stripProducts limits the products of a channel, so that each call
// of a kernel is short.
const (
	stripFloats   = 1 << 15
	stripProducts = 1 << 17
)

// rows computes the selected rows if Mult is 1 or the filter is empty. The result has C*Mult
// channels.
func (p *DepthwiseParams) rows(out, in, filter []float32) {
	bias := p.Bias
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	c := p.C * p.Mult
	s := strip{
		c: c, srcLine: p.StrideH * p.W * c, dstLine: p.OW * c, step: p.StrideW * c,
		row: p.DilH * p.W * c, col: p.DilW * c, wRow: p.KW * c, lo: lo, hi: hi, stride: p.StrideW,
	}
	first, last := rowRange(p.First, p.Rows, p.N*p.OH)
	out = out[:(last-first)*p.OW*c]
	for x := 0; x < p.OW; {
		x0 := x
		if x == 0 && p.groups(&s) {
			x = p.OW
		} else {
			x = p.segments(&s, x)
		}
		most := max(min(stripFloats/(p.StrideH*(x-x0)*p.StrideW*c+1), stripProducts/(max(p.KH*p.KW, 1)*(x-x0))), 1)
		for y := first; y < last; y += s.lines {
			n, oy := y/p.OH, y%p.OH
			i0, i1 := clip(oy, p.StrideH, p.PadTop, p.DilH, p.KH, p.H)
			s.rows, s.lines = i1-i0, 1
			for s.lines < min(most, last-y, p.OH-oy) {
				if a, b := clip(oy+s.lines, p.StrideH, p.PadTop, p.DilH, p.KH, p.H); a != i0 || b != i1 {
					break
				}
				s.lines++
			}
			dst := out[((y-first)*p.OW+x0)*c:]
			if s.rows <= 0 || s.count == 0 && s.grouped == 0 {
				s.none(dst, bias, x-x0)
				continue
			}
			at := (n*p.H - p.InFirst + oy*p.StrideH - p.PadTop + i0*p.DilH) * p.W * c
			s.compute(dst, in[at:], filter[i0*p.KW*c:], bias)
		}
	}
}

// groups splits a row into groups. It returns false if no kernel can compute them.
func (p *DepthwiseParams) groups(s *strip) bool {
	s.grouped = 0
	s.run = 0
	for _, r := range runs {
		// The last run overlaps the run before it, so that a row of 6 pixels is computed best as 2·3.
		if r <= p.OW && (s.run == 0 || (p.OW+r-1)/r*r < (p.OW+s.run-1)/s.run*s.run && p.OW < runs[0]) {
			s.run = r
		}
	}
	if !groupsSIMD(s.c) || s.run == 0 || p.DilW != 1 || p.KW != 3 && p.KW != 5 || p.StrideW > 2 || p.OW > stripProducts/max(p.KH*p.KW, 1) {
		return false
	}
	n := 0
	for x := 0; x < p.OW; x += s.run {
		x := min(x, p.OW-s.run) // the last run may overlap the run before it
		from := x*p.StrideW - p.PadLeft
		size := p.StrideW*(s.run-1) + p.KW
		g := group{count: 1, src: from * s.c, dst: x * s.c, edge: from < 0 || from+size > p.W}
		if n > 0 && !g.edge {
			if l := &s.groups[n-1]; !l.edge && g.dst == l.dst+l.count*s.run*s.c {
				l.count++
				continue
			}
		}
		if g.edge {
			g.from, g.to = clip(0, 1, -from, 1, size, p.W)
		}
		if n == len(s.groups) || g.edge && (g.from > p.KW/2 || g.to < size-p.KW/2) {
			return false
		}
		s.groups[n] = g
		n++
	}
	s.grouped = n
	return true
}

// segments splits the pixels of a row from x on into segments and returns the first pixel that it
// did not handle. Pixels whose windows are outside the image get no segment.
func (p *DepthwiseParams) segments(s *strip, x int) int {
	s.count = 0
	most := max(stripProducts/max(p.KH*p.KW, 1), 1)
	for x0 := x; x < p.OW && s.count < len(s.segs) && x-x0 < most; {
		j0, j1 := clip(x, p.StrideW, p.PadLeft, p.DilW, p.KW, p.W)
		n := min(p.sameTaps(x, j0, j1), most-(x-x0))
		switch {
		case j0 < j1:
			s.segs[s.count] = segment{n, j1 - j0, (x*p.StrideW - p.PadLeft + j0*p.DilW) * s.c, j0 * s.c, (x - x0) * s.c}
			s.count++
		case s.count == 0:
			return x + n
		default:
			return x
		}
		x += n
	}
	return x
}

// sameTaps returns the number of pixels, beginning with x, for which exactly the filter columns
// [j0, j1) are inside the image.
func (p *DepthwiseParams) sameTaps(x, j0, j1 int) int {
	if p.KW > 0 && j0 == 0 && j1 == p.KW {
		// last is the last output pixel whose whole window is inside the image.
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

// none writes the result of an empty sum to the given number of pixels of each line.
func (s *strip) none(out, bias []float32, pixels int) {
	for y := range s.lines {
		for i := range pixels * s.c {
			var v float32
			if len(bias) != 0 {
				v = bias[i%s.c]
			}
			out[y*s.dstLine+i] = clamp(v, s.lo, s.hi)
		}
	}
}

// compute checks that all accesses are in bounds, and then computes the strip.
func (s *strip) compute(out, in, filter, bias []float32) {
	if s.row < 0 || s.col < 0 || s.step < 0 || s.srcLine < 0 || len(bias) != 0 && len(bias) < s.c {
		panic("conv: bad depthwise operand")
	}
	if s.grouped > 0 {
		s.runGroups(out, in, filter, bias)
		return
	}
	for _, g := range s.segs[:s.count] {
		if len(out) < (s.lines-1)*s.dstLine+g.dst+g.pixels*s.c ||
			len(in) < (s.lines-1)*s.srcLine+g.src+(g.pixels-1)*s.step+(s.rows-1)*s.row+(g.cols-1)*s.col+s.c ||
			len(filter) < g.w+(s.rows-1)*s.wRow+g.cols*s.c || g.src < 0 {
			panic("conv: depthwise operand too short")
		}
	}
	if stripSIMD(out, in, filter, bias, s) {
		return
	}
	for y := range s.lines {
		for _, g := range s.segs[:s.count] {
			s.segment(&g, out[y*s.dstLine+g.dst:], in[y*s.srcLine+g.src:], filter[g.w:], bias)
		}
	}
}

// runGroups does the same as compute for a strip that is split into groups.
func (s *strip) runGroups(out, in, filter, bias []float32) {
	taps := s.wRow / s.c
	for _, g := range s.groups[:s.grouped] {
		first, last := g.src, g.src+(g.count*s.run-1)*s.step+(taps-1)*s.col
		if g.edge {
			first, last = g.src+g.from*s.col, g.src+(g.to-1)*s.col
		}
		if len(out) < (s.lines-1)*s.dstLine+g.dst+g.count*s.run*s.c || first < 0 && first <= last ||
			first <= last && len(in) < (s.lines-1)*s.srcLine+(s.rows-1)*s.row+last+s.c || len(filter) < s.rows*s.wRow {
			panic("conv: depthwise operand too short")
		}
	}
	groupStrip(out, in, filter, bias, s)
}

// segment computes the pixels of the segment g without vector instructions.
func (s *strip) segment(g *segment, out, in, filter, bias []float32) {
	for x := range g.pixels {
		dst := out[x*s.c:][:s.c]
		clear(dst)
		for i := range s.rows {
			for j := range g.cols {
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
