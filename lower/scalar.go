package lower

import (
	"errors"
	"reflect"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
)

// In loops, nodes that compute a single element, such as counters and conditions, become
// plan.Scalar steps instead of calls. This is only done in loops, because elsewhere the cost of an
// additional call does not matter.

// maxScalarOps limits the number of operations in a plan.Scalar, because a plan.Scalar becomes a
// single expression in the emitted code.
const maxScalarOps = 8

// inLoop reports whether the steps being lowered are in a loop.
func (l *lowerer) inLoop() bool {
	return slices.ContainsFunc(l.lists, func(t *list) bool { return t.loop != nil })
}

// lowerScalar lowers a node on the host to a plan.Scalar. It returns false if that is not possible.
func (l *lowerer) lowerScalar(n *ir.Node) (bool, error) {
	d := l.t.Lookup(n.Op)
	if d.Traits&Exact == 0 || d.GPU == nil || d.GPU.Work == nil || len(n.Outs) != 1 || !l.inLoop() || !oneElement(&n.Outs[0]) {
		return false, nil
	}
	for _, o := range n.Ins {
		if !oneElement(o.Fact()) {
			return false, nil
		}
	}
	b := &Builder{Graph: l.g, Node: n, l: l}
	w, err := d.GPU.Work(b)
	if errors.Is(err, ErrOnHost) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !w.Exact() {
		return false, nil
	}
	w = w.Replace(func(i int) *sym.Expr { return l.sizeOf(n.Ins[w.In[i].Tensor]) })
	w.Program = *w.Fold()
	if w = w.Simplify(); len(w.Ops) > maxScalarOps || w.Ops[w.Outs[0].Value].Code == scalar.Load {
		return false, nil // the result is the input itself: the op's own lowering does not copy it
	}
	s := &plan.Scalar{Node: n.Name, Op: n.OpName(), Program: &w.Program, Sizes: w.Values, Dst: b.Out(0)}
	for _, at := range w.In {
		s.Src = append(s.Src, b.In(at.Tensor))
	}
	l.step(s)
	return true, nil
}

// sizeOf returns the only element of a tensor as an expression of sizes. It returns nil if the
// element is unknown or if the tensor is already stored.
func (l *lowerer) sizeOf(o ir.Out) *sym.Expr {
	f := o.Fact()
	if l.bufs[o] != nil || l.dev[o] != nil || f.Const != nil || len(f.Ints) != 1 {
		return nil
	}
	return f.Ints[0]
}

// oneElement reports whether a tensor has one element whatever the feeds are.
func oneElement(f *ir.Fact) bool { return f.Shape.Known && f.Shape.Len().Is(1) }

// setOne returns the step that sets the variable dst to the constant src, which has one element. It
// applies to the place of a _Merge in a loop and to loop variables. In all other cases it returns
// nil, and also if src is not a constant of one element.
func (l *lowerer) setOne(n *ir.Node, dst, src plan.View) plan.Step {
	b := src.Buf
	if b.Place != plan.Constant || b.Alias != nil || !b.Len.Is(1) || b.DType != dst.Buf.DType || n.Op != ir.LoopVarOp && !l.inLoop() {
		return nil
	}
	if !scalar.Takes(b.DType) {
		return nil
	}
	p := scalar.One(b.DType, scalar.ElementBits(reflect.ValueOf(b.Const.Data).Index(0))[0])
	if !p.Exact() {
		return nil
	}
	return &plan.Scalar{Node: n.Name, Op: n.Op, Program: p, Dst: dst}
}
