package ops

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuChecks look for what is not finite.
func gpuChecks() []*GPU {
	return []*GPU{
		{Op: "CheckNumerics", Types: map[string][]tensor.DType{"T": floatTypes}, Lower: numericsOnGPU},
		{Op: "CheckNumericsV2", Types: map[string][]tensor.DType{"T": floatTypes}, Lower: numericsOnGPU},
	}
}

// numericsOnGPU: see numericsLower. The host fetches whether there is a NaN and whether there
// is an infinity.
func numericsOnGPU(b *Builder) error {
	n := b.InLen(0)
	nan, inf := b.DevTemp(tensor.Bool, n), b.DevTemp(tensor.Bool, n)
	m := b.devWork(n)
	e := m.real(b.InFact(0).DType)
	x := e.Cast(e.d, m.item(b.DevIn(0)))
	m.out(nan, e.Bin(scalar.Ne, x, x))
	m.out(inf, e.eq(e.Cast(tensor.Float64, e.abs(x)), e.infinity()))
	if err := m.call(); err != nil {
		return err
	}
	found := b.DevTemp(tensor.Bool, sym.Int(2))
	for i, flags := range []plan.View{nan, inf} {
		b.devReduction(reduceGPU("Any", tensor.Bool), writes(found).At(sym.Int(i), sym.One), reads(flags), sym.One, n, sym.One)
	}
	b.Call(elem.CheckFound, b.downloaded(reads(found)), b.Node.Str("message"))
	b.Alias(0, 0)
	return nil
}
