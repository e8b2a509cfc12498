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

// gpuChecks returns the GPU lowerings of the ops that return an error if a number is not finite.
func gpuChecks() []*lower.GPU {
	return []*lower.GPU{
		{Op: "CheckNumerics", Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Lower: numericsOnGPU},
		{Op: "CheckNumericsV2", Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Lower: numericsOnGPU},
	}
}

// numericsOnGPU lowers CheckNumerics for a GPU, as numericsLower does for the CPU. The GPU computes
// two flags: whether the input contains a NaN, and whether the input contains an infinity. The host
// reads the two flags.
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
