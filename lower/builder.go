package lower

import (
	"reflect"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// Builder is the interface that a lowering uses to append the calls of one node to the plan. By
// convention, the first argument of a call is the destination to which the kernel writes.
type Builder struct {
	Graph *ir.Graph
	Node  *ir.Node
	l     *lowerer
	dev   bool // see OnDev
}

// Shaper returns the interface of the node's shape function.
func (b *Builder) Shaper() *Shaper { return b.l.shaper(b.Node) }

// Def returns the description of the node's op.
func (b *Builder) Def() *Def { return b.l.t.Lookup(b.Node.Op) }

// NumIn returns the number of data inputs.
func (b *Builder) NumIn() int { return len(b.Node.Ins) }

// InFact returns the fact of input i: the type, shape and values that are known at compile time.
func (b *Builder) InFact(i int) *ir.Fact { return b.Node.Ins[i].Fact() }

// OutFact returns the fact of output i, as InFact does for an input.
func (b *Builder) OutFact(i int) *ir.Fact { return &b.Node.Outs[i] }

// InShape returns input i's dimensions. The rank is always known during lowering.
func (b *Builder) InShape(i int) []*sym.Expr { return b.InFact(i).Shape.Dims }

// OutShape returns output i's dimensions.
func (b *Builder) OutShape(i int) []*sym.Expr { return b.OutFact(i).Shape.Dims }

// InLen returns input i's number of elements.
func (b *Builder) InLen(i int) *sym.Expr { return b.InFact(i).Shape.Len() }

// OutLen returns output i's number of elements.
func (b *Builder) OutLen(i int) *sym.Expr { return b.OutFact(i).Shape.Len() }

// Ints returns the elements of input i as expressions; see Shaper.Ints.
func (b *Builder) Ints(i int) ([]*sym.Expr, bool) { return IntsOf(b.Graph, b.Node.Ins[i]) }

// StaticInts returns the elements of input i if all are constants.
func (b *Builder) StaticInts(i int) ([]int, bool) {
	return b.Shaper().StaticInts(i)
}

// InConst returns input i's value, or nil if it is unknown at compile time.
func (b *Builder) InConst(i int) *tensor.Tensor { return b.InFact(i).Const }

// In returns a view of all of input i, for reading.
func (b *Builder) In(i int) plan.View {
	buf := b.l.bufOf(b.Node.Ins[i])
	return plan.View{Buf: buf, Len: b.InLen(i), Mode: plan.Read}
}

// Out returns a view of all of output i, for writing. The first call for an output allocates its
// memory.
func (b *Builder) Out(i int) plan.View { return b.OutCap(i, b.OutLen(i)) }

// OutCap returns a view of output i, as Out does, for an output whose number of elements is
// determined only when the step runs. It allocates memory for n elements, so n must be at least
// that number. The value of n must be known before the step.
func (b *Builder) OutCap(i int, n *sym.Expr) plan.View {
	o := ir.Out{Node: b.Node, Index: i}
	buf := b.l.bufs[o]
	if buf == nil {
		f := o.Fact()
		buf = b.l.newBuf(o.String(), f.DType, n)
		buf.Shape = f.Shape.Dims
		b.l.bufs[o] = buf
	}
	return plan.View{Buf: buf, Len: n, Mode: plan.Write}
}

// OutUsed reports whether output i is read or fetched.
func (b *Builder) OutUsed(i int) bool { return b.l.used[ir.Out{Node: b.Node, Index: i}] }

// Temp returns scratch memory for n elements. Its contents last during this node's calls.
func (b *Builder) Temp(d tensor.DType, n *sym.Expr) plan.View {
	buf := b.l.newBuf(b.Node.Name+"/scratch", d, n)
	return plan.View{Buf: buf, Len: n, Mode: plan.ReadWrite}
}

// State returns memory of n elements that the program keeps between runs, initially zero.
// Concurrent runs share it, so kernels must change it atomically.
func (b *Builder) State(d tensor.DType, n int) plan.View {
	buf := b.l.newBuf(b.Node.Name+"/state", d, sym.Int(n))
	buf.Place, buf.Keeper = plan.Kept, b.Node.Name
	return plan.View{Buf: buf, Len: buf.Len, Mode: plan.ReadWrite}
}

// Object makes output i, a handle, refer to the resource with the given key. The key consists of
// kind, container and name. All plans of the model share the resource. Every instance of the model
// creates it once by calling fn, whose result is a tensor.Handle, or a tensor.Handle and an error.
// The arguments in args must be literals or views that Const returned.
func (b *Builder) Object(i int, key string, fn any, args ...any) {
	o := ir.Out{Node: b.Node, Index: i}
	buf := b.l.newBuf(key, o.Fact().DType, sym.One)
	buf.Place, buf.Keeper, buf.Object = plan.Kept, b.Node.Name, &plan.Object{New: fn}
	for _, a := range args {
		buf.Object.Args = append(buf.Object.Args, plan.ArgOf(a))
	}
	b.l.bufs[o] = buf
}

// Const returns a view of data known at compile time, such as packed weights. The parameter note is
// a name for the form of the data, such as the kind of packing. Equal data is stored only once.
func (b *Builder) Const(note string, t *tensor.Tensor) plan.View {
	buf := b.l.constBuf(b.Node.Name, note, t)
	return plan.View{Buf: buf, Len: buf.Len, Mode: plan.Read}
}

// Alias makes output i share input j's storage, as for Reshape and Identity. The input and the
// output must have the same number of bytes.
func (b *Builder) Alias(i, j int) {
	if b.OnDevice(j) {
		b.DevAlias(i, j)
		return
	}
	src := b.In(j)
	o := ir.Out{Node: b.Node, Index: i}
	f := o.Fact()
	b.l.bufs[o] = b.l.alias(o.String(), f, src.Buf, nil)
}

// AliasAt makes output i a window of input j's storage that begins at element off.
func (b *Builder) AliasAt(i, j int, off *sym.Expr) {
	o := ir.Out{Node: b.Node, Index: i}
	f := o.Fact()
	if b.OnDevice(j) {
		b.l.dev[o] = b.l.alias(o.String(), f, b.l.devOf(b.Node.Ins[j]), off.MulInt(f.DType.Size()))
		return
	}
	src := b.In(j)
	b.l.bufs[o] = b.l.alias(o.String(), f, src.Buf, off.MulInt(f.DType.Size()))
}

// Call appends a call of kernel fn. Its arguments may be views, *sym.Expr (an int), []*sym.Expr (a
// []int), a plan.Lit, or literals.
func (b *Builder) Call(fn any, args ...any) { b.CallSizes(fn, nil, args...) }

// CallInPlace does the same as Call, but output i may share storage with input j if this call is
// the last reader of the input. The kernel must therefore allow its destination to be the same
// slice as the argument for input j.
func (b *Builder) CallInPlace(i, j int, fn any, args ...any) {
	b.l.step(b.callInPlace(i, j, fn, args))
}

func (b *Builder) callInPlace(i, j int, fn any, args []any) *plan.Call {
	in := b.In(j)
	return Over(b.call(fn, nil, args), b.Out(i), &in)
}

// Over returns the call c after noting that its result may share storage with an operand, as in
// Builder.CallInPlace. The operand is nil if the call has none.
func Over(c *plan.Call, result plan.View, operand *plan.View) *plan.Call {
	if operand != nil {
		c.InPlace = append(c.InPlace, [2]*plan.Buf{result.Buf, operand.Buf})
	}
	return c
}

// CallSizes is Call for a kernel that returns sizes. At run time, each int result becomes the value
// of one element of rets, which must be a single symbol made by Shaper.NewSize.
func (b *Builder) CallSizes(fn any, rets []*sym.Expr, args ...any) {
	b.l.step(b.call(fn, rets, args))
}

func (b *Builder) call(fn any, rets []*sym.Expr, args []any) *plan.Call {
	c := &plan.Call{Node: b.Node.Name, Op: b.Node.OpName(), Fn: fn, Args: BudgetOf(fn), Looks: b.l.t.Is(b.Node.Op, Leaves)}
	for _, a := range args {
		c.Args = append(c.Args, plan.ArgOf(a))
	}
	for _, r := range rets {
		name, ok := r.IsVar()
		if !ok {
			b.Fail(tensor.Errorf(tensor.Internal, "%s is not a single symbol", r))
		}
		c.Rets = append(c.Rets, name)
	}
	if err := c.Check(); err != nil {
		b.Fail(tensor.Errorf(tensor.Internal, "%v", err))
	}
	return c
}

// Fail rejects the node with an error; the lowering itself then need not return the error. Lower
// continues with the other nodes, but only to find more errors.
func (b *Builder) Fail(err error) {
	b.l.errs = append(b.l.errs, tensor.AtNode(err, b.Node.Name, b.Node.OpName()))
}

// BudgetOf returns the budget argument for a kernel whose first parameter is the run's budget. For
// any other kernel it returns nil.
func BudgetOf(fn any) []plan.Arg {
	if t := reflect.TypeOf(fn); t != nil && t.Kind() == reflect.Func && t.NumIn() > 0 && t.In(0) == (plan.Budget{}).Type() {
		return []plan.Arg{plan.Budget{}}
	}
	return nil
}

// Check appends a call that only checks sizes: its arguments are expressions and literals, and its
// result is an error. A check that depends only on the feeds' sizes runs once for each new set of
// these sizes.
func (b *Builder) Check(fn any, args ...any) { b.l.check(b.call(fn, nil, args)) }

// NewSize returns the symbol that the shape function made for output i with Shaper.NewSize.
func (b *Builder) NewSize(i int) *sym.Expr {
	return b.Shaper().NewSize(i)
}

// NewSizeK returns the symbol with number k that the shape function made for output i with
// Shaper.NewSizeK.
func (b *Builder) NewSizeK(i, k int) *sym.Expr {
	return b.Shaper().NewSizeK(i, k)
}

// Copy appends a step that copies src to dst. Both views have the same length.
func (b *Builder) Copy(dst, src plan.View) {
	b.l.step(&plan.Copy{Node: b.Node.Name, Op: b.Node.Op, Dst: dst, Src: src})
}

// Errorf returns an error at this node.
func (b *Builder) Errorf(c tensor.Code, format string, args ...any) error {
	return tensor.AtNode(tensor.Errorf(c, format, args...), b.Node.Name, b.Node.OpName())
}
