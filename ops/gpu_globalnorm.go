package ops

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/norm"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuGlobalNorms are the older forms of batch normalisation.
func gpuGlobalNorms() []*GPU {
	return []*GPU{
		{Op: "BatchNormWithGlobalNormalization", Types: map[string][]tensor.DType{"T": floatTypes}, Lower: globalNormOnGPU},
		{Op: "BatchNormWithGlobalNormalizationGrad", Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Half}}, Lower: globalNormGradOnGPU},
	}
}

// globalNormOnGPU: see globalNormLower.
func globalNormOnGPU(b *Builder) error {
	p, err := b.globalNormParams()
	if err != nil {
		return err
	}
	d, rows, c := b.InFact(0).DType, p.Fields["Rows"][0], p.Fields["C"][0]
	v := p.V.(norm.GlobalParams)
	factor := b.DevTemp(d, c)
	m := b.devWork(c)
	e := m.real(tensor.Float64)
	within := e.add(e.Cast(e.d, m.item(b.DevIn(2))), e.k(float64(v.Epsilon)))
	k := e.Cast(d, e.reciprocal(e.sqrt(e.Cast(e.d, e.Cast(d, within)))))
	if v.Scale {
		k = e.mul(k, m.item(b.DevIn(4)))
	}
	m.out(factor, k)
	if err := m.call(); err != nil {
		return err
	}
	m = b.devWork(rows, c)
	channel := func(v plan.View) scalar.Value { return m.along(v, sym.Zero, sym.One) }
	x := m.Bin(scalar.Sub, m.along(b.DevIn(0), c, sym.One), channel(b.DevIn(1)))
	x = m.Bin(scalar.Mul, x, channel(factor))
	m.out(b.DevOut(0), m.Bin(scalar.Add, x, channel(b.DevIn(3))))
	return m.call()
}

// globalNormGradOnGPU: see globalNormGradLower.
func globalNormGradOnGPU(b *Builder) error {
	p, err := b.globalNormGradParams()
	if err != nil {
		return err
	}
	f64, rows, c := tensor.Float64, p.Fields["Rows"][0], p.Fields["C"][0]
	v := p.V.(norm.GlobalParams)
	dy, product := b.DevTemp(f64, b.InLen(0)), b.DevTemp(f64, b.InLen(0))
	m := b.devWork(rows, c)
	e := m.real(f64)
	wide := func(x scalar.Value) scalar.Value { return e.Cast(f64, x) }
	g := wide(m.along(b.DevIn(4), c, sym.One))
	m.out(dy, g)
	m.out(product, e.mul(g, e.sub(wide(m.along(b.DevIn(0), c, sym.One)), wide(m.along(b.DevIn(1), sym.Zero, sym.One)))))
	if err := m.call(); err != nil {
		return err
	}
	var sums [2]plan.View
	for i, t := range []plan.View{dy, product} {
		sums[i] = b.DevTemp(f64, c)
		b.devReduction(reduceGPU("Sum", f64), writes(sums[i]), reads(t), sym.One, rows, c)
	}
	factor := b.DevTemp(f64, c)
	m = b.devWork(c)
	e = m.real(f64)
	wide = func(x scalar.Value) scalar.Value { return e.Cast(f64, x) }
	within := e.add(wide(m.item(b.DevIn(2))), e.k(float64(v.Epsilon)))
	inv, scale, dg := e.reciprocal(e.sqrt(within)), e.k(1), e.k(0)
	sum, prod := m.item(sums[0]), m.item(sums[1])
	if v.Scale {
		scale, dg = wide(m.item(b.DevIn(3))), e.mul(prod, inv)
	}
	m.out(b.devOutOrTemp(1), e.mul(e.mul(e.neg(sum), inv), scale))
	m.out(b.devOutOrTemp(2), e.mul(e.mul(prod, e.div(e.mul(inv, e.k(-0.5)), within)), scale))
	m.out(b.devOutOrTemp(3), sum)
	m.out(b.devOutOrTemp(4), dg)
	m.out(factor, e.mul(inv, scale))
	if err := m.call(); err != nil {
		return err
	}
	m = b.devWork(rows, c)
	e = m.real(f64)
	m.out(b.devOutOrTemp(0), e.mul(m.along(dy, c, sym.One), m.along(factor, sym.Zero, sym.One)))
	return m.call()
}
