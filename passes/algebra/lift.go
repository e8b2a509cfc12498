package algebra

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
)

// Lift moves a function that applies to single elements, so that it is computed for fewer elements,
// or once for one tensor instead of several times:
//
//	Max(f(x)), Min(f(x))         f(Max(x)), f(Min(x))   if f increases
//	Max(f(x)), Min(f(x))         f(Min(x)), f(Max(x))   if f decreases
//	ConcatV2(f(x), f(y), …)      f(ConcatV2(x, y, …))
//	f of every part of a Split   Split(f(x))
//
// Lift moves a function f out of a maximum or minimum only if f is monotonic over all numbers and
// returns NaN only for NaN. The result is then the same. Lift does not change the following:
//
//   - A reduction over axes that might be empty.
//   - ArgMax, because f may round two different numbers to the same number.
//   - MaxPool, because its result is the lowest number, and not NaN, if all inputs of a window are
//     NaN.
//   - Functions after a matrix product, because the kernel of the product computes them.
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

// function returns the node that computes o if this node has the trait t and n is its only reader.
// Otherwise, it returns nil.
func function(r *edit.Rewriter, o ir.Out, n *ir.Node, t lower.Traits) *ir.Node {
	f := o.Node
	if !r.S.O.Ops.Trait(f.Op, t) || len(f.Ins) != 1 || !r.Sole(o, n) || f.Ins[0].Fact().DType != f.Outs[0].DType || isProduct(r, f.Ins[0]) || normalises[f.Ins[0].Node.Op] {
		return nil
	}
	return f
}

// normalises lists the normalisation ops whose kernels can also compute the function that follows
// them.
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

// sameFunction reports whether a and b apply the same function, that is, have the same op and the
// same attributes, and may be merged.
func sameFunction(a, b *ir.Node) bool {
	return a.Op == b.Op && (a.Op != "LeakyRelu" || a.Float("alpha") == b.Float("alpha")) && edit.Together(a, b)
}

// concatOf replaces a concatenation of results of the same function by this function, applied to
// the concatenation of its arguments.
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

// splitOf replaces applications of the same function to all parts of a split by a split of the
// result of the function.
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
