package lower

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// Simple lowerings only append calls to the plan. The methods below are for two other kinds of
// lowerings: those that choose the memory of tensors themselves, and those that replace one node by
// several nodes, which are called its stages.

// NewBuilder returns a builder for a node that belongs to no plan. Only the methods that read
// attributes and files may be called on it.
func NewBuilder(n *ir.Node, options ...Option) *Builder {
	l := &lowerer{}
	for _, o := range options {
		o(l)
	}
	return &Builder{Node: n, l: l}
}

// At returns the builder of node n. The lowering of n is then one stage in the lowering of b.Node.
func (b *Builder) At(n *ir.Node) *Builder {
	c := *b
	c.Node = n
	return &c
}

// Buf returns the buffer of a tensor on the host, or nil if it has none yet.
func (b *Builder) Buf(o ir.Out) *plan.Buf { return b.l.bufs[o] }

// SetBuf sets the host buffer of a tensor; nil removes it.
func (b *Builder) SetBuf(o ir.Out, buf *plan.Buf) {
	if buf == nil {
		delete(b.l.bufs, o)
		return
	}
	b.l.bufs[o] = buf
}

// InBuf returns the buffer of input i on the host.
func (b *Builder) InBuf(i int) *plan.Buf { return b.l.bufOf(b.Node.Ins[i]) }

// DevBuf returns the buffer of a tensor in device memory, or nil if it has none yet.
func (b *Builder) DevBuf(o ir.Out) *plan.Buf { return b.l.dev[o] }

// SetDevBuf sets the device buffer of a tensor.
func (b *Builder) SetDevBuf(o ir.Out, buf *plan.Buf) { b.l.dev[o] = buf }

// NewDevBuf makes a buffer of n elements in device memory.
func (b *Builder) NewDevBuf(name string, d tensor.DType, n *sym.Expr) *plan.Buf {
	return b.l.newDevBuf(name, d, n)
}

// AddBuf adds a buffer to the plan. It sets the buffer's number; the caller has set all other
// fields.
func (b *Builder) AddBuf(buf *plan.Buf) *plan.Buf {
	buf.ID = len(b.l.p.Bufs)
	b.l.p.Bufs = append(b.l.p.Bufs, buf)
	return buf
}

// AliasOf returns an alias of buf whose element type and shape are those in f.
func (b *Builder) AliasOf(buf *plan.Buf, f *ir.Fact) *plan.Buf {
	return b.l.alias(buf.Name, f, buf, nil)
}

// SetUsed sets whether anything reads a tensor that a stage computes.
func (b *Builder) SetUsed(o ir.Out, used bool) { b.l.used[o] = used }

// Step appends a step.
func (b *Builder) Step(s plan.Step) { b.l.step(s) }

// FreshSize returns a new symbol for an integer that a call of this node must return at run time; see
// CallSizes. It differs from the symbols for the dimensions of the node's outputs.
func (b *Builder) FreshSize() *sym.Expr {
	b.l.temps++
	return b.NewSizeK(0, 1000+b.l.temps)
}

// Usual evaluates an expression for typical sizes. Use it only for decisions that affect nothing
// but speed.
func (b *Builder) Usual(e *sym.Expr) int { return b.l.p.Usual(e) }

// DevReads reports whether output i is read on the device.
func (b *Builder) DevReads(i int) bool { return b.l.devReads(ir.Out{Node: b.Node, Index: i}) }

// OnGPU reports whether the plan is for a partition on a GPU.
func (b *Builder) OnGPU() bool { return b.l.gpu }

// Repeated reports whether the node may run more than once in a run, or not at all.
func (b *Builder) Repeated() bool { return len(b.l.lists) > 1 }

// DevVar returns the device buffer of the value of the variable with handle h, or nil if the plan
// has none yet.
func (b *Builder) DevVar(h *plan.Buf) *plan.Buf { return b.l.devVars[h.Name] }

// SetDevVar makes v the device buffer of the value of the variable with handle h.
func (b *Builder) SetDevVar(h, v *plan.Buf) { b.l.devVars[h.Name] = v }

// Exact reports whether convolutions are computed as plain sums; see ExactConv.
func (b *Builder) Exact() bool { return b.l.exactConv }

// Method returns the method that the caller of Lower chose for the node's convolution, or "" if the
// caller chose no method; see Methods.
func (b *Builder) Method() Method { return b.l.method() }

// Kept returns the handle of the resource with the given key. It is for ops that use a resource but
// have no handle among their inputs and outputs. The resource is created in the same way as by
// Builder.Object.
func (b *Builder) Kept(key string, fn any, args ...any) plan.View {
	buf := b.l.newBuf(key, tensor.Resource, sym.One)
	buf.Place, buf.Keeper, buf.Object = plan.Kept, b.Node.Name, &plan.Object{New: fn}
	for _, a := range args {
		buf.Object.Args = append(buf.Object.Args, plan.ArgOf(a))
	}
	return plan.View{Buf: buf, Len: sym.One, Mode: plan.Read}
}

// OnDev returns a copy of b whose methods Source and Dest return views in device memory.
func (b *Builder) OnDev() *Builder {
	c := *b
	c.dev = true
	return &c
}

// Moves reports whether b was returned by OnDev.
func (b *Builder) Moves() bool { return b.dev }

// Source returns all of input i, to be copied.
func (b *Builder) Source(i int) plan.View {
	if b.dev {
		return b.DevIn(i)
	}
	return b.In(i)
}

// Dest returns all of output i, as the destination of a copy.
func (b *Builder) Dest(i int) plan.View {
	if b.dev {
		return b.DevOut(i)
	}
	return b.Out(i)
}

// Put copies src in host memory to dst in device memory.
func (b *Builder) Put(dst, src plan.View) { b.l.step(b.l.put(b.Node, dst, src)) }

// Get copies src in device memory to dst in host memory. The host waits for it.
func (b *Builder) Get(dst, src plan.View) { b.l.step(b.l.get(b.Node, dst, src)) }
