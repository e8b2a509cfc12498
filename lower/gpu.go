package lower

import (
	"errors"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// ScalarWork makes the program over numbers that computes a node. It may append checks, and calls of
// the host's that bind sizes. ErrOnHost, before anything was appended: there is no program for the node.
type ScalarWork func(*Builder) (*scalar.Work, error)

// GPU describes how an op is computed on a GPU.
type GPU struct {
	// Op is the name of the op.
	Op string
	// Types lists, by type attribute, the element types the kernels take; attributes not
	// named take what TensorFlow's GPU kernels allow.
	Types map[string][]tensor.DType
	// Fits reports whether the kernels take a node of these types, by its attributes; nil: each.
	Fits func(*ir.Node) bool
	// Work is the program over numbers that computes a node, for ops that are element-wise
	// work; Lower makes a step of it. nil: there is none.
	Work ScalarWork
	// Lower appends calls that work in the device's memory, through the Dev methods of
	// the builder. ErrOnHost, before anything was appended, has the node lowered for the
	// host's side of the partition instead: for shapes that the kernels do not take.
	Lower func(*Builder) error
}

// ErrOnHost is what a GPU's Lower returns for a node that is better computed by the
// host's kernels, where its inputs are copied to.
var ErrOnHost = errors.New("the host computes this node")

// LookupGPU returns how a GPU computes n, nil where there are no kernels for it.
func (t *Table) LookupGPU(n *ir.Node) *GPU {
	d := t.Lookup(n.Op)
	if d == nil || d.GPU == nil {
		return nil
	}
	g := d.GPU
	for attr, types := range g.Types {
		if d, ok := n.Attrs[attr].(tensor.DType); ok && !slices.Contains(types, d) {
			return nil
		}
	}
	if g.Fits != nil && !g.Fits(n) {
		return nil
	}
	return g
}

// ScalarWork returns the program over numbers that computes node n of a graph on a device: what tests
// compare with the host's kernels. ErrOnHost where there is none.
func (t *Table) ScalarWork(g *ir.Graph, n *ir.Node) (*scalar.Work, error) {
	d := t.Lookup(n.Op)
	if d == nil || d.GPU == nil || d.GPU.Work == nil {
		return nil, ErrOnHost
	}
	var l *lowerer
	if _, err := t.Lower(g, "work", func(x *lowerer) { l = x }); err != nil {
		return nil, err
	}
	l.push(&l.p.Steps)
	return d.GPU.Work(&Builder{Graph: g, Node: n, l: l})
}

// ForDevice has Lower make the plan of a partition on a device of that full name. onHost
// tells the nodes whose kernels, on that device, are the host's.
func ForDevice(name string, onHost func(*ir.Node) bool) Option {
	return func(l *lowerer) { l.p.Device, l.gpu, l.onHost = name, device.TypeOf(name) == "GPU", onHost }
}

// lowerGPU lowers a node for a GPU; false where the host's side is to do it.
func (l *lowerer) lowerGPU(n *ir.Node) (bool, error) {
	if !l.gpu || l.onHost(n) || l.hostly[n] {
		return false, nil
	}
	g := l.t.LookupGPU(n)
	if g == nil {
		return false, nil
	}
	err := g.Lower(&Builder{Graph: l.g, Node: n, l: l})
	if errors.Is(err, ErrOnHost) {
		return false, nil
	}
	return true, err
}

// twins are the copies that a partition on a GPU has of tensors on the other side.
//
// A tensor is made on one side: lowerer.bufs has it where that is the host's, dev
// where it is the device's. Its twin is made where the other side first reads it.
type twins struct {
	dev    map[ir.Out]*plan.Buf
	consts map[*plan.Const]*plan.Buf
	// devVars are the values of variables by the names of the buffers of their handles.
	devVars map[string]*plan.Buf
	// readers are the nodes that read a tensor; see readersOf.
	readers map[ir.Out][]*ir.Node
	onDev   map[*ir.Node]bool   // the nodes whose slots are in the device's memory
	gpuOf   func(*ir.Node) *GPU // LookupGPU
	hostly  map[*ir.Node]bool   // the host computes them though the device could
	// counters are the places of loops' variables that the host and the device both compute.
	counters map[*ir.Node]*slot
}

// newDevBuf makes a buffer in the device's memory.
func (l *lowerer) newDevBuf(name string, d tensor.DType, n *sym.Expr) *plan.Buf {
	b := &plan.Buf{ID: len(l.p.Bufs), Name: name, DType: d, Len: n, Place: plan.Device}
	if !l.beforeSteps(n) {
		b.Place = plan.DeviceGrow
	}
	l.p.Bufs = append(l.p.Bufs, b)
	return b
}

// bytesOf is a buffer as bytes.
func (l *lowerer) bytesOf(b *plan.Buf) *plan.Buf {
	if err := b.Fits(); err != nil {
		l.errs = append(l.errs, err)
	}
	a := &plan.Buf{ID: len(l.p.Bufs), Name: b.Name, DType: tensor.Uint8, Len: b.Bytes(), Place: b.Place, Alias: b}
	l.p.Bufs = append(l.p.Bufs, a)
	return a
}

// devOf returns the buffer of a tensor in the device's memory, copying it there now
// where it is the host's.
func (l *lowerer) devOf(o ir.Out) *plan.Buf {
	if b := l.dev[o]; b != nil {
		return b
	}
	if b := l.renamed(o, true); b != nil {
		return b
	}
	if l.counts(o) {
		if b := l.again(o); b != nil {
			return b
		}
	}
	f := o.Fact()
	host := l.bufOf(o)
	if host.Const != nil {
		b := l.devConst(host)
		l.dev[o] = b
		return b
	}
	n := f.Shape.Len()
	b := l.newDevBuf(o.String()+"/device", f.DType, n)
	b.Shape = f.Shape.Dims
	at := l.outer(o, false)
	l.insert(at, l.put(o.Node, plan.View{Buf: b, Len: n, Mode: plan.Write}, plan.View{Buf: host, Len: n, Mode: plan.Read}))
	l.dev[o] = b
	if at > 0 {
		l.lists[at].madeDev = append(l.lists[at].madeDev, o)
	}
	return b
}

// put is the step that copies src, of the host's, to the device's memory.
func (l *lowerer) put(n *ir.Node, dst, src plan.View) plan.Step {
	src.Buf, src.Len = l.bytesOf(src.Buf), src.Len.MulInt(dst.Buf.DType.Size())
	return &plan.Put{Node: n.Name, Op: n.OpName(), Dst: dst, Src: src}
}

// get is the step that copies src, of the device's, to the host, and waits for it.
func (l *lowerer) get(n *ir.Node, dst, src plan.View) plan.Step {
	dst.Buf, dst.Len = l.bytesOf(dst.Buf), dst.Len.MulInt(src.Buf.DType.Size())
	return &plan.Get{Node: n.Name, Op: n.OpName(), Dst: dst, Src: src}
}

// outer returns the list in which a twin of a tensor is made that is read now: the
// innermost, but before a loop where the tensor, and what the other side has of it, is
// made outside of it. onDevice says that it is the device's that is copied.
func (l *lowerer) outer(o ir.Out, onDevice bool) int {
	at := len(l.lists) - 1
	for i := at; i > 0; i-- {
		t := l.lists[i]
		made := t.made
		if onDevice {
			made = t.madeDev
		}
		if slices.Contains(made, o) {
			break
		}
		if t.loop != nil && t.loop.Encloses(o.Node.Region) {
			break
		}
		if t.loop != nil {
			at = i - 1
		}
	}
	return at
}

// insert puts a step into a list that is open: before those of the node under way where
// that is the innermost one, else before the step that is.
func (l *lowerer) insert(at int, s plan.Step) {
	if at == len(l.lists)-1 {
		l.ahead(s)
		return
	}
	t := l.lists[at]
	*t.steps = slices.Insert(*t.steps, len(*t.steps)-1, s)
}

// devConst returns a constant in the device's memory.
func (l *lowerer) devConst(host *plan.Buf) *plan.Buf {
	c := host.Const
	if b := l.twins.consts[c]; b != nil {
		return b
	}
	b := &plan.Buf{ID: len(l.p.Bufs), Name: c.Name, Place: plan.DeviceConst, DType: c.DType, Const: c,
		Shape: ir.StaticShape(c.Shape...).Dims, Len: host.Len}
	l.twins.consts[c] = b
	l.p.Bufs = append(l.p.Bufs, b)
	return b
}

// hostOf copies a tensor of the device's to the host, and waits for it.
func (l *lowerer) hostOf(o ir.Out) *plan.Buf {
	if b := l.renamed(o, false); b != nil {
		return b
	}
	f := o.Fact()
	n := f.Shape.Len()
	b := l.newBuf(o.String()+"/host", f.DType, n)
	b.Shape = f.Shape.Dims
	at := l.outer(o, true)
	l.insert(at, l.get(o.Node, plan.View{Buf: b, Len: n, Mode: plan.Write}, plan.View{Buf: l.dev[o], Len: n, Mode: plan.Read}))
	l.bufs[o] = b
	if at > 0 {
		l.lists[at].made = append(l.lists[at].made, o)
	}
	return b
}

// devReads reports whether a node which a GPU computes, or a slot in its memory, reads a
// tensor, as it is or under another shape.
func (l *lowerer) devReads(o ir.Out) bool {
	for _, n := range l.readersOf(o) {
		switch {
		case l.t.Trait(n.Op, Renames):
			if n.Ins[0] == o && l.devReads(ir.Out{Node: n}) {
				return true
			}
		case n.Op == ir.LoopVarOp && l.onDev[n], l.computes(n):
			return true
		case n.Op == ir.YieldOp, n.Op == ir.NextOp:
			for _, s := range l.readersOf(ir.Out{Node: n}) {
				if l.onDev[s] {
					return true
				}
			}
		}
	}
	return false
}

// readersOf returns the nodes that read a tensor.
func (l *lowerer) readersOf(o ir.Out) []*ir.Node {
	if l.readers == nil {
		l.readers = map[ir.Out][]*ir.Node{}
		for _, n := range l.g.Nodes {
			for i, in := range n.Ins {
				if !slices.Contains(n.Ins[:i], in) {
					l.readers[in] = append(l.readers[in], n)
				}
			}
		}
	}
	return l.readers[o]
}

// Queue is the argument that kernels for a device append their work to.
func (b *Builder) Queue() plan.Arg { return plan.Queue{} }

// DevIn is the whole of input i in the device's memory, to be read.
func (b *Builder) DevIn(i int) plan.View {
	return plan.View{Buf: b.l.devOf(b.Node.Ins[i]), Len: b.InLen(i), Mode: plan.Read}
}

// DevOut is the whole of output i in the device's memory, to be written. The first
// use allocates it.
func (b *Builder) DevOut(i int) plan.View {
	o := ir.Out{Node: b.Node, Index: i}
	buf := b.l.dev[o]
	if buf == nil {
		f := o.Fact()
		buf = b.l.newDevBuf(o.String(), f.DType, f.Shape.Len())
		buf.Shape = f.Shape.Dims
		b.l.dev[o] = buf
	}
	return plan.View{Buf: buf, Len: b.OutLen(i), Mode: plan.Write}
}

// DevTemp is scratch of n elements in the device's memory that lives during this
// node's calls.
func (b *Builder) DevTemp(d tensor.DType, n *sym.Expr) plan.View {
	buf := b.l.newDevBuf(b.Node.Name+"/scratch", d, n)
	return plan.View{Buf: buf, Len: n, Mode: plan.ReadWrite}
}

// DevConst is data known at compile time, in the device's memory.
func (b *Builder) DevConst(note string, t *tensor.Tensor) plan.View {
	buf := b.l.devConst(b.l.constBuf(b.Node.Name, note, t))
	return plan.View{Buf: buf, Len: buf.Len, Mode: plan.Read}
}

// DevAlias makes output i share input j's storage in the device's memory.
func (b *Builder) DevAlias(i, j int) {
	o := ir.Out{Node: b.Node, Index: i}
	b.l.dev[o] = b.l.alias(o.String(), o.Fact(), b.l.devOf(b.Node.Ins[j]), nil)
}

// OnDevice reports whether the device alone has input i.
func (b *Builder) OnDevice(i int) bool {
	o := b.Node.Ins[i]
	return b.l.gpu && b.l.bufs[o] == nil && b.l.dev[o] != nil
}
