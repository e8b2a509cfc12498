package passes

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
)

// lift computes a function of single elements once, where there are fewer elements
// or fewer tensors:
//
//	Max(f(x)), Min(f(x))         f(Max(x)), f(Min(x))   f rises; where f falls, Max and Min change places
//	ConcatV2(f(x), f(y), …)      f(ConcatV2(x, y, …))
//	f of every part of a Split   Split(f(x))
//
// The functions are monotonic over all numbers, and give NaN for NaN alone, so that a
// maximum is the same number; axes that might be empty stay. ArgMax stays: where f
// rounds, two numbers become one; and MaxPool, which is no NaN but the lowest number
// where all it looks at is NaN. What follows a product of matrices stays there,
// where its kernel computes it.
func lift(s *state) (bool, error) {
	return s.each(func(r *rewriter, n *ir.Node) {
		switch n.Op {
		case "Max", "Min":
			r.monotonic(n)
		case "ConcatV2":
			r.concatOf(n)
		case "Split", "SplitV":
			r.splitOf(n)
		}
	})
}

// function returns what makes o if it has a trait, which n alone reads.
func (r *rewriter) function(o ir.Out, n *ir.Node, t lower.Traits) *ir.Node {
	f := o.Node
	if !r.s.o.Ops.Trait(f.Op, t) || len(f.Ins) != 1 || !r.sole(o, n) || f.Ins[0].Fact().DType != f.Outs[0].DType || r.isProduct(f.Ins[0]) || normalises[f.Ins[0].Node.Op] {
		return nil
	}
	return f
}

// normalises are what a kernel computes together with the function behind it.
var normalises = set("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")

func (r *rewriter) monotonic(n *ir.Node) {
	if len(n.Ins) != 2 || !n.Outs[0].DType.IsFloat() {
		return
	}
	f := r.function(n.Ins[0], n, lower.Rises)
	op := n.Op
	if f == nil {
		if f = r.function(n.Ins[0], n, lower.Falls); f == nil {
			return
		}
		op = map[string]string{"Max": "Min", "Min": "Max"}[n.Op]
	}
	in := f.Outs[0].Shape
	axes, ok := ints(n.Ins[1])
	if !ok || !in.Known {
		return
	}
	for _, a := range axes {
		if a < 0 {
			a += len(in.Dims)
		}
		if a < 0 || a >= len(in.Dims) {
			return
		}
		if v, ok := in.Dims[a].IsInt(); !ok || v < 2 {
			return
		}
	}
	if len(axes) == 0 || !r.take(n, "computed of what is left of the reduction") {
		return
	}
	m := r.made(n, "of", op, n.Attrs, n.Outs[0], f.Ins[0], n.Ins[1])
	r.set(n, f.Op, f.Attrs, m)
}

// sameFunction reports that two nodes are one function: of the same op and
// attributes.
func sameFunction(a, b *ir.Node) bool {
	return a.Op == b.Op && (a.Op != "LeakyRelu" || a.Float("alpha") == b.Float("alpha")) && together(a, b)
}

// concatOf computes the function that all parts went through of the whole.
func (r *rewriter) concatOf(n *ir.Node) {
	k := len(n.Ins) - 1
	if k < 2 {
		return
	}
	var parts []ir.Out
	var first *ir.Node
	for i, o := range n.Ins[:k] {
		f := r.function(o, n, lower.ElementWise)
		if f == nil || first != nil && !sameFunction(f, first) || slices.Index(n.Ins, o) != i {
			return
		}
		if first == nil {
			first = f
		}
		if p := f.Ins[0]; p.Node.Op == "Const" || !together(p.Node, n) {
			return
		}
		parts = append(parts, f.Ins[0])
	}
	if !r.take(n, "all parts go through one function") {
		return
	}
	whole := r.made(n, "parts", "ConcatV2", n.Attrs, n.Outs[0], append(parts, n.Ins[k])...)
	r.set(n, first.Op, first.Attrs, whole)
}

// splitOf computes the function that all parts go through of the whole.
func (r *rewriter) splitOf(n *ir.Node) {
	at := 0
	if n.Op == "Split" {
		at = 1
	}
	if len(n.Ins) <= at || len(n.Outs) < 2 || r.kept[n] || len(n.Controls) > 0 {
		return
	}
	x := n.Ins[at]
	var fs []*ir.Node
	for i := range n.Outs {
		o := ir.Out{Node: n, Index: i}
		rs := r.readers[o]
		if r.fetched[o] || len(rs) != 1 {
			return
		}
		f := rs[0]
		if !r.s.o.Ops.Trait(f.Op, lower.ElementWise) || len(f.Ins) != 1 || len(f.Controls) > 0 || !together(f, n) || f.Outs[0].DType != x.Fact().DType || len(fs) > 0 && !sameFunction(f, fs[0]) {
			return
		}
		fs = append(fs, f)
	}
	if r.isProduct(x) || len(x.Node.Outs) > 1 || !together(x.Node, n) || !r.take(n, "all parts go through one function") {
		return
	}
	whole := r.made(n, "whole", fs[0].Op, fs[0].Attrs, *x.Fact(), x)
	ins := slices.Clone(n.Ins)
	ins[at] = whole
	r.set(n, n.Op, n.Attrs, ins...)
	for i, f := range fs {
		r.set(f, "Identity", ofType(f.Outs[0].DType), ir.Out{Node: n, Index: i})
	}
}
