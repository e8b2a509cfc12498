package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gpu/elementwise"
	"github.com/graphc/graphc/kernels/norm"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// none reports an epilogue that does nothing.
func (e *epilogue) none() bool {
	return e.bias == nil && e.res == nil && e.norm == nil && e.behind(false) == norm.Identity
}

// onDev appends the whole epilogue as a work: dst of sum, both of outer × channels × inner
// elements.
func (e *epilogue) onDev(b *Builder, dst, sum plan.View, outer, channels, inner *sym.Expr) {
	m := newScalar(b, []*sym.Expr{outer, channels, inner})
	d := dst.Buf.DType
	r := m.real(d)
	vs := []plan.View{writes(dst)}
	at := func(v plan.View, channel bool) value {
		v.Mode = plan.Read
		vs = append(vs, v)
		in := scalar.Input{DType: v.Buf.DType, Name: v.Buf.Name}
		place := scalar.Place{Tensor: len(vs) - 1}
		if channel {
			in.Access, place.Offset, place.Strides = scalar.Strided, sym.Zero, []*sym.Expr{sym.Zero, sym.One, sym.Zero}
		}
		m.w.Ins, m.w.In = append(m.w.Ins, in), append(m.w.In, place)
		return r.Cast(r.d, m.e.Load(len(m.w.Ins)-1))
	}
	x := at(sum, false)
	if n := e.norm; n != nil {
		scale, offset, mean, variance := at(n.scale, true), at(n.offset, true), at(n.mean, true), at(n.variance, true)
		k := r.div(scale, r.sqrt(r.add(variance, r.k(float64(n.epsilon)))))
		x = r.add(r.mul(r.sub(x, mean), k), offset)
	}
	if e.bias != nil {
		x = r.add(x, at(*e.bias, true))
	}
	if e.res != nil {
		x = r.add(x, at(*e.res, false))
	}
	x = e.activation(r, x)
	m.w.Outs = []scalar.Output{{DType: d, Value: m.e.Cast(d, x), Name: b.Node.Name}}
	m.w.Out = []scalar.Place{{Tensor: 0}}
	c := plan.MapElements(elementwise.Map, b.Node.Name, b.Node.OpName(), renumbered(m.w.Simplify(), &vs), vs)
	if err := c.Check(); err != nil {
		panic(err)
	}
	b.Step(c)
}

// renumbered is a work whose tensors are numbered as plan.MapElements wants it: outputs,
// then inputs. vs are the views by number, and then those of the work.
func renumbered(w *scalar.Work, vs *[]plan.View) *scalar.Work {
	w = w.Renumber(func(t int) int { return t })
	var all []plan.View
	for _, ps := range [][]scalar.Place{w.Out, w.In} {
		for i := range ps {
			all = append(all, (*vs)[ps[i].Tensor])
			ps[i].Tensor = len(all) - 1
		}
	}
	*vs = all
	return w
}

// activation is the activation of x.
func (e *epilogue) activation(r *realExpr, x value) value {
	op, approximate := "", false
	switch e.behind(false) {
	case norm.Relu:
		op = "Relu"
	case norm.Relu6:
		op = "Relu6"
	case norm.Elu:
		op = "Elu"
	case norm.LeakyRelu:
		return r.Select(r.gt(x, r.k(0)), x, r.mul(x, r.k(float64(e.alpha))))
	case norm.Tanh:
		op = "Tanh"
	case norm.Sigmoid:
		op = "Sigmoid"
	case norm.GeluTanh:
		op, approximate = "_Gelu", true
	case norm.GeluErf:
		op = "_Gelu"
	case norm.HardSwish:
		op = "_HardSwish"
	case norm.Swish:
		op = "_Swish"
	default:
		return x
	}
	c := *r
	c.n = &Builder{Node: &ir.Node{Op: op, Attrs: map[string]ir.Attr{"approximate": approximate}}}
	f, _ := formulaOf(op, tensor.Float32)
	return f(&c, x)
}
