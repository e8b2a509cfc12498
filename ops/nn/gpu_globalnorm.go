package nn

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/norm"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	mathops "github.com/graphc/graphc/ops/math"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuGlobalNorms returns the GPU lowerings of BatchNormWithGlobalNormalization and its gradient,
// which are deprecated in TensorFlow.
func gpuGlobalNorms() []*lower.GPU {
	return []*lower.GPU{
		{Op: "BatchNormWithGlobalNormalization", Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Lower: globalNormOnGPU},
		{Op: "BatchNormWithGlobalNormalizationGrad", Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Half}}, Lower: globalNormGradOnGPU},
	}
}

// globalNormOnGPU: see globalNormLower.
func globalNormOnGPU(b *lower.Builder) error {
	p, err := globalNormParams(b)
	if err != nil {
		return err
	}
	d, rows, c := b.InFact(0).DType, p.Fields["Rows"][0], p.Fields["C"][0]
	v := p.V.(norm.GlobalParams)
	factor := b.DevTemp(d, c)
	m := kit.DevWork(b, c)
	e := m.Real(tensor.Float64)
	within := e.Add(e.Cast(e.D, m.ItemOf(b.DevIn(2))), e.K(float64(v.Epsilon)))
	k := e.Cast(d, e.Reciprocal(e.Sqrt(e.Cast(e.D, e.Cast(d, within)))))
	if v.Scale {
		k = e.Mul(k, m.ItemOf(b.DevIn(4)))
	}
	m.Out(factor, k)
	if err := m.Append(); err != nil {
		return err
	}
	m = kit.DevWork(b, rows, c)
	channel := func(v plan.View) scalar.Value { return m.Along(v, sym.Zero, sym.One) }
	x := m.Bin(scalar.Sub, m.Along(b.DevIn(0), c, sym.One), channel(b.DevIn(1)))
	x = m.Bin(scalar.Mul, x, channel(factor))
	m.Out(b.DevOut(0), m.Bin(scalar.Add, x, channel(b.DevIn(3))))
	return m.Append()
}

// globalNormGradOnGPU: see globalNormGradLower.
func globalNormGradOnGPU(b *lower.Builder) error {
	p, err := globalNormGradParams(b)
	if err != nil {
		return err
	}
	f64, rows, c := tensor.Float64, p.Fields["Rows"][0], p.Fields["C"][0]
	v := p.V.(norm.GlobalParams)
	dy, product := b.DevTemp(f64, b.InLen(0)), b.DevTemp(f64, b.InLen(0))
	m := kit.DevWork(b, rows, c)
	e := m.Real(f64)
	wide := func(x scalar.Value) scalar.Value { return e.Cast(f64, x) }
	g := wide(m.Along(b.DevIn(4), c, sym.One))
	m.Out(dy, g)
	m.Out(product, e.Mul(g, e.Sub(wide(m.Along(b.DevIn(0), c, sym.One)), wide(m.Along(b.DevIn(1), sym.Zero, sym.One)))))
	if err := m.Append(); err != nil {
		return err
	}
	var sums [2]plan.View
	for i, t := range []plan.View{dy, product} {
		sums[i] = b.DevTemp(f64, c)
		mathops.DevReduction(b, mathops.ReduceGPU("Sum", f64), kit.Writes(sums[i]), kit.Reads(t), sym.One, rows, c)
	}
	factor := b.DevTemp(f64, c)
	m = kit.DevWork(b, c)
	e = m.Real(f64)
	wide = func(x scalar.Value) scalar.Value { return e.Cast(f64, x) }
	within := e.Add(wide(m.ItemOf(b.DevIn(2))), e.K(float64(v.Epsilon)))
	inv, scale, dg := e.Reciprocal(e.Sqrt(within)), e.K(1), e.K(0)
	sum, prod := m.ItemOf(sums[0]), m.ItemOf(sums[1])
	if v.Scale {
		scale, dg = wide(m.ItemOf(b.DevIn(3))), e.Mul(prod, inv)
	}
	m.Out(kit.DevOutOrTemp(b, 1), e.Mul(e.Mul(e.Neg(sum), inv), scale))
	m.Out(kit.DevOutOrTemp(b, 2), e.Mul(e.Mul(prod, e.Div(e.Mul(inv, e.K(-0.5)), within)), scale))
	m.Out(kit.DevOutOrTemp(b, 3), sum)
	m.Out(kit.DevOutOrTemp(b, 4), dg)
	m.Out(factor, e.Mul(inv, scale))
	if err := m.Append(); err != nil {
		return err
	}
	m = kit.DevWork(b, rows, c)
	e = m.Real(f64)
	m.Out(kit.DevOutOrTemp(b, 0), e.Mul(m.Along(dy, c, sym.One), m.Along(factor, sym.Zero, sym.One)))
	return m.Append()
}
