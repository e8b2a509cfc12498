package quant

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/quant"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// scalarFakes returns the GPU lowerings of FakeQuantWithMinMaxArgs and of its gradient. The op
// simulates quantization: it rounds each float to one of at most 2^num_bits values, which are
// multiples of a scale.
func scalarFakes() []*lower.GPU {
	return []*lower.GPU{kit.GPUMap("FakeQuantWithMinMaxArgs", fakeScalar), kit.GPUMap("FakeQuantWithMinMaxArgsGradient", fakeScalar)}
}

// fakeScalar returns the scalar program of an op of the FakeQuant family whose range is given by
// the attributes min and max.
func fakeScalar(b *lower.Builder) (*scalar.Work, error) {
	grad, _, _ := fakeKind(b.Node.Op)
	p := quant.FakeParams{Bits: b.Node.Int("num_bits"), Narrow: b.Node.Bool("narrow_range")}
	lo, hi := b.Node.Float("min"), b.Node.Float("max")
	if !(lo <= hi) || b.InFact(0).DType != tensor.Float32 {
		return nil, lower.ErrOnHost
	}
	if grad {
		if err := kit.CheckSame(b, b.InShape(0), b.InShape(1)); err != nil {
			return nil, err
		}
	}
	m := kit.NewScalar(b, []*sym.Expr{b.OutLen(0)})
	e := m.Real(tensor.Float32)
	k := func(v float32) scalar.Value { return e.K(float64(v)) }
	nothing := lo == 0 && hi == 0
	low, high, scale := p.Nudge(lo, hi)
	switch {
	case nothing && grad:
		m.Out(0, m.Item(0))
	case nothing:
		m.Out(0, k(0))
	case grad:
		g, x := m.Item(0), m.Item(1)
		in := e.Both(e.Bin(scalar.Ge, x, k(low)), e.Bin(scalar.Le, x, k(high)))
		m.Out(0, e.Mul(g, e.Cast(tensor.Float32, in)))
	default:
		inv := 1 / scale
		v := e.Max(e.Min(m.Item(0), k(high)), k(low))
		zero := e.Un(scalar.Floor, k(float32(-low*inv)+0.5))
		q := e.Sub(e.Mul(e.Sub(v, k(low)), k(inv)), zero)
		m.Out(0, e.Mul(e.Un(scalar.Floor, e.Add(q, k(0.5))), k(scale)))
	}
	return m.Done()
}
