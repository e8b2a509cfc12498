package ops

import (
	"math"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/quant"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuQuants round to what integers could stand for.
func gpuQuants() []*GPU {
	var list []*GPU
	for _, op := range []string{"FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel", "FakeQuantWithMinMaxVarsGradient", "FakeQuantWithMinMaxVarsPerChannelGradient"} {
		list = append(list, &GPU{Op: op, Lower: fakeOnGPU})
	}
	types := map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64}}
	for _, op := range []string{"QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3", "QuantizeAndDequantizeV4"} {
		list = append(list, &GPU{Op: op, Types: types, Lower: roundOnGPU})
	}
	return append(list, &GPU{Op: "QuantizeAndDequantizeV4Grad", Types: types, Lower: roundGradOnGPU})
}

// nudged moves a range so that zero is an integer; see quant.FakeParams.Nudge.
func (e *realExpr) nudged(lo, hi scalar.Value, p quant.FakeParams) (low, high, scale scalar.Value) {
	first, last := 0.0, float64(int(1)<<p.Bits-1)
	if p.Narrow {
		first = 1
	}
	qlo, qhi := e.k(first), e.k(last)
	scale = e.div(e.sub(hi, lo), e.k(float64(float32(last)-float32(first))))
	at := e.sub(qlo, e.div(lo, scale))
	near := e.Un(scalar.Floor, e.add(e.Cast(tensor.Float64, at), e.Const(tensor.Float64, 0.5))) // at is not negative where this counts
	zero := e.Select(e.Bin(scalar.Ne, at, at), e.k(0), e.Cast(tensor.Float32, near))
	zero = e.Select(e.gt(at, qhi), qhi, zero)
	zero = e.Select(e.lt(at, qlo), qlo, zero)
	return e.mul(e.sub(qlo, zero), scale), e.mul(e.sub(qhi, zero), scale), scale
}

// fakeOnGPU: see fakeLower.
func fakeOnGPU(b *Builder) error {
	if !b.InFact(0).Shape.Known {
		return ErrOnHost
	}
	first, p, err := b.fakeParams()
	if err != nil {
		return err
	}
	v := p.V.(quant.FakeParams)
	rows, c := p.Fields["Rows"][0], p.Fields["C"][0]
	m := b.devWork(rows, c)
	e := m.real(tensor.Float32)
	x := m.along(b.DevIn(first-1), c, sym.One)
	lo, hi := m.along(b.DevIn(first), sym.Zero, sym.One), m.along(b.DevIn(first+1), sym.Zero, sym.One)
	nothing := e.both(e.isZero(lo), e.isZero(hi))
	low, high, scale := e.nudged(lo, hi, v)
	if first == 1 {
		inv := e.reciprocal(scale)
		zero := e.Un(scalar.Floor, e.add(e.mul(e.neg(low), inv), e.k(0.5)))
		q := e.sub(e.mul(e.sub(e.max(e.min(x, high), low), low), inv), zero)
		y := e.mul(e.Un(scalar.Floor, e.add(q, e.k(0.5))), scale)
		m.out(b.DevOut(0), e.Select(nothing, e.k(0), y))
		return m.call()
	}
	g := m.along(b.DevIn(0), c, sym.One)
	where := func(ok scalar.Value) scalar.Value { return e.mul(g, e.Cast(tensor.Float32, ok)) }
	in := where(e.both(e.Bin(scalar.Ge, x, low), e.Bin(scalar.Le, x, high)))
	m.out(b.devOutOrTemp(0), e.Select(nothing, g, in))
	below, above := b.DevTemp(tensor.Float32, b.InLen(0)), b.DevTemp(tensor.Float32, b.InLen(0))
	m.out(below, e.Select(nothing, e.k(0), where(e.lt(x, low))))
	m.out(above, e.Select(nothing, e.k(0), where(e.gt(x, high))))
	if err := m.call(); err != nil {
		return err
	}
	for i, t := range []plan.View{below, above} {
		b.devReduction(reduceGPU("Sum", tensor.Float32), b.devOutOrTemp(1+i), reads(t), sym.One, rows, c)
	}
	return nil
}

// roundOnGPU: see roundLower. The host looks at ranges that are given.
func roundOnGPU(b *Builder) error {
	q, err := b.roundParams()
	if err != nil {
		return err
	}
	p, d := q.V.(quant.RoundParams), b.InFact(0).DType
	outer, slices, inner := q.Fields["Outer"][0], q.Fields["Slices"][0], q.Fields["Inner"][0]
	ofBits := b.Node.Op == "QuantizeAndDequantizeV3" // which has them as an input
	if ofBits {
		b.Call(quant.BitsFitIn, b.In(3), p.Signed)
	} else {
		b.Check(quant.BitsFit, b.Node.Int("num_bits"), p.Signed)
	}
	largest := math.MaxFloat32
	ordered := any(quant.OrderedF32)
	if d == tensor.Float64 {
		largest, ordered = math.MaxFloat64, quant.OrderedF64
	}
	var lo, hi plan.View
	if p.Given {
		b.Call(ordered, b.In(1), b.In(2), slices)
		lo, hi = b.DevIn(1), b.DevIn(2)
	} else {
		lo, hi = b.devExtremes("Min", outer, slices, inner), b.devExtremes("Max", outer, slices, inner)
	}

	var of [4]plan.View // of each slice: the range, the factor, and what it is undone by
	for i := range of {
		of[i] = b.DevTemp(d, slices)
	}
	m := b.devWork(slices)
	e := m.real(d)
	n := m.Int(int64(b.Node.Int("num_bits")))
	if ofBits {
		n = m.Cast(tensor.Int64, m.number(b.DevIn(3)))
	}
	if p.Signed {
		n = m.Bin(scalar.Sub, n, m.Int(1))
	}
	power := m.Bin(scalar.Shl, m.Int(1), n)
	qhi, qlo := e.Cast(d, m.Bin(scalar.Sub, power, m.Int(1))), e.k(0)
	if p.Signed {
		qlo = e.neg(e.Cast(d, power))
		if p.Narrow {
			qlo = e.add(qlo, e.k(1))
		}
	}
	low, high := m.item(lo), m.item(hi)
	byLow := e.Select(e.gt(e.mul(qlo, low), e.k(0)), e.div(qlo, low), e.k(largest))
	byHigh := e.Select(e.gt(e.mul(qhi, high), e.k(0)), e.div(qhi, high), e.k(largest))
	lower := e.lt(byLow, byHigh)
	inv := e.Select(lower, e.div(low, qlo), e.div(high, qhi))
	m.out(of[0], e.Select(lower, low, e.mul(qlo, inv)))
	m.out(of[1], e.Select(lower, e.mul(qhi, inv), high))
	m.out(of[2], e.Select(lower, byLow, byHigh))
	m.out(of[3], inv)
	if err := m.call(); err != nil {
		return err
	}

	m = b.devWork(outer, slices, inner)
	e = m.real(d)
	x := m.along(b.DevIn(0), slices.Mul(inner), inner, sym.One)
	slice := func(k int) scalar.Value { return m.along(of[k], sym.Zero, sym.One, sym.Zero) }
	if p.Given {
		x = e.max(e.min(x, slice(1)), slice(0))
	}
	if x = e.mul(x, slice(2)); p.HalfUp {
		x = e.Un(scalar.Floor, e.add(x, e.k(0.5)))
	} else {
		x = e.Un(scalar.Rint, x)
	}
	m.out(b.DevOut(0), e.mul(x, slice(3)))
	return m.call()
}

// devExtremes are the least or the largest elements of input 0, [outer, slices, inner], by slice.
func (b *Builder) devExtremes(op string, outer, slices, inner *sym.Expr) plan.View {
	d, src := b.InFact(0).DType, b.DevIn(0)
	fn := reduceGPU(op, d)
	if !inner.Is(1) || outer.Is(1) {
		t := b.DevTemp(d, outer.Mul(slices))
		b.devReduction(fn, writes(t), src, outer.Mul(slices), inner, sym.One)
		src = reads(t)
	}
	if outer.Is(1) {
		return src
	}
	t := b.DevTemp(d, slices)
	b.devReduction(fn, writes(t), src, sym.One, outer, slices)
	return reads(t)
}

// roundGradOnGPU: see roundGradLower.
func roundGradOnGPU(b *Builder) error {
	if !b.InFact(1).Shape.Known {
		return ErrOnHost
	}
	outer, slices, inner, err := b.roundGradSizes()
	if err != nil {
		return err
	}
	m := b.devWork(outer, slices, inner)
	e := m.real(b.InFact(1).DType)
	st := []*sym.Expr{slices.Mul(inner), inner, sym.One}
	g, x := m.along(b.DevIn(0), st...), m.along(b.DevIn(1), st...)
	lo, hi := m.along(b.DevIn(2), sym.Zero, sym.One, sym.Zero), m.along(b.DevIn(3), sym.Zero, sym.One, sym.Zero)
	in := e.both(e.Bin(scalar.Ge, x, lo), e.Bin(scalar.Le, x, hi))
	m.out(b.DevOut(0), e.mul(g, e.Cast(e.d, in)))
	if err := m.call(); err != nil {
		return err
	}
	for i := 1; i < 3; i++ {
		if b.OutUsed(i) {
			b.devZero(b.DevOut(i))
		}
	}
	return nil
}
