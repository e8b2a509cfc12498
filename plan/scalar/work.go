package scalar

import (
	"slices"

	"github.com/graphc/graphc/ir/sym"
)

// Work applies a program to particular tensors, with particular sizes.
type Work struct {
	Program
	// Sizes are the sizes of the iteration space's dimensions. They are not negative. The sizes of
	// a broadcast are those of its result.
	Sizes []*sym.Expr
	// In and Out are the places of the program's inputs and outputs.
	In, Out []Place
	// Values are the integers that a run passes to the program.
	Values []*sym.Expr
}

// Place says which elements of a tensor an input or output accesses. For a Strided access, these
// are the elements with the numbers Offset + Σ coordinate·stride. Offset and strides are counted in
// elements.
type Place struct {
	// Tensor is the number that the caller gave to the tensor. Tensors with the same number have
	// the same contents during the Work.
	Tensor  int
	Offset  *sym.Expr
	Strides []*sym.Expr
}

// same reports whether two places are equal.
func (a Place) same(b Place) bool {
	if a.Tensor != b.Tensor || (a.Offset == nil) != (b.Offset == nil) {
		return false
	}
	return (a.Offset == nil || a.Offset.Equal(b.Offset)) && slices.EqualFunc(a.Strides, b.Strides, (*sym.Expr).Equal)
}

// N returns the number of items.
func (w *Work) N() *sym.Expr { return sym.Product(w.Sizes) }

// Ints returns the integers that a launch passes, in the order described at Program.Ints.
func (w *Work) Ints() []*sym.Expr {
	out := []*sym.Expr{w.N()}
	if w.Dims > 1 {
		out = append(out, w.Sizes...)
	}
	for i, in := range w.Ins {
		if in.Access == Strided {
			out = append(append(out, w.In[i].Offset), w.In[i].Strides...)
		}
	}
	for i, o := range w.Outs {
		if o.Access == Strided {
			out = append(append(out, w.Out[i].Offset), w.Out[i].Strides...)
		}
	}
	return append(out, w.Values...)
}

// Renumber returns the Work with each tensor's number t replaced by f(t).
func (w *Work) Renumber(f func(int) int) *Work {
	c := w.clone()
	for i := range c.In {
		c.In[i].Tensor = f(c.In[i].Tensor)
	}
	for i := range c.Out {
		c.Out[i].Tensor = f(c.Out[i].Tensor)
	}
	return c
}

// Reads reports whether the Work reads the tensor with number t.
func (w *Work) Reads(t int) bool {
	return slices.ContainsFunc(w.In, func(p Place) bool { return p.Tensor == t })
}

// Writes reports whether the Work writes the tensor with number t.
func (w *Work) Writes(t int) bool {
	return slices.ContainsFunc(w.Out, func(p Place) bool { return p.Tensor == t })
}

// InPlace reports whether output o may share memory with input i. Sharing is possible if each item
// reads only the element of the shared memory that the same item writes.
func (w *Work) InPlace(o, i int) bool {
	if w.Ins[i].DType.Size() != w.Outs[o].DType.Size() || w.Ins[i].Access != w.Outs[o].Access {
		return false
	}
	for k, p := range w.In {
		if p.Tensor == w.In[i].Tensor && w.Ins[k].Access != w.Outs[o].Access {
			return false
		}
	}
	if w.Outs[o].Access == Contiguous {
		return true
	}
	a, b := w.In[i], w.Out[o]
	return a.Offset.Equal(b.Offset) && slices.EqualFunc(a.Strides, b.Strides, (*sym.Expr).Equal)
}

// clone returns a copy of a Work. All slices that the methods of Work change are copied, too.
func (w *Work) clone() *Work {
	c := *w
	c.Ins, c.Outs = slices.Clone(w.Ins), slices.Clone(w.Outs)
	c.Ops = slices.Clone(w.Ops)
	for i := range c.Ops {
		c.Ops[i].Args = slices.Clone(c.Ops[i].Args)
	}
	c.Sizes, c.Values = slices.Clone(w.Sizes), slices.Clone(w.Values)
	places := func(ps []Place) []Place {
		ps = slices.Clone(ps)
		for i := range ps {
			ps[i].Strides = slices.Clone(ps[i].Strides)
		}
		return ps
	}
	c.In, c.Out = places(w.In), places(w.Out)
	return &c
}

// Rows returns the strides, in elements, of a row-major tensor with the given shape.
func Rows(shape []*sym.Expr) []*sym.Expr {
	out := make([]*sym.Expr, len(shape))
	s := sym.One
	for k := len(shape) - 1; k >= 0; k-- {
		out[k] = s
		s = s.Mul(shape[k])
	}
	return out
}

// Spread returns the strides for reading a row-major tensor of the given shape as if it were
// broadcast to the shape that the parameter sizes gives. The stride along a dimension of size 1 is
// 0. If it is known only at run time whether a dimension has size 1, the stride is an expression
// that depends on the size.
func Spread(shape, sizes []*sym.Expr) []*sym.Expr {
	rows := Rows(shape)
	out := make([]*sym.Expr, len(sizes))
	for k := range sizes {
		out[k] = sym.Zero
		j := k - (len(sizes) - len(shape))
		if j < 0 || shape[j].Is(1) {
			continue
		}
		out[k] = rows[j]
		if !shape[j].Equal(sizes[k]) && !larger(shape[j], 1) {
			out[k] = rows[j].Mul(sym.Max(sym.Min(shape[j].AddInt(-1), sym.One), sym.Zero))
		}
	}
	return out
}

// larger reports whether a size is a constant greater than n.
func larger(e *sym.Expr, n int) bool {
	v, ok := e.IsInt()
	return ok && v > n
}
