package passes

import (
	"sort"
	"strings"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/rt/tensor"
)

// isHandle reports the ops that stand for a variable.
func isHandle(op string) bool { return op == "VarHandleOp" || isRef(op) }

// isRef reports the variables of TensorFlow 1, whose output is the buffer itself.
func isRef(op string) bool { return op == "Variable" || op == "VariableV2" }

// varReaders are the ops that take a variable's handle and leave its value alone;
// varForwards hand the handle on, varFlow do so as control flow wants it.
var (
	varReaders = set("ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VariableShape", "VarIsInitializedOp",
		"IsVariableInitialized", "DisableCopyOnRead")
	varForwards = set("Identity", "RefIdentity")
	varFlow     = set("Switch", "RefSwitch", "Enter", "RefEnter")
)

// variables maps every tensor that is a variable's handle or buffer to the
// variable's node, through identities, Switch and Enter.
func variables(g *ir.Graph) (map[ir.Out]*ir.Node, error) {
	vars := map[ir.Out]*ir.Node{}
	order, err := g.Order()
	if err != nil {
		return nil, err
	}
	for _, n := range order {
		switch {
		case isHandle(n.Op):
			vars[ir.Out{Node: n}] = n
		case len(n.Ins) > 0 && (varForwards[n.Op] || varFlow[n.Op]):
			v := vars[n.Ins[0]]
			// An Identity, a Switch or an Enter of a buffer reads it.
			if v != nil && (strings.HasPrefix(n.Op, "Ref") || v.Op == "VarHandleOp") {
				for i := range n.Outs {
					vars[ir.Out{Node: n, Index: i}] = v
				}
			}
		}
	}
	return vars, nil
}

// touches reports whether a node may do more to its input i, a variable, than read it.
func touches(n *ir.Node, i int, v *ir.Node) bool {
	if varReaders[n.Op] || varForwards[n.Op] || varFlow[n.Op] {
		return false
	}
	if v.Op == "VarHandleOp" {
		return true
	}
	d := opdef.Lookup(n.Op)
	if d == nil {
		return true
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
	return true
}

// isOpaque reports a node that calls functions but does not compile. What these
// do to variables is not known; the list of ops that do not compile has the node.
func isOpaque(n *ir.Node) bool {
	if ops.Lookup(n.Op) != nil {
		return false
	}
	for _, a := range n.Attrs {
		if _, ok := a.(ir.Func); ok {
			return true
		}
	}
	return false
}

// checkState refuses a graph in which reachable nodes write variables:
// Unimplemented, with every variable and its writers.
func checkState(s *state) (bool, error) {
	vars, err := variables(s.g)
	if err != nil {
		return false, err
	}
	if len(vars) == 0 {
		return false, nil
	}
	writers := map[string][]string{}
	for _, n := range s.g.Nodes {
		if isOpaque(n) {
			continue
		}
		for i, o := range n.Ins {
			if v := vars[o]; v != nil && touches(n, i, v) {
				w := n.Name + " (" + n.Op + ")"
				if l := writers[v.Name]; len(l) == 0 || l[len(l)-1] != w {
					writers[v.Name] = append(l, w)
				}
			}
		}
	}
	if len(writers) == 0 {
		return false, nil
	}
	names := make([]string, 0, len(writers))
	for name := range writers {
		names = append(names, name)
	}
	sort.Strings(names)
	var b strings.Builder
	for _, name := range names {
		l := writers[name]
		b.WriteString("\n  " + name + ": " + strings.Join(l[:min(4, len(l))], ", "))
		if len(l) > 4 {
			b.WriteString(", …")
		}
	}
	return false, tensor.Errorf(tensor.Unimplemented,
		"the fetches and targets need nodes that may write variables, which are compiled as constants:%s", b.String())
}
