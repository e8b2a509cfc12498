package conv

import (
	"github.com/graphc/graphc/kernels/gemm"
	stored "github.com/graphc/graphc/kernels/internal/narrow"
	"github.com/graphc/graphc/kernels/internal/panel"
)

// WideLen returns the number of floats that F32F16, F32BF16 and F32I8 need for widened
// filters. It suffices for any part of p's rows.
func WideLen(p Params) int {
	p.dense()
	depth, og := p.KH*p.KW*(p.C/p.Groups), p.OC/p.Groups
	if depth <= 0 || og <= 0 {
		return 0
	}
	return gemm.PackedLen(depth, min(og, gemm.WideColumns(depth)))
}

// F32I8 is F32F16 for a filter stored as int8, with a scale for each output channel. Each group of
// the filter is stored in whole panels of 16 output channels.
func F32I8(out, in []float32, filter []int8, scale, scratch, wide []float32, p Params) {
	f32Narrow(out, in, stored.Panels{I8: filter, Scale: scale}, scratch, wide, p)
}

// f32Narrow convolves in parts: it widens the filter to f32 for as many output channels at once as
// fit in the cache.
func f32Narrow(out, in []float32, filter stored.Panels, scratch, wide []float32, p Params) {
	p.dense()
	if p.empty() {
		return
	}
	cg, og := p.C/p.Groups, p.OC/p.Groups
	depth := p.KH * p.KW * cg
	if depth <= 0 {
		F32(out, in, nil, scratch, p)
		return
	}
	panels, cols := (og+panel.Width-1)/panel.Width, gemm.WideColumns(depth)
	for g := range p.Groups {
		for n := 0; n < og; n += cols {
			q := p
			q.Groups, q.C, q.OC = 1, cg, min(cols, og-n)
			w := wide[:gemm.PackedLen(depth, q.OC)]
			stored.Expand(w, filter.From(g*panels+n/panel.Width, depth), (q.OC+panel.Width-1)/panel.Width, depth)
			o := g*og + n
			q.Bias, q.Res = panel.From(p.Bias, o), panel.From(p.Res, o)
			F32(out[o:], panel.From(in, g*cg), w, scratch, q)
		}
	}
}
