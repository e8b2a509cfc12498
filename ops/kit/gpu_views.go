package kit

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gpu/elementwise"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// ChosenInt returns vs[i], or 0 if i is out of range.
func (m *DeviceWork) ChosenInt(i scalar.Value, vs []int) scalar.Value {
	v := m.Int(0)
	for k, at := range vs {
		v = m.Select(m.Bin(scalar.Eq, i, m.Int(int64(k))), m.Int(int64(at)), v)
	}
	return v
}

// DeviceWork builds a Work over arbitrary buffers in the device's memory, for nodes that take
// several steps.
type DeviceWork struct {
	*scalar.Builder
	b         *lower.Builder
	w         *scalar.Work
	ins, outs []plan.View
}

// DevWork begins a Work whose dimensions have the given sizes.
func DevWork(b *lower.Builder, sizes ...*sym.Expr) *DeviceWork {
	w := &scalar.Work{Sizes: sizes}
	w.Dims = len(sizes)
	m := &DeviceWork{Builder: scalar.NewBuilder(&w.Program), b: b, w: w}
	m.Note = b.Node.Name
	return m
}

// Place adds v to the tensors that the Work reads, and returns its number.
func (m *DeviceWork) Place(v plan.View, access scalar.Access, strides ...*sym.Expr) int {
	p := scalar.Place{Tensor: len(m.ins)}
	if access == scalar.Strided {
		p.Offset, p.Strides = sym.Zero, strides
	}
	m.ins = append(m.ins, Reads(v))
	m.w.Ins = append(m.w.Ins, scalar.Input{DType: v.Buf.DType, Access: access, Name: v.Buf.Name})
	m.w.In = append(m.w.In, p)
	return len(m.ins) - 1
}

// ItemOf reads the item's element of v, which has one element for each item.
func (m *DeviceWork) ItemOf(v plan.View) scalar.Value { return m.Load(m.Place(v, scalar.Contiguous)) }

// NumberOf reads element 0 of v.
func (m *DeviceWork) NumberOf(v plan.View) scalar.Value { return m.Load(m.Place(v, scalar.Scalar)) }

// Along reads the element of v at Σ coordinate·stride.
func (m *DeviceWork) Along(v plan.View, strides ...*sym.Expr) scalar.Value {
	return m.Load(m.Place(v, scalar.Strided, strides...))
}

// Size returns the value of e, which may be known only at run time.
func (m *DeviceWork) Size(e *sym.Expr) scalar.Value {
	if v, ok := e.IsInt(); ok {
		return m.Int(int64(v))
	}
	m.w.Values = append(m.w.Values, e)
	m.w.Args++
	return m.Arg(m.w.Args - 1)
}

// Out writes x as the item's element of v.
func (m *DeviceWork) Out(v plan.View, x scalar.Value) {
	d := v.Buf.DType
	m.w.Outs = append(m.w.Outs, scalar.Output{DType: d, Value: m.Cast(scalar.Plain(d), x), Name: m.b.Node.Name})
	m.w.Out = append(m.w.Out, scalar.Place{Tensor: len(m.outs)})
	m.outs = append(m.outs, Writes(v))
}

// Real returns an expression builder for the type that elements of type d are widened to.
func (m *DeviceWork) Real(d tensor.DType) *RealExpr { return &RealExpr{m.Builder, wideType(d), m.b} }

// Append appends the Work to the plan.
func (m *DeviceWork) Append() error {
	for i := range m.w.In {
		m.w.In[i].Tensor += len(m.outs)
	}
	if err := m.w.Check(); err != nil {
		return m.b.Errorf(tensor.Internal, "%v", err)
	}
	w, all := m.w.Simplify(), append(m.outs, m.ins...)
	var vs []plan.View
	for _, ps := range [][]scalar.Place{w.Out, w.In} {
		for i := range ps {
			vs = append(vs, all[ps[i].Tensor])
			ps[i].Tensor = len(vs) - 1
		}
	}
	c := plan.MapElements(elementwise.Map, m.b.Node.Name, m.b.Node.OpName(), w, vs)
	if err := c.Check(); err != nil {
		return m.b.Errorf(tensor.Internal, "%v", err)
	}
	m.b.Step(c)
	return nil
}
