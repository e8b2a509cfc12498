package frontend

import (
	"errors"
	"fmt"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// CheckReached makes the checks that TensorFlow makes when it first runs a node. A graph may
// violate them in nodes that no fetch needs, so callers must pass only the nodes that fetches and
// targets need. Every function that the nodes call, directly or through others, must exist, be
// valid, and match the types of the call. The values of constants must be readable. The error is
// InvalidArgument for a missing function, for a function whose types differ from the call's, and
// for an unreadable constant; an invalid function's own errors keep their codes.
func (m *Model) CheckReached(nodes []*ir.Node) error {
	var errs Errors
	lib := m.Graph.Library
	seen := map[string]bool{}
	file := m.Graph.Name
	check := func(where string, n *ir.Node) []string {
		fail := func(err error) {
			errs = append(errs, &FileError{File: file, Function: where, Err: tensor.AtNode(err, n.Name, n.Op)})
		}
		if t := n.Value(); t != nil && t.Data == nil {
			fail(invalid("a constant of type %s cannot be read: its value has meaning only to the process that wrote it", t.DType.TFName()))
		}
		var next []string
		for _, c := range callsOf(n, lib, m.Broken) {
			f := lib.Functions[c.name]
			switch {
			case m.Broken[c.name] != nil:
				if !seen[c.name] {
					seen[c.name] = true
					var es Errors
					if errors.As(m.Broken[c.name], &es) {
						errs = append(errs, es...)
					} else {
						errs = append(errs, m.Broken[c.name])
					}
				}
				continue
			case f == nil && isOp(c.name):
				continue
			case f == nil:
				fail(invalid("function %q is not in the library%s", tensor.Clip(c.name), suggestFunction(c.name, lib, len(errs))))
				continue
			}
			if c.typed {
				if err := c.checkTypes(f); err != nil {
					fail(err)
				}
			}
			if !seen[c.name] {
				seen[c.name] = true
				next = append(next, c.name)
			}
		}
		return next
	}
	var queue []string
	for _, n := range nodes {
		queue = append(queue, check("", n)...)
	}
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		for _, n := range lib.Functions[name].Body.Nodes {
			queue = append(queue, check(name, n)...)
		}
	}
	return errs.err()
}

// Check calls CheckReached for the nodes that g's fetches and targets need. Nodes that are needed
// only to compute a fed tensor are left out. g is m.Graph or a clone of it with feeds, fetches and
// targets set, before any pass.
func (m *Model) Check(g *ir.Graph) error {
	fed := map[ir.Out]bool{}
	for _, f := range g.Feeds {
		fed[f.Out] = true
	}
	seen := map[*ir.Node]bool{}
	var list []*ir.Node
	visit := func(n *ir.Node) {
		if n != nil && !seen[n] {
			seen[n] = true
			list = append(list, n)
		}
	}
	for _, f := range g.Fetches {
		if !fed[f.Out] {
			visit(f.Out.Node)
		}
	}
	for _, t := range g.Targets {
		visit(t)
	}
	for i := 0; i < len(list); i++ {
		for _, in := range list[i].Ins {
			if !fed[in] {
				visit(in.Node)
			}
		}
		for _, c := range list[i].Controls {
			visit(c)
		}
	}
	if err := m.CheckReached(list); err != nil {
		return err
	}
	return m.unreachedCalls(g, seen)
}

// unreachedCalls returns an error for calls of missing functions in the nodes that no fetch or
// target needs. These are the nodes that are not keys of the map. TensorFlow also checks such
// nodes, because it makes this check before it prunes the graph. It checks only the ops
// PartitionedCall and StatefulPartitionedCall.
func (m *Model) unreachedCalls(g *ir.Graph, reached map[*ir.Node]bool) error {
	var errs Errors
	for _, n := range g.Nodes {
		if reached[n] || n.Op != "PartitionedCall" && n.Op != "StatefulPartitionedCall" {
			continue
		}
		f, ok := n.Attrs["f"].(ir.Func)
		if ok && g.Library.Functions[f.Name] == nil && m.Broken[f.Name] == nil && !isOp(f.Name) {
			err := invalid("function %q is not in the library%s", tensor.Clip(f.Name), suggestFunction(f.Name, g.Library, len(errs)))
			errs = append(errs, &FileError{File: m.Graph.Name, Err: tensor.AtNode(err, n.Name, n.Op)})
		}
	}
	return errs.err()
}

func suggestFunction(name string, lib *ir.Library, errs int) string {
	if len(lib.Functions) > 2000 || errs > maxSuggestions {
		return ""
	}
	if s := ir.Nearest(name, sortedKeys(lib.Functions)); s != "" {
		return fmt.Sprintf("; did you mean %q?", s)
	}
	return ""
}

// call describes a call of a function by a node. The field typed is true if the node's op prescribes
// the types of the function's arguments and results. The fields ins and outs then hold these types.
type call struct {
	attr, name string
	typed      bool
	ins, outs  []tensor.DType
	scalarOut  bool // whether the function is a condition, which must have one result, of any type
}

// callsOf lists the calls of a node.
func callsOf(n *ir.Node, lib *ir.Library, broken map[string]error) []call {
	if lib.Functions[n.Op] != nil || broken[n.Op] != nil {
		return []call{{name: n.Op}}
	}
	var calls []call
	for _, k := range sortedKeys(n.Attrs) {
		if k[0] == '_' {
			continue
		}
		switch v := n.Attrs[k].(type) {
		case ir.Func:
			calls = append(calls, typedCall(n, k, v.Name))
		case []ir.Func:
			for _, f := range v {
				calls = append(calls, typedCall(n, k, f.Name))
			}
		}
	}
	return calls
}

func typedCall(n *ir.Node, attr, name string) call {
	c := call{attr: attr, name: name, typed: true}
	switch n.Op {
	case "PartitionedCall", "StatefulPartitionedCall", "RemoteCall", "If", "StatelessIf", "Case", "StatelessCase":
		c.ins, c.outs = n.DTypes("Tin"), n.DTypes("Tout")
	case "While", "StatelessWhile":
		c.ins, c.outs = n.DTypes("T"), n.DTypes("T")
		c.scalarOut = attr == "cond"
	default:
		c.typed = false
	}
	return c
}

// checkTypes compares the call's types with the function's.
func (c *call) checkTypes(f *ir.Function) error {
	if err := sameTypes(f, "takes", f.Args, c.ins); err != nil {
		return err
	}
	if c.scalarOut {
		if len(f.Rets) != 1 {
			return invalid("function %q returns %d tensors; a condition is one", f.Name, len(f.Rets))
		}
		return nil
	}
	return sameTypes(f, "returns", f.Rets, c.outs)
}

func sameTypes(f *ir.Function, verb string, params []ir.Param, want []tensor.DType) error {
	if len(params) != len(want) {
		return invalid("function %q %s %d tensors, the call has %d", f.Name, verb, len(params), len(want))
	}
	for i, p := range params {
		if p.DType != want[i] {
			return invalid("function %q %s %s as number %d (%s), the call has %s", f.Name, verb, p.DType, i, p.Name, want[i])
		}
	}
	return nil
}
