package linalg

import (
	"github.com/graphc/graphc/ir/sym"
	gpufft "github.com/graphc/graphc/kernels/gpu/fft"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuTransforms are discrete Fourier transforms.
func gpuTransforms() []*lower.GPU {
	var list []*lower.GPU
	for _, d := range fftDefs {
		list = append(list, &lower.GPU{Op: d.Name, Types: complexTypes, Lower: fftOnGPU})
	}
	return list
}

// fftOnGPU: see fftLower.
func fftOnGPU(b *lower.Builder) error {
	rank, inverse, real := fftKind(b.Node.Op)
	q, err := fftParams(b)
	if err != nil {
		return err
	}
	q.V = gpufft.Params{Rank: rank, Inverse: inverse}
	wide := b.Node.DType("Tcomplex") == tensor.Complex128
	fns := []any{gpufft.C64, gpufft.C128, gpufft.ScratchC64, gpufft.ScratchC128}
	switch {
	case real && inverse:
		fns = []any{gpufft.InverseF32, gpufft.InverseF64, gpufft.ScratchF32, gpufft.ScratchF64}
	case real:
		fns = []any{gpufft.RealC64, gpufft.RealC128, gpufft.ScratchF32, gpufft.ScratchF64}
	}
	fn, scratch := fns[0], fns[2]
	if wide {
		fn, scratch = fns[1], fns[3]
	}
	b.Call(fn, b.Queue(), b.DevOut(0), b.DevIn(0), devScratch(b, scratch, q), q)
	return nil
}

// devScratch returns device memory. Its length in bytes is the one that lenOf returns for params,
// but at least 1.
func devScratch(b *lower.Builder, lenOf any, params plan.Struct) plan.View {
	if n, ok := kit.ScratchLen(lenOf, params); ok {
		return b.DevTemp(tensor.Uint8, sym.Int(max(n, 1)))
	}
	n := b.FreshSize()
	b.CallSizes(lenOf, []*sym.Expr{n}, params)
	return b.DevTemp(tensor.Uint8, sym.Max(n, sym.One))
}
