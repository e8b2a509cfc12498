package partition

import (
	"container/heap"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// startAttr is the attribute for the time at which a node should start.
const startAttr = "_start_time"

// startTime returns the start time of a node: its attribute _start_time or, if the node does not
// have this attribute, its time in Options.StartTimes. Without either, it returns NotFound.
func (s *splitter) startTime(v *vertex) (int64, error) {
	if t, ok := v.node.Attrs[startAttr].(int64); ok {
		return t, nil
	}
	if s.o.StartTimes != nil {
		return s.o.StartTimes[v.node], nil
	}
	return 0, noStart(v.node)
}

func noStart(n *ir.Node) error {
	return tensor.AtNode(tensor.Errorf(tensor.NotFound, "No attr named '%s' in NodeDef", startAttr), n.Name, n.Op)
}

// start sets the start times of the receive of a pair, and of the last node after the receive.
func (s *splitter) start(p *pair) {
	if s.o.ScheduleRecvs {
		p.last.node.Attrs[startAttr] = p.start
		p.recv.node.Attrs[startAttr] = p.start
	}
}

// startShared sets the start times of those pairs that several readers may use. Split calls it at
// the end, when all readers are known.
func (s *splitter) startShared() {
	for _, p := range s.pairs {
		s.start(p)
	}
}

// Started is a node with its start time.
type Started struct {
	Node *ir.Node
	Time int64
}

// TimeOrder returns the nodes of a graph in the order of their start times. The start time of a
// node is the later of two times: the time in its attribute _start_time, and the latest start time
// of its inputs plus one. An edge from a NextIteration to a Merge does not count as an input. Nodes
// with equal start times keep their order in the graph. As in TensorFlow, the error is NotFound if
// a node does not have the attribute, and Internal if there is a cycle.
func TimeOrder(g *ir.Graph) ([]Started, error) {
	at := make(map[*ir.Node]int, len(g.Nodes))
	times := make([]int64, len(g.Nodes))
	for i, n := range g.Nodes {
		t, ok := n.Attrs[startAttr].(int64)
		if !ok {
			return nil, noStart(n)
		}
		at[n], times[i] = i, t
	}
	wait, next := make([]int, len(g.Nodes)), make([][]int, len(g.Nodes))
	edge := func(from *ir.Node, to int) {
		if closesLoop(from, g.Nodes[to]) {
			return
		}
		if i, ok := at[from]; ok {
			wait[to]++
			next[i] = append(next[i], to)
		}
	}
	for i, n := range g.Nodes {
		for _, o := range n.Ins {
			if o.Node != nil {
				edge(o.Node, i)
			}
		}
		for _, c := range n.Controls {
			edge(c, i)
		}
	}
	ready := &timeHeap{times: times}
	for i := range g.Nodes {
		if wait[i] == 0 {
			heap.Push(ready, i)
		}
	}
	out := make([]Started, 0, len(g.Nodes))
	for ready.Len() > 0 {
		i := heap.Pop(ready).(int)
		out = append(out, Started{g.Nodes[i], times[i]})
		for _, j := range next[i] {
			times[j] = max(times[j], times[i]+1)
			if wait[j]--; wait[j] == 0 {
				heap.Push(ready, j)
			}
		}
	}
	if len(out) < len(g.Nodes) {
		return nil, tensor.Errorf(tensor.Internal, "%d of %d nodes are in cycles", len(g.Nodes)-len(out), len(g.Nodes))
	}
	return out, nil
}

func closesLoop(from, to *ir.Node) bool {
	return (from.Op == "NextIteration" || from.Op == "RefNextIteration") && (to.Op == "Merge" || to.Op == "RefMerge")
}

// timeHeap is a heap of node numbers, ordered by start time. A node is added only when its start
// time is final.
type timeHeap struct {
	times []int64
	nodes []int
}

func (h *timeHeap) Len() int { return len(h.nodes) }
func (h *timeHeap) Less(i, j int) bool {
	a, b := h.nodes[i], h.nodes[j]
	if h.times[a] != h.times[b] {
		return h.times[a] < h.times[b]
	}
	return a < b
}
func (h *timeHeap) Swap(i, j int) { h.nodes[i], h.nodes[j] = h.nodes[j], h.nodes[i] }
func (h *timeHeap) Push(x any)    { h.nodes = append(h.nodes, x.(int)) }
func (h *timeHeap) Pop() any {
	i := h.nodes[len(h.nodes)-1]
	h.nodes = h.nodes[:len(h.nodes)-1]
	return i
}
