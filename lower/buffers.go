package lower

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// What lowerings of several stages, and those that choose places by themselves, do to the plan
// beyond calls.

// NewBuilder is the builder of a node that is in no plan: for what asks for attributes and files only.
func NewBuilder(n *ir.Node, options ...Option) *Builder {
	l := &lowerer{}
	for _, o := range options {
		o(l)
	}
	return &Builder{Node: n, l: l}
}

// At is the builder of another node, whose lowering is a stage of this one's.
func (b *Builder) At(n *ir.Node) *Builder {
	c := *b
	c.Node = n
	return &c
}

// Buf is the buffer of a tensor on the host, nil where there is none yet.
func (b *Builder) Buf(o ir.Out) *plan.Buf { return b.l.bufs[o] }

// SetBuf has a tensor be in that buffer on the host; nil: in none.
func (b *Builder) SetBuf(o ir.Out, buf *plan.Buf) {
	if buf == nil {
		delete(b.l.bufs, o)
		return
	}
	b.l.bufs[o] = buf
}

// InBuf is the buffer of input i on the host.
func (b *Builder) InBuf(i int) *plan.Buf { return b.l.bufOf(b.Node.Ins[i]) }

// DevBuf is the buffer of a tensor in the device's memory, nil where there is none yet.
func (b *Builder) DevBuf(o ir.Out) *plan.Buf { return b.l.dev[o] }

// SetDevBuf has a tensor be in that buffer of the device's memory.
func (b *Builder) SetDevBuf(o ir.Out, buf *plan.Buf) { b.l.dev[o] = buf }

// NewDevBuf makes a buffer of n elements in the device's memory.
func (b *Builder) NewDevBuf(name string, d tensor.DType, n *sym.Expr) *plan.Buf {
	return b.l.newDevBuf(name, d, n)
}

// AddBuf adds a buffer, all of which but its number is set, to the plan.
func (b *Builder) AddBuf(buf *plan.Buf) *plan.Buf {
	buf.ID = len(b.l.p.Bufs)
	b.l.p.Bufs = append(b.l.p.Bufs, buf)
	return buf
}

// AliasOf is buf under another element type and shape.
func (b *Builder) AliasOf(buf *plan.Buf, f *ir.Fact) *plan.Buf {
	return b.l.alias(buf.Name, f, buf, nil)
}

// SetUsed says whether anybody reads a tensor that a stage makes.
func (b *Builder) SetUsed(o ir.Out, used bool) { b.l.used[o] = used }

// Step appends a step.
func (b *Builder) Step(s plan.Step) { b.l.step(s) }

// FreshSize is a size of the node's own, beside those of its outputs, which a call is to bind; see CallSizes.
func (b *Builder) FreshSize() *sym.Expr {
	b.l.temps++
	return b.NewSizeK(0, 1000+b.l.temps)
}

// Usual is an expression for usual sizes, for decisions that only speed depends on.
func (b *Builder) Usual(e *sym.Expr) int { return b.l.p.Usual(e) }

// DevReads reports whether output i is read on the device.
func (b *Builder) DevReads(i int) bool { return b.l.devReads(ir.Out{Node: b.Node, Index: i}) }

// OnGPU reports whether the plan is that of a partition on a GPU.
func (b *Builder) OnGPU() bool { return b.l.gpu }

// Repeated reports whether the node may run more than once in a run, or not at all.
func (b *Builder) Repeated() bool { return len(b.l.lists) > 1 }

// DevVar is the buffer for the value of the variable whose handle h is, in the device's memory: nil where
// the plan has none yet.
func (b *Builder) DevVar(h *plan.Buf) *plan.Buf { return b.l.devVars[h.Name] }

// SetDevVar has v hold the value of the variable whose handle h is.
func (b *Builder) SetDevVar(h, v *plan.Buf) { b.l.devVars[h.Name] = v }

// Exact reports whether convolutions are computed as the sums they are; see ExactConv.
func (b *Builder) Exact() bool { return b.l.exactConv }

// Method is how the caller has the node's convolution computed, "" where that is not said; see Methods.
func (b *Builder) Method() Method { return b.l.method() }

// Kept is the handle of the resource of that key, made as Builder.Object's are,
// of an op that has no handle.
func (b *Builder) Kept(key string, fn any, args ...any) plan.View {
	buf := b.l.newBuf(key, tensor.Resource, sym.One)
	buf.Place, buf.Keeper, buf.Object = plan.Kept, b.Node.Name, &plan.Object{New: fn}
	for _, a := range args {
		buf.Object.Args = append(buf.Object.Args, plan.ArgOf(a))
	}
	return plan.View{Buf: buf, Len: sym.One, Mode: plan.Read}
}

// OnDev is a builder whose moves are in the device's memory; see Source and Dest.
func (b *Builder) OnDev() *Builder {
	c := *b
	c.dev = true
	return &c
}

// Moves reports whether the builder is one of OnDev.
func (b *Builder) Moves() bool { return b.dev }

// Source is the whole of input i, to be moved.
func (b *Builder) Source(i int) plan.View {
	if b.dev {
		return b.DevIn(i)
	}
	return b.In(i)
}

// Dest is the whole of output i, to be moved to.
func (b *Builder) Dest(i int) plan.View {
	if b.dev {
		return b.DevOut(i)
	}
	return b.Out(i)
}

// Put copies src, of the host's, to dst in the device's memory.
func (b *Builder) Put(dst, src plan.View) { b.l.step(b.l.put(b.Node, dst, src)) }

// Get copies src, of the device's memory, to dst of the host's, and has the host wait for it.
func (b *Builder) Get(dst, src plan.View) { b.l.step(b.l.get(b.Node, dst, src)) }
