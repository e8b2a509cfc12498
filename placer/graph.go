package placer

import (
	"slices"
	"strconv"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// node is the placer's view of a node. Its index in graph.nodes identifies it.
type node struct {
	ir      *ir.Node
	virtual bool // an identity that isolate inserts at an input or output of a call
	fed     bool // a placeholder that the caller feeds
	name    string
	op      string
	request string
	ins     []Type
	outs    []Type
	in, out []int // indices of edges, including control edges
	sink    bool  // the node has no readers in the original graph, so TensorFlow gives it a control edge to the sink node
	fetches int   // how many of its outputs are fetched
	deep    deepness

	before *Device // the device that was decided before placement, or nil
	why    string  // reason for before
	device *Device // the result of placement
}

// edge is a data edge, or a control edge if the field in is -1.
type edge struct {
	src, slot int
	dst, in   int
	dead      bool
}

// graph is the graph to place. Its nodes and edges have the order that they have in TensorFlow
// after it has read the graph from a file.
type graph struct {
	name  string // name of the function; "" for the main graph
	lib   *ir.Library
	nodes []node
	edges []edge
	index map[*ir.Node]int
}

// newGraph numbers g's nodes as TensorFlow does: each node follows its inputs, and otherwise the
// file's order is kept. Edges that close loops come last.
func (p *placer) newGraph(g *ir.Graph, name string) (*graph, error) {
	order, err := g.Order()
	if err != nil {
		return nil, err
	}
	v := &graph{name: name, lib: g.Library, nodes: make([]node, len(order)), index: make(map[*ir.Node]int, len(order))}
	for i, n := range order {
		v.index[n] = i
		ins, outs := p.o.Types(n)
		v.nodes[i] = node{ir: n, name: n.Name, op: n.Op, request: n.Device, ins: ins, outs: outs}
		if p.anywhere {
			v.nodes[i].request = ""
		}
	}
	var closing []edge
	for i, n := range order {
		for k, o := range n.Ins {
			src, ok := v.index[o.Node]
			if !ok {
				return nil, tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "input %d is not from the graph", k), n.Name, n.Op)
			}
			if e := (edge{src: src, slot: o.Index, dst: i, in: k}); src < i {
				v.connect(e)
			} else {
				closing = append(closing, e)
			}
		}
		for _, c := range n.Controls {
			if src, ok := v.index[c]; ok {
				v.connect(edge{src: src, dst: i, in: -1})
			}
		}
	}
	for _, e := range closing {
		v.connect(e)
	}
	for i := range v.nodes {
		v.nodes[i].sink = len(v.nodes[i].out) == 0
	}
	return v, nil
}

func (v *graph) connect(e edge) {
	k := len(v.edges)
	v.edges = append(v.edges, e)
	v.nodes[e.src].out = append(v.nodes[e.src].out, k)
	v.nodes[e.dst].in = append(v.nodes[e.dst].in, k)
}

// compact removes dead edges from the nodes' lists.
func (v *graph) compact() {
	dead := func(k int) bool { return v.edges[k].dead }
	for i := range v.nodes {
		v.nodes[i].in = slices.DeleteFunc(v.nodes[i].in, dead)
		v.nodes[i].out = slices.DeleteFunc(v.nodes[i].out, dead)
	}
}

// input returns the edge of data input i, or -1.
func (v *graph) input(n, i int) int {
	for _, k := range v.nodes[n].in {
		if v.edges[k].in == i {
			return k
		}
	}
	return -1
}

// inType returns the type of a data edge as declared by the op that consumes the edge.
func (v *graph) inType(e edge) Type {
	if ins := v.nodes[e.dst].ins; e.in >= 0 && e.in < len(ins) {
		return ins[e.in]
	}
	return Type{}
}

func (v *graph) outType(e edge) Type {
	if outs := v.nodes[e.src].outs; e.slot >= 0 && e.slot < len(outs) {
		return outs[e.slot]
	}
	return Type{}
}

// isolate adds a separate identity node to every input and output of an inspected call, including
// outputs without readers. The identities exist only in the placer: the program's graph does not
// change.
func (p *placer) isolate(v *graph) error {
	var names *namer
	for i := range len(v.nodes) {
		deep, err := p.deep(v, i)
		if err != nil {
			return err
		}
		if !deep {
			continue
		}
		if names == nil {
			names = newNamer(v)
		}
		call := tensor.Clip(v.nodes[i].name)
		for _, k := range slices.Clone(v.nodes[i].in) {
			e := v.edges[k]
			if e.in < 0 || e.dead {
				continue
			}
			id := v.identity(names.free(tensor.Clip(v.nodes[e.src].name)+"_"+call), v.inType(e).DType)
			v.through(k, id)
		}
		used := map[int]bool{}
		for _, k := range slices.Clone(v.nodes[i].out) {
			e := v.edges[k]
			if e.in < 0 || e.dead {
				continue
			}
			used[e.slot] = true
			id := v.identity(names.free(call+"_"+tensor.Clip(v.nodes[e.dst].name)), v.outType(e).DType)
			v.through(k, id)
		}
		for slot, t := range v.nodes[i].outs {
			if !used[slot] {
				id := v.identity(names.free(call), t.DType)
				v.connect(edge{src: i, slot: slot, dst: id})
			}
		}
	}
	if names != nil {
		v.compact()
	}
	return nil
}

// identity appends a virtual Identity node to the graph, and returns its index.
func (v *graph) identity(name string, d tensor.DType) int {
	n, t := &ir.Node{Name: name, Op: "Identity", Attrs: map[string]ir.Attr{"T": d}}, []Type{{DType: d}}
	v.nodes = append(v.nodes, node{ir: n, virtual: true, name: name, op: n.Op, ins: t, outs: t})
	return len(v.nodes) - 1
}

// The method through inserts node id into edge k. Edge k, from a to b, becomes two edges: from a to
// node id, and from node id to b.
func (v *graph) through(k, id int) {
	e := v.edges[k]
	v.edges[k].dead = true
	v.connect(edge{src: e.src, slot: e.slot, dst: id})
	v.connect(edge{src: id, dst: e.dst, in: e.in})
}

// namer finds unused names.
type namer struct {
	taken map[string]bool
	next  map[string]int
}

func newNamer(v *graph) *namer {
	m := &namer{map[string]bool{}, map[string]int{}}
	for i := range v.nodes {
		m.taken[v.nodes[i].name] = true
	}
	return m
}

func (m *namer) free(name string) string {
	free := name
	for m.taken[free] {
		free = name + "_" + strconv.Itoa(m.next[name])
		m.next[name]++
	}
	m.taken[free] = true
	return free
}
