package state

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// NoteElements infers the shapes of the tensors that nodes take from resources: from queues without
// shapes in their attributes, staging areas, accumulators and the session's tensors. It stores the
// shapes in an attribute of each such node. The shapes are those of the tensors that other nodes
// put into the resource. NoteElements must be called before the nodes that a signature does not
// need are removed, because a tensor may be put in by another signature.
func NoteElements(t *lower.Table, g *ir.Graph) {
	var takers []*ir.Node
	for _, n := range g.Nodes {
		if takes(n) {
			takers = append(takers, n)
		}
	}
	if len(takers) == 0 {
		return
	}
	c := g.Clone()
	e := &elementFinder{t: t, g: c, state: map[*ir.Node]int{}, into: map[string][]ir.PartialShape{}}
	for _, n := range c.Nodes {
		e.puts(n)
	}
	for _, n := range takers {
		key, at := e.source(c.Node(n.Name))
		shapes := make([]ir.PartialShape, len(n.Outs))
		for i := range shapes {
			shapes[i].UnknownRank = true
			if k := at(i); k >= 0 && k < len(e.into[key]) {
				shapes[i] = e.into[key][k]
			}
		}
		n.Attrs[elementShapes] = shapes
	}
}

// takes reports whether n is a node that takes tensors from a resource, so that NoteElements stores
// the shapes of these tensors in n.
func takes(n *ir.Node) bool {
	switch n.Op {
	case "QueueDequeue", "QueueDequeueV2", "QueueDequeueMany", "QueueDequeueManyV2", "QueueDequeueUpTo", "QueueDequeueUpToV2",
		"Unstage", "StagePeek", "MapUnstage", "MapPeek", "MapUnstageNoKey", "OrderedMapUnstage", "OrderedMapPeek", "OrderedMapUnstageNoKey",
		"GetSessionTensor", "BarrierTakeMany",
		"AccumulatorTakeGradient", "ResourceAccumulatorTakeGradient", "SparseAccumulatorTakeGradient":
		return true
	}
	return false
}

// elementFinder finds the tensors that are put into resources.
type elementFinder struct {
	t     *lower.Table
	g     *ir.Graph
	state map[*ir.Node]int // 1 while the node's facts are being inferred, 2 afterwards
	into  map[string][]ir.PartialShape
}

// of returns a key that identifies the resource whose handle is input 0 of n, or "" if the resource
// is unknown.
func (e *elementFinder) of(n *ir.Node) string {
	if len(n.Ins) == 0 {
		return ""
	}
	if m := kit.HandleMaker(n.Ins[0]); m != nil {
		return kit.ResourceKey(m, "container", false)
	}
	return ""
}

// source returns a key that identifies the resource from which n takes tensors. It also returns a
// function that maps the number of an output to the number of its component in the resource, or to
// -1 if the output is not a component.
func (e *elementFinder) source(n *ir.Node) (key string, at func(i int) int) {
	same := func(i int) int { return i }
	switch n.Op {
	case "Unstage", "StagePeek":
		return kit.ResourceKey(n, "stage", false), same
	case "MapUnstage", "MapPeek", "OrderedMapUnstage", "OrderedMapPeek":
		return kit.ResourceKey(n, "map", false), indexed(n, 1, 0)
	case "MapUnstageNoKey", "OrderedMapUnstageNoKey":
		return kit.ResourceKey(n, "map", false), indexed(n, 0, 1)
	case "GetSessionTensor":
		return "session:" + n.DType("dtype").String(), same
	case "BarrierTakeMany":
		return e.of(n), func(i int) int { return i - 2 }
	case "SparseAccumulatorTakeGradient":
		return e.of(n), func(i int) int { return i - 1 }
	}
	return e.of(n), same
}

// indexed returns a function that maps the number of an output of n to the number of its component,
// or to -1. The numbers of the components are the elements of a constant, which is an input of n.
// The number of this input is given by the parameter in. The first element belongs to the output
// whose number is given by the parameter first, the second element to the next output, and so on.
func indexed(n *ir.Node, in, first int) func(i int) int {
	var ix []int64
	if t := constantIn(n, in); t != nil {
		ix, _ = t.Ints()
	}
	return func(i int) int {
		if i -= first; i < 0 || i >= len(ix) {
			return -1
		}
		return int(ix[i])
	}
}

// constantIn returns the value of input i if it is a Const.
func constantIn(n *ir.Node, i int) *tensor.Tensor {
	if i >= len(n.Ins) {
		return nil
	}
	return n.Ins[i].Node.Value()
}

// puts records the shapes of the tensors that node n puts into a resource.
func (e *elementFinder) puts(n *ir.Node) {
	switch n.Op {
	case "QueueEnqueue", "QueueEnqueueV2":
		for i := 1; i < len(n.Ins); i++ {
			e.put(e.of(n), i-1, e.shape(n.Ins[i]))
		}
	case "QueueEnqueueMany", "QueueEnqueueManyV2":
		for i := 1; i < len(n.Ins); i++ {
			e.put(e.of(n), i-1, rowOf(e.shape(n.Ins[i])))
		}
	case "Stage":
		for i, in := range n.Ins {
			e.put(kit.ResourceKey(n, "stage", false), i, e.shape(in))
		}
	case "MapStage", "OrderedMapStage":
		t := constantIn(n, 1)
		if t == nil {
			return
		}
		ix, _ := t.Ints()
		for k, i := range ix {
			if 2+k < len(n.Ins) && i >= 0 && i < 1<<16 {
				e.put(kit.ResourceKey(n, "map", false), int(i), e.shape(n.Ins[2+k]))
			}
		}
	case "GetSessionHandle":
		s := e.shape(n.Ins[0])
		e.put("session:"+n.Ins[0].Fact().DType.String(), 0, s)
	case "BarrierInsertMany":
		if i := n.Int("component_index"); i >= 0 && i < 1<<16 && len(n.Ins) > 2 {
			e.put(e.of(n), i, rowOf(e.shape(n.Ins[2])))
		}
	case "AccumulatorApplyGradient", "ResourceAccumulatorApplyGradient":
		if len(n.Ins) > 2 {
			e.put(e.of(n), 0, e.shape(n.Ins[2]))
		}
	case "SparseAccumulatorApplyGradient":
		if len(n.Ins) > 3 {
			s := rowOf(e.shape(n.Ins[3]))
			if !s.UnknownRank {
				s.Dims = append([]int64{-1}, s.Dims...)
			}
			e.put(e.of(n), 0, s)
		}
	}
}

// put records that a tensor of the shape s may be put into component i of the resource with this
// key.
func (e *elementFinder) put(key string, i int, s ir.PartialShape) {
	if key == "" || i < 0 {
		return
	}
	l := e.into[key]
	if i < len(l) {
		l[i] = alike(l[i], s)
		return
	}
	for len(l) < i {
		l = append(l, ir.PartialShape{UnknownRank: true})
	}
	e.into[key] = append(l, s)
}

// alike returns the most specific shape that fits both a and b. If the rank of one of them is
// unknown, alike returns the other one.
func alike(a, b ir.PartialShape) ir.PartialShape {
	switch {
	case a.UnknownRank:
		return b
	case b.UnknownRank:
		return a
	case len(a.Dims) != len(b.Dims):
		return ir.PartialShape{UnknownRank: true}
	}
	out := ir.PartialShape{Dims: append([]int64{}, a.Dims...)}
	for i, d := range b.Dims {
		if out.Dims[i] != d {
			out.Dims[i] = -1
		}
	}
	return out
}

// rowOf returns the shape of a row.
func rowOf(s ir.PartialShape) ir.PartialShape {
	if s.UnknownRank || len(s.Dims) == 0 {
		return ir.PartialShape{UnknownRank: true}
	}
	return ir.PartialShape{Dims: s.Dims[1:]}
}

// shape infers a tensor's shape from the nodes that compute it. For a tensor that a loop carries,
// it uses only the rank of the initial value.
func (e *elementFinder) shape(o ir.Out) ir.PartialShape {
	e.infer(o.Node)
	s := o.Fact().Shape
	if !s.Known {
		return ir.PartialShape{UnknownRank: true}
	}
	out := ir.PartialShape{Dims: make([]int64, len(s.Dims))}
	for i, d := range s.Dims {
		out.Dims[i] = -1
		if v, ok := d.IsInt(); ok {
			out.Dims[i] = int64(v)
		}
	}
	return out
}

// infer computes types, shapes and other facts of the outputs of n. Before that, it does the same
// for the nodes that compute the inputs of n.
func (e *elementFinder) infer(n *ir.Node) {
	if e.state[n] != 0 {
		return
	}
	e.state[n] = 1
	for _, in := range n.Ins {
		e.infer(in.Node)
	}
	e.state[n] = 2
	if lo, hi := lower.HandsOn(n); lo < hi && e.t.Is(n.Op, lower.Flow) {
		s := ir.Shape{}
		for _, in := range n.Ins[lo:hi] {
			if f := in.Fact(); f.Shape.Known {
				s = f.Shape
				break
			}
		}
		if hi-lo > 1 { // in later iterations or in the other branches, the sizes may be different
			p := ir.PartialShape{UnknownRank: !s.Known}
			for range s.Dims {
				p.Dims = append(p.Dims, -1)
			}
			s = lower.ShapeFromAttr(n.Name, p)
		}
		for i := range n.Outs {
			n.Outs[i].Shape = s
		}
		return
	}
	if e.t.InferNode(e.g, n) != nil {
		for i := range n.Outs {
			n.Outs[i] = ir.Fact{DType: n.Outs[i].DType}
		}
	}
	for _, f := range e.g.Feeds {
		if f.Out.Node == n && f.Shape.Known && f.Out.Index < len(n.Outs) {
			n.Outs[f.Out.Index] = ir.Fact{DType: n.Outs[f.Out.Index].DType, Shape: f.Shape}
		}
	}
}
