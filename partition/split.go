// Package partition divides a graph whose nodes have devices into the graphs that
// TensorFlow's session would run: one for each device, joined by pairs of _Send and
// _Recv. Package regions makes the partitions that are compiled.
package partition

import (
	"sort"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// Options control Split. The zero value divides by device.
type Options struct {
	// Location returns the name of the partition that a node belongs to; nil: the node's device.
	// See Task.
	Location func(n *ir.Node) string
	// Client is the device of the _Arg and _Retval nodes that replace the graph's feeds and
	// fetches, as in a session. Nodes that no fetch and no target needs are then dropped. "" leaves
	// feeds and fetches unchanged.
	Client string
	// NewName returns an unused name; nil: prefix/_N, where N counts from 0.
	NewName func(prefix string) string
	// Incarnation returns a device's incarnation, 0 if it has none.
	Incarnation func(device string) uint64
	// ShouldCast returns the type in which a tensor of type t is sent. If it returns t, the tensor
	// is sent unchanged. nil: all tensors are sent unchanged. Control edges are not cast.
	ShouldCast func(from ir.Out, to *ir.Node, t tensor.DType) tensor.DType
	// Memory returns for each data input and output of a node whether it is in host memory; nil:
	// HostMemory.
	Memory func(n *ir.Node) (ins, outs []bool)
	// References returns which outputs of a node are references; nil: as in the op's signature.
	References func(n *ir.Node) []bool
	// StartTimes are the start times of nodes without an attribute _start_time. If the map is not
	// nil, every node gets the attribute.
	StartTimes map[*ir.Node]int64
	// ScheduleRecvs gives every receive the smallest start time of its readers, and every send the
	// start time of its source. Split returns NotFound if a node at one of these edges has no start
	// time.
	ScheduleRecvs bool
	// ControlLoops means that the graph already has its control loops: it is a partition, by task,
	// of a graph that Split divided before.
	ControlLoops bool
}

// Part is a partition of a graph.
type Part struct {
	Device string // the result of Options.Location for its nodes
	// Graph is the partition's graph. Its library holds only the functions that the nodes call,
	// directly or indirectly.
	Graph *ir.Graph
}

// Split divides a graph into the partitions that TensorFlow makes, in the order of their names. It
// does not change g. Every node must have a full device name. An edge between two partitions
// becomes a send and a receive:
//
//	data     source → _Send … _Recv → reader
//	control  source → Const, an empty float vector → _Send … _Recv → Identity → reader
//
// _HostSend replaces _Send if the source's output is in host memory, and _HostRecv replaces _Recv
// if the reader's input is. Readers of one output in one partition and one kind of memory share a
// receive. Receives of references are not shared: each waits for all other inputs of its reader.
// Frames on several devices get control loops, and Switch, Enter, Exit and NextIteration may move
// to other devices; see controlLoops and colocate. Dead tensors are sent as dead.
//
// Split returns InvalidArgument for a node that lacks an input or a device, a cycle, an ill-formed
// frame, a frame on several devices without LoopCond, and an unknown feed.
func Split(g *ir.Graph, o Options) ([]*Part, error) {
	w, err := flatten(g, o.References)
	if err != nil {
		return nil, err
	}
	s := &splitter{o: o, w: w, names: &names{taken: w.taken, own: o.NewName}, parts: map[string]*part{}, shared: map[pairKey]*pair{},
		stand: map[*vertex]*placed{}, memory: map[*vertex][2][]bool{}}
	if o.Client != "" {
		if err := w.rewriteIO(g, o.Client); err != nil {
			return nil, err
		}
	}
	if !o.ControlLoops {
		if err := s.controlLoops(); err != nil {
			return nil, err
		}
	}
	for _, v := range w.vertices {
		s.locate(v)
	}
	for _, v := range w.vertices {
		if err := s.divide(v); err != nil {
			return nil, err
		}
	}
	s.startShared()
	return s.finish(g)
}

// splitter is the state of one Split.
type splitter struct {
	o     Options
	w     *flat
	names *names

	parts  map[string]*part
	stand  map[*vertex]*placed
	memory map[*vertex][2][]bool
	shared map[pairKey]*pair
	pairs  []*pair // the values of shared, in the order in which they were made
}

// part is a partition under construction.
type part struct {
	name  string
	nodes []*placed
}

// placed is a node of a partition, with its inputs in that partition.
type placed struct {
	node     *ir.Node
	at       *part
	ins      []placedOut
	controls []*placed
	waits    map[*placed]bool
}

type placedOut struct {
	from  *placed
	index int
}

// wait adds a control input.
func (p *placed) wait(other *placed) {
	if p.waits[other] {
		return
	}
	if p.waits == nil {
		p.waits = map[*placed]bool{}
	}
	p.waits[other] = true
	p.controls = append(p.controls, other)
}

// add appends a node to a partition.
func (p *part) add(n *ir.Node) *placed {
	l := &placed{node: n, at: p}
	p.nodes = append(p.nodes, l)
	return l
}

// locate copies a node to its partition.
func (s *splitter) locate(v *vertex) {
	n := *v.node
	n.Device = v.device
	ask := s.o.Memory
	if ask == nil {
		ask = HostMemory
	}
	ins, outs := ask(&n)
	s.memory[v] = [2][]bool{ins, outs}
	n.Ins, n.Controls = nil, nil
	n.Attrs = make(map[string]ir.Attr, len(v.node.Attrs)+1)
	for k, a := range v.node.Attrs {
		n.Attrs[k] = a
	}
	n.Outs = make([]ir.Fact, len(v.node.Outs))
	for i := range n.Outs {
		n.Outs[i].DType = v.node.Outs[i].DType
	}
	name := n.Device
	if s.o.Location != nil {
		name = s.o.Location(&n)
	}
	p := s.parts[name]
	if p == nil {
		p = &part{name: name}
		s.parts[name] = p
	}
	s.stand[v] = p.add(&n)
}

// finish turns the partitions into graphs.
func (s *splitter) finish(g *ir.Graph) ([]*Part, error) {
	var parts []*Part
	for _, p := range s.parts {
		r, err := s.graph(p, g)
		if err != nil {
			return nil, err
		}
		parts = append(parts, r)
	}
	sort.Slice(parts, func(i, j int) bool { return parts[i].Device < parts[j].Device })
	return parts, nil
}

// graph makes the graph of one partition, its nodes in an order in which they could run.
func (s *splitter) graph(p *part, g *ir.Graph) (*Part, error) {
	r := ir.NewGraph(g.Name)
	r.Producer = g.Producer
	for _, l := range p.nodes {
		n := l.node
		n.Ins, n.Controls = make([]ir.Out, len(l.ins)), make([]*ir.Node, len(l.controls))
		for i, in := range l.ins {
			n.Ins[i] = ir.Out{Node: in.from.node, Index: in.index}
		}
		for i, c := range l.controls {
			n.Controls[i] = c.node
		}
		if err := r.Add(n); err != nil {
			return nil, err
		}
	}
	order, err := r.Order()
	if err != nil {
		return nil, err
	}
	r.Nodes = order
	if s.o.Client == "" {
		s.keepIO(p, g, r)
	}
	r.Library = reachable(r, g.Library)
	s.incarnations(r)
	return &Part{p.name, r}, nil
}

// keepIO gives a partition the feeds, fetches and targets of its nodes.
func (s *splitter) keepIO(p *part, g, r *ir.Graph) {
	here := func(n *ir.Node) *ir.Node {
		if l := s.stand[s.w.byNode[n]]; l != nil && l.at == p {
			return l.node
		}
		return nil
	}
	for _, f := range g.Feeds {
		if n := here(f.Out.Node); n != nil {
			f.Out.Node = n
			r.Feeds = append(r.Feeds, f)
		}
	}
	for _, f := range g.Fetches {
		if n := here(f.Out.Node); n != nil {
			f.Out.Node = n
			r.Fetches = append(r.Fetches, f)
		}
	}
	for _, t := range g.Targets {
		if n := here(t); n != nil {
			r.Targets = append(r.Targets, n)
		}
	}
}
