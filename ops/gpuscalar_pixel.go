package ops

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/quant"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// scalarPixels are ops that compute three numbers of three.
func scalarPixels() []*GPU {
	return []*GPU{gpuMap("RGBToHSV", colourScalar), gpuMap("HSVToRGB", colourScalar), gpuMap("AdjustHue", colourScalar), gpuMap("AdjustSaturation", colourScalar)}
}

// three reads the three elements of input i that belong to the item.
func (m *scalarMaker) three(i int) (v [3]scalar.Value) {
	for k := range v {
		v[k] = m.e.Load(m.strided(i, sym.Int(k), []*sym.Expr{sym.Int(3)}))
	}
	return v
}

// outThree writes them.
func (m *scalarMaker) outThree(v [3]scalar.Value) {
	d := m.b.OutFact(0).DType
	for k := range v {
		m.w.Outs = append(m.w.Outs, scalar.Output{DType: d, Access: scalar.Strided, Value: m.e.Cast(d, v[k]), Name: m.b.Node.Name})
		m.w.Out = append(m.w.Out, scalar.Place{Tensor: scalarOut(0), Offset: sym.Int(k), Strides: []*sym.Expr{sym.Int(3)}})
	}
}

// colourScalar: the last dimension is red, green and blue, or hue, saturation and value.
func colourScalar(b *Builder) (*scalar.Work, error) {
	d, s := b.InFact(0).DType, b.InShape(0)
	if !scalar.IsFloat(d) {
		return nil, ErrOnHost
	}
	b.threeChannels()
	m := newScalar(b, []*sym.Expr{sym.Product(s[:len(s)-1])})
	e := m.real(d)
	v := m.three(0)
	for k := range v {
		v[k] = e.Cast(e.d, v[k])
	}
	switch b.Node.Op {
	case "RGBToHSV":
		v = e.toHSV(v)
	case "HSVToRGB":
		v = e.fromHSV(v)
	case "AdjustHue":
		v = e.turnHue(v, m.number(1))
	default:
		v = e.scaleSaturation(v, m.number(1))
	}
	m.outThree(v)
	return m.done()
}

func (e *realExpr) toHSV(c [3]scalar.Value) [3]scalar.Value {
	r, g, b := c[0], c[1], c[2]
	zero := e.k(0)
	v := e.max(e.max(r, g), b)
	span := e.sub(v, e.min(e.min(r, g), b))
	sat := e.Select(e.gt(v, zero), e.div(span, v), zero)
	sixth := func(n float64) scalar.Value { return e.div(e.k(n), e.k(6)) }
	k := e.div(sixth(1), span)
	red := e.mul(e.sub(g, b), k)
	green := e.add(e.mul(e.sub(b, r), k), sixth(2))
	blue := e.add(e.mul(e.sub(r, g), k), sixth(4))
	hue := e.Select(e.eq(v, r), red, e.Select(e.eq(v, g), green, blue))
	hue = e.Select(e.lt(hue, zero), e.add(hue, e.k(1)), hue)
	return [3]scalar.Value{e.Select(e.gt(span, zero), hue, zero), sat, v}
}

func (e *realExpr) fromHSV(c [3]scalar.Value) [3]scalar.Value {
	h, sat, v := e.mul(c[0], e.k(6)), c[1], c[2]
	ramp := func(x scalar.Value) scalar.Value {
		x = e.max(e.min(x, e.k(1)), e.k(0))
		return e.mul(e.add(e.oneMinus(sat), e.mul(sat, x)), v)
	}
	far := func(n float64) scalar.Value { return e.abs(e.sub(h, e.k(n))) }
	return [3]scalar.Value{ramp(e.sub(far(3), e.k(1))), ramp(e.sub(e.k(2), far(2))), ramp(e.sub(e.k(2), far(4)))}
}

func crossScalar(b *Builder) (*scalar.Work, error) {
	d, x, y := b.InFact(0).DType, b.InShape(0), b.InShape(1)
	if !scalar.IsFloat(d) && !scalar.IsInteger(d) {
		return nil, ErrOnHost
	}
	for i := range x {
		if err := b.sameDim(x[i], y[i], "both sides must have one shape"); err != nil {
			return nil, err
		}
	}
	if last := x[len(x)-1]; !last.Is(3) {
		b.Check(shape.Precondition, last, 3, "the last dimension must be 3")
	}
	m := newScalar(b, []*sym.Expr{sym.Product(x[:len(x)-1])})
	e := m.real(d)
	u, v := m.three(0), m.three(1)
	var w [3]scalar.Value
	for k := range w {
		p, q := (k+1)%3, (k+2)%3
		at := func(x [3]scalar.Value, i int) scalar.Value { return e.Cast(e.d, x[i]) }
		w[k] = e.sub(e.mul(at(u, p), at(v, q)), e.mul(at(u, q), at(v, p)))
	}
	m.outThree(w)
	return m.done()
}

// bucketizeScalar: how many of the sorted boundaries are at or below the element.
func bucketizeScalar(b *Builder) (*scalar.Work, error) {
	d := b.InFact(0).DType
	bounds, _ := b.Node.Attrs["boundaries"].([]float32)
	const most = 64 // comparisons of a kernel
	if len(bounds) > most || !scalar.IsFloat(d) && !scalar.IsInteger(d) {
		return nil, ErrOnHost
	}
	m := newScalar(b, []*sym.Expr{b.OutLen(0)})
	e := m.e
	x := e.Cast(tensor.Float64, m.item(0))
	if d == tensor.Float32 {
		x = m.item(0)
	}
	n := e.Const(tensor.Int32, 0)
	for _, v := range bounds {
		one := e.Cast(tensor.Int32, e.Un(scalar.Not, e.Bin(scalar.Lt, x, e.Const(e.Type(x), float64(v)))))
		n = e.Bin(scalar.Add, n, one)
	}
	m.out(0, n)
	return m.done()
}

// scalarFakes round to what integers of a few bits stand for.
func scalarFakes() []*GPU {
	return []*GPU{gpuMap("FakeQuantWithMinMaxArgs", fakeScalar), gpuMap("FakeQuantWithMinMaxArgsGradient", fakeScalar)}
}

// fakeScalar: attributes min, max, num_bits and narrow_range.
func fakeScalar(b *Builder) (*scalar.Work, error) {
	grad, _, _ := fakeKind(b.Node.Op)
	p := quant.FakeParams{Bits: b.Node.Int("num_bits"), Narrow: b.Node.Bool("narrow_range")}
	lo, hi := b.Node.Float("min"), b.Node.Float("max")
	if !(lo <= hi) || b.InFact(0).DType != tensor.Float32 {
		return nil, ErrOnHost
	}
	if grad {
		if err := b.checkSame(b.InShape(0), b.InShape(1)); err != nil {
			return nil, err
		}
	}
	m := newScalar(b, []*sym.Expr{b.OutLen(0)})
	e := m.real(tensor.Float32)
	k := func(v float32) scalar.Value { return e.k(float64(v)) }
	nothing := lo == 0 && hi == 0
	low, high, scale := p.Nudge(lo, hi)
	switch {
	case nothing && grad:
		m.out(0, m.item(0))
	case nothing:
		m.out(0, k(0))
	case grad:
		g, x := m.item(0), m.item(1)
		in := e.both(e.Bin(scalar.Ge, x, k(low)), e.Bin(scalar.Le, x, k(high)))
		m.out(0, e.mul(g, e.Cast(tensor.Float32, in)))
	default:
		inv := 1 / scale
		v := e.max(e.min(m.item(0), k(high)), k(low))
		zero := e.Un(scalar.Floor, k(float32(-low*inv)+0.5))
		q := e.sub(e.mul(e.sub(v, k(low)), k(inv)), zero)
		m.out(0, e.mul(e.Un(scalar.Floor, e.add(q, k(0.5))), k(scale)))
	}
	return m.done()
}
