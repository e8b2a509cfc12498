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

// In loops, what is of one element is computed by plan.Scalar steps instead of calls: counters, and what loops and
// conditionals decide by. Elsewhere a call more does not matter.

// maxScalarOps bounds the operations of a Scalar, which becomes one expression.
const maxScalarOps = 8

// inLoop reports whether the steps that come now are of a loop's body.
func (l *lowerer) inLoop() bool {
	return slices.ContainsFunc(l.lists, func(t *list) bool { return t.loop != nil })
}

// lowerScalar lowers a node for the host by a Scalar; false where there is none for it.
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
		return false, nil // the input itself: its lowering has a place for it that is better
	}
	s := &plan.Scalar{Node: n.Name, Op: n.OpName(), Program: &w.Program, Sizes: w.Values, Dst: b.Out(0)}
	for _, at := range w.In {
		s.Src = append(s.Src, b.In(at.Tensor))
	}
	l.step(s)
	return true, nil
}

// sizeOf is the element of a tensor that is known as an expression over sizes, and stored nowhere; nil for another.
func (l *lowerer) sizeOf(o ir.Out) *sym.Expr {
	f := o.Fact()
	if l.bufs[o] != nil || l.dev[o] != nil || f.Const != nil || len(f.Ints) != 1 {
		return nil
	}
	return f.Ints[0]
}

// oneElement reports a tensor that has one element whatever is fed.
func oneElement(f *ir.Fact) bool { return f.Shape.Known && f.Shape.Len().Is(1) }

// setOne is the step that hands a constant of one element to a slot in a loop, or to a variable of one. nil
// where it is something else.
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
