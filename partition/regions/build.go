package regions

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// partBuilder makes the graph of one partition.
type partBuilder struct {
	*divider
	*part
	p       int
	g       *ir.Graph
	nodes   map[*ir.Node]*ir.Node
	region  map[*ir.Region]*ir.Region
	placed  []placedNode
	sources map[wanted]*ir.Node // the receive in this partition for each value it needs
}

// placedNode is a node of the new graph and its position. The nodes are in the order of the whole
// graph. A send comes directly after the node whose value it sends, and a receive directly before
// the first node that reads its value.
type placedNode struct {
	node    *ir.Node
	at, sub int
	order   int
}

func (b *partBuilder) build() (*ir.Graph, error) {
	old := b.divider.g
	g := ir.NewGraph(old.Name)
	g.Library, g.Producer = old.Library, old.Producer
	g.Journal = slices.Clone(old.Journal)
	b.g, b.nodes, b.region = g, map[*ir.Node]*ir.Node{}, map[*ir.Region]*ir.Region{}
	b.sources = map[wanted]*ir.Node{}

	fed := map[*ir.Node]bool{}
	for _, f := range old.Feeds {
		fed[f.Out.Node] = true
	}
	for _, f := range old.Fetches {
		if b.floats(f.Out.Node) && b.owner(f.Out.Node) == b.p {
			b.part.copies[f.Out.Node] = true
		}
	}
	for _, t := range old.Targets {
		if b.floats(t) && b.owner(t) == b.p {
			b.part.copies[t] = true
		}
	}
	for i, n := range old.Nodes {
		h, has := b.home[n]
		if has && h == b.p || !has && (b.part.copies[n] || fed[n]) {
			at, sub := b.at[n], 1
			if !has {
				at, sub = -1, i
			}
			b.copy(n, at, sub)
		}
	}
	for _, t := range b.recvs {
		b.receive(t)
	}
	for r := range b.regions {
		b.mirror(r)
	}
	for old, n := range b.nodes {
		n.Region = b.mirror(old.Region)
		for i, o := range n.Ins {
			n.Ins[i] = b.out(o)
		}
		var controls []*ir.Node
		for _, c := range old.Controls {
			if d := b.waits(c, old); d != nil && !slices.Contains(controls, d) {
				controls = append(controls, d)
			}
		}
		n.Controls = controls
	}
	for r, m := range b.region {
		if r != nil {
			m.Cond = b.out(r.Cond)
		}
	}
	for _, t := range b.recvs {
		t.recv.Region = b.mirror(t.region)
		b.after(t)
	}
	for old, n := range b.nodes {
		b.told(old, n)
	}
	for _, t := range b.sends {
		b.send(t)
	}
	slices.SortFunc(b.placed, func(x, y placedNode) int {
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.sub, y.sub), cmp.Compare(x.order, y.order))
	})
	for _, x := range b.placed {
		if err := g.Add(x.node); err != nil {
			return nil, err
		}
	}
	b.ends()
	return g, nil
}

// copy adds a copy of the node n to the partition. The inputs of the copy are still nodes of the
// whole graph; the control inputs are added later.
func (b *partBuilder) copy(n *ir.Node, at, sub int) {
	c := *n
	c.Attrs = make(map[string]ir.Attr, len(n.Attrs))
	for k, v := range n.Attrs {
		c.Attrs[k] = v
	}
	c.Ins, c.Controls, c.Device = slices.Clone(n.Ins), nil, ""
	c.Outs = slices.Clone(n.Outs)
	if b.o.State != nil && slices.ContainsFunc(n.Ins, func(o ir.Out) bool { return o.Fact().DType.Opaque() }) {
		b.o.State(&c)
	}
	b.nodes[n] = &c
	b.placed = append(b.placed, placedNode{node: &c, at: at, sub: sub})
}

// mirror returns the region of the partition that corresponds to the region r of the whole graph.
// It adds the region if necessary.
func (b *partBuilder) mirror(r *ir.Region) *ir.Region {
	if r == nil {
		return nil
	}
	m := b.region[r]
	if m == nil {
		m = &ir.Region{Name: r.Name, Loop: r.Loop, Neg: r.Neg}
		b.region[r] = m
		m.Parent = b.mirror(r.Parent)
	}
	return m
}

// out returns the tensor of the partition that corresponds to the tensor o of the whole graph. It
// is the output of a copied node or of a receive.
func (b *partBuilder) out(o ir.Out) ir.Out {
	if n := b.nodes[o.Node]; n != nil {
		return ir.Out{Node: n, Index: o.Index}
	}
	if r := b.sources[wanted{out: o, kind: value, to: b.p}]; r != nil {
		return ir.Out{Node: r}
	}
	panic("partition: " + o.String() + " is not at hand")
}

// waits returns the control input that the copy of n must have because n has the control input c in
// the whole graph. It is the copy of c, or a receive. waits returns nil if the copy of n need not
// wait.
func (b *partBuilder) waits(c, n *ir.Node) *ir.Node {
	if m := b.nodes[c]; m != nil {
		return m
	}
	if b.floats(c) {
		return nil
	}
	return b.sources[wanted{out: ir.Out{Node: c, Index: -1}, kind: control, at: c.Region.Common(n.Region), to: b.p}]
}

// name returns a name for the send or the receive of a pair, in the form that TensorFlow uses. The
// name contains the number of the pair.
func (b *partBuilder) name(t *transfer, what string) string {
	return b.divider.g.Fresh(t.out.Node.Name + "/" + what + "_" + strconv.Itoa(t.slot))
}

func (b *partBuilder) attrs(t *transfer) map[string]ir.Attr {
	return map[string]ir.Attr{SlotAttr: int64(t.slot), "tensor_name": t.label(),
		"send_device": b.names[t.from], "recv_device": b.names[t.to]}
}

// label returns a text that says which value the pair transfers. It is the name of a tensor, of a
// node (for a control edge), or of a size.
func (t *transfer) label() string {
	switch t.kind {
	case control:
		return "^" + t.out.Node.Name
	case extent:
		if t.size != "" {
			return "size " + t.size
		}
		return "shape of " + t.out.String()
	}
	return t.out.String()
}

// extents returns the length of the vector of sizes that a pair of kind extent transfers.
func (t *transfer) extents() int {
	if t.size != "" {
		return 1
	}
	return len(t.out.Fact().Shape.Dims)
}

// receive adds the receiving node of a pair.
func (b *partBuilder) receive(t *transfer) {
	n := &ir.Node{Name: b.name(t, "_recv"), Op: RecvOp, Attrs: b.attrs(t), Origin: t.out.Node.Origin}
	switch t.kind {
	case control:
		n.Op = RecvControlOp
	case extent:
		rank := t.extents()
		n.Attrs["tensor_type"], n.Attrs["dims"] = tensor.Int64, []string{strconv.Itoa(rank)}
		n.Outs = []ir.Fact{{DType: tensor.Int64, Shape: ir.StaticShape(rank)}}
	case value:
		f := t.out.Fact()
		n.Attrs["tensor_type"] = f.DType
		dims := make([]string, len(f.Shape.Dims))
		for i, e := range f.Shape.Dims {
			dims[i] = e.Key()
		}
		n.Attrs["dims"] = dims
		if f.Ints != nil && len(t.binds) == 0 {
			ints := make([]string, len(f.Ints))
			for i, e := range f.Ints {
				ints[i] = e.Key()
			}
			n.Attrs["ints"] = ints
		}
		n.Outs = []ir.Fact{{DType: f.DType, Shape: f.Shape, Ints: f.Ints}}
	}
	t.recv = n
	b.sources[t.wanted] = n
	b.placed = append(b.placed, placedNode{node: n, at: t.first, order: t.slot})
}

// after adds control inputs to the receive of a pair. They are those receives that determine the
// symbolic sizes in the shape of the received tensor.
func (b *partBuilder) after(t *transfer) {
	if t.kind != value {
		return
	}
	for name := range sizes(t.out.Fact()) {
		if s := b.binds[name]; s != nil && s != t && !slices.Contains(t.recv.Controls, s.recv) {
			t.recv.Controls = append(t.recv.Controls, s.recv)
		}
	}
	slices.SortFunc(t.recv.Controls, func(x, y *ir.Node) int { return cmp.Compare(x.Name, y.Name) })
}

// told adds control inputs to n, which is the copy of a node in this part; the parameter old is the
// original node. The control inputs are the receives that determine symbolic sizes of n's outputs,
// except sizes that also occur in n's inputs. An example of a size that does not occur in the
// inputs is a dimension of a value that n takes from a container.
func (b *partBuilder) told(old, n *ir.Node) {
	if n.Op == ir.LoopVarOp || n.Op == ir.MergeOp {
		return
	}
	need := map[string]bool{}
	for i := range old.Outs {
		for name := range sizes(&old.Outs[i]) {
			need[name] = b.binds[name] != nil
		}
	}
	for _, o := range old.Ins {
		for name := range sizes(o.Fact()) {
			delete(need, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(need)) {
		if r := b.binds[name]; need[name] && r.recv.Region.Encloses(n.Region) && !slices.Contains(n.Controls, r.recv) {
			n.Controls = append(n.Controls, r.recv)
		}
	}
}

// send adds the sending node of a pair.
func (b *partBuilder) send(t *transfer) {
	at := b.at[t.out.Node]
	add := func(n *ir.Node, sub int) *ir.Node {
		n.Region, n.Origin = b.mirror(t.region), t.out.Node.Origin
		b.placed = append(b.placed, placedNode{node: n, at: at, sub: sub, order: t.slot})
		return n
	}
	src := b.nodes[t.out.Node]
	n := &ir.Node{Name: b.name(t, "_send"), Op: SendOp, Attrs: b.attrs(t)}
	switch t.kind {
	case control:
		n.Op, n.Controls = SendControlOp, []*ir.Node{src}
	case extent:
		n.Attrs["T"] = tensor.Int64
		rank := t.extents()
		s := &ir.Node{Name: b.name(t, "_shape"), Op: "Shape", Attrs: map[string]ir.Attr{"T": t.out.Fact().DType, "out_type": tensor.Int64},
			Ins: []ir.Out{{Node: src, Index: t.out.Index}}, Outs: []ir.Fact{{DType: tensor.Int64, Shape: ir.StaticShape(rank)}}}
		if t.size != "" {
			s.Op, s.Attrs = "_Sizes", map[string]ir.Attr{"names": []string{t.size}}
		}
		n.Ins = []ir.Out{{Node: add(s, 2)}}
	case value:
		n.Attrs["T"] = t.out.Fact().DType
		n.Ins = []ir.Out{{Node: src, Index: t.out.Index}}
	}
	add(n, 3)
	b.g.Targets = append(b.g.Targets, n)
}

// ends sets the feeds, the fetches, the targets and the symbolic sizes of the partition's graph.
func (b *partBuilder) ends() {
	old, g := b.divider.g, b.g
	for _, f := range old.Feeds {
		f.Out = b.out(f.Out)
		g.Feeds = append(g.Feeds, f)
	}
	for _, f := range old.Fetches {
		if b.owner(f.Out.Node) == b.p {
			f.Out = b.out(f.Out)
			g.Fetches = append(g.Fetches, f)
		}
	}
	slices.SortStableFunc(g.Targets, func(x, y *ir.Node) int { return cmp.Compare(x.Int(SlotAttr), y.Int(SlotAttr)) })
	var targets []*ir.Node
	for _, t := range old.Targets {
		if n := b.nodes[t]; n != nil && b.owner(t) == b.p {
			targets = append(targets, n)
		}
	}
	for _, t := range b.recvs {
		targets = append(targets, t.recv)
	}
	g.Targets = append(targets, g.Targets...)
	for name, s := range old.Symbols {
		if n := b.nodes[s.Out.Node]; n != nil {
			g.Symbols[name] = ir.Symbol{Out: ir.Out{Node: n, Index: s.Out.Index}, Index: s.Index}
		}
	}
	for _, t := range b.recvs {
		for k, name := range t.binds {
			g.Symbols[name] = ir.Symbol{Out: ir.Out{Node: t.recv}, Index: k}
		}
	}
}

// owner returns the number of the partition in which the node n is fetched, or runs as a target.
func (b *partBuilder) owner(n *ir.Node) int {
	if h, ok := b.home[n]; ok {
		return h
	}
	return b.owners[n]
}
