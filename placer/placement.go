package placer

import (
	"fmt"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// Decision is the device of a node, and the reason.
type Decision struct {
	Node, Op  string
	Device    string   // full name
	Requested string   // the device that the graph requests for the node; may be partial or empty
	Root      string   // the root node of the node's group
	Reason    string   // one line
	Changes   []string // requests of the node that were not followed, a line each
}

// String formats the decision as TensorFlow's log does, as name: (Op): device.
func (d *Decision) String() string { return d.Node + ": (" + d.Op + "): " + d.Device }

// Placement holds the devices of all nodes.
type Placement struct {
	Decisions []*Decision // in order of assignment
	Changes   []string    // the requests of all nodes that were not followed, a line each, in the order of the decisions

	byName map[string]*Decision
	last   []pending
}

// pending is a decision whose reason depends on the final group.
type pending struct {
	*Decision
	node int
	why  string
	of   int
}

// Of returns the decision about a node, or nil for an unknown name.
func (p *Placement) Of(node string) *Decision { return p.byName[node] }

func (p *placer) log(line string) {
	if p.o.Log != nil {
		p.o.Log(line)
	}
	p.changes = append(p.changes, line)
}

func (p *placer) newPlacement(s *groups) *Placement {
	return &Placement{byName: make(map[string]*Decision, len(s.nodes))}
}

// add appends the decision about a node of the program's graph.
func (t *Placement) add(s *groups, i int, why string, of int) {
	n := &s.nodes[i]
	if n.virtual {
		return
	}
	d := &Decision{Node: n.name, Op: n.op, Device: n.device.FullName, Requested: n.ir.Device}
	t.Decisions = append(t.Decisions, d)
	t.byName[n.name] = d
	t.last = append(t.last, pending{d, i, why, of})
	if s.p.o.Log != nil {
		s.p.o.Log(d.String())
	}
}

// finish sets the nodes' devices and the decisions' reasons.
func (r *run) finish(g *ir.Graph) *Placement {
	t := r.result
	size, asks := make([]int, len(r.nodes)), make([]int, len(r.nodes))
	for i := range r.nodes {
		n, root := &r.nodes[i], r.root(i)
		size[root]++
		if asks[root] == 0 && (n.before != nil || n.request != "" && follows(n)) {
			asks[root] = i + 1
		}
	}
	for _, d := range t.last {
		root := r.root(d.node)
		d.Root = r.nodes[root].name
		d.Changes = r.notes[d.node]
		d.Reason = r.reason(d, size[root], asks[root]-1)
		r.nodes[d.node].ir.Device = d.Device
		if r.p.o.Previous != nil && r.p.o.Stateful(d.Op) {
			r.p.o.Previous[d.Node] = d.Device
		}
	}
	t.Changes, t.last = r.p.changes, nil
	return t
}

// follows reports whether a node's device matches its request.
func follows(n *node) bool {
	own, err := ParseName(n.request)
	return err == nil && !own.Empty() && own.Matches(n.device.Name)
}

// reason returns a one-line reason for a node's device. The parameter size is the number of nodes
// in the node's group. The parameter asks is the index of a node in the same group that was placed
// before or whose request was followed, or -1 if the group has no such node.
func (r *run) reason(d pending, size, asks int) string {
	n, c := &r.nodes[d.node], r.cause[d.node]
	switch {
	case n.before != nil:
		return d.why
	case n.request != "" && follows(n):
		return "requested " + tensor.Clip(n.request)
	case d.why != "" && d.of > 1:
		return d.why
	}
	why := ""
	switch c.kind {
	case byReference:
		why = "reference to " + c.with
	case byResource:
		why = "group of resource " + c.with
	case byDataset:
		why = "dataset of " + c.with
	case byClass:
		why = "colocated with " + c.with
	case byCall:
		why = "one resource through call " + c.with
	case alone:
		if size > 1 {
			why = fmt.Sprintf("group of %d nodes", size)
		}
	}
	if why != "" {
		switch {
		case asks < 0 || asks == d.node:
		case r.nodes[asks].before != nil:
			why += ", where " + r.label(asks) + " is already"
		default:
			why += ", for which " + r.label(asks) + " requests " + tensor.Clip(r.nodes[asks].request)
		}
	} else if d.of > 1 {
		why = fmt.Sprintf("default: the first of %d devices", d.of)
	} else {
		why = "default: the only device it can be on"
	}
	if n.request != "" {
		why += "; not on the requested " + tensor.Clip(n.request)
	}
	return why
}
