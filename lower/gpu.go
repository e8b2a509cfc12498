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

// ScalarWork is a function that returns the scalar program of a node: the operations that compute an
// element of the result. The function may append checks, and calls on the host that bind sizes. If
// the node has no such program, it must return ErrOnHost without having appended anything.
type ScalarWork func(*Builder) (*scalar.Work, error)

// GPU describes how an op is computed on a GPU.
type GPU struct {
	// Op is the name of the op.
	Op string
	// Types lists, by type attribute, the element types that the kernels support. Other attributes
	// accept what TensorFlow's GPU kernels allow.
	Types map[string][]tensor.DType
	// Fits reports whether the kernels support a node whose types are allowed, depending on its
	// other attributes; nil means that they always do.
	Fits func(*ir.Node) bool
	// Work returns the scalar program that computes a node of an element-wise op. Lower appends a
	// step that runs the program. nil means that the op has no such program.
	Work ScalarWork
	// Lower appends calls that work in device memory, through the builder's Dev methods. If it
	// returns ErrOnHost before appending anything, the node is lowered for the partition's host
	// side instead. Lower does this for shapes that the kernels do not support.
	Lower func(*Builder) error
}

// ErrOnHost is returned by a GPU's Lower for a node that is better computed by the host's kernels.
// Its inputs are then copied to the host.
var ErrOnHost = errors.New("the host computes this node")

// LookupGPU returns how a GPU computes n, or nil if there are no GPU kernels for n.
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

// ScalarWork returns the scalar program that computes node n on a device. It returns ErrOnHost if
// the node has no such program. Tests use it to compare the program with the host's kernels.
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

// ForDevice makes Lower build the plan of a partition on the device whose full name is name. onHost
// reports whether a node on that device is computed by the host's kernels.
func ForDevice(name string, onHost func(*ir.Node) bool) Option {
	return func(l *lowerer) { l.p.Device, l.gpu, l.onHost = name, device.TypeOf(name) == "GPU", onHost }
}

// lowerGPU lowers a node for a GPU. It returns false if the host side must compute it.
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

// twins holds the copies that one side of a partition on a GPU has of the other side's tensors. The
// sides are the host and the device.
//
// A tensor is computed on one side. Its buffer is in lowerer.bufs if that side is the host, and in
// dev if it is the device. The copy on the other side, its twin, is made when that side first reads
// the tensor.
type twins struct {
	dev    map[ir.Out]*plan.Buf
	consts map[*plan.Const]*plan.Buf
	// devVars maps the names of variables' handle buffers to the device buffers of the variables'
	// values.
	devVars map[string]*plan.Buf
	// readers maps each tensor to the nodes that read it; see readersOf.
	readers map[ir.Out][]*ir.Node
	// onDev contains the _LoopVar and _Merge nodes whose values are stored in device memory.
	onDev map[*ir.Node]bool
	gpuOf func(*ir.Node) *GPU // LookupGPU
	// hostly contains the nodes that the host computes although the device has kernels for them.
	hostly map[*ir.Node]bool
	// counters holds the loop variables that both the host and the device compute. For each of
	// them, it has the place of the device's value.
	counters map[*ir.Node]*slot
}

// newDevBuf adds a buffer in the device's memory.
func (l *lowerer) newDevBuf(name string, d tensor.DType, n *sym.Expr) *plan.Buf {
	b := &plan.Buf{ID: len(l.p.Bufs), Name: name, DType: d, Len: n, Place: plan.Device}
	if !l.beforeSteps(n) {
		b.Place = plan.DeviceGrow
	}
	l.p.Bufs = append(l.p.Bufs, b)
	return b
}

// bytesOf returns an alias of a buffer as bytes.
func (l *lowerer) bytesOf(b *plan.Buf) *plan.Buf {
	if err := b.Fits(); err != nil {
		l.errs = append(l.errs, err)
	}
	a := &plan.Buf{ID: len(l.p.Bufs), Name: b.Name, DType: tensor.Uint8, Len: b.Bytes(), Place: b.Place, Alias: b}
	l.p.Bufs = append(l.p.Bufs, a)
	return a
}

// devOf returns the buffer of a tensor in device memory. If the tensor is only on the host, it
// appends a step that copies it to the device.
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

// put returns the step that copies src in host memory to device memory.
func (l *lowerer) put(n *ir.Node, dst, src plan.View) plan.Step {
	src.Buf, src.Len = l.bytesOf(src.Buf), src.Len.MulInt(dst.Buf.DType.Size())
	return &plan.Put{Node: n.Name, Op: n.OpName(), Dst: dst, Src: src}
}

// get returns the step that copies src in device memory to the host and waits for it.
func (l *lowerer) get(n *ir.Node, dst, src plan.View) plan.Step {
	dst.Buf, dst.Len = l.bytesOf(dst.Buf), dst.Len.MulInt(src.Buf.DType.Size())
	return &plan.Get{Node: n.Name, Op: n.OpName(), Dst: dst, Src: src}
}

// outer chooses where to insert the step that copies tensor o between the host and the device. The
// parameter onDevice says whether the tensor is on the device now. Lists of steps are nested: each
// contains the loop or conditional whose body is the next list. outer returns the index in l.lists
// of the list for the step.
//
// The result is normally the innermost list. But if the tensor was computed outside of a loop, and
// its present buffer was filled outside of that loop, the step belongs before the loop.
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

// insert puts a step into the list of steps l.lists[at]. In the innermost list, the step goes
// before the steps of the current node. In any other list, the step goes before the last step,
// which is the loop or conditional that contains the inner lists.
func (l *lowerer) insert(at int, s plan.Step) {
	if at == len(l.lists)-1 {
		l.ahead(s)
		return
	}
	t := l.lists[at]
	*t.steps = slices.Insert(*t.steps, len(*t.steps)-1, s)
}

// devConst returns the copy of a constant in the device's memory.
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

// hostOf returns a buffer on the host with a copy of tensor o, which is on the device. It appends
// the step that makes the copy. The step waits until the copy is complete.
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

// devReads reports whether a tensor is read by a node that a GPU computes or by a slot in device
// memory, either directly or through an op that only changes its shape.
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

// Queue returns the argument to which device kernels append their work.
func (b *Builder) Queue() plan.Arg { return plan.Queue{} }

// DevIn returns a view of all of input i in device memory, for reading.
func (b *Builder) DevIn(i int) plan.View {
	return plan.View{Buf: b.l.devOf(b.Node.Ins[i]), Len: b.InLen(i), Mode: plan.Read}
}

// DevOut returns a view of all of output i in device memory, for writing. The first call for an
// output allocates its memory.
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

// DevTemp returns scratch memory for n elements on the device. Its contents last during this node's
// calls.
func (b *Builder) DevTemp(d tensor.DType, n *sym.Expr) plan.View {
	buf := b.l.newDevBuf(b.Node.Name+"/scratch", d, n)
	return plan.View{Buf: buf, Len: n, Mode: plan.ReadWrite}
}

// DevConst returns data known at compile time, in device memory.
func (b *Builder) DevConst(note string, t *tensor.Tensor) plan.View {
	buf := b.l.devConst(b.l.constBuf(b.Node.Name, note, t))
	return plan.View{Buf: buf, Len: buf.Len, Mode: plan.Read}
}

// DevAlias makes output i share input j's storage in the device's memory.
func (b *Builder) DevAlias(i, j int) {
	o := ir.Out{Node: b.Node, Index: i}
	b.l.dev[o] = b.l.alias(o.String(), o.Fact(), b.l.devOf(b.Node.Ins[j]), nil)
}

// OnDevice reports whether input i is in device memory only.
func (b *Builder) OnDevice(i int) bool {
	o := b.Node.Ins[i]
	return b.l.gpu && b.l.bufs[o] == nil && b.l.dev[o] != nil
}
