// Package regions divides a graph by device into the partitions that are compiled. The graph's
// control flow must already be in the form of regions, see ir.Region. Package partition, in
// contrast, makes the partitions that TensorFlow itself would make.
package regions

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// The ops that connect the partitions; package ops describes them.
const (
	// SendOp passes its input to the _Recv of the same slot in another partition.
	SendOp = "_Send"
	// RecvOp returns the input of the _Send of its slot. Its attribute dims is the output's shape,
	// and ints holds the output's elements if they are known. Both attributes are expressions over
	// symbolic sizes. Without dims the rank is unknown.
	RecvOp = "_Recv"
	// SendControlOp signals to the _RecvControl of its slot that the control inputs of the
	// _SendControl have run.
	SendControlOp = "_SendControl"
	RecvControlOp = "_RecvControl"
)

// SlotAttr is an attribute of the ops above, in addition to TensorFlow's tensor_name, send_device
// and recv_device. It holds the number of the pair, the index in Divided.Pairs. All partitions send
// and receive in the order of these numbers.
const SlotAttr = "slot"

// Options control Divide.
type Options struct {
	// Home returns the name of the partition that a node belongs to, or "" if any partition will
	// do. nil: the node's Device.
	Home func(*ir.Node) string
	// Stages further divides the partition of each device by the feeds that its nodes need; see
	// Staging. nil: no further division.
	Stages *Staging
	// Keeps reports whether a node only returns a handle of, or a reference to, state that outlives
	// a run, such as a variable. Each stage that reads such a node gets a copy of it.
	Keeps func(*ir.Node) bool
	// First is the name of the partition that comes first. The other partitions follow in the order
	// of their names.
	First string
	// Order holds all nodes in an order in which the whole graph could run, each loop contiguous:
	// the order of lower.Schedule.
	Order []*ir.Node
	// State is called with the copy of each node that has a resource or a variant as an input. The
	// nodes that store values in the resource or variant may be in other partitions. The copy's
	// partition then no longer shows the types and shapes of these values.
	State func(*ir.Node)
}

// Region is a partition of a graph with regions.
type Region struct {
	Home  string
	Stage int // number in Options.Stages
	Graph *ir.Graph
}

// Pair is a transfer from one partition to another.
type Pair struct {
	From, To int    // indexes in Parts
	Tensor   string // TensorFlow's name of the tensor, ^node for a control edge
}

// Divided is a graph in partitions.
type Divided struct {
	Parts []*Region
	Pairs []Pair // indexed by slot
}

// Divide divides a graph. Pass flow must have turned the graph's control flow into regions, and the
// facts (ir.Fact) of its tensors must be up to date. Each partition is a separate graph, with all
// feeds and with its own fetches and targets. If an edge leads from one partition to another, the
// first partition sends the tensor in the region that computes it, and the second receives it in
// its copy of that region. If a region's condition is computed in another partition, the condition
// is received, too. Sender and receiver thus run under the same conditions and in matching orders:
// see docs/partitions.md.
//
// Divide does not change g. It returns Unimplemented if a tensor of unknown rank would have to be
// sent.
func Divide(g *ir.Graph, o Options) (*Divided, error) {
	d := &divider{g: g, o: o, home: map[*ir.Node]int{}, index: map[string]int{}, at: map[*ir.Node]int{}, last: map[*ir.Region]int{},
		fed: map[string]bool{}, pairs: map[wanted]*transfer{}}
	d.homes()
	d.stages()
	for range d.names {
		d.parts = append(d.parts, &part{regions: map[*ir.Region]bool{nil: true}, copies: map[*ir.Node]bool{}, sizes: map[string]bool{}, binds: map[string]*transfer{}})
	}
	if err := d.positions(); err != nil {
		return nil, err
	}
	if err := d.want(); err != nil {
		return nil, err
	}
	return d.build()
}

// floating are ops whose nodes are not sent: every partition that reads such a node gets a copy of
// it.
var floating = map[string]bool{"Const": true, "Placeholder": true, "PlaceholderV2": true}

// divider is the state of Divide.
type divider struct {
	g     *ir.Graph
	o     Options
	names []string         // by partition: the name of its device
	index map[string]int   // device → its first partition
	stage []int            // by partition
	home  map[*ir.Node]int // node → partition; floating nodes have none
	at    map[*ir.Node]int // node → position in Options.Order
	last  map[*ir.Region]int
	// owners maps floating nodes to the partitions that return them as fetches or run them as
	// targets. A node without an entry belongs to the first partition.
	owners map[*ir.Node]int
	takers map[*ir.Node]*ir.Node // see taker
	shared map[*ir.Node]bool     // nodes that float because of Options.Keeps
	fed    map[string]bool       // sizes that feeds define

	parts []*part
	pairs map[wanted]*transfer
	work  []func() error
}

// part is a partition under construction.
type part struct {
	regions map[*ir.Region]bool // regions of which the part has a copy
	copies  map[*ir.Node]bool   // floating nodes of which the part has a copy
	sizes   map[string]bool     // symbols already handled
	recvs   []*transfer
	sends   []*transfer
	binds   map[string]*transfer // size → the receive that defines it
}

// wanted says what a transfer sends, and to which partition. It identifies the transfer.
type wanted struct {
	out  ir.Out // the tensor; for a control edge, its source node, with index -1
	kind kind
	at   *ir.Region // the region in which a control edge is sent
	size string     // for an extent: the size to send, if it is not a dimension of any tensor
	to   int
}

type kind int

const (
	value   kind = iota // the tensor
	extent              // the tensor's shape, or only wanted.size, as an i64 vector
	control             // the signal that the node has run
)

// transfer is a pair of a send and a receive, under construction.
type transfer struct {
	wanted
	from   int
	region *ir.Region
	order  int // sorts transfers: position of the sent node, then kind, then receiving partition
	slot   int
	first  int            // position of its first reader
	binds  map[int]string // index of a received element → the size that it defines
	recv   *ir.Node
}

// homes finds the partition of every node.
func (d *divider) homes() {
	of := d.o.Home
	if of == nil {
		of = func(n *ir.Node) string { return n.Device }
	}
	names := map[string]bool{}
	for _, n := range d.g.Nodes {
		if h := of(n); h != "" && !d.floats(n) {
			names[h] = true
		}
	}
	delete(names, d.o.First)
	d.names = append([]string{d.o.First}, slices.Sorted(maps.Keys(names))...)
	for i, n := range d.names {
		d.index[n] = i
	}
	readers := map[*ir.Node][]*ir.Node{}
	for _, n := range d.g.Nodes {
		for _, o := range n.Ins {
			readers[o.Node] = append(readers[o.Node], n)
		}
	}
	var find func(n *ir.Node, depth int) (int, bool)
	find = func(n *ir.Node, depth int) (int, bool) {
		if h, ok := d.home[n]; ok {
			return h, true
		}
		if h := of(n); h != "" {
			return d.index[h], true
		}
		if depth > 8 {
			return 0, false
		}
		for _, o := range n.Ins {
			if !d.floats(o.Node) && o.Node.Op != ir.NextOp {
				if h, ok := find(o.Node, depth+1); ok {
					return h, true
				}
			}
		}
		return 0, false
	}
	for _, n := range d.g.Nodes {
		if d.floats(n) || n.Op == ir.YieldOp || n.Op == ir.NextOp {
			continue
		}
		h, ok := find(n, 0)
		for _, r := range readers[n] {
			if ok {
				break
			}
			if dev := of(r); dev != "" && !d.floats(r) {
				h, ok = d.index[dev], true
			}
		}
		d.home[n] = h
	}
	// A node that uses a resource moves to the resource's partition. Some of these nodes were
	// inserted by a pass, to read a reference. Without this move they would be in the partitions of
	// their readers.
	for _, n := range d.o.Order {
		if d.floats(n) || n.Op == ir.MergeOp || n.Op == ir.LoopVarOp || n.Op == ir.YieldOp || n.Op == ir.NextOp {
			continue
		}
		for _, o := range n.Ins {
			if o.Fact().DType == tensor.Resource && !d.floats(o.Node) {
				d.home[n] = d.home[o.Node]
				break
			}
		}
	}
	// A node that passes a value to a merge or a loop's variable moves to the partition of that
	// merge or variable.
	for _, n := range d.g.Nodes {
		if n.Op != ir.YieldOp && n.Op != ir.NextOp {
			continue
		}
		if r := d.taker(n); r != nil {
			d.home[n] = d.home[r]
		} else {
			d.home[n], _ = find(n, 0)
		}
	}
}

// stages divides the partition of each device into one partition per stage; see Staging. The
// partitions of a stage come after all partitions that may send to them.
func (d *divider) stages() {
	d.stage = make([]int, len(d.names))
	st := d.o.Stages
	if st == nil {
		return
	}
	type place struct{ stage, device int }
	of := func(n *ir.Node) place {
		if n.Op == ir.YieldOp || n.Op == ir.NextOp { // n's place is that of the value's receiver
			if r := d.taker(n); r != nil {
				return place{st.Of(r), d.home[r]}
			}
		}
		return place{st.Of(n), d.home[n]} // for a node that floats, home is the first partition
	}
	d.shared = map[*ir.Node]bool{}
	for _, n := range d.g.Nodes {
		d.shared[n] = d.o.Keeps != nil && d.o.Keeps(n)
	}
	there := map[place]bool{{}: true}
	for _, n := range d.g.Nodes {
		if !d.floats(n) {
			there[of(n)] = true
		}
	}
	for _, n := range d.g.Targets {
		there[of(n)] = true
	}
	for _, f := range d.g.Fetches {
		there[of(f.Out.Node)] = true
	}
	all := slices.SortedFunc(maps.Keys(there), func(a, b place) int { return cmp.Or(a.stage-b.stage, a.device-b.device) })
	number := map[place]int{}
	devices := d.names
	d.names, d.stage, d.owners = nil, nil, map[*ir.Node]int{}
	for i, p := range all {
		number[p] = i
		d.names, d.stage = append(d.names, devices[p.device]), append(d.stage, p.stage)
	}
	home := make(map[*ir.Node]int, len(d.home))
	for _, n := range d.g.Nodes {
		if i, ok := number[of(n)]; ok && d.floats(n) {
			d.owners[n] = i
		} else if ok {
			home[n] = i
		}
	}
	d.home = home
}

// taker returns the merge or the loop variable that reads a node.
func (d *divider) taker(n *ir.Node) *ir.Node {
	if d.takers == nil {
		d.takers = map[*ir.Node]*ir.Node{}
		for _, m := range d.g.Nodes {
			if m.Op != ir.MergeOp && m.Op != ir.LoopVarOp {
				continue
			}
			for _, o := range m.Ins {
				if d.takers[o.Node] == nil {
					d.takers[o.Node] = m
				}
			}
		}
	}
	return d.takers[n]
}

// floats reports whether node n is not sent: every partition that reads n gets a copy of it.
func (d *divider) floats(n *ir.Node) bool {
	return (floating[n.Op] || d.shared[n]) && len(n.Controls) == 0 && len(n.Ins) == 0 && n.Region == nil
}

func (d *divider) positions() error {
	if len(d.o.Order) != len(d.g.Nodes) {
		return tensor.Errorf(tensor.Internal, "partition: the order has %d of %d nodes", len(d.o.Order), len(d.g.Nodes))
	}
	for i, n := range d.o.Order {
		d.at[n] = i
		for r := n.Region; r != nil; r = r.Parent {
			d.last[r] = max(d.last[r], i)
		}
	}
	for _, f := range d.g.Feeds {
		for _, e := range f.Shape.Dims {
			e.Vars(d.fed)
		}
		for _, e := range f.Out.Fact().Shape.Dims {
			e.Vars(d.fed)
		}
	}
	return nil
}

// want finds every transfer: first those for the edges between partitions, then those for the
// conditions of regions and for sizes. The latter may require further transfers.
func (d *divider) want() error {
	for at, n := range d.o.Order {
		if d.floats(n) {
			continue
		}
		p := d.home[n]
		d.enter(p, n.Region, at)
		for _, o := range n.Ins {
			if n.Op == ir.MergeOp || n.Op == ir.LoopVarOp && o.Node.Op == ir.NextOp {
				continue // same partition
			}
			if err := d.tensor(o, p, at); err != nil {
				return err
			}
		}
		for _, c := range n.Controls {
			d.control(c, n, p, at)
		}
		for i := range n.Outs {
			d.facts(&n.Outs[i], p, at)
		}
	}
	for len(d.work) > 0 {
		f := d.work[0]
		d.work = d.work[1:]
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// enter gives partition p a copy of a region and of its enclosing regions. The parameter at, in
// this and the following methods, is the position of the node that needs the copy or the value.
func (d *divider) enter(p int, r *ir.Region, at int) {
	for ; r != nil && !d.parts[p].regions[r]; r = r.Parent {
		d.parts[p].regions[r] = true
		cond := r.Cond
		d.work = append(d.work, func() error { return d.tensor(cond, p, at) })
	}
}

// tensor makes tensor o available in partition p. A floating node is copied; a tensor of another
// partition is received.
func (d *divider) tensor(o ir.Out, p, at int) error {
	if d.floats(o.Node) {
		d.parts[p].copies[o.Node] = true
		return nil
	}
	if d.home[o.Node] == p {
		return nil
	}
	if !o.Fact().Shape.Known {
		why := fmt.Sprintf("sent from %s to %s", d.names[d.home[o.Node]], d.names[p])
		if d.names[d.home[o.Node]] == d.names[p] {
			why = "passed to a later step of a partial run"
		}
		return tensor.AtNode(tensor.Errorf(tensor.Unimplemented, "the rank of %s is unknown when compiling, so it cannot be %s", o, why), o.Node.Name, o.Node.Op)
	}
	d.transfer(wanted{out: o, kind: value, to: p}, o.Node.Region, d.at[o.Node], at)
	return nil
}

// control makes node n of partition p wait for node c.
func (d *divider) control(c, n *ir.Node, p, first int) {
	if d.floats(c) || d.home[c] == p {
		return
	}
	at := c.Region.Common(n.Region)
	// If c is in a loop and n is outside, n waits for the end of the loop.
	pos := d.at[c]
	for r := c.Region; r != at; r = r.Parent {
		if r.Loop {
			pos = d.last[r]
		}
	}
	d.transfer(wanted{out: ir.Out{Node: c, Index: -1}, kind: control, at: at, to: p}, at, pos, first)
}

// transfer records a transfer, unless it is already recorded. The parameter pos is the position of
// the node whose value is sent; first is the position of a reader.
func (d *divider) transfer(w wanted, r *ir.Region, pos, first int) *transfer {
	if t := d.pairs[w]; t != nil {
		t.first = min(t.first, first)
		return t
	}
	t := &transfer{wanted: w, from: d.home[w.out.Node], region: r, order: ((pos*3)+int(w.kind))*len(d.parts) + w.to, first: first, binds: map[int]string{}}
	d.pairs[w] = t
	d.parts[w.to].recvs = append(d.parts[w.to].recvs, t)
	d.parts[t.from].sends = append(d.parts[t.from].sends, t)
	d.work = append(d.work, func() error {
		if w.kind == value {
			d.facts(w.out.Fact(), w.to, first)
		}
		d.enter(t.from, r, pos)
		d.enter(w.to, r, first)
		return nil
	})
	return t
}

// facts makes the symbolic sizes that occur in a tensor's fact available in partition p.
func (d *divider) facts(f *ir.Fact, p, at int) {
	set := sizes(f)
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if d.fed[name] || d.parts[p].sizes[name] {
			continue
		}
		d.parts[p].sizes[name] = true
		d.work = append(d.work, func() error { return d.size(name, p, at) })
	}
}

// sizes returns the names of the symbolic sizes that occur in a fact.
func sizes(f *ir.Fact) map[string]bool {
	set := map[string]bool{}
	for _, e := range f.Shape.Dims {
		e.Vars(set)
	}
	for _, e := range f.Ints {
		e.Vars(set)
	}
	return set
}

// size makes a size that is known only at run time available in partition p. If the size is an
// element of a tensor, that tensor is sent. Otherwise the shape of a tensor with this size as a
// dimension is sent. If no tensor has such a dimension, the size is sent alone.
func (d *divider) size(name string, p, at int) error {
	s, ok := d.g.Symbols[name]
	if !ok {
		return tensor.Errorf(tensor.Internal, "partition: nothing defines the size %s", name)
	}
	if d.floats(s.Out.Node) {
		d.parts[p].copies[s.Out.Node] = true
		return nil
	}
	if d.home[s.Out.Node] == p {
		return nil
	}
	if s.Index >= 0 {
		if err := d.tensor(s.Out, p, at); err != nil {
			return err
		}
		t := d.pairs[wanted{out: s.Out, kind: value, to: p}]
		t.binds[s.Index], d.parts[p].binds[name] = name, t
		return nil
	}
	o, k, ok := d.carrier(s.Out.Node, name)
	if !ok {
		t := d.transfer(wanted{out: s.Out, kind: extent, to: p, size: name}, s.Out.Node.Region, d.at[s.Out.Node], at)
		t.binds[0], d.parts[p].binds[name] = name, t
		return nil
	}
	t := d.transfer(wanted{out: o, kind: extent, to: p}, o.Node.Region, d.at[o.Node], at)
	t.binds[k], d.parts[p].binds[name] = name, t
	return nil
}

// carrier returns a tensor that has the size as a dimension, and the number of this dimension. Node
// n defines the size, so an output of n is preferred. Otherwise the tensor is an output of a later
// node in n's region and partition.
func (d *divider) carrier(n *ir.Node, name string) (ir.Out, int, bool) {
	look := func(m *ir.Node) (ir.Out, int, bool) {
		for i := range m.Outs {
			for k, e := range m.Outs[i].Shape.Dims {
				if v, ok := e.IsVar(); ok && v == name {
					return ir.Out{Node: m, Index: i}, k, true
				}
			}
		}
		return ir.Out{}, 0, false
	}
	if o, k, ok := look(n); ok {
		return o, k, true
	}
	for _, m := range d.o.Order[d.at[n]:] {
		if m.Region != n.Region || d.floats(m) || d.home[m] != d.home[n] {
			continue
		}
		if o, k, ok := look(m); ok {
			return o, k, true
		}
	}
	return ir.Out{}, 0, false
}

// build builds the partitions' graphs.
func (d *divider) build() (*Divided, error) {
	all := make([]*transfer, 0, len(d.pairs))
	for _, t := range d.pairs {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *transfer) int {
		if a.order != b.order {
			return a.order - b.order
		}
		return cmp.Or(cmp.Compare(a.out.Index, b.out.Index), cmp.Compare(a.size, b.size), cmp.Compare(a.from, b.from)) // of one node
	})
	out := &Divided{}
	for i, t := range all {
		t.slot = i
		out.Pairs = append(out.Pairs, Pair{From: t.from, To: t.to, Tensor: t.label()})
	}
	for p := range d.parts {
		b := &partBuilder{divider: d, p: p, part: d.parts[p]}
		g, err := b.build()
		if err != nil {
			return nil, fmt.Errorf("partition %s: %w", d.names[p], err)
		}
		out.Parts = append(out.Parts, &Region{Home: d.names[p], Stage: d.stage[p], Graph: g})
	}
	return out, nil
}
