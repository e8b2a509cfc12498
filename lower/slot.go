package lower

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// slot is a place in memory that several steps write: the place of a _LoopVar or of a _Merge.
type slot struct {
	node  *ir.Node
	buf   *plan.Buf
	dev   bool   // whether the place is in the memory of the partition's device
	alias bool   // whether the _Merge shares the place of its only input
	room  string // name of the symbol for the place's capacity in elements, or "" if it is known before the steps
	dims  []*sym.Expr
	own   []int // the dimensions whose sizes are bound when the slot is set
	index *plan.Buf
}

// carried is a tensor that is copied to a slot.
type carried struct {
	to   *slot
	src  plan.View
	dims []*sym.Expr
}

// mergeUse is an input of a _Merge.
type mergeUse struct {
	merge *ir.Node
	index int
}

// gatherMerges finds the _Merge nodes that read each _Yield.
func (l *lowerer) gatherMerges(order []*ir.Node) {
	l.merges, l.slots = map[*ir.Node][]mergeUse{}, map[*ir.Node]*slot{}
	l.counters = map[*ir.Node]*slot{}
	l.conds, l.vars = map[ir.Out]*plan.Buf{}, map[*plan.Buf]*ir.Region{}
	for _, n := range order {
		if n.Op == ir.MergeOp {
			for i, o := range n.Ins {
				l.merges[o.Node] = append(l.merges[o.Node], mergeUse{n, i})
			}
		}
	}
}

// stage keeps a copy of the input of a _Next until the iteration ends. The copy is needed because
// the sizes and the place of the input are valid only in the body. No copy is made if the loop's
// Break comes before its body.
func (l *lowerer) stage(n *ir.Node) {
	in := n.Ins[0].Fact().Shape
	if l.w == nil || l.w.broke || n.Region == l.w.s.loop || l.beforeSteps(in.Len()) {
		return
	}
	c := l.shaper(n)
	s := &slot{node: n}
	for _, v := range l.readersOf(ir.Out{Node: n}) {
		s.dev = s.dev || l.onDev[v]
	}
	for k, d := range in.Dims {
		if !l.beforeSteps(d) {
			s.own, d = append(s.own, k), c.NewSizeK(0, k)
		}
		s.dims = append(s.dims, d)
	}
	size := c.NewSizeK(0, roomSize)
	s.room, _ = size.IsVar()
	s.buf = l.newSlotBuf(s, n.Name+"/kept", n.Outs[0].DType, size)
	s.buf.Shape = s.dims
	l.slots[n] = s
	l.carry([]carried{{s, l.source(n.Ins[0], s), in.Dims}})
}

// newSlot creates the slot for output 0 of a node.
func (l *lowerer) newSlot(n *ir.Node) *slot {
	c := l.shaper(n)
	f := &n.Outs[0]
	s := &slot{node: n, dev: l.onDev[n], dims: f.Shape.Dims, own: c.ownDims()}
	size := f.Shape.Len()
	if !l.beforeSteps(size) {
		size = c.NewSizeK(0, roomSize)
		s.room, _ = size.IsVar()
	}
	s.buf = l.newSlotBuf(s, ir.Out{Node: n}.String(), f.DType, size)
	s.buf.Shape = f.Shape.Dims
	return s
}

// roomSize identifies the symbol for the capacity of a node's slot in calls of Shaper.NewSizeK. It is
// greater than the numbers that identify the symbols for the slot's dimensions.
const roomSize = 1 << 20

// merge returns the slot of a _Merge whose input i is in the buffer src.
func (l *lowerer) merge(n *ir.Node, i int, src *plan.Buf) (*slot, error) {
	if s := l.slots[n]; s != nil {
		return s, nil
	}
	if !n.Outs[0].Shape.Known {
		return nil, UnknownRank(n, 0)
	}
	var s *slot
	if y := n.Ins[i].Node; len(n.Ins) == 1 && l.lasts(src, y.Ins[0].Node.Region, y.Region, n.Region) && l.left(src.Root(), y.Region, n.Region) && src.Place != plan.Kept {
		s = &slot{node: n, dev: l.onDev[n], dims: n.Outs[0].Shape.Dims, own: l.shaper(n).ownDims(), alias: true}
		s.buf = l.alias(ir.Out{Node: n}.String(), &n.Outs[0], src, nil)
	} else {
		s = l.newSlot(n)
	}
	l.slots[n] = s
	l.place(ir.Out{Node: n}, s)
	if len(n.Outs) > 1 && l.used[ir.Out{Node: n, Index: 1}] {
		o := ir.Out{Node: n, Index: 1}
		s.index = l.newBuf(o.String(), tensor.Int32, sym.One)
		s.index.Shape = []*sym.Expr{}
		l.bufs[o] = s.index
	}
	return s, nil
}

// lasts reports whether a _Merge can use the buffer src without a copy. The buffer's value is
// computed in one region (from), a _Yield in a second region (y) passes it to the _Merge, and the
// _Merge is in a third region (at). No copy is necessary if all three regions are in the same loop.
// No copy is necessary either if the first two regions are the same, or if the first region is a
// loop and the second region runs only in the loop's last iteration. In these two cases, the loop
// must not change the buffer's capacity.
func (l *lowerer) lasts(src *plan.Buf, from, y, at *ir.Region) bool {
	in := at.InnerLoop()
	if from.InnerLoop() == in && y.InnerLoop() == in {
		return true
	}
	roomy := l.beforeSteps(src.Root().Len) || l.vars[src.Root()] != nil
	return roomy && (from == y || from != nil && from.Loop && endOf(from, y))
}

// left reports whether the buffer b, which a _Yield in one region (y) passes to another region (at),
// still has the same contents when it is used there. It returns false if b belongs to a loop variable
// that a later iteration may change.
func (l *lowerer) left(b *plan.Buf, y, at *ir.Region) bool {
	loop, ok := l.vars[b]
	return !ok || loop.Encloses(at) || y == loop || endOf(loop, y)
}

// bind appends the step that binds the sizes of slots to those of the carried tensors.
func (l *lowerer) bind(cs ...carried) {
	let := &plan.Let{Node: l.node.Name, Op: l.node.Op}
	for _, c := range cs {
		for _, k := range c.to.own {
			name, _ := c.to.dims[k].IsVar()
			if !c.dims[k].Equal(c.to.dims[k]) {
				let.Names, let.X = append(let.Names, name), append(let.X, c.dims[k])
			}
		}
	}
	if len(let.Names) > 0 {
		l.step(let)
	}
}

// stays reports whether no copy is necessary because the tensor is already in the slot's place: the
// tensor must begin at the beginning of that place.
func (c *carried) stays() bool {
	return c.src.Buf.Root() == c.to.buf && c.src.Buf.ByteOffset().Is(0)
}

// set copies a slot's next value to a temporary place.
func (l *lowerer) set(c *carried) {
	n := c.to.node
	tmp := plan.View{Buf: l.newSlotBuf(c.to, n.Name+"/next", c.src.Buf.DType, c.src.Len), Len: c.src.Len, Mode: plan.Write}
	l.step(l.hand(n, tmp, c.src))
	tmp.Mode = plan.Read
	c.src = tmp
}

// carry appends the steps that set several slots. The new value of one slot may be the old value of
// another slot. Therefore, all old values are read before any of them is overwritten.
func (l *lowerer) carry(cs []carried) {
	if len(cs) == 0 {
		return
	}
	target := map[*plan.Buf]*slot{}
	for _, c := range cs {
		target[c.to.buf] = c.to
	}
	for i := range cs {
		if c := &cs[i]; target[c.src.Buf.Root()] != nil && !c.stays() {
			l.set(c)
		}
	}
	var moves []plan.Step // the copies on the device, which run one after the other
	for _, c := range cs {
		if c.stays() {
			continue
		}
		if c.to.room != "" {
			l.step(&plan.Let{Node: c.to.node.Name, Op: c.to.node.Op, Names: []string{c.to.room}, X: []*sym.Expr{c.src.Len}})
			l.step(&plan.Room{Node: c.to.node.Name, Op: c.to.node.Op, Buf: c.to.buf})
		}
		s := l.hand(c.to.node, plan.View{Buf: c.to.buf, Len: c.src.Len, Mode: plan.Write}, c.src)
		if plan.Recorded(s) {
			moves = append(moves, s)
		} else {
			l.step(s)
		}
	}
	for _, s := range moves {
		l.step(s)
	}
	l.bind(cs...)
}

// source returns a view of tensor o on the side, host or device, where the slot is.
func (l *lowerer) source(o ir.Out, to *slot) plan.View {
	v := plan.View{Len: o.Fact().Shape.Len(), Mode: plan.Read}
	if to.dev {
		v.Buf = l.devOf(o)
	} else {
		v.Buf = l.bufOf(o)
	}
	return v
}

// place makes the buffer of slot s the buffer of tensor o.
func (l *lowerer) place(o ir.Out, s *slot) {
	if s.dev {
		l.dev[o] = s.buf
	} else {
		l.bufs[o] = s.buf
	}
}

// hand returns the step that copies src to dst, where one may be on the host and the other on the
// device.
func (l *lowerer) hand(n *ir.Node, dst, src plan.View) plan.Step {
	switch to, from := dst.Buf.Root().Place.OnDevice(), src.Buf.Root().Place.OnDevice(); {
	case to && !from:
		return l.put(n, dst, src)
	case from && !to:
		return l.get(n, dst, src)
	case to:
		return &plan.Copy{Node: n.Name, Op: n.Op, Dst: dst, Src: src}
	}
	if s := l.setOne(n, dst, src); s != nil {
		return s
	}
	return &plan.Copy{Node: n.Name, Op: n.Op, Dst: dst, Src: src}
}
