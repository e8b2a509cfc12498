package state

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// readsRef is the attribute of reads that pass refs has made: each has one reader,
// and waits for what that waits for.
const readsRef = "_ref"

// Refs makes handles of the references of TensorFlow 1: Variable, VariableV2 and
// TemporaryVariable hand out a handle; ops that take a reference take it; ops that
// hand out the reference they have changed hand out the handle. What takes the
// value gets a ReadVariableOp in its region that waits for what it waits for itself, so that
// it sees the writes before it. An Identity hands the reference on, as its output
// shares the variable's memory in TensorFlow. A fetched reference is read after
// all that writes it.
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
	need   map[ir.Out]bool // somebody takes it as a reference
	handle map[ir.Out]bool // it is a reference, now a handle
	reads  map[readAt]ir.Out
}

// readAt is the value of a reference that a node takes.
type readAt struct {
	of ir.Out
	by *ir.Node
}

// needs finds the tensors that are taken as references, through the nodes that join regions.
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

// from reports whether what n hands on is a reference.
func (r *referrer) from(n *ir.Node) bool {
	lo, hi := lower.HandsOn(n)
	if lo == hi {
		return false
	}
	switch n.Op {
	case ir.LoopVarOp, ir.YieldOp, ir.NextOp: // of a loop's variable the first value tells
		return r.handle[n.Ins[0]] && r.need[ir.Out{Node: n}]
	}
	for _, o := range n.Ins[lo:hi] {
		if !r.handle[o] {
			return false
		}
	}
	return true
}

// handles makes handles of references. The attributes say so too.
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

// readsHandle are the ops that take handles where this pass has run before, as it has on a graph
// that is compiled for several ranks.
var readsHandle = edit.Set("ReadVariableOp", "_ReadVariablesOp", "_ReadAnyRank")

// consumer has a node read the references of which it takes the value.
func (r *referrer) consumer(n *ir.Node) {
	lo, hi := lower.HandsOn(n)
	passes := lo < hi && r.from(n)
	for i, o := range n.Ins {
		if !r.handle[o] || passes && i >= lo && i < hi || edit.RefArg(n, i) || readsHandle[n.Op] {
			continue
		}
		at := n.Region
		if n.Op == ir.LoopVarOp && i == 0 {
			at = at.Parent // what the loop begins with is read before it
		}
		n.Ins[i] = r.read(o, at, n, n.Name)
		r.e.Changed(n, "takes the value of "+o.String())
	}
}

// read returns the value of the handle o, read in region at for the node by.
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
			n.Device = o.Node.Device // a handle goes nowhere
		}
		r.reads[readAt{o, by}] = ir.Out{Node: n}
	}
	return ir.Out{Node: n}
}

// fetches reads fetched references after all nodes that write them.
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
