package quant

import (
	"math"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/quant"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	mathops "github.com/graphc/graphc/ops/math"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuQuants returns the GPU lowerings of the ops that simulate quantization, and of the gradients
// of these ops. Quantization rounds each float to one of at most 2^num_bits values, which are
// multiples of a scale.
func gpuQuants() []*lower.GPU {
	var list []*lower.GPU
	for _, op := range []string{"FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel", "FakeQuantWithMinMaxVarsGradient", "FakeQuantWithMinMaxVarsPerChannelGradient"} {
		list = append(list, &lower.GPU{Op: op, Lower: fakeOnGPU})
	}
	types := map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64}}
	for _, op := range []string{"QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3", "QuantizeAndDequantizeV4"} {
		list = append(list, &lower.GPU{Op: op, Types: types, Lower: roundOnGPU})
	}
	return append(list, &lower.GPU{Op: "QuantizeAndDequantizeV4Grad", Types: types, Lower: roundGradOnGPU})
}

// fakeOnGPU: see fakeLower.
func fakeOnGPU(b *lower.Builder) error {
	if !b.InFact(0).Shape.Known {
		return lower.ErrOnHost
	}
	first, p, err := fakeParams(b)
	if err != nil {
		return err
	}
	v := p.V.(quant.FakeParams)
	rows, c := p.Fields["Rows"][0], p.Fields["C"][0]
	m := kit.DevWork(b, rows, c)
	e := m.Real(tensor.Float32)
	x := m.Along(b.DevIn(first-1), c, sym.One)
	lo, hi := m.Along(b.DevIn(first), sym.Zero, sym.One), m.Along(b.DevIn(first+1), sym.Zero, sym.One)
	nothing := e.Both(e.IsZero(lo), e.IsZero(hi))
	low, high, scale := e.Nudged(lo, hi, v)
	if first == 1 {
		inv := e.Reciprocal(scale)
		zero := e.Un(scalar.Floor, e.Add(e.Mul(e.Neg(low), inv), e.K(0.5)))
		q := e.Sub(e.Mul(e.Sub(e.Max(e.Min(x, high), low), low), inv), zero)
		y := e.Mul(e.Un(scalar.Floor, e.Add(q, e.K(0.5))), scale)
		m.Out(b.DevOut(0), e.Select(nothing, e.K(0), y))
		return m.Append()
	}
	g := m.Along(b.DevIn(0), c, sym.One)
	where := func(ok scalar.Value) scalar.Value { return e.Mul(g, e.Cast(tensor.Float32, ok)) }
	in := where(e.Both(e.Bin(scalar.Ge, x, low), e.Bin(scalar.Le, x, high)))
	m.Out(kit.DevOutOrTemp(b, 0), e.Select(nothing, g, in))
	below, above := b.DevTemp(tensor.Float32, b.InLen(0)), b.DevTemp(tensor.Float32, b.InLen(0))
	m.Out(below, e.Select(nothing, e.K(0), where(e.Lt(x, low))))
	m.Out(above, e.Select(nothing, e.K(0), where(e.Gt(x, high))))
	if err := m.Append(); err != nil {
		return err
	}
	for i, t := range []plan.View{below, above} {
		mathops.DevReduction(b, mathops.ReduceGPU("Sum", tensor.Float32), kit.DevOutOrTemp(b, 1+i), kit.Reads(t), sym.One, rows, c)
	}
	return nil
}

// roundOnGPU lowers the ops of the QuantizeAndDequantize family for a GPU, as roundLower does for
// the CPU. If the range is an input, the host checks the range.
func roundOnGPU(b *lower.Builder) error {
	outer, slices, inner, given, err := roundSizes(b)
	if err != nil {
		return err
	}
	p, d := roundParams[float32](b.Node), b.InFact(0).DType
	ofBits := b.Node.Op == "QuantizeAndDequantizeV3" // the number of bits is an input
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
	if given {
		if !anyOrder(b.Node) {
			b.Call(ordered, b.In(1), b.In(2), slices)
		}
		lo, hi = b.DevIn(1), b.DevIn(2)
	} else {
		lo, hi = devExtremes(b, "Min", outer, slices, inner), devExtremes(b, "Max", outer, slices, inner)
	}

	var of [4]plan.View // each vector has one value per slice: lower bound, upper bound, factor, inverse factor
	for i := range of {
		of[i] = b.DevTemp(d, slices)
	}
	m := kit.DevWork(b, slices)
	e := m.Real(d)
	n := m.Int(int64(b.Node.Int("num_bits")))
	if ofBits {
		n = m.Cast(tensor.Int64, m.NumberOf(b.DevIn(3)))
	}
	if p.Signed {
		n = m.Bin(scalar.Sub, n, m.Int(1))
	}
	power := m.Bin(scalar.Shl, m.Int(1), n)
	qhi, qlo := e.Cast(d, m.Bin(scalar.Sub, power, m.Int(1))), e.K(0)
	if p.Signed {
		qlo = e.Neg(e.Cast(d, power))
		if p.Narrow {
			qlo = e.Add(qlo, e.K(1))
		}
	}
	low, high := m.ItemOf(lo), m.ItemOf(hi)
	byLow := e.Select(e.Gt(e.Mul(qlo, low), e.K(0)), e.Div(qlo, low), e.K(largest))
	byHigh := e.Select(e.Gt(e.Mul(qhi, high), e.K(0)), e.Div(qhi, high), e.K(largest))
	lower := e.Lt(byLow, byHigh)
	inv := e.Select(lower, e.Div(low, qlo), e.Div(high, qhi))
	m.Out(of[0], e.Select(lower, low, e.Mul(qlo, inv)))
	m.Out(of[1], e.Select(lower, e.Mul(qhi, inv), high))
	m.Out(of[2], e.Select(lower, byLow, byHigh))
	m.Out(of[3], inv)
	if err := m.Append(); err != nil {
		return err
	}

	m = kit.DevWork(b, outer, slices, inner)
	e = m.Real(d)
	x := m.Along(b.DevIn(0), slices.Mul(inner), inner, sym.One)
	slice := func(k int) scalar.Value { return m.Along(of[k], sym.Zero, sym.One, sym.Zero) }
	if given {
		x = e.Max(e.Min(x, slice(1)), slice(0))
	}
	if x = e.Mul(x, slice(2)); p.HalfUp {
		x = e.Un(scalar.Floor, e.Add(x, e.K(0.5)))
	} else {
		x = e.Un(scalar.Rint, x)
	}
	m.Out(b.DevOut(0), e.Mul(x, slice(3)))
	return m.Append()
}

// devExtremes returns the minimum or maximum of each slice of input 0, which is viewed as [outer,
// slices, inner].
func devExtremes(b *lower.Builder, op string, outer, slices, inner *sym.Expr) plan.View {
	d, src := b.InFact(0).DType, b.DevIn(0)
	fn := mathops.ReduceGPU(op, d)
	if !inner.Is(1) || outer.Is(1) {
		t := b.DevTemp(d, outer.Mul(slices))
		mathops.DevReduction(b, fn, kit.Writes(t), src, outer.Mul(slices), inner, sym.One)
		src = kit.Reads(t)
	}
	if outer.Is(1) {
		return src
	}
	t := b.DevTemp(d, slices)
	mathops.DevReduction(b, fn, kit.Writes(t), src, sym.One, outer, slices)
	return kit.Reads(t)
}

// roundGradOnGPU: see roundGradLower.
func roundGradOnGPU(b *lower.Builder) error {
	if !b.InFact(1).Shape.Known {
		return lower.ErrOnHost
	}
	outer, slices, inner, err := roundGradSizes(b)
	if err != nil {
		return err
	}
	m := kit.DevWork(b, outer, slices, inner)
	e := m.Real(b.InFact(1).DType)
	st := []*sym.Expr{slices.Mul(inner), inner, sym.One}
	g, x := m.Along(b.DevIn(0), st...), m.Along(b.DevIn(1), st...)
	lo, hi := m.Along(b.DevIn(2), sym.Zero, sym.One, sym.Zero), m.Along(b.DevIn(3), sym.Zero, sym.One, sym.Zero)
	in := e.Both(e.Bin(scalar.Ge, x, lo), e.Bin(scalar.Le, x, hi))
	m.Out(b.DevOut(0), e.Mul(g, e.Cast(e.D, in)))
	if err := m.Append(); err != nil {
		return err
	}
	for i := 1; i < 3; i++ {
		if b.OutUsed(i) {
			kit.DevZero(b, b.DevOut(i))
		}
	}
	return nil
}
