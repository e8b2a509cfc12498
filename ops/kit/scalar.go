package kit

import (
	"math"
	"reflect"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/quant"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// Nudged shifts a range so that zero is representable; see quant.FakeParams.Nudge.
func (e *RealExpr) Nudged(lo, hi scalar.Value, p quant.FakeParams) (low, high, scale scalar.Value) {
	first, last := 0.0, float64(int(1)<<p.Bits-1)
	if p.Narrow {
		first = 1
	}
	qlo, qhi := e.K(first), e.K(last)
	scale = e.Div(e.Sub(hi, lo), e.K(float64(float32(last)-float32(first))))
	at := e.Sub(qlo, e.Div(lo, scale))
	// The rounding may be wrong for negative numbers, but if at < 0, zero becomes qlo below.
	near := e.Un(scalar.Floor, e.Add(e.Cast(tensor.Float64, at), e.Const(tensor.Float64, 0.5)))
	zero := e.Select(e.Bin(scalar.Ne, at, at), e.K(0), e.Cast(tensor.Float32, near))
	zero = e.Select(e.Gt(at, qhi), qhi, zero)
	zero = e.Select(e.Lt(at, qlo), qlo, zero)
	return e.Mul(e.Sub(qlo, zero), scale), e.Mul(e.Sub(qhi, zero), scale), scale
}

// A GPU's element-wise computations are described by programs over numbers (plan/scalar). In a
// node's Work, a tensor that is read has the number of the node's input, and a tensor that is
// written has the number that ScalarOut returns.

// ScalarOut returns the number that output i has in a node's Work.
func ScalarOut(i int) int { return -1 - i }

// ScalarMaker builds a node's Work.
type ScalarMaker struct {
	B *lower.Builder
	W *scalar.Work
	E *scalar.Builder
}

// NewScalar begins a Work whose dimensions have the given sizes.
func NewScalar(b *lower.Builder, sizes []*sym.Expr) *ScalarMaker {
	w := &scalar.Work{Sizes: append([]*sym.Expr{}, sizes...)}
	if len(w.Sizes) == 0 {
		w.Sizes = []*sym.Expr{sym.One}
	}
	w.Dims = len(w.Sizes)
	m := &ScalarMaker{B: b, W: w, E: scalar.NewBuilder(&w.Program)}
	m.E.Note = b.Node.Name
	return m
}

// Place adds a read of input i to the Work, and returns the number of the read.
func (m *ScalarMaker) Place(i int, access scalar.Access, off *sym.Expr, strides []*sym.Expr) int {
	o := m.B.Node.Ins[i]
	m.W.Ins = append(m.W.Ins, scalar.Input{DType: m.B.InFact(i).DType, Access: access, Name: o.String()})
	m.W.In = append(m.W.In, scalar.Place{Tensor: i, Offset: off, Strides: strides})
	return len(m.W.Ins) - 1
}

// constant returns the only element of input i if it is known at compile time. The value becomes
// part of the program, so the input is not read.
func (m *ScalarMaker) constant(i int) (scalar.Value, bool) {
	t := m.B.InConst(i)
	if t == nil || t.Len() != 1 || !scalar.Takes(t.DType) {
		return 0, false
	}
	o := scalar.Op{Code: scalar.Const, DType: scalar.Plain(t.DType)}
	o.Bits = scalar.ElementBits(reflect.ValueOf(t.Data).Index(0))
	return m.E.Op(o), true
}

// Item reads the item's element of input i, which has one element for each item.
func (m *ScalarMaker) Item(i int) scalar.Value {
	return m.E.Load(m.Place(i, scalar.Contiguous, nil, nil))
}

// Number reads element 0 of input i.
func (m *ScalarMaker) Number(i int) scalar.Value {
	if v, ok := m.constant(i); ok {
		return v
	}
	return m.E.Load(m.Place(i, scalar.Scalar, nil, nil))
}

// Spread reads the item's element of input i. The input has the shape dims and is broadcast to the
// sizes of the Work.
func (m *ScalarMaker) Spread(i int, dims []*sym.Expr) scalar.Value {
	if v, ok := m.constant(i); ok {
		return v
	}
	return m.E.Load(m.Place(i, scalar.Strided, sym.Zero, scalar.Spread(dims, m.W.Sizes)))
}

// Strided adds a read of input i at off + Σ coordinate·stride, and returns the number of the read.
func (m *ScalarMaker) Strided(i int, off *sym.Expr, strides []*sym.Expr) int {
	return m.Place(i, scalar.Strided, off, strides)
}

// Arg returns the value of e, which may be known only at run time.
func (m *ScalarMaker) Arg(e *sym.Expr) scalar.Value {
	if v, ok := e.IsInt(); ok {
		return m.E.Int(int64(v))
	}
	m.W.Values = append(m.W.Values, e)
	m.W.Args++
	return m.E.Arg(m.W.Args - 1)
}

// Out writes v as output i's element.
func (m *ScalarMaker) Out(i int, v scalar.Value) {
	d := m.B.OutFact(i).DType
	m.W.Outs = append(m.W.Outs, scalar.Output{DType: d, Value: m.E.Cast(d, v), Name: m.B.Node.Name})
	m.W.Out = append(m.W.Out, scalar.Place{Tensor: ScalarOut(i)})
}

// Done returns the finished Work.
func (m *ScalarMaker) Done() (*scalar.Work, error) {
	if err := m.W.Check(); err != nil {
		return nil, m.B.Errorf(tensor.Internal, "%v", err)
	}
	return m.W.Simplify(), nil
}

// Joint returns the shape that the shapes broadcast to. It adds checks for sizes that can only be
// compared at run time.
func Joint(b *lower.Builder, shapes ...[]*sym.Expr) []*sym.Expr {
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	out := make([]*sym.Expr, rank)
	for k := range out {
		out[k] = sym.One
		for _, s := range shapes {
			j := k - (rank - len(s))
			if j < 0 || s[j].Is(1) || s[j].Equal(out[k]) {
				continue
			}
			if out[k].Is(1) {
				out[k] = s[j]
				continue
			}
			b.Check(shape.Broadcastable, out[k], s[j])
			out[k] = sym.Broadcast(out[k], s[j])
		}
	}
	return out
}

// RealExpr builds expressions over numbers of a real type. For the 16-bit types, an op is computed
// in f32, and its result is rounded once.
type RealExpr struct {
	*scalar.Builder
	D tensor.DType
	N *lower.Builder
}

// wideType returns the type that computations with elements of type d use.
func wideType(d tensor.DType) tensor.DType {
	if d == tensor.Half || d == tensor.BFloat16 {
		return tensor.Float32
	}
	return scalar.Plain(d)
}

// K returns the constant v.
func (e *RealExpr) K(v float64) scalar.Value { return e.Const(e.D, v) }

// Add returns the value x + y.
func (e *RealExpr) Add(x, y scalar.Value) scalar.Value { return e.Bin(scalar.Add, x, y) }

// Sub returns the value x − y.
func (e *RealExpr) Sub(x, y scalar.Value) scalar.Value { return e.Bin(scalar.Sub, x, y) }

// Mul returns the value x · y.
func (e *RealExpr) Mul(x, y scalar.Value) scalar.Value { return e.Bin(scalar.Mul, x, y) }

// Div returns the value x / y.
func (e *RealExpr) Div(x, y scalar.Value) scalar.Value { return e.Bin(scalar.Div, x, y) }

// Max returns the larger of the values x and y.
func (e *RealExpr) Max(x, y scalar.Value) scalar.Value { return e.Bin(scalar.Max, x, y) }

// Min returns the smaller of the values x and y.
func (e *RealExpr) Min(x, y scalar.Value) scalar.Value { return e.Bin(scalar.Min, x, y) }

// Lt returns the condition x < y.
func (e *RealExpr) Lt(x, y scalar.Value) scalar.Value { return e.Bin(scalar.Lt, x, y) }

// Gt returns the condition x > y.
func (e *RealExpr) Gt(x, y scalar.Value) scalar.Value { return e.Bin(scalar.Gt, x, y) }

// Eq returns the condition x = y.
func (e *RealExpr) Eq(x, y scalar.Value) scalar.Value { return e.Bin(scalar.Eq, x, y) }

// Neg returns the value −x.
func (e *RealExpr) Neg(x scalar.Value) scalar.Value { return e.Un(scalar.Neg, x) }

// Abs returns the value |x|.
func (e *RealExpr) Abs(x scalar.Value) scalar.Value { return e.Un(scalar.Abs, x) }

// Sqrt returns the value √x.
func (e *RealExpr) Sqrt(x scalar.Value) scalar.Value { return e.Un(scalar.Sqrt, x) }

// IsZero returns the condition x = 0.
func (e *RealExpr) IsZero(x scalar.Value) scalar.Value { return e.Eq(x, e.Const(e.Type(x), 0)) }

// Square returns the value x².
func (e *RealExpr) Square(x scalar.Value) scalar.Value { return e.Mul(x, x) }

// Both returns the condition that x and y are both true.
func (e *RealExpr) Both(x, y scalar.Value) scalar.Value { return e.Bin(scalar.And, x, y) }

// OneMinus returns the value 1 − x.
func (e *RealExpr) OneMinus(x scalar.Value) scalar.Value { return e.Sub(e.Const(e.Type(x), 1), x) }

func (e *RealExpr) sigmoid(x scalar.Value) scalar.Value { return e.Flush(e.logistic(x)) }

// Reciprocal returns the value 1 / x.
func (e *RealExpr) Reciprocal(x scalar.Value) scalar.Value { return e.Div(e.Const(e.Type(x), 1), x) }

func (e *RealExpr) logistic(x scalar.Value) scalar.Value {
	return e.Div(e.K(1), e.Add(e.K(1), e.Call("exp", e.Neg(x))))
}

// Flush replaces subnormal f32 numbers by 0, as TensorFlow's threads do.
func (e *RealExpr) Flush(x scalar.Value) scalar.Value {
	if e.Type(x) != tensor.Float32 {
		return x
	}
	return e.Select(e.Lt(e.Abs(x), e.Const(tensor.Float32, 0x1p-126)), e.Const(tensor.Float32, 0), x)
}

// Infinity returns the value +∞ as a float64.
func (e *RealExpr) Infinity() scalar.Value { return e.Const(tensor.Float64, math.Inf(1)) }

func (e *RealExpr) float() bool { return scalar.IsFloat(e.D) }

// Rsqrt returns the value 1/√x.
func (e *RealExpr) Rsqrt(x scalar.Value) scalar.Value {
	if e.Type(x) == tensor.Float64 {
		return e.Reciprocal(e.Sqrt(x))
	}
	return e.Call("rsqrt", x)
}

// round rounds x to the node's element type if that has 16 bits, as some kernels do for
// intermediate results.
func (e *RealExpr) round(x scalar.Value) scalar.Value {
	if d := e.N.InFact(0).DType; d == tensor.Half || d == tensor.BFloat16 {
		return e.Cast(e.D, e.Cast(d, x))
	}
	return x
}

// quotient returns the value x/y. For 16-bit types, it rounds the value.
func (e *RealExpr) quotient(x, y scalar.Value) scalar.Value {
	q := e.Div(x, y)
	if e.N.InFact(0).DType.Size() == 2 {
		return e.round(e.Flush(q))
	}
	return q
}

// TurnHue computes image.Hue for one pixel.
func (e *RealExpr) TurnHue(c [3]scalar.Value, delta scalar.Value) [3]scalar.Value {
	r, g, b := c[0], c[1], c[2]
	zero, one, six := e.K(0), e.K(1), e.K(6)
	greener, belowRed, aboveGreen, belowGreen, aboveRed := e.Lt(r, g), e.Lt(b, r), e.Gt(b, g), e.Lt(b, g), e.Gt(b, r)
	// The colour circle is divided into six equal parts with the numbers 0 to 5. sixth(v) returns
	// v[i] if the hue lies in part i.
	sixth := func(v [6]scalar.Value) scalar.Value {
		return e.Select(greener, e.Select(belowRed, v[1], e.Select(aboveGreen, v[3], v[2])),
			e.Select(belowGreen, v[0], e.Select(aboveRed, v[4], v[5])))
	}
	low := sixth([6]scalar.Value{b, b, r, r, g, g})
	mid := sixth([6]scalar.Value{g, r, b, g, r, b})
	high := sixth([6]scalar.Value{r, g, g, b, b, r})
	part := e.Div(e.Sub(mid, low), e.Sub(high, low))
	rest := e.Sub(one, part)
	hue := e.Add(sixth([6]scalar.Value{zero, one, e.K(2), e.K(3), e.K(4), e.K(5)}), sixth([6]scalar.Value{part, rest, part, rest, part, rest}))
	hue = e.Add(e.Select(e.Eq(high, low), zero, hue), e.Mul(delta, six))
	hue = e.Call("fmod", hue, six)
	hue = e.Select(e.Lt(hue, zero), e.Add(hue, six), hue)
	hue = e.Select(e.Eq(hue, six), zero, hue)

	whole := e.Un(scalar.Trunc, hue)
	part = e.Sub(hue, whole)
	is := func(n float64) scalar.Value { return e.Eq(whole, e.K(n)) }
	part = e.Select(is(1), e.Sub(one, part), e.Select(is(3), e.Sub(one, part), e.Select(is(5), e.Sub(one, part), part)))
	mid = e.Add(low, e.Mul(part, e.Sub(high, low)))
	return e.sixths(whole, [6][3]scalar.Value{{high, mid, low}, {mid, high, low}, {low, high, mid}, {low, mid, high}, {mid, low, high}, {high, low, mid}},
		[3]scalar.Value{high, low, mid})
}

// sixths chooses one of seven colours. If the first argument equals an integer n from 0 to 5, the
// result is of[n]. For any other value, the result is the last argument.
func (e *RealExpr) sixths(whole scalar.Value, of [6][3]scalar.Value, other [3]scalar.Value) [3]scalar.Value {
	for n, v := range of {
		is := e.Eq(whole, e.K(float64(n)))
		for k := range other {
			other[k] = e.Select(is, v[k], other[k])
		}
	}
	return other
}

// ScaleSaturation computes image.Saturation for one pixel.
func (e *RealExpr) ScaleSaturation(c [3]scalar.Value, scale scalar.Value) [3]scalar.Value {
	r, g, b := c[0], c[1], c[2]
	zero, one, two := e.K(0), e.K(1), e.K(2)
	larger := func(x, y scalar.Value) scalar.Value { return e.Select(e.Lt(x, y), y, x) }
	smaller := func(x, y scalar.Value) scalar.Value { return e.Select(e.Lt(y, x), y, x) }
	v := larger(r, larger(g, b))
	span := e.Sub(v, smaller(r, smaller(g, b)))
	sat := e.Select(e.Gt(v, zero), e.Div(span, v), zero)
	k := e.Div(one, e.Mul(e.K(6), span))
	// plus returns x + n/6, computed in float64.
	plus := func(x scalar.Value, n float64) scalar.Value {
		return e.Cast(e.D, e.Add(e.Cast(tensor.Float64, x), e.Const(tensor.Float64, n/6)))
	}
	hue := e.Select(e.Eq(r, v), e.Mul(k, e.Sub(g, b)),
		e.Select(e.Eq(g, v), plus(e.Mul(k, e.Sub(b, r)), 2), plus(e.Mul(k, e.Sub(r, g)), 4)))
	hue = e.Select(e.Gt(span, zero), hue, e.Select(e.Eq(span, span), zero, hue))
	hue = e.Select(e.Lt(hue, zero), e.Add(hue, one), hue)
	sat = larger(zero, e.Mul(sat, scale))
	sat = e.Select(e.Lt(sat, one), sat, one)

	chroma := e.Mul(sat, v)
	low := e.Sub(v, chroma)
	h := e.Mul(hue, e.K(6))
	part := e.Call("fmod", h, two)
	part = e.Select(e.Lt(part, zero), e.Add(part, two), part)
	part = e.Select(e.Eq(part, two), zero, part)
	x := e.Mul(chroma, e.Sub(one, e.Abs(e.Sub(part, one))))
	out := e.sixths(e.Un(scalar.Trunc, h), [6][3]scalar.Value{{chroma, x, zero}, {x, chroma, zero}, {zero, chroma, x}, {zero, x, chroma}, {x, zero, chroma}, {chroma, zero, x}},
		[3]scalar.Value{zero, zero, zero})
	for i := range out {
		out[i] = e.Add(out[i], low)
	}
	return out
}

// Real returns an expression builder for the type that elements of type d are widened to.
func (m *ScalarMaker) Real(d tensor.DType) *RealExpr { return &RealExpr{m.E, wideType(d), m.B} }

// Within returns the condition lo ≤ c < lo + n.
func (m *ScalarMaker) Within(c scalar.Value, lo, n *sym.Expr) scalar.Value {
	e := m.E
	below := e.Bin(scalar.Lt, c, m.Arg(lo.Add(n)))
	if lo.Is(0) {
		return below
	}
	return e.Bin(scalar.And, e.Bin(scalar.Ge, c, m.Arg(lo)), below)
}

// Guard reports whether all of the conditions hold.
func (m *ScalarMaker) Guard(cs []scalar.Value) scalar.Value {
	if len(cs) == 0 {
		return m.E.Const(tensor.Bool, 1)
	}
	g := cs[0]
	for _, c := range cs[1:] {
		g = m.E.Bin(scalar.And, g, c)
	}
	return g
}

// Step adds i·stride to the parameter at, and returns the sum.
func (m *ScalarMaker) Step(at, i scalar.Value, stride *sym.Expr) scalar.Value {
	if !stride.Is(1) {
		i = m.E.Bin(scalar.Mul, i, m.Arg(stride))
	}
	if o := m.E.P.Ops[at]; o.Code == scalar.Const && o.Bits[0] == 0 {
		return i
	}
	return m.E.Bin(scalar.Add, at, i)
}

// Three reads the three elements of input i that belong to the item.
func (m *ScalarMaker) Three(i int) (v [3]scalar.Value) {
	for k := range v {
		v[k] = m.E.Load(m.Strided(i, sym.Int(k), []*sym.Expr{sym.Int(3)}))
	}
	return v
}

// OutThree writes the three elements of output 0 that belong to the item.
func (m *ScalarMaker) OutThree(v [3]scalar.Value) {
	d := m.B.OutFact(0).DType
	for k := range v {
		m.W.Outs = append(m.W.Outs, scalar.Output{DType: d, Access: scalar.Strided, Value: m.E.Cast(d, v[k]), Name: m.B.Node.Name})
		m.W.Out = append(m.W.Out, scalar.Place{Tensor: ScalarOut(0), Offset: sym.Int(k), Strides: []*sym.Expr{sym.Int(3)}})
	}
}

// ToHSV converts red, green and blue to hue, saturation and value.
func (e *RealExpr) ToHSV(c [3]scalar.Value) [3]scalar.Value {
	r, g, b := c[0], c[1], c[2]
	zero := e.K(0)
	v := e.Max(e.Max(r, g), b)
	span := e.Sub(v, e.Min(e.Min(r, g), b))
	sat := e.Select(e.Gt(v, zero), e.Div(span, v), zero)
	sixth := func(n float64) scalar.Value { return e.Div(e.K(n), e.K(6)) }
	k := e.Div(sixth(1), span)
	red := e.Mul(e.Sub(g, b), k)
	green := e.Add(e.Mul(e.Sub(b, r), k), sixth(2))
	blue := e.Add(e.Mul(e.Sub(r, g), k), sixth(4))
	hue := e.Select(e.Eq(v, r), red, e.Select(e.Eq(v, g), green, blue))
	hue = e.Select(e.Lt(hue, zero), e.Add(hue, e.K(1)), hue)
	return [3]scalar.Value{e.Select(e.Gt(span, zero), hue, zero), sat, v}
}

// FromHSV converts hue, saturation and value to red, green and blue.
func (e *RealExpr) FromHSV(c [3]scalar.Value) [3]scalar.Value {
	h, sat, v := e.Mul(c[0], e.K(6)), c[1], c[2]
	ramp := func(x scalar.Value) scalar.Value {
		x = e.Max(e.Min(x, e.K(1)), e.K(0))
		return e.Mul(e.Add(e.OneMinus(sat), e.Mul(sat, x)), v)
	}
	far := func(n float64) scalar.Value { return e.Abs(e.Sub(h, e.K(n))) }
	return [3]scalar.Value{ramp(e.Sub(far(3), e.K(1))), ramp(e.Sub(e.K(2), far(2))), ramp(e.Sub(e.K(2), far(4)))}
}
