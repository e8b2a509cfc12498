package scalar

import (
	"slices"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// Simplify returns an equivalent Work with fewer dimensions, inputs, integers and operations if
// possible. It removes dimensions of size 1. It merges two adjacent dimensions into one if all
// accesses allow this. It replaces strided accesses that are contiguous, or that always read the
// same element, by simpler accesses. It merges inputs with the same place, and drops everything
// that no output needs.
func (w *Work) Simplify() *Work {
	c := w.clone()
	c.dropOnes()
	c.merge()
	c.classify()
	c.sweep()
	c.sweep() // drops operations that only the first sweep has made unused
	if !c.UsesDims() {
		c.Sizes, c.Dims = []*sym.Expr{c.N()}, 1
	}
	return c
}

// The method strided calls f for the place of each strided input and output.
func (w *Work) strided(f func(p *Place)) {
	for i := range w.Ins {
		if w.Ins[i].Access == Strided {
			f(&w.In[i])
		}
	}
	for i := range w.Outs {
		if w.Outs[i].Access == Strided {
			f(&w.Out[i])
		}
	}
}

// dropOnes removes dimensions of size 1, but keeps at least one dimension.
func (w *Work) dropOnes() {
	for k := w.Dims - 1; k >= 0 && w.Dims > 1; k-- {
		if !w.Sizes[k].Is(1) {
			continue
		}
		w.Dims--
		w.Sizes = slices.Delete(w.Sizes, k, k+1)
		w.strided(func(p *Place) { p.Strides = slices.Delete(p.Strides, k, k+1) })
		for i := range w.Ops {
			switch o := &w.Ops[i]; {
			case o.Code == Coord && o.Number == k:
				*o = Op{Code: Const, DType: tensor.Int64, Note: o.Note}
			case o.Code == Coord && o.Number > k:
				o.Number--
			}
		}
	}
}

// merge joins pairs of adjacent dimensions. It joins two dimensions if every strided access uses
// both with one common stride, and if no operation uses the coordinate along either dimension.
func (w *Work) merge() {
	for k := w.Dims - 2; k >= 0; k-- {
		ok := true
		for i := range w.Ops {
			o := &w.Ops[i]
			ok = ok && !(o.Code == Coord && (o.Number == k || o.Number == k+1))
		}
		w.strided(func(p *Place) { ok = ok && p.Strides[k].Equal(p.Strides[k+1].Mul(w.Sizes[k+1])) })
		if !ok {
			continue
		}
		w.Dims--
		w.Sizes[k] = w.Sizes[k].Mul(w.Sizes[k+1])
		w.Sizes = slices.Delete(w.Sizes, k+1, k+2)
		w.strided(func(p *Place) { p.Strides = slices.Delete(p.Strides, k, k+1) })
		for i := range w.Ops {
			if o := &w.Ops[i]; o.Code == Coord && o.Number > k {
				o.Number--
			}
		}
	}
}

// classify replaces each strided access by a Contiguous or Scalar access if that has the same
// effect. For the other strided accesses, it records what is known of the last stride.
func (w *Work) classify() {
	rows := Rows(w.Sizes)
	kind := func(a *Access, s *Step, p *Place, out bool) {
		if *a != Strided {
			return
		}
		*s = AnyStep
		zero := !slices.ContainsFunc(p.Strides, func(e *sym.Expr) bool { return !e.Is(0) })
		one := w.N().Is(1)
		switch {
		case p.Offset.Is(0) && (slices.EqualFunc(p.Strides, rows, (*sym.Expr).Equal) || one && out):
			*a = Contiguous
		case p.Offset.Is(0) && (zero || one) && !out:
			*a = Scalar
		default:
			switch last := p.Strides[len(p.Strides)-1]; {
			case last.Is(0):
				*s = NoStep
			case last.Is(1):
				*s = UnitStep
			}
			return
		}
		p.Offset, p.Strides = nil, nil
	}
	for i := range w.Ins {
		kind(&w.Ins[i].Access, &w.Ins[i].Step, &w.In[i], false)
	}
	for i := range w.Outs {
		kind(&w.Outs[i].Access, &w.Outs[i].Step, &w.Out[i], true)
	}
}

// sweep drops operations, inputs and integers that no output needs. It merges inputs with the same
// place, and equal operations.
func (w *Work) sweep() {
	live := make([]bool, len(w.Ops))
	for _, o := range w.Outs {
		live[o.Value] = true
	}
	for i := len(w.Ops) - 1; i >= 0; i-- {
		if live[i] {
			for _, v := range w.Ops[i].Args {
				live[v] = true
			}
		}
	}
	p := Program{Dims: w.Dims}
	var in []Place
	ins := map[int]int{}
	input := func(i int) int {
		if j, ok := ins[i]; ok {
			return j
		}
		j := -1
		for k := range in {
			if p.Ins[k].DType == w.Ins[i].DType && p.Ins[k].Access == w.Ins[i].Access && in[k].same(w.In[i]) {
				j = k
			}
		}
		if j < 0 {
			j = len(in)
			p.Ins, in = append(p.Ins, w.Ins[i]), append(in, w.In[i])
		}
		ins[i] = j
		return j
	}
	var values []*sym.Expr
	arg := func(i int) int {
		j := slices.IndexFunc(values, w.Values[i].Equal)
		if j < 0 {
			j = len(values)
			values = append(values, w.Values[i])
			p.Args++
		}
		return j
	}
	b := NewBuilder(&p)
	to := make([]Value, len(w.Ops))
	for i, o := range w.Ops {
		if !live[i] {
			continue
		}
		o = o.of(to)
		switch o.Code {
		case Load:
			o.Number = input(o.Number)
		case Arg:
			if v, ok := w.Values[o.Number].IsInt(); ok {
				o = Op{Code: Const, DType: tensor.Int64, Bits: [2]uint64{uint64(int64(v))}, Note: o.Note}
			} else {
				o.Number = arg(o.Number)
			}
		}
		to[i] = b.fold(o)
	}
	p.Outs = slices.Clone(w.Outs)
	for i := range p.Outs {
		p.Outs[i].Value = to[p.Outs[i].Value]
	}
	w.Program, w.In, w.Values = p, in, values
}

// fold appends an operation and returns its value. If an operation can be simplified to a value
// that the program already has, such as x + 0 to x, fold appends nothing and returns that value.
func (b *Builder) fold(o Op) Value {
	one := func(v Value) bool { return b.isConst(v) && b.P.Ops[v].Bits[0] == 1 }
	zero := func(v Value) bool { return b.isConst(v) && b.P.Ops[v].Bits == [2]uint64{} }
	int64s := o.DType == tensor.Int64 && len(o.Args) == 2
	switch {
	case int64s && o.Code == Add && zero(o.Args[0]):
		return o.Args[1]
	case int64s && (o.Code == Add || o.Code == Sub) && zero(o.Args[1]):
		return o.Args[0]
	case int64s && o.Code == Mul && one(o.Args[1]), int64s && o.Code == Div && one(o.Args[1]):
		return o.Args[0]
	case int64s && o.Code == Mul && one(o.Args[0]):
		return o.Args[1]
	case int64s && o.Code == Mul && (zero(o.Args[0]) || zero(o.Args[1])):
		return b.Int(0)
	case o.Code == Select && o.Args[1] == o.Args[2]:
		return o.Args[1]
	case o.Code == And && o.DType == tensor.Bool && one(o.Args[0]):
		return o.Args[1]
	case o.Code == And && o.DType == tensor.Bool && one(o.Args[1]):
		return o.Args[0]
	case o.Code == Load && o.Guarded && one(o.Args[len(o.Args)-1]):
		o.Guarded = false
		o.Args = o.Args[:len(o.Args)-1]
	}
	return b.Op(o)
}

func (b *Builder) isConst(v Value) bool { return b.P.Ops[v].Code == Const }
