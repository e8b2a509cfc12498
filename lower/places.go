package lower

import (
	"fmt"
	"reflect"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// bufOf returns the buffer of a tensor. If storing the tensor was postponed, it stores the tensor
// now.
func (l *lowerer) bufOf(o ir.Out) *plan.Buf {
	if b := l.bufs[o]; b != nil {
		return b
	}
	if l.dev[o] != nil {
		return l.hostOf(o)
	}
	f := o.Fact()
	switch {
	case f.Const != nil:
		b := l.constBuf(o.Node.Name, "", f.Const)
		l.bufs[o] = b
		return b
	case f.Ints != nil:
		b := l.newBuf(o.String(), f.DType, f.Shape.Len())
		b.Shape = f.Shape.Dims
		c := &plan.Call{Node: o.Node.Name, Op: o.Node.Op}
		c.Args = []plan.Arg{plan.View{Buf: b, Len: b.Len, Mode: plan.Write}, plan.Ints{X: f.Ints}}
		if c.Fn = shape.SetI64; f.DType == tensor.Int32 {
			c.Fn = shape.SetI32
		}
		l.ahead(c)
		l.bufs[o] = b
		if top := l.lists[len(l.lists)-1]; len(l.lists) > 1 {
			top.made = append(top.made, o)
		}
		return b
	}
	if len(l.errs) == 0 { // if there are errors, they explain why the tensor has no buffer
		l.errs = append(l.errs, tensor.AtNode(tensor.Errorf(tensor.Internal, "it is read before it is made"), o.Node.Name, o.Node.OpName()))
	}
	b := l.newBuf(o.String(), f.DType, sym.Zero)
	l.bufs[o] = b
	return b
}

func (l *lowerer) newBuf(name string, d tensor.DType, n *sym.Expr) *plan.Buf {
	b := &plan.Buf{ID: len(l.p.Bufs), Name: name, DType: d, Len: n}
	switch {
	case d == tensor.String:
		b.Place = plan.Strings
	case d.Opaque():
		b.Place = plan.Handles
	case !l.beforeSteps(n):
		b.Place = plan.Grow
	}
	l.p.Bufs = append(l.p.Bufs, b)
	return b
}

func (l *lowerer) alias(name string, f *ir.Fact, of *plan.Buf, off *sym.Expr) *plan.Buf {
	b := &plan.Buf{ID: len(l.p.Bufs), Name: name, DType: f.DType, Len: f.Shape.Len(), Shape: f.Shape.Dims,
		Place: of.Place, Alias: of, Off: off}
	l.p.Bufs = append(l.p.Bufs, b)
	return b
}

// beforeSteps reports whether e depends on the feeds' sizes only.
func (l *lowerer) beforeSteps(e *sym.Expr) bool {
	set := map[string]bool{}
	e.Vars(set)
	for v := range set {
		if !l.dims[v] {
			return false
		}
	}
	return true
}

func (l *lowerer) constBuf(name, note string, t *tensor.Tensor) *plan.Buf {
	key := constKey(t)
	c := l.seen[key]
	if c == nil {
		c = &plan.Const{ID: len(l.p.Consts), Name: name, DType: t.DType, Shape: t.Shape, Data: t.Data, Note: note}
		l.seen[key] = c
		l.p.Consts = append(l.p.Consts, c)
	}
	if b := l.cbufs[c]; b != nil {
		return b
	}
	b := &plan.Buf{ID: len(l.p.Bufs), Name: c.Name, Place: plan.Constant, DType: t.DType, Const: c,
		Shape: ir.StaticShape(t.Shape...).Dims, Len: sym.Int(t.Len())}
	l.cbufs[c] = b
	l.p.Bufs = append(l.p.Bufs, b)
	return b
}

// constKey returns a key that is equal for constants of the same Go type and bytes, whatever their
// shapes are.
func constKey(t *tensor.Tensor) [32]byte {
	h := ir.NewHash()
	fmt.Fprintf(h, "%T %d\n", t.Data, t.Len())
	if ss, ok := t.Data.([]string); ok {
		for _, s := range ss {
			fmt.Fprintf(h, "%d:%s", len(s), s)
		}
	} else if n := t.Len(); n > 0 {
		h.Write(tensor.Raw(reflect.ValueOf(t.Data)))
	}
	return [32]byte(h.Sum(nil))
}
