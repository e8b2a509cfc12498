package flow

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Expand replaces calls by the bodies of the called functions, as Inline does. In contrast to
// Inline, the feeds and fetches of the graph need not be known, and nodes of the bodies can be fed
// and fetched afterwards. The function wanted selects the calls to replace.
//
// The node of a replaced call is kept with its name. It becomes an IdentityN, which returns the
// results of the call and waits for the effects of the body. TensorFlow's inliner does the same for
// a call that is fetched. Conditionals, loops and calls that return handles are replaced only if they
// are in the body of a replaced call. After an error, the graph must not be used.
func Expand(s *edit.State, wanted func(*ir.Node) bool) error {
	x := &inliner{s: s, g: s.G, outs: map[ir.Out]ir.Out{}, done: map[*ir.Node][]*ir.Node{}, v1: hasV1Flow(s.O.Ops, s.G),
		ordered: map[*ir.Function]bool{}}
	if _, err := s.G.Order(); err != nil {
		return err
	}
	nodes := s.G.Nodes
	x.count = len(nodes)
	var calls []*ir.Node
	for _, n := range nodes {
		if wanted(n) && !slices.ContainsFunc(n.Outs, func(f ir.Fact) bool { return f.DType.Opaque() }) {
			calls = append(calls, n)
		}
	}
	if err := x.tooMany(calls); err != nil {
		return err
	}
	for _, n := range calls {
		f, attrs, err := x.callee(n)
		if err == nil && f != nil {
			err = x.expandKeeping(n, f, attrs)
		}
		if err != nil {
			return tensor.AtNode(err, n.Name, n.OpName())
		}
	}
	x.rewire()
	return nil
}

// expandKeeping inlines the body of a call, and changes the call's node to a node that returns the
// results of the body.
func (x *inliner) expandKeeping(call *ir.Node, f *ir.Function, attrs map[string]ir.Attr) error {
	if err := x.expand(call, f, attrs, nil); err != nil {
		return err
	}
	types := make([]tensor.DType, len(call.Outs))
	ins := make([]ir.Out, len(call.Outs))
	for i := range call.Outs {
		o := ir.Out{Node: call, Index: i}
		types[i], ins[i] = call.Outs[i].DType, x.outs[o]
		delete(x.outs, o)
	}
	after := x.done[call]
	delete(x.done, call)
	call.Op, call.Attrs = "IdentityN", map[string]ir.Attr{"T": types}
	if len(types) == 0 {
		call.Op, call.Attrs = "NoOp", map[string]ir.Attr{}
	}
	call.Ins, call.Controls = ins, slices.Clone(after)
	return nil
}
