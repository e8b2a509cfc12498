package ir

import (
	"container/heap"
	"strings"

	"github.com/graphc/graphc/rt/tensor"
)

// Order returns the nodes in an order in which each comes after its inputs and control inputs, and
// after the conditions of the branches that contain it. Where these rules leave a choice, the order
// is that of the graph. Order ignores the edges that close loops. They begin at NextOp nodes and, in
// TensorFlow 1's loops, at NextIteration nodes. The error for a cycle is InvalidArgument and names
// the cycle.
func (g *Graph) Order() ([]*Node, error) {
	pos := make(map[*Node]int, len(g.Nodes))
	for i, n := range g.Nodes {
		pos[n] = i
	}
	wait := make([]int, len(g.Nodes))
	next := make([][]int, len(g.Nodes))
	edge := func(from *Node, to int) {
		if closesLoop(from) {
			return
		}
		if p, ok := pos[from]; ok {
			wait[to]++
			next[p] = append(next[p], to)
		}
	}
	for i, n := range g.Nodes {
		for _, o := range n.Ins {
			edge(o.Node, i)
		}
		for _, c := range n.Controls {
			edge(c, i)
		}
	}
	// Regions are numbered after the nodes. A region waits for its condition and for the branch
	// around it, and its nodes wait for the region.
	number := map[*Region]int{}
	var branch func(r *Region) int
	branch = func(r *Region) int {
		for r != nil && (r.Loop || r.Cond.Node == nil) {
			r = r.Parent
		}
		if r == nil {
			return -1
		}
		k, ok := number[r]
		if !ok {
			k = len(wait)
			number[r] = k
			wait, next = append(wait, 0), append(next, nil)
			edge(r.Cond.Node, k)
			if p := branch(r.Parent); p >= 0 {
				wait[k]++
				next[p] = append(next[p], k)
			}
		}
		return k
	}
	for i, n := range g.Nodes {
		if k := branch(n.Region); k >= 0 {
			wait[i]++
			next[k] = append(next[k], i)
		}
	}
	var ready intHeap
	var release func(i int)
	release = func(i int) {
		for _, j := range next[i] {
			if wait[j]--; wait[j] > 0 {
				continue
			}
			if j < len(g.Nodes) {
				heap.Push(&ready, j)
			} else {
				release(j)
			}
		}
	}
	for i := range g.Nodes {
		if wait[i] == 0 {
			ready = append(ready, i)
		}
	}
	var free []int // regions that wait for nothing, because the condition is not a node of the graph
	for k := len(g.Nodes); k < len(wait); k++ {
		if wait[k] == 0 {
			free = append(free, k)
		}
	}
	for _, k := range free {
		release(k)
	}
	out := make([]*Node, 0, len(g.Nodes))
	for len(ready) > 0 {
		i := heap.Pop(&ready).(int)
		out = append(out, g.Nodes[i])
		release(i)
	}
	if len(out) < len(g.Nodes) {
		n, path := g.cycle(wait, pos)
		return nil, tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "the graph has a cycle outside a loop: %s", path), n.Name, n.Op)
	}
	return out, nil
}

// closesLoop reports whether the edges out of n close loops.
func closesLoop(n *Node) bool {
	return n.Op == NextOp || n.Op == "NextIteration" || n.Op == "RefNextIteration"
}

// cycle walks back along nodes that never became ready until one repeats. It returns that node and
// the path.
func (g *Graph) cycle(wait []int, pos map[*Node]int) (n *Node, text string) {
	for i, w := range wait {
		if w > 0 {
			n = g.Nodes[i]
			break
		}
	}
	seen := map[*Node]int{}
	var path []string
	for {
		if at, ok := seen[n]; ok {
			path = append(path[at:], n.Name)
			break
		}
		seen[n] = len(path)
		path = append(path, n.Name)
		var prev *Node
		for _, o := range n.Ins {
			if p, ok := pos[o.Node]; ok && wait[p] > 0 && !closesLoop(o.Node) {
				prev = o.Node
				break
			}
		}
		for _, c := range n.Controls {
			if p, ok := pos[c]; prev == nil && ok && wait[p] > 0 && !closesLoop(c) {
				prev = c
			}
		}
		for r := n.Region; r != nil && prev == nil; r = r.Parent {
			if p, ok := pos[r.Cond.Node]; !r.Loop && ok && wait[p] > 0 {
				prev = r.Cond.Node
			}
		}
		n = prev
	}
	if len(path) > 12 {
		path = append(append(path[:6:6], "…"), path[len(path)-5:]...)
	}
	return n, strings.Join(path, " ← ")
}

type intHeap []int

func (h intHeap) Len() int           { return len(h) }
func (h intHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h intHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *intHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *intHeap) Pop() any {
	o := *h
	x := o[len(o)-1]
	*h = o[:len(o)-1]
	return x
}

// Read returns the tensors whose values matter: the inputs of nodes, the conditions of
// regions, and the fetches.
func (g *Graph) Read() map[Out]bool {
	read := map[Out]bool{}
	for _, n := range g.Nodes {
		for _, o := range n.Ins {
			read[o] = true
		}
	}
	for _, r := range g.Regions() {
		read[r.Cond] = true
	}
	for _, f := range g.Fetches {
		read[f.Out] = true
	}
	return read
}

// Readers returns the nodes that read each tensor. Fetches and the conditions of regions do not
// count.
func (g *Graph) Readers() map[Out][]*Node {
	r := map[Out][]*Node{}
	for _, n := range g.Nodes {
		for _, o := range n.Ins {
			r[o] = append(r[o], n)
		}
	}
	return r
}
