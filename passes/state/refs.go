package state

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// readsRef marks the ReadVariableOp nodes that the pass Refs inserts. Such a node has a single reader,
// and the same control inputs as that reader.
const readsRef = "_ref"

// Refs turns the references of TensorFlow 1 into handles. Variable, VariableV2 and
// TemporaryVariable then return a handle, and ops that took or returned a reference take or return
// the handle. For each node that uses the variable's value, Refs inserts a ReadVariableOp in the
// node's region. The ReadVariableOp gets the node's control inputs, so that it sees earlier writes.
// An Identity passes the handle on, because in TensorFlow its output shares the variable's memory.
// A fetched reference is read after all nodes that write it.
func Refs(s *edit.State) (bool, error) {
	if !slices.ContainsFunc(s.G.Nodes, func(n *ir.Node) bool { return edit.IsRefSource(n.Op) }) {
		return false, nil
	}
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	r := &referrer{s: s, e: s.Edit(), handle: map[ir.Out]bool{}, need: map[ir.Out]bool{}, reads: map[readAt]ir.Out{}}
	r.needs(order)
	r.handles(order)
	nodes := slices.Clone(s.G.Nodes)
	for _, n := range nodes {
		r.consumer(n)
	}
	for _, x := range s.G.Regions() {
		if x.Cond.Node != nil && r.handle[x.Cond] {
			at := x.Parent
			if x.Loop {
				at = x
			}
			x.Cond = r.read(x.Cond, at, nil, x.Cond.Node.Name)
		}
	}
	r.fetches(nodes)
	return r.e.Apply(), nil
}

type referrer struct {
	s      *edit.State
	e      *ir.Editor
	need   map[ir.Out]bool // tensors that some node takes as a reference
	handle map[ir.Out]bool // tensors that were references and are now handles
	reads  map[readAt]ir.Out
}

// readAt identifies a read: the reference and the node that uses its value.
type readAt struct {
	of ir.Out
	by *ir.Node
}

// needs fills the set r.need with every tensor that some node takes as a reference. If such a
// tensor is the output of a node that only passes references through, such as a node that joins
// regions, the corresponding inputs of that node are added to the set, too.
func (r *referrer) needs(order []*ir.Node) {
	var visit func(o ir.Out)
	visit = func(o ir.Out) {
		if r.need[o] {
			return
		}
		r.need[o] = true
		if o.Index > 0 && o.Node.Op == ir.MergeOp || lower.HandsOutRef(o.Node.Op) {
			return
		}
		lo, hi := lower.HandsOn(o.Node)
		for _, in := range o.Node.Ins[lo:hi] {
			visit(in)
		}
	}
	for _, n := range order {
		for i, o := range n.Ins {
			if edit.RefArg(n, i) {
				visit(o)
			}
		}
	}
}

// from reports whether the output of n is a reference that n got from its inputs.
func (r *referrer) from(n *ir.Node) bool {
	lo, hi := lower.HandsOn(n)
	if lo == hi {
		return false
	}
	switch n.Op {
	case ir.LoopVarOp, ir.YieldOp, ir.NextOp: // a loop variable is a reference if its initial value is one
		return r.handle[n.Ins[0]] && r.need[ir.Out{Node: n}]
	}
	for _, o := range n.Ins[lo:hi] {
		if !r.handle[o] {
			return false
		}
	}
	return true
}

// The method named handles turns references into handles: it changes the types of the nodes'
// outputs, and attribute T where a node has one.
func (r *referrer) handles(order []*ir.Node) {
	for _, n := range order {
		if !edit.IsRefSource(n.Op) && !r.from(n) {
			continue
		}
		for i := range n.Outs {
			if i > 0 && n.Op == ir.MergeOp {
				break
			}
			r.handle[ir.Out{Node: n, Index: i}] = true
			n.Outs[i] = ir.Fact{DType: tensor.Resource}
		}
		switch n.Op {
		case "RefIdentity":
			n.Op = "Identity"
			fallthrough
		case "Identity", "RefSelect":
			n.Attrs["T"] = tensor.Resource
		}
		r.e.Changed(n, "a reference is a handle")
	}
}

// readsHandle holds ops whose inputs are already handles if this pass has run before. That happens
// if a graph is compiled for several ranks of its tensors.
var readsHandle = edit.Set("ReadVariableOp", "_ReadVariablesOp", "_ReadAnyRank")

// consumer inserts reads for those inputs of n that are references but whose values n uses.
func (r *referrer) consumer(n *ir.Node) {
	lo, hi := lower.HandsOn(n)
	passes := lo < hi && r.from(n)
	for i, o := range n.Ins {
		if !r.handle[o] || passes && i >= lo && i < hi || edit.RefArg(n, i) || readsHandle[n.Op] {
			continue
		}
		at := n.Region
		if n.Op == ir.LoopVarOp && i == 0 {
			at = at.Parent // the loop's initial value is read before the loop
		}
		n.Ins[i] = r.read(o, at, n, n.Name)
		r.e.Changed(n, "takes the value of "+o.String())
	}
}

// read returns the value of the variable with the handle o. It inserts a ReadVariableOp in the
// region given by the parameter at. The parameter by is the node that uses the value; it is nil if
// the value is fetched or is the condition of a region. If that node already has a ReadVariableOp
// for o, read returns the output of the existing ReadVariableOp instead.
func (r *referrer) read(o ir.Out, at *ir.Region, by *ir.Node, name string) ir.Out {
	if by != nil {
		if v, ok := r.reads[readAt{o, by}]; ok {
			return v
		}
	}
	d := tensor.Invalid
	if vars, _ := lower.Variables(o); len(vars) > 0 {
		d = lower.VariableDType(vars[0])
	}
	n := r.s.G.NewNode(name+"/read", "ReadVariableOp", map[string]ir.Attr{"dtype": d, readsRef: true}, 1, o)
	n.Outs[0].DType = d
	n.Region = at
	if by != nil {
		for _, c := range by.Controls {
			if c.Region.Encloses(at) || by.Region == at {
				n.Controls = append(n.Controls, c)
			}
		}
		n.Device, n.Origin = by.Device, by.Origin
		if r.s.Placed {
			n.Device = o.Node.Device // a variable is read on the device of its handle
		}
		r.reads[readAt{o, by}] = ir.Out{Node: n}
	}
	return ir.Out{Node: n}
}

// The method named fetches replaces each fetched reference by a read that runs after all nodes that
// write the variable.
func (r *referrer) fetches(nodes []*ir.Node) {
	writers := map[string][]*ir.Node{}
	for _, f := range r.s.G.Fetches {
		if r.handle[f.Out] && len(writers) == 0 {
			for _, n := range nodes {
				for i, o := range n.Ins {
					if n.Region != nil || !r.handle[o] || !touches(r.s.O.Ops, n, i) {
						continue
					}
					vars, _ := lower.Variables(o)
					for _, v := range vars {
						writers[lower.VariableKey(v)] = append(writers[lower.VariableKey(v)], n)
					}
				}
			}
		}
	}
	made := map[ir.Out]ir.Out{}
	for i, f := range r.s.G.Fetches {
		if !r.handle[f.Out] {
			continue
		}
		v, ok := made[f.Out]
		if !ok {
			v = r.read(f.Out, nil, nil, f.Out.Node.Name)
			made[f.Out] = v
			seen := map[*ir.Node]bool{}
			vars, _ := lower.Variables(f.Out)
			for _, x := range vars {
				for _, w := range writers[lower.VariableKey(x)] {
					if !seen[w] {
						seen[w] = true
						v.Node.Controls = append(v.Node.Controls, w)
					}
				}
			}
			r.e.Changed(f.Out.Node, "a fetched reference is read at the end")
		}
		r.s.G.Fetches[i].Out = v
	}
}
