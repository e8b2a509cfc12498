package conv

// DepthwiseScratchLen is the number of floats of scratch DepthwiseF32 needs.
func DepthwiseScratchLen(p DepthwiseParams) int {
	p.dense()
	if p.empty() || p.Mult == 1 {
		return 0
	}
	return p.W * p.C * p.Mult * max(p.KH, 0)
}

// DepthwiseF32 computes
//
//	out[n,y,x,c*Mult+m] = act(Σ_{i,j} in[n, y*StrideH-PadTop+i*DilH, x*StrideW-PadLeft+j*DilW, c] * filter[i,j,c,m] + bias[c*Mult+m])
//
// filter is [KH,KW,C,Mult] as TensorFlow has it; bias is absent if empty. out
// overlaps nothing. scratch has DepthwiseScratchLen(p) floats. Taps outside
// the input take part as zeros.
func DepthwiseF32(out, in, filter, bias, scratch []float32, p DepthwiseParams) {
	p.dense()
	if p.empty() {
		return
	}
	lo, hi := p.Act.Bounds(p.Lo, p.Hi)
	id := func(v float32) float32 { return v }
	depthwise(out, in, filter, bias, &p, id, id, lo, hi)
}
