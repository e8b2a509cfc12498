package edit

import (
	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// gradientLevel returns the level of a SymbolicGradient node. It is the level of the function whose
// gradient is computed or, if the library has a gradient function for it, the level of that
// function.
func (l *Levels) gradientLevel(n *ir.Node) lower.Level {
	f, _ := n.Attrs["f"].(ir.Func)
	if l.lib == nil {
		return lower.Pure
	}
	if own := l.lib.Gradients[f.Name]; own != "" {
		return l.function(own)
	}
	if l.lib.Functions[f.Name] == nil {
		return lower.Pure // f is the name of an op; the gradients of all ops consist of pure ops
	}
	return l.function(f.Name)
}

// MaxDepth is the largest number of nodes that are visited when a tensor is followed back through
// ops that return their input.
const MaxDepth = 100

// Set returns a set that contains the given names.
func Set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// Levels finds the lower.Level of nodes: whether a node is pure, reads state or has effects. It
// caches the levels of the library's functions.
type Levels struct {
	ops   *lower.Table
	lib   *ir.Library
	fn    map[string]lower.Level
	stack map[string]bool
}

// NewLevels returns a Levels with an empty cache.
func NewLevels(ops *lower.Table, lib *ir.Library) *Levels {
	return &Levels{ops: ops, lib: lib, fn: map[string]lower.Level{}, stack: map[string]bool{}}
}

// Of returns the level of a node.
func (l *Levels) Of(n *ir.Node) lower.Level {
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

// value returns the level of a node whose op is pure. If an input is a reference to a variable of
// TensorFlow 1, the node reads the variable, so the level is lower.Reads. After the pass named
// refs, there are no such inputs, because reading a variable is a separate node.
func value(n *ir.Node) lower.Level {
	if lo, hi := lower.HandsOn(n); lo < hi {
		return lower.Pure
	}
	for _, o := range n.Ins {
		for range MaxDepth {
			m := o.Node
			if (IsRefSource(m.Op) || lower.HandsOutRef(m.Op)) && o.Fact().DType != tensor.Resource {
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

// funcs returns the highest level of the functions that are named in the attributes of a node.
func (l *Levels) funcs(n *ir.Node) lower.Level {
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

func (l *Levels) function(name string) lower.Level {
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
		if v := l.Of(n); v != lower.Source {
			top = max(top, v)
		}
	}
	delete(l.stack, name)
	l.fn[name] = top
	return top
}

// IsFlow reports whether a node is control flow of TensorFlow 1.
func IsFlow(ops *lower.Table, n *ir.Node) bool { return ops.Is(n.Op, lower.Flow) }

// Conditional returns the nodes that may be dead or may be in a loop of TensorFlow 1: Switch and
// Enter nodes, and all nodes that depend on them. If there are no such nodes, the result is empty.
func Conditional(ops *lower.Table, g *ir.Graph) map[*ir.Node]bool {
	var flow []*ir.Node
	for _, n := range g.Nodes {
		if IsFlow(ops, n) {
			flow = append(flow, n)
		}
	}
	if len(flow) == 0 {
		return map[*ir.Node]bool{}
	}
	return Downstream(g, flow...)
}

// Downstream returns the given nodes and all nodes that depend on one of them.
func Downstream(g *ir.Graph, nodes ...*ir.Node) map[*ir.Node]bool {
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

// IsRefSource reports whether op makes references to variables.
func IsRefSource(op string) bool {
	return op == "Variable" || op == "VariableV2" || op == "TemporaryVariable"
}

// RefArg reports whether the op's signature declares input i of a node as a reference.
func RefArg(n *ir.Node, i int) bool {
	d := opdef.Lookup(n.Op)
	if d == nil {
		return false
	}
	at := 0
	for _, a := range d.Ins {
		count := 1
		switch {
		case a.NumberAttr != "":
			count = n.Int(a.NumberAttr)
		case a.TypeListAttr != "":
			count = len(n.DTypes(a.TypeListAttr))
		}
		if i < at+count {
			return a.Ref
		}
		at += count
	}
	return false
}
