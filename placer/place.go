package placer

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// Options control placement. The zero Options are those of a TensorFlow session: no soft placement,
// and ops have kernels only for CPU.
type Options struct {
	// Soft drops a request that cannot be followed instead of returning an error.
	Soft bool
	// Log is called with a line "name: (Op): device" for each node, in the order of assignment. It
	// is also called with a line for each request that is not followed, at the time of that
	// decision.
	Log func(line string)
	// Kernels returns the kernels that match a node and its attributes. If Kernels is nil, each op
	// has one kernel, for CPU.
	Kernels func(n *ir.Node) []Kernel
	// Types returns the types that a node's op declares for inputs and outputs. If Types is nil,
	// the placer uses TensorFlow's op definitions, and the inferred types for ops without such a
	// definition.
	Types func(n *ir.Node) (ins, outs []Type)
	// Stateful reports whether an op is stateful, so that its nodes keep their devices in Previous.
	// nil: an op is stateful if TensorFlow's op definition says so.
	Stateful func(op string) bool
	// Previous holds the devices that nodes with stateful ops got in earlier graphs of the same
	// program. The placer keeps these devices and adds those of this graph's stateful nodes to the
	// map.
	Previous map[string]string
	// Assigned holds the full names of the devices of nodes that are already placed. These nodes
	// keep their devices.
	Assigned map[string]string
	// DefaultLocal is a device that is preferred to all others. If it is "", as in a session, there
	// is no such device.
	DefaultLocal string
	// Priority ranks device types, higher is better; nil: GPU before CPU. Types that are not in the
	// map rank -1.
	Priority map[string]int
	// Unpruned marks a graph that has not been pruned to feeds and fetches. In such a graph, feeds
	// and fetches do not count as nodes on the default device.
	Unpruned bool
	// NoIsolation omits the identities that TensorFlow's pass before placement puts around calls
	// that return resources. Bodies of functions always get them.
	NoIsolation bool
}

type placer struct {
	set   *Set
	o     Options
	local *Device // the default local device; nil: none
	near  *Device // devices in the same task as this device are preferred
	// anywhere makes the placer ignore the devices that nodes request.
	anywhere bool

	lists      map[string]*types
	meets      map[[2]*types]*types
	candidates map[candidateKey][]*Device
	inspected  map[string]*io
	changes    []string
}

// Place sets Device of every node to the full name of the device it runs on, by TensorFlow's rules.
// The error names each offending node, its op, its request and the available devices. After an
// error the graph is unchanged. The error codes are:
//
//   - FailedPrecondition for an empty device set
//   - InvalidArgument for an invalid name, for a node that no device can run, and for nodes that must
//     be on one device but cannot be
//   - Internal for a device in Previous or Assigned that is unknown or lacks a kernel for the node
//   - Unimplemented for recursion among functions that return resources
func Place(g *ir.Graph, set *Set, o Options) (*Placement, error) {
	p, err := newPlacer(set, o)
	if err != nil {
		return nil, err
	}
	s, err := p.graph(g)
	if err != nil {
		return nil, err
	}
	r := &run{groups: s, result: p.newPlacement(s)}
	if err := r.passes(); err != nil {
		return nil, err
	}
	return r.finish(g), nil
}

func newPlacer(set *Set, o Options) (*placer, error) {
	if set == nil || len(set.devices) == 0 {
		return nil, tensor.Errorf(tensor.FailedPrecondition, "there are no devices to place nodes on")
	}
	if o.Kernels == nil {
		o.Kernels = defaultKernels
	}
	if o.Types == nil {
		o.Types = typesOf
	}
	if o.Stateful == nil {
		o.Stateful = statefulOp
	}
	if o.Priority == nil {
		o.Priority = ranks
	}
	p := &placer{set: set, o: o, near: set.Default(), lists: map[string]*types{}, meets: map[[2]*types]*types{},
		candidates: map[candidateKey][]*Device{}, inspected: map[string]*io{}}
	if o.DefaultLocal != "" {
		if p.local = set.Find(o.DefaultLocal); p.local == nil {
			return nil, tensor.Errorf(tensor.InvalidArgument, "the default local device %q is not one of [%s]", tensor.Clip(o.DefaultLocal), set.names())
		}
		p.near = p.local
	}
	return p, nil
}

// graph builds the placer's graph and finds its groups.
func (p *placer) graph(g *ir.Graph) (*groups, error) {
	v, err := p.newGraph(g, "")
	if err != nil {
		return nil, err
	}
	if err := p.assigned(v); err != nil {
		return nil, err
	}
	if !p.o.Unpruned {
		p.callers(g, v)
	}
	if !p.o.NoIsolation {
		if err := p.isolate(v); err != nil {
			return nil, err
		}
	}
	return p.constrain(v, nil)
}

// assigned records which nodes already have a device.
func (p *placer) assigned(v *graph) error {
	var errs errorList
	for i := range v.nodes {
		n := &v.nodes[i]
		name, why := p.o.Assigned[n.name], "assigned before placement"
		if name == "" && len(p.o.Previous) > 0 && p.o.Stateful(n.op) {
			name, why = p.o.Previous[n.name], "stateful: where it was placed for another signature"
		}
		if name == "" {
			continue
		}
		if n.before, n.why = p.set.Find(name), why; n.before == nil {
			err := tensor.Errorf(tensor.Internal, "assigned device %q is not one of [%s]", tensor.Clip(name), p.set.names())
			if errs.add(tensor.AtNode(err, n.name, n.op)) {
				break
			}
		}
	}
	return errs.err()
}

// callers puts feeds and fetches on the default device, because pruning turns feeds into arguments
// and fetches into results of the graph.
func (p *placer) callers(g *ir.Graph, v *graph) {
	for _, f := range g.Feeds {
		if i, ok := v.index[f.Out.Node]; ok && len(v.nodes[i].ins) == 0 && len(v.nodes[i].outs) == 1 && v.nodes[i].before == nil {
			n := &v.nodes[i]
			n.fed, n.before, n.why, n.request = true, p.set.Default(), "fed by the caller", ""
		}
	}
	seen := map[ir.Out]bool{}
	for _, f := range g.Fetches {
		if i, ok := v.index[f.Out.Node]; ok && !seen[f.Out] { // a tensor fetched twice is one result
			seen[f.Out] = true
			v.nodes[i].fetches++
		}
	}
}

// run assigns devices.
type run struct {
	*groups
	result *Placement
}

// passes places all nodes in two passes. The first pass places every node that has inputs, several
// outputs, no output, or a reference as output. The second pass places each remaining node, on the
// device of its consumers if possible.
func (r *run) passes() error {
	var errs errorList
	failed := map[int]bool{}
	var second []int
	place := func(i int, near func(i int, l []*Device) (*Device, string)) (stop bool, err error) {
		l, err := r.devicesFor(i)
		if err != nil {
			if root := r.root(i); !failed[root] {
				failed[root] = true
				return errs.add(err), nil
			}
			return false, nil
		}
		d, why := near(i, l)
		if d == nil {
			d, why = l[0], ""
		}
		return false, r.assign(i, d, why, len(l))
	}
	for i := range r.nodes {
		n := &r.nodes[i]
		switch {
		case n.before != nil:
			if err := r.assign(i, n.before, n.why, 1); err != nil {
				return err
			}
			continue
		case len(n.ins) == 0 && len(n.outs) == 1 && !n.outs[0].Ref:
			second = append(second, i)
			continue
		}
		if stop, err := place(i, r.byInput); err != nil {
			return err
		} else if stop {
			return errs.err()
		}
	}
	for _, i := range second {
		if stop, err := place(i, r.byConsumers); err != nil {
			return err
		} else if stop {
			break
		}
	}
	return errs.err()
}

// byInput returns the device of node i's input in two cases: node i reads only the input's shape,
// or node i is an identity between two nodes with equal requests. In all other cases, and if that
// device is not in the list l, byInput returns nil.
func (r *run) byInput(i int, l []*Device) (*Device, string) {
	n := &r.nodes[i]
	why := ""
	switch {
	case isMetadata(n.op) && len(n.in) > 0:
		why = "reads only the shape of"
	case isIdentity(n.op) && n.request == "" && r.passesThrough(i):
		why = "identity of"
	default:
		return nil, ""
	}
	k := r.input(i, 0)
	if k < 0 {
		return nil, ""
	}
	from := &r.nodes[r.edges[k].src]
	if from.device == nil || !contains(l, from.device) {
		return nil, ""
	}
	return from.device, why + " " + tensor.Clip(from.name) + ", with it"
}

// passesThrough reports whether node i has exactly one edge in and one out, between nodes with
// equal requests. Control edges and the edge to the sink count.
func (r *run) passesThrough(i int) bool {
	n := &r.nodes[i]
	outs := len(n.out) + n.fetches
	if n.sink {
		outs++
	}
	if len(n.in) != 1 || outs != 1 {
		return false
	}
	to := ""
	if len(n.out) == 1 {
		to = r.nodes[r.edges[n.out[0]].dst].request
	}
	return r.nodes[r.edges[n.in[0]].src].request == to
}

// byConsumers returns the device that all consumers are on. It returns nil if they are on different
// devices, or if their device is not in l.
func (r *run) byConsumers(i int, l []*Device) (*Device, string) {
	n := &r.nodes[i]
	var d *Device
	if n.fetches > 0 {
		d = r.p.set.Default()
	}
	for _, e := range n.out {
		to := r.nodes[r.edges[e].dst].device
		if d == nil {
			d = to
		}
		if to == nil || to != d {
			return nil, ""
		}
	}
	if d == nil || n.sink || !contains(l, d) {
		return nil, ""
	}
	return d, "no inputs, with its consumers"
}

func contains(l []*Device, d *Device) bool {
	for _, x := range l {
		if x == d {
			return true
		}
	}
	return false
}

// assign places node i on device d and restricts the node's group to this device.
func (r *run) assign(i int, d *Device, why string, of int) error {
	n := &r.nodes[i]
	n.device = d
	if err := r.narrow(i, d); err != nil {
		return err
	}
	r.result.add(r.groups, i, why, of)
	return nil
}
