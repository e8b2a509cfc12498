package algebra

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
)

// Lift moves an element-wise function so that it applies to fewer elements, or to one tensor
// instead of several:
//
//	Max(f(x)), Min(f(x))         f(Max(x)), f(Min(x))   if f increases
//	Max(f(x)), Min(f(x))         f(Min(x)), f(Max(x))   if f decreases
//	ConcatV2(f(x), f(y), …)      f(ConcatV2(x, y, …))
//	f of every part of a Split   Split(f(x))
//
// The functions f of a maximum or minimum are monotonic over all numbers and return NaN only for
// NaN, so the result is the same. A reduction over axes that might be empty stays. ArgMax stays,
// because f may round two different numbers to the same one. MaxPool stays: if all inputs of a
// window are NaN, its result is the lowest number, not NaN. Functions after a matrix product stay
// there, so that the product's kernel computes them.
func Lift(s *edit.State) (bool, error) {
	return s.Each(func(r *edit.Rewriter, n *ir.Node) {
		switch n.Op {
		case "Max", "Min":
			monotonic(r, n)
		case "ConcatV2":
			concatOf(r, n)
		case "Split", "SplitV":
			splitOf(r, n)
		}
	})
}

// function returns o's producer if it has trait t and n is its only reader; nil otherwise.
func function(r *edit.Rewriter, o ir.Out, n *ir.Node, t lower.Traits) *ir.Node {
	f := o.Node
	if !r.S.O.Ops.Trait(f.Op, t) || len(f.Ins) != 1 || !r.Sole(o, n) || f.Ins[0].Fact().DType != f.Outs[0].DType || isProduct(r, f.Ins[0]) || normalises[f.Ins[0].Node.Op] {
		return nil
	}
	return f
}

// normalises lists ops whose kernels also compute the function after them.
var normalises = edit.Set("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")

func monotonic(r *edit.Rewriter, n *ir.Node) {
	if len(n.Ins) != 2 || !n.Outs[0].DType.IsFloat() {
		return
	}
	f := function(r, n.Ins[0], n, lower.Rises)
	op := n.Op
	if f == nil {
		if f = function(r, n.Ins[0], n, lower.Falls); f == nil {
			return
		}
		op = map[string]string{"Max": "Min", "Min": "Max"}[n.Op]
	}
	in := f.Outs[0].Shape
	axes, ok := Ints(n.Ins[1])
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
	if len(axes) == 0 || !r.Take(n, "computed after the reduction") {
		return
	}
	m := r.Made(n, "of", op, n.Attrs, n.Outs[0], f.Ins[0], n.Ins[1])
	r.Set(n, f.Op, f.Attrs, m)
}

// sameFunction reports whether two nodes apply the same function: equal op and attributes.
func sameFunction(a, b *ir.Node) bool {
	return a.Op == b.Op && (a.Op != "LeakyRelu" || a.Float("alpha") == b.Float("alpha")) && edit.Together(a, b)
}

// concatOf applies a function once to a concatenation instead of to each of its parts.
func concatOf(r *edit.Rewriter, n *ir.Node) {
	k := len(n.Ins) - 1
	if k < 2 {
		return
	}
	var parts []ir.Out
	var first *ir.Node
	for i, o := range n.Ins[:k] {
		f := function(r, o, n, lower.ElementWise)
		if f == nil || first != nil && !sameFunction(f, first) || slices.Index(n.Ins, o) != i {
			return
		}
		if first == nil {
			first = f
		}
		if p := f.Ins[0]; p.Node.Op == "Const" || !edit.Together(p.Node, n) {
			return
		}
		parts = append(parts, f.Ins[0])
	}
	if !r.Take(n, "all parts go through one function") {
		return
	}
	whole := r.Made(n, "parts", "ConcatV2", n.Attrs, n.Outs[0], append(parts, n.Ins[k])...)
	r.Set(n, first.Op, first.Attrs, whole)
}

// splitOf applies a function once before a split instead of to each of its parts.
func splitOf(r *edit.Rewriter, n *ir.Node) {
	at := 0
	if n.Op == "Split" {
		at = 1
	}
	if len(n.Ins) <= at || len(n.Outs) < 2 || r.Kept[n] || len(n.Controls) > 0 {
		return
	}
	x := n.Ins[at]
	var fs []*ir.Node
	for i := range n.Outs {
		o := ir.Out{Node: n, Index: i}
		rs := r.Readers[o]
		if r.Fetched[o] || len(rs) != 1 {
			return
		}
		f := rs[0]
		if !r.S.O.Ops.Trait(f.Op, lower.ElementWise) || len(f.Ins) != 1 || len(f.Controls) > 0 || !edit.Together(f, n) || f.Outs[0].DType != x.Fact().DType || len(fs) > 0 && !sameFunction(f, fs[0]) {
			return
		}
		fs = append(fs, f)
	}
	if isProduct(r, x) || len(x.Node.Outs) > 1 || !edit.Together(x.Node, n) || !r.Take(n, "all parts go through one function") {
		return
	}
	whole := r.Made(n, "whole", fs[0].Op, fs[0].Attrs, *x.Fact(), x)
	ins := slices.Clone(n.Ins)
	ins[at] = whole
	r.Set(n, n.Op, n.Attrs, ins...)
	for i, f := range fs {
		r.Set(f, "Identity", edit.OfType(f.Outs[0].DType), ir.Out{Node: n, Index: i})
	}
}
