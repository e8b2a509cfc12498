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
	// RecvOp returns the tensor that the _Send with the same slot has as its input. Attribute dims
	// is the shape of the tensor; if it is absent, the rank is unknown. Attribute ints holds the
	// elements of the tensor if they are known. Both attributes are expressions in symbolic sizes.
	RecvOp = "_Recv"
	// SendControlOp signals that its control inputs have run. The _RecvControl with the same slot
	// waits for this signal.
	SendControlOp = "_SendControl"
	RecvControlOp = "_RecvControl"
)

// SlotAttr is the name of an attribute of these four ops. It holds the number of the pair: its
// index in Divided.Pairs. Each partition sends and receives in the order of these numbers. The ops
// also have TensorFlow's attributes tensor_name, send_device and recv_device.
const SlotAttr = "slot"

// Options control Divide.
type Options struct {
	// Home returns the name of the partition to which a node belongs. It returns "" if the node may
	// be in any partition. If Home is nil, the name is the node's Device.
	Home func(*ir.Node) string
	// Stages is used to divide the partition of each device into several partitions, according to
	// the feeds that the nodes need; see Staging. If it is nil, there is one partition for each
	// device.
	Stages *Staging
	// Keeps reports whether a node does nothing but return a handle of, or a reference to, an
	// object that outlives the run, for example a variable. Each stage that reads such a node gets
	// a copy of the node.
	Keeps func(*ir.Node) bool
	// First is the name of the partition that comes first. The other partitions follow in the order
	// of their names.
	First string
	// Order holds all nodes in the order of lower.Schedule. The whole graph could run in this
	// order, and the nodes of each loop are adjacent.
	Order []*ir.Node
	// State is a function that Divide calls with the copy of each node that has a resource or a
	// variant as an input. The nodes that store values in it may be in another partition, so that
	// their types and shapes cannot be found in the copy's partition. The function can record them
	// in the copy.
	State func(*ir.Node)
}

// Region is one of the partitions that Divide makes. The name comes from its graph, whose control
// flow consists of regions.
type Region struct {
	Home  string
	Stage int // number in Options.Stages
	Graph *ir.Graph
}

// Pair is a transfer from one partition to another.
type Pair struct {
	From, To int    // indexes in Parts
	Tensor   string // TensorFlow's name of the tensor; for a control edge, ^ and the name of the node
}

// Divided is a graph in partitions.
type Divided struct {
	Parts []*Region
	Pairs []Pair // indexed by slot
}

// Divide divides a graph into partitions. Before that, the pass named flow must have turned the
// control flow of the graph into regions, and the facts (ir.Fact) of its tensors must be up to
// date.
//
// Each partition is a separate graph. It has all feeds of g, and those fetches and targets that
// belong to its nodes. If an edge leads from one partition to another, the tensor is sent in the
// region that computes it, and is received in the other partition's copy of this region. If the
// condition of the region is computed in another partition, the condition is received, too. A send
// and its receive thus run under the same conditions, and in the same order relative to other sends
// and receives; see docs/partitions.md.
//
// Divide does not change g. It returns Unimplemented if a tensor that has to be sent has an unknown
// rank.
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

// floating lists ops whose outputs are never sent. Each partition that reads a node of such an op
// gets a copy of the node.
var floating = map[string]bool{"Const": true, "Placeholder": true, "PlaceholderV2": true}

// divider is the state of Divide.
type divider struct {
	g     *ir.Graph
	o     Options
	names []string         // the name of each partition's device
	index map[string]int   // device → its first partition
	stage []int            // by partition
	home  map[*ir.Node]int // node → partition; floating nodes have none
	at    map[*ir.Node]int // node → position in Options.Order
	last  map[*ir.Region]int
	// owners contains those floating nodes that are fetched or are targets. The value is the number
	// of the partition that returns the fetch or runs the target. A node that is not in the map
	// belongs to the first partition.
	owners map[*ir.Node]int
	takers map[*ir.Node]*ir.Node // see taker
	shared map[*ir.Node]bool     // nodes copied to each partition that reads them, because of Options.Keeps
	fed    map[string]bool       // whether a feed determines the symbolic size with this name

	parts []*part
	pairs map[wanted]*transfer
	work  []func() error
}

// part is a partition under construction.
type part struct {
	regions map[*ir.Region]bool // the regions of the whole graph that have a copy in this part
	copies  map[*ir.Node]bool   // nodes that are copied instead of sent (see the method floats): those with a copy in this part
	sizes   map[string]bool     // symbols already handled
	recvs   []*transfer
	sends   []*transfer
	binds   map[string]*transfer // for the name of a size, the receive that determines the size
}

// wanted identifies a transfer: it says which value is sent to which partition.
type wanted struct {
	out  ir.Out // the tensor to send; for a control edge, its source node, with the index -1
	kind kind
	at   *ir.Region // the region in which a control edge is sent
	size string     // for kind extent: the name of a single size to send, or "" to send the shape of out
	to   int
}

type kind int

const (
	value   kind = iota // the tensor
	extent              // the shape of the tensor, or the single size wanted.size, as a vector of int64
	control             // the signal that the node has run
)

// transfer is a pair of a send and a receive, under construction.
type transfer struct {
	wanted
	from   int
	region *ir.Region
	// order in which transfers are sorted: by the sent node's position, then by kind, then by
	// receiving partition
	order int
	slot  int
	first int            // position of its first reader
	binds map[int]string // for the index of a received element, the name of the size that it determines
	recv  *ir.Node
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
	// A node that uses a resource moves to the partition of the resource. A pass has inserted some
	// of these nodes in order to read a reference; without the move, they would be in the
	// partitions of their readers.
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
	// A node that passes a value to a merge or to a variable of a loop moves to the partition of
	// this merge or variable.
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
		if n.Op == ir.YieldOp || n.Op == ir.NextOp { // n is placed where the receiver of its value is
			if r := d.taker(n); r != nil {
				return place{st.Of(r), d.home[r]}
			}
		}
		// for a node that is copied to its readers, d.home has no entry, so the device is 0
		return place{st.Of(n), d.home[n]}
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

// taker returns the merge or loop variable to which the node n passes its value, or nil.
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

// floats reports whether the outputs of n are never sent because each partition that reads n gets a
// copy of n.
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

// want finds all transfers that are needed. It begins with the edges between partitions. It
// continues with the conditions of regions and with symbolic sizes, and repeats this for the
// transfers that these require.
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

// enter adds a copy of region r and of the regions around it to partition p. In this method and the
// following ones, the parameter at is the position of the node that needs the region or the value.
func (d *divider) enter(p int, r *ir.Region, at int) {
	for ; r != nil && !d.parts[p].regions[r]; r = r.Parent {
		d.parts[p].regions[r] = true
		cond := r.Cond
		d.work = append(d.work, func() error { return d.tensor(cond, p, at) })
	}
}

// tensor makes the tensor o available in partition p. If o belongs to another partition, a transfer
// is recorded. If it is the output of a floating node, the node is copied.
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

// control makes the copy of node n in partition p wait for node c, which may be in another
// partition. Parameter first is the position of n.
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

// transfer records a transfer, and returns it. If it has been recorded before, only its first
// reader is updated. Parameter pos is the position of the node whose value is sent. Parameter first
// is the position of a node that reads the value.
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

// facts makes all symbolic sizes that occur in f, the facts of a tensor, available in partition p.
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

// size makes a symbolic size available in partition p if it is known only at run time. If the size
// is an element of a tensor, the tensor is sent. If not, but it is a dimension of a tensor, the
// shape of the tensor is sent. If it is neither, the size is sent as a separate value.
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

// carrier returns a tensor that has the size with the given name as a dimension, and the number of
// this dimension. If possible, it returns an output of n, the node that determines the size.
// Otherwise, it looks at the later nodes in the same region and partition.
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
