package volume

import (
	"github.com/graphc/graphc/kernels/conv"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/kernels/internal/panel"
)

// ConvParams describes a three-dimensional convolution in f32, as Params does.
type ConvParams struct {
	N, D, H, W, C    int
	KD, KH, KW       int
	OD, OH, OW, OC   int
	SD, SH, SW       int
	PD, PH, PW       int
	DilD, DilH, DilW int // 0 means 1
	// First is the first row to compute, counted over the N*OD*OH rows of all volumes; out begins
	// with this row. Rows is the number of rows to compute. If both are 0, all rows are computed.
	First, Rows int
	Act         gemm.Act
	Lo, Hi      float32   // for gemm.Clip
	Bias        []float32 // [OC]; may be nil
}

// PackedLen returns the number of floats that PackF32 writes.
func PackedLen(kd, kh, kw, c, oc int) int { return max(kd, 0) * conv.PackedLen(kh, kw, c, oc, 1) }

// PackF32 packs a filter [kd,kh,kw,c,oc] for PackedConvF32: each of its kd slices as conv.PackF32 does.
func PackF32(dst, filter []float32, kd, kh, kw, c, oc int) {
	step, size := conv.PackedLen(kh, kw, c, oc, 1), kh*kw*c*oc
	for z := range kd {
		conv.PackF32(dst[z*step:(z+1)*step], filter[z*size:(z+1)*size], kh, kw, c, oc, 1)
	}
}

// pieceFloats bounds the part of the result that is computed at once, so that it stays in a near cache while
// the slices of the window are added to it.
const pieceFloats = 1 << 15

// flat returns the two-dimensional convolution that is computed for one slice of the window.
func (p *ConvParams) flat() conv.Params {
	return conv.Params{
		N: 1, H: p.H, W: p.W, C: p.C, KH: p.KH, KW: p.KW, OH: p.OH, OW: p.OW, OC: p.OC, Groups: 1,
		StrideH: p.SH, StrideW: p.SW, DilH: dil(p.DilH), DilW: dil(p.DilW), PadTop: p.PH, PadLeft: p.PW,
	}
}

// pointwise reports whether each output pixel depends on the input pixel at the same place alone.
func (p *ConvParams) pointwise() bool {
	return p.KD == 1 && p.KH == 1 && p.KW == 1 && p.SD == 1 && p.SH == 1 && p.SW == 1 && p.PD == 0 && p.PH == 0 && p.PW == 0 &&
		p.OD == p.D && p.OH == p.H && p.OW == p.W
}

// selected returns the range [first, last) that First and Rows select from the given number of rows.
func (p *ConvParams) selected(total int) (first, last int) {
	if p.First == 0 && p.Rows == 0 {
		return 0, total
	}
	return p.First, p.First + p.Rows
}

func (p *ConvParams) empty() bool {
	return p.N <= 0 || p.OD <= 0 || p.OH <= 0 || p.OW <= 0 || p.OC <= 0
}

// ConvScratchLen returns the number of floats of scratch that PackedConvF32 needs for p. It does not depend
// on N, D, OD, First and Rows.
func ConvScratchLen(p ConvParams) int { return conv.ScratchLen(p.flat()) }

// PackedConvF32 is a convolution with a filter packed by PackF32, a bias and an activation:
//
//	out[n,z,y,x,o] = act(Σ_{i,j,k,c} in[n, z*SD-PD+i*DilD, y*SH-PH+j*DilH, x*SW-PW+k*DilW, c] * filter[i,j,k,c,o] + Bias[o])
//
// scratch has ConvScratchLen(p) floats. out overlaps nothing. Taps outside the input are skipped or count
// as zeros, so an infinite weight may give NaN there. Each slice of the filter has its own sum, in the
// filter's order and with fused multiply-add if the machine has it; the slices' sums are added one by one. If
// out is empty, PackedConvF32 does nothing.
func PackedConvF32(out, in, filter, scratch []float32, p ConvParams) {
	if p.empty() {
		return
	}
	first, last := p.selected(p.N * p.OD * p.OH)
	q := p.flat()
	q.Bias, q.Act, q.Lo, q.Hi = p.Bias, p.Act, p.Lo, p.Hi
	if p.pointwise() {
		q.H, q.OH = last-first, last-first
		conv.F32(out, in[first*p.W*p.C:], filter, scratch, q)
		return
	}
	step, wide, slice := conv.PackedLen(p.KH, p.KW, p.C, p.OC, 1), p.OW*p.OC, p.H*p.W*p.C
	most := max(pieceFloats/wide, 1)
	for row, rows := first, 0; row < last; row += rows {
		y := row % p.OH
		rows = min(most, p.OH-y, last-row)
		q.First, q.Rows = y, rows
		p.slices(out[(row-first)*wide:][:rows*wide], in, filter, scratch, row/p.OH, step, slice, q)
	}
}

// slices adds the slices of the window for some rows of a slice of the result, which is counted over all
// volumes. step and slice are the distances between the slices of the filter and those of the input.
func (p *ConvParams) slices(out, in, filter, scratch []float32, at, step, slice int, q conv.Params) {
	n, z := at/p.OD, at%p.OD
	i0, i1 := 0, 0 // the slices of the filter that are inside the input
	for i := range p.KD {
		if from := z*p.SD - p.PD + i*dil(p.DilD); from >= 0 && from < p.D {
			if i0 == i1 {
				i0 = i
			}
			i1 = i + 1
		}
	}
	if i0 == i1 {
		q.KH = 0 // an empty sum
		conv.F32(out, nil, nil, nil, q)
		return
	}
	whole := q
	for i := i0; i < i1; i++ {
		q = whole
		if i > i0 {
			q.Res = out
		}
		if i < i1-1 {
			q.Bias, q.Act = nil, gemm.NoAct
		}
		from := (n*p.D + z*p.SD - p.PD + i*dil(p.DilD)) * slice
		conv.F32(out, in[from:from+slice], filter[i*step:(i+1)*step], scratch, q)
	}
}

// InputPackedLen returns the number of floats that PackInputF32 writes.
func InputPackedLen(kd, kh, kw, c, oc int) int { return kd * conv.BackpropPackedLen(kh, kw, c, oc) }

// PackInputF32 packs a filter [kd,kh,kw,c,oc] for PackedInputF32.
func PackInputF32(dst, filter []float32, kd, kh, kw, c, oc int) {
	step, size := conv.BackpropPackedLen(kh, kw, c, oc), kh*kw*c*oc
	for z := range kd {
		conv.BackpropPackF32(dst[z*step:(z+1)*step], filter[z*size:(z+1)*size], kh, kw, c, oc)
	}
}

// slice describes the gradient of one slice of the input with respect to one slice of the result.
func (p *ConvParams) slice() conv.BackpropParams {
	return conv.BackpropParams{
		N: 1, H: p.H, W: p.W, C: p.C, KH: p.KH, KW: p.KW, OH: p.OH, OW: p.OW, OC: p.OC,
		StrideH: p.SH, StrideW: p.SW, DilH: dil(p.DilH), DilW: dil(p.DilW), PadTop: p.PH, PadLeft: p.PW,
	}
}

// InputScratchLen returns the number of floats of scratch that PackedInputF32 needs for p. It does not
// depend on N, D, OD, First and Rows.
func InputScratchLen(p ConvParams) int {
	return max(p.H, 0)*max(p.W, 0)*max(p.C, 0) + conv.BackpropScratchLen(p.slice())
}

// PackedInputF32 writes the gradient in[N,D,H,W,C] of a convolution's input for grad[N,OD,OH,OW,OC], the gradient of
// its result. The filter is packed by PackInputF32. scratch has InputScratchLen(p) floats. First and Rows count the N*D
// slices of the gradient in; Act and Bias are not used.
func PackedInputF32(in, grad, filter, scratch []float32, p ConvParams) {
	first, last := p.selected(p.N * p.D)
	size := max(p.H, 0) * max(p.W, 0) * max(p.C, 0)
	if size == 0 || last <= first {
		return
	}
	q := p.slice()
	step := conv.BackpropPackedLen(p.KH, p.KW, p.C, p.OC)
	part, rest := scratch[:size], scratch[size:]
	for s := first; s < last; s++ {
		n, z := s/p.D, s%p.D
		out := in[(s-first)*size:][:size]
		some := false
		for k := range p.KD {
			at := z + p.PD - k*dil(p.DilD)
			o := at / p.SD
			if at < 0 || at%p.SD != 0 || o >= p.OD {
				continue
			}
			g := grad[(n*p.OD+o)*p.OH*p.OW*p.OC:]
			f := filter[k*step : (k+1)*step]
			if !some {
				conv.BackpropInputF32(out, g, f, rest, q)
				some = true
				continue
			}
			conv.BackpropInputF32(part, g, f, rest, q)
			panel.Add(out, part)
		}
		if !some {
			clear(out)
		}
	}
}
