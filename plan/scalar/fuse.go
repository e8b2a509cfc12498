package scalar

import (
	"slices"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// Fuse returns one Work that has the effect of Work p followed by Work c. Work c must read a tensor
// that p writes. In the result, each read of such a tensor is replaced by p's computation of the
// element. The result also writes those outputs of p for which the function keep returns true.
// Work c must not write a tensor that p reads, because a tensor number stands for a single value.
//
// Work c may read p's outputs in three ways:
//   - item by item, even if the items of p and c are divided into dimensions differently;
//   - always the same element, if p has only one item;
//   - by strides or by computed numbers, if p's own reads are plain: Contiguous or Scalar, without a
//     guard.
//
// In the second and third way, p's outputs cannot be kept, and operations that take long must not
// run more often than in p. The result ok is false if p and c cannot be fused.
func Fuse(c, p *Work, keep func(tensor int) bool) (w *Work, ok bool) {
	if !c.follows(p) {
		return nil, false
	}
	c, p = c.Simplify(), p.Simplify()
	kept := slices.ContainsFunc(p.Out, func(q Place) bool { return keep(q.Tensor) })
	pointwise, reads := true, 0
	for i, in := range c.In {
		out := p.output(in.Tensor)
		if out < 0 {
			continue
		}
		if p.Outs[out].Access != Contiguous || Plain(c.Ins[i].DType) != Plain(p.Outs[out].DType) || c.Writes(in.Tensor) {
			return nil, false
		}
		reads++
		pointwise = pointwise && c.Ins[i].Access == Contiguous
	}
	if reads == 0 {
		return nil, false
	}
	switch {
	case pointwise:
		if !align(c, p) {
			return nil, false
		}
	case kept || !movable(c, p):
		return nil, false
	}
	f := fuser{c: c, p: p, w: &Work{}}
	f.w.Dims, f.w.Sizes = c.Dims, c.Sizes
	f.w.Args = len(c.Values) + len(p.Values)
	f.w.Values = append(slices.Clone(c.Values), p.Values...)
	f.b = NewBuilder(&f.w.Program)
	f.join(keep)
	return f.w.Simplify(), true
}

// output returns the number of the output that writes tensor t, or -1.
func (w *Work) output(t int) int {
	return slices.IndexFunc(w.Out, func(q Place) bool { return q.Tensor == t })
}

// align splits dimensions of c and p until c and p have the same dimensions. It returns false if
// this is not possible.
func align(c, p *Work) bool {
	if !c.N().Equal(p.N()) {
		return false
	}
	switch {
	case !p.UsesDims():
		p.Dims, p.Sizes = c.Dims, c.Sizes
		return true
	case !c.UsesDims():
		c.Dims, c.Sizes = p.Dims, p.Sizes
		return true
	}
	for k := 0; k < max(c.Dims, p.Dims); k++ {
		if k >= c.Dims {
			c.insertOne(k)
		}
		if k >= p.Dims {
			p.insertOne(k)
		}
		a, b := c.Sizes[k], p.Sizes[k]
		switch {
		case a.Equal(b):
		case divides(b, a):
			c.split(k, b)
		case divides(a, b):
			p.split(k, a)
		default:
			return false
		}
	}
	return true
}

// divides reports whether a is a multiple of b for all values of the sizes.
func divides(b, a *sym.Expr) bool { return !b.Is(0) && a.Div(b).Mul(b).Equal(a) }

// insertOne adds a dimension of size 1.
func (w *Work) insertOne(k int) {
	w.Dims++
	w.Sizes = slices.Insert(w.Sizes, k, sym.One)
	w.strided(func(p *Place) { p.Strides = slices.Insert(p.Strides, k, sym.Zero) })
	for i := range w.Ops {
		if o := &w.Ops[i]; o.Code == Coord && o.Number >= k {
			o.Number++
		}
	}
}

// split divides dimension k into two dimensions. The first of them has the size outer, and the
// second has the size of dimension k divided by outer.
func (w *Work) split(k int, outer *sym.Expr) {
	inner := w.Sizes[k].Div(outer)
	w.Dims++
	w.Sizes[k] = outer
	w.Sizes = slices.Insert(w.Sizes, k+1, inner)
	w.strided(func(p *Place) {
		s := p.Strides[k]
		p.Strides[k] = s.Mul(inner)
		p.Strides = slices.Insert(p.Strides, k+1, s)
	})
	uses := slices.ContainsFunc(w.Ops, func(o Op) bool { return o.Code == Coord && o.Number == k })
	for i := range w.Ops {
		if o := &w.Ops[i]; o.Code == Coord && o.Number > k {
			o.Number++
		}
	}
	if !uses {
		return
	}
	// A use of the coordinate along the old dimension k becomes: outer coordinate · inner + inner
	// coordinate.
	arg := w.Args
	w.Args++
	w.Values = append(w.Values, inner)
	p := Program{Dims: w.Dims, Args: w.Args, Ins: w.Ins}
	b := NewBuilder(&p)
	to := make([]Value, len(w.Ops))
	for i, o := range w.Ops {
		o = o.of(to)
		if o.Code == Coord && o.Number == k {
			to[i] = b.Bin(Add, b.Bin(Mul, b.Coord(k), b.Arg(arg)), b.Coord(k+1))
			continue
		}
		to[i] = b.Op(o)
	}
	for i := range w.Outs {
		w.Outs[i].Value = to[w.Outs[i].Value]
	}
	w.Ops = p.Ops
}

// movable reports whether c can compute p's values itself, even if c does not read them item by
// item. This requires that p's own reads are plain (see Fuse), and that operations that take long
// do not run more often than in p.
func movable(c, p *Work) bool {
	one := p.N().Is(1)
	dear := false
	for _, o := range p.Ops {
		if (o.Code == Item || o.Code == Coord) && !one {
			return false
		}
		dear = dear || o.Code == Call || o.Code == Pow || o.Code == Sqrt || o.Code == Div || o.Code == Rem
	}
	for _, in := range p.Ins {
		if in.Access == Strided && !one || in.Access == Indexed {
			return false
		}
	}
	for _, o := range p.Ops {
		if o.Code == Load && o.Guarded {
			return false
		}
	}
	reads := 0
	for i := range c.In {
		if p.output(c.In[i].Tensor) >= 0 {
			reads++
			// If c reads the tensor as a scalar, p's value does not depend on the item, so each
			// thread computes it only once.
			if c.Ins[i].Access != Scalar && dear && !c.N().Equal(p.N()) {
				return false
			}
			if c.Ins[i].Access == Scalar && !one {
				return false
			}
		}
	}
	return reads == 1 || !dear
}

// fuser builds the Work into which c and p are fused.
type fuser struct {
	c, p, w *Work
	b       *Builder
}

// join appends the operations of c, in which p's operations replace the loads of p's outputs. It
// then appends the outputs of the fused Work.
func (f *fuser) join(keep func(int) bool) {
	f.w.Ins, f.w.In = slices.Clone(f.c.Ins), slices.Clone(f.c.In)
	to := make([]Value, len(f.c.Ops))
	// Simplify later removes inputs that are no longer needed, and their loads.
	var first []Value
	for i, o := range f.c.Ops {
		o = o.of(to)
		if o.Code == Load {
			if out := f.p.output(f.c.In[o.Number].Tensor); out >= 0 {
				first = f.produce(&o)
				to[i] = first[f.p.Outs[out].Value]
				if o.Guarded {
					zero := f.b.Op(Op{Code: Const, DType: o.DType})
					to[i] = f.b.Select(o.Args[len(o.Args)-1], to[i], zero)
				}
				continue
			}
		}
		to[i] = f.b.Op(o)
	}
	for i, o := range f.p.Outs {
		if keep(f.p.Out[i].Tensor) {
			o.Value = first[o.Value]
			f.w.Outs, f.w.Out = append(f.w.Outs, o), append(f.w.Out, f.p.Out[i])
		}
	}
	for i, o := range f.c.Outs {
		o.Value = to[o.Value]
		f.w.Outs, f.w.Out = append(f.w.Outs, o), append(f.w.Out, f.c.Out[i])
	}
}

// produce appends the operations of p that compute the element that the operation load reads. It
// returns the value of each operation of p.
func (f *fuser) produce(load *Op) []Value {
	at := f.c.Ins[load.Number]
	place := f.c.In[load.Number]
	single := f.p.N().Is(1) && at.Access != Contiguous
	to := make([]Value, len(f.p.Ops))
	for i, o := range f.p.Ops {
		o = o.of(to)
		switch o.Code {
		case Arg:
			o.Number += len(f.c.Values)
		case Item, Coord:
			if single {
				o = Op{Code: Const, DType: tensor.Int64, Note: o.Note}
			}
		case Load:
			in, pl := f.p.Ins[o.Number], f.p.In[o.Number]
			switch {
			case in.Access == Scalar || at.Access == Contiguous:
			case single && in.Access == Strided:
				zeros := make([]*sym.Expr, f.w.Dims)
				for k := range zeros {
					zeros[k] = sym.Zero
				}
				in.Step, pl.Strides = AnyStep, zeros
			case single:
				in.Access = Scalar
			// Work p reads this input item by item, so the input is now read in the same way as c
			// reads p's output.
			default:
				in.Access, in.Step = at.Access, at.Step
				pl.Offset, pl.Strides = place.Offset, place.Strides
				if at.Access == Indexed {
					o.Args = append(o.Args, load.Args[0])
				}
			}
			o.Number = len(f.w.Ins)
			f.w.Ins, f.w.In = append(f.w.Ins, in), append(f.w.In, pl)
			if load.Guarded && !single && in.Access != Scalar {
				o.Args, o.Guarded = append(o.Args, load.Args[len(load.Args)-1]), true
			}
		}
		to[i] = f.b.Op(o)
	}
	return to
}
