package partition

import (
	"strings"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// flat is a graph of vertices and edges. Both are in the order in which TensorFlow numbers them
// when it builds the graph, because the numbers determine names and all other orders. Each vertex
// comes after its inputs. Edges are numbered in the order of the vertices they lead to; for each
// vertex, data inputs come before control inputs. Edges that close loops come last.
type flat struct {
	vertices []*vertex
	edges    []*link
	lib      *ir.Library
	refs     func(*ir.Node) []bool
	byNode   map[*ir.Node]*vertex
	taken    map[string]bool // names in use

	// source is an artificial vertex with an edge to each vertex without inputs, and sink one with
	// an edge from each vertex without readers. These edges are numbered like others, but are never
	// sent to another device.
	source, sink *vertex
}

// vertex is a node.
type vertex struct {
	node    *ir.Node // never modified
	device  string
	in, out []*link // edges in the order of their numbers; removed edges are not included
	refs    []bool  // whether each output is a reference; nil if none of them is
	frame   frame
}

// link is an edge. If it is a control edge, its fields out and in are -1.
type link struct {
	id       int
	src, dst *vertex
	out, in  int
	gone     bool
}

func (l *link) control() bool { return l.out < 0 }

// inner reports whether an edge connects two nodes of the graph, and does not belong to the source
// or the sink.
func (f *flat) inner(l *link) bool { return l.src != f.source && l.dst != f.sink }

func (f *flat) connect(src *vertex, out int, dst *vertex, in int) *link {
	l := &link{id: len(f.edges), src: src, out: out, dst: dst, in: in}
	f.edges = append(f.edges, l)
	src.out = append(src.out, l)
	dst.in = append(dst.in, l)
	return l
}

func (f *flat) after(src, dst *vertex) { f.connect(src, -1, dst, -1) }

// add appends a vertex on a device.
func (f *flat) add(n *ir.Node, device string) *vertex {
	v := &vertex{node: n, device: device, refs: f.refs(n)}
	f.vertices = append(f.vertices, v)
	f.byNode[n] = v
	return v
}

// flatten returns the vertices and numbered edges of a graph. The function refs reports which
// outputs of a node are references. If refs is nil, the definitions of the ops are used instead.
func flatten(g *ir.Graph, refs func(*ir.Node) []bool) (*flat, error) {
	if refs == nil {
		refs = references
	}
	f := &flat{refs: refs, lib: g.Library, byNode: make(map[*ir.Node]*vertex, len(g.Nodes)), taken: make(map[string]bool, len(g.Nodes)), source: &vertex{}, sink: &vertex{}}
	f.after(f.source, f.sink)
	known := make(map[*ir.Node]bool, len(g.Nodes))
	for _, n := range g.Nodes {
		known[n], f.taken[n.Name] = true, true
	}
	for _, n := range g.Nodes {
		if err := f.complete(n, known); err != nil {
			return nil, tensor.AtNode(err, n.Name, n.Op)
		}
	}
	order, err := g.Order()
	if err != nil {
		return nil, err
	}
	at := make(map[*ir.Node]int, len(order))
	for i, n := range order {
		at[n] = i
		f.add(n, n.Device)
	}
	type back struct {
		out ir.Out
		dst *vertex
		in  int
	}
	var later []back
	for i, n := range order {
		v := f.vertices[i]
		for k, o := range n.Ins {
			if at[o.Node] >= i {
				later = append(later, back{o, v, k})
				continue
			}
			f.connect(f.byNode[o.Node], o.Index, v, k)
		}
		for _, c := range n.Controls {
			if at[c] >= i {
				later = append(later, back{ir.Out{Node: c, Index: -1}, v, -1})
				continue
			}
			f.after(f.byNode[c], v)
		}
	}
	for _, b := range later {
		f.connect(f.byNode[b.out.Node], b.out.Index, b.dst, b.in)
	}
	f.fix()
	return f, nil
}

// complete returns an error if n is a node that Split cannot handle. This is so if the node is in a
// region, has no device, or lacks an input.
func (f *flat) complete(n *ir.Node, known map[*ir.Node]bool) error {
	if n.Region != nil {
		return tensor.Errorf(tensor.InvalidArgument, "the node is in a region; only a graph with frames can be split")
	}
	if n.Device == "" {
		return tensor.Errorf(tensor.InvalidArgument, "the node has no device")
	}
	missing := max(0, arity(n, f.lib)-len(n.Ins))
	for i, o := range n.Ins {
		switch {
		case o.Node == nil:
			missing++
		case !known[o.Node] || o.Index < 0 || o.Index >= len(o.Node.Outs):
			return tensor.Errorf(tensor.InvalidArgument, "input %d, %s, is not a tensor of the graph", i, o)
		}
	}
	if missing > 0 {
		return tensor.Errorf(tensor.InvalidArgument, "Incomplete graph, missing %d inputs", missing)
	}
	for _, c := range n.Controls {
		if !known[c] {
			return tensor.Errorf(tensor.InvalidArgument, "it waits for a node that is not in the graph")
		}
	}
	return nil
}

// fix adds an edge from the source to each vertex without inputs, and an edge from each vertex
// without readers to the sink.
func (f *flat) fix() {
	for _, v := range f.vertices {
		if len(v.in) == 0 {
			f.after(f.source, v)
		}
		if len(v.out) == 0 {
			f.after(v, f.sink)
		}
	}
}

// compact removes the vertices that are not in keep, and the edges that are marked as removed. It
// then renumbers the remaining vertices and edges. compact also adds two edges from the source to
// the sink: TensorFlow copies a session's graph twice before partitioning, and each copy adds such
// an edge.
func (f *flat) compact(keep map[*vertex]bool) {
	vertices := f.vertices[:0]
	for _, v := range f.vertices {
		if keep[v] {
			vertices = append(vertices, v)
			v.in, v.out = v.in[:0], v.out[:0]
		}
	}
	old := f.edges
	f.vertices, f.edges = vertices, make([]*link, 0, len(old)+2)
	keep[f.source], keep[f.sink] = true, true
	f.source.in, f.source.out, f.sink.in, f.sink.out = nil, nil, nil, nil
	for range 2 {
		f.after(f.source, f.sink)
	}
	for _, l := range old {
		if !l.gone && keep[l.src] && keep[l.dst] {
			f.connect(l.src, l.out, l.dst, l.in)
		}
	}
	f.fix()
}

// arity returns how many inputs a node's op has, 0 for an unknown op.
func arity(n *ir.Node, lib *ir.Library) int {
	d := opdef.Lookup(n.Op)
	if d == nil {
		if lib != nil && lib.Functions[n.Op] != nil {
			return len(lib.Functions[n.Op].Args)
		}
		return 0
	}
	total := 0
	for _, a := range d.Ins {
		total += width(a, n)
	}
	return total
}

// maxWidth bounds the number of tensors that an untrusted graph may request for one argument.
const maxWidth = 1 << 20

// width returns the number of tensors in an argument or result of the node n.
func width(a opdef.Arg, n *ir.Node) int {
	switch {
	case a.TypeListAttr != "":
		return len(n.DTypes(a.TypeListAttr))
	case a.NumberAttr != "":
		return min(max(0, n.Int(a.NumberAttr)), maxWidth)
	}
	return 1
}

// references returns which outputs of a node are references, or nil if none is.
func references(n *ir.Node) []bool {
	d := opdef.Lookup(n.Op)
	if d == nil || !d.HasRef() {
		return nil
	}
	var refs []bool
	for _, a := range d.Outs {
		for range min(width(a, n), len(n.Outs)) {
			refs = append(refs, a.Ref)
		}
	}
	return refs
}

// ref reports whether an output is a reference.
func (v *vertex) ref(out int) bool { return out >= 0 && out < len(v.refs) && v.refs[out] }

// is reports whether the op of v is the given op, or the variant of this op for references.
func (v *vertex) is(op string) bool {
	return v.node != nil && (v.node.Op == op || strings.TrimPrefix(v.node.Op, "Ref") == op)
}
