package grad

import (
	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// OpGradient builds the function that computes the gradient of op f. Node n is the SymbolicGradient
// that will call it.
func OpGradient(ops *lower.Table, n *ir.Node, f ir.Func, lib *ir.Library) (*ir.Function, error) {
	var back lower.Gradient
	if d := ops.Lookup(f.Name); d != nil {
		back = d.Gradient
	}
	op := opdef.Lookup(f.Name)
	switch {
	case f.Name == "SymbolicGradient":
		return nil, tensor.Errorf(tensor.InvalidArgument, "a SymbolicGradient has no gradient itself")
	case back == nil && !ops.Trait(f.Name, lower.NoGradient) || op == nil:
		return nil, tensor.Errorf(tensor.NotFound, "no gradient is defined for op %s", f.Name)
	case back == nil:
		return nil, tensor.Errorf(tensor.InvalidArgument, "the gradient of op %s is zero", f.Name)
	}
	if err := lower.SignatureAllows(op, f.Attrs); err != nil {
		return nil, err
	}
	body := NewBody(f.Name, lib)
	b := &lower.GradientBuilder{G: body.G, Op: op, Attrs: f.Attrs}
	like := &ir.Node{Op: f.Name, Attrs: f.Attrs}
	xs, known := lower.InTypes(like, nil)
	ys, knowny := lower.OutTypes(like, nil)
	if !known || !knowny {
		return nil, tensor.Errorf(tensor.NotFound, "the gradient of op %s needs the attributes that define its types", f.Name)
	}
	if len(n.Ins) != len(xs)+len(ys) || len(n.Outs) != len(xs) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the gradient of op %s takes %d tensors and returns %d, but the node has %d and %d", f.Name,
			len(xs)+len(ys), len(xs), len(n.Ins), len(n.Outs))
	}
	for i, d := range append(xs[:len(xs):len(xs)], ys...) {
		if g := n.Ins[i].Fact().DType; g != d && g != tensor.Invalid {
			return nil, tensor.Errorf(tensor.InvalidArgument, "input %d is %s, but the gradient of op %s takes %s", i, g, f.Name, d)
		}
		o := body.Arg(d)
		if i < len(xs) {
			b.X = append(b.X, o)
		} else {
			b.DY = append(b.DY, o)
		}
	}
	dx := back(b)
	if b.Err != nil {
		return nil, b.Err
	}
	if len(dx) != len(xs) {
		return nil, tensor.Errorf(tensor.Internal, "the gradient of op %s has %d results for %d inputs", f.Name, len(dx), len(xs))
	}
	for _, o := range dx {
		body.Ret(o)
	}
	return body.Fn, nil
}
