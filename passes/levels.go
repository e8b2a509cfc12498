package passes

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// levels finds the level of nodes, with what is known of the library's functions.
type levels struct {
	ops   *lower.Table
	lib   *ir.Library
	fn    map[string]lower.Level
	stack map[string]bool
}

func newLevels(ops *lower.Table, lib *ir.Library) *levels {
	return &levels{ops: ops, lib: lib, fn: map[string]lower.Level{}, stack: map[string]bool{}}
}

// of returns the level of a node.
func (l *levels) of(n *ir.Node) lower.Level {
	switch level := l.ops.Level(n.Op); {
	case n.Op == "SymbolicGradient":
		return l.gradientLevel(n)
	case level == lower.Called:
		return l.funcs(n)
	case l.lib != nil && l.lib.Functions[n.Op] != nil:
		return l.function(n.Op)
	case level == lower.Pure:
		return value(n)
	default:
		return level
	}
}

// value returns the level of a node that has none by its op: before pass refs, one
// that takes the value of a reference reads a variable.
func value(n *ir.Node) lower.Level {
	if lo, hi := lower.HandsOn(n); lo < hi {
		return lower.Pure
	}
	for _, o := range n.Ins {
		for range maxDepth {
			m := o.Node
			if (isRefSource(m.Op) || lower.HandsOutRef(m.Op)) && o.Fact().DType != tensor.Resource {
				return lower.Reads
			}
			lo, hi := lower.HandsOn(m)
			if lo >= hi {
				break
			}
			o = m.Ins[lo]
		}
	}
	return lower.Pure
}

// funcs returns the highest level of the functions a node names.
func (l *levels) funcs(n *ir.Node) lower.Level {
	top := lower.Pure
	for _, v := range n.Attrs {
		switch v := v.(type) {
		case ir.Func:
			top = max(top, l.function(v.Name))
		case []ir.Func:
			for _, f := range v {
				top = max(top, l.function(f.Name))
			}
		}
	}
	return top
}

func (l *levels) function(name string) lower.Level {
	if v, ok := l.fn[name]; ok {
		return v
	}
	if l.lib == nil || l.lib.Functions[name] == nil || l.stack[name] {
		return lower.Effects
	}
	f := l.lib.Functions[name]
	if f.Body == nil {
		return lower.Effects
	}
	l.stack[name] = true
	top := lower.Pure
	for _, n := range f.Body.Nodes {
		if v := l.of(n); v != lower.Source {
			top = max(top, v)
		}
	}
	delete(l.stack, name)
	l.fn[name] = top
	return top
}

// isFlow reports whether a node is control flow of TensorFlow 1.
func isFlow(ops *lower.Table, n *ir.Node) bool { return ops.Is(n.Op, lower.Flow) }

// conditional returns the nodes that may be dead or stand in a loop: Switch and
// Enter nodes and everything after them. It is empty for plain dataflow.
func conditional(ops *lower.Table, g *ir.Graph) map[*ir.Node]bool {
	var flow []*ir.Node
	for _, n := range g.Nodes {
		if isFlow(ops, n) {
			flow = append(flow, n)
		}
	}
	if len(flow) == 0 {
		return map[*ir.Node]bool{}
	}
	return downstream(g, flow...)
}

// downstream returns these nodes and all that wait for one of them.
func downstream(g *ir.Graph, nodes ...*ir.Node) map[*ir.Node]bool {
	next := map[*ir.Node][]*ir.Node{}
	for _, n := range g.Nodes {
		for _, o := range n.Ins {
			next[o.Node] = append(next[o.Node], n)
		}
		for _, c := range n.Controls {
			next[c] = append(next[c], n)
		}
	}
	in := map[*ir.Node]bool{}
	for _, n := range nodes {
		in[n] = true
	}
	for work := nodes; len(work) > 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, m := range next[n] {
			if !in[m] {
				in[m] = true
				work = append(work, m)
			}
		}
	}
	return in
}
