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
	// Location returns the name of the partition to which a node belongs; see Task for an example.
	// If it is nil, the name is the node's device.
	Location func(n *ir.Node) string
	// Client is a device. If it is not "", the feeds and fetches of the graph are replaced by _Arg
	// and _Retval nodes on this device, as in a session of TensorFlow, and the nodes that no fetch
	// and no target needs are removed. If it is "", feeds and fetches stay unchanged.
	Client string
	// NewName returns an unused name for a new node. If it is nil, the names are prefix/_N, where N
	// counts from 0.
	NewName func(prefix string) string
	// Incarnation returns the incarnation number of a device, or 0 if the device has no such
	// number.
	Incarnation func(device string) uint64
	// ShouldCast returns the type in which a tensor of type t is sent; if this is t, the tensor is
	// not cast. If ShouldCast is nil, no tensors are cast. It is not called for control edges.
	ShouldCast func(from ir.Out, to *ir.Node, t tensor.DType) tensor.DType
	// Memory reports for each data input and each output of a node whether it is in host memory. If
	// it is nil, Split uses the function HostMemory.
	Memory func(n *ir.Node) (ins, outs []bool)
	// References returns which outputs of a node are references; nil: as in the op's signature.
	References func(n *ir.Node) []bool
	// StartTimes holds the start times of those nodes that do not have the attribute _start_time.
	// If the map is not nil, all nodes get this attribute.
	StartTimes map[*ir.Node]int64
	// ScheduleRecvs sets the start times of receives and sends. A receive gets the smallest start
	// time of its readers, and a send gets the start time of the node whose value it sends. Split
	// returns NotFound if one of these start times is unknown.
	ScheduleRecvs bool
	// ControlLoops says that the graph already has control loops. This is so if the graph is a
	// partition for one task, which an earlier call of Split has made.
	ControlLoops bool
}

// Part is a partition of a graph.
type Part struct {
	Device string // the partition's name: the result of Options.Location for each of its nodes
	// Graph is the partition's graph. Its library holds only the functions that the nodes call,
	// directly or indirectly.
	Graph *ir.Graph
}

// Split divides a graph into the partitions that TensorFlow would make. They are in the order of
// their names. Split does not change g. Every node must have a full device name. An edge between
// two partitions becomes a send and a receive:
//
//	data     source → _Send … _Recv → reader
//	control  source → Const, an empty float vector → _Send … _Recv → Identity → reader
//
// If the source writes the tensor to host memory, the send is a _HostSend. If the reader reads it
// from host memory, the receive is a _HostRecv. All readers of an output that are in the same
// partition and read from the same kind of memory use the same receive. Receives of references are
// an exception: there is one for each reader, and it waits for all other inputs of that reader. If
// a loop frame extends over several devices, control loops are added; Switch, Enter, Exit and
// NextIteration may move to other devices. See controlLoops and colocate. Dead tensors are sent as
// dead tensors.
//
// Split returns InvalidArgument if a node lacks an input or a device, if there is a cycle or an
// ill-formed frame, if a frame on several devices has no LoopCond, or if a feed is unknown.
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
	pairs  []*pair // the pairs in the map shared, in the order in which they were created
}

// part is a partition under construction.
type part struct {
	name  string
	nodes []*placed
}

// placed is a node in a partition. Its inputs and control inputs are nodes of the same partition.
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

// wait adds the given node to the control inputs of p, unless the node is one of them already.
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

// locate adds a copy of the node v to its partition. The copy has no inputs yet.
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

// graph returns the graph of one partition. Its nodes are in an order in which they could run.
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

// keepIO adds those feeds, fetches and targets of g to r that belong to nodes of the partition p.
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
