package math

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuChecks detect numbers that are not finite.
func gpuChecks() []*lower.GPU {
	return []*lower.GPU{
		{Op: "CheckNumerics", Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Lower: numericsOnGPU},
		{Op: "CheckNumericsV2", Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Lower: numericsOnGPU},
	}
}

// numericsOnGPU: see numericsLower. The host reads whether there is a NaN and whether there is an
// infinity.
func numericsOnGPU(b *lower.Builder) error {
	n := b.InLen(0)
	nan, inf := b.DevTemp(tensor.Bool, n), b.DevTemp(tensor.Bool, n)
	m := kit.DevWork(b, n)
	e := m.Real(b.InFact(0).DType)
	x := e.Cast(e.D, m.ItemOf(b.DevIn(0)))
	m.Out(nan, e.Bin(scalar.Ne, x, x))
	m.Out(inf, e.Eq(e.Cast(tensor.Float64, e.Abs(x)), e.Infinity()))
	if err := m.Append(); err != nil {
		return err
	}
	found := b.DevTemp(tensor.Bool, sym.Int(2))
	for i, flags := range []plan.View{nan, inf} {
		DevReduction(b, ReduceGPU("Any", tensor.Bool), kit.Writes(found).At(sym.Int(i), sym.One), kit.Reads(flags), sym.One, n, sym.One)
	}
	b.Call(elem.CheckFound, kit.Downloaded(b, kit.Reads(found)), b.Node.Str("message"))
	b.Alias(0, 0)
	return nil
}
