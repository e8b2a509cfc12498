package flow

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/algebra"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Decide simplifies regions whose conditions are known at compile time:
//
//   - The condition of a branch is known if it is a constant, or if it is also the condition of an
//     enclosing branch. If the branch always runs, its nodes move to the region around it. If it
//     never runs, its nodes are removed.
//   - The condition of a loop may be always false, or false in the first iteration. The loop then
//     has exactly one iteration, since the iteration in which the condition is false is the last
//     one (see ir.Region). Its nodes move to the region around it, except for branches on the
//     condition, which do not run.
//   - The condition of a branch may be the LogicalNot of another condition. It becomes a branch on
//     the other condition, which runs in the opposite case.
//
// The pass named carry then removes Merge nodes that are no longer useful.
func Decide(s *edit.State) (bool, error) {
	regions := s.G.Regions()
	if len(regions) == 0 {
		return false, nil
	}
	d := &decider{s: s, e: s.Edit(), runs: map[*ir.Region]bool{}}
	for _, r := range regions {
		if n := r.Cond.Node; !r.Loop && n.Op == "LogicalNot" && len(n.Ins) == 1 {
			if !d.e.Changed(n, "it becomes the opposite branch") {
				break
			}
			r.Cond, r.Neg = n.Ins[0], !r.Neg
		}
	}
	for _, r := range regions {
		v, why := decided(s, r)
		if why == "" || r.Loop && v || d.dead(r.Parent) {
			continue
		}
		d.runs[r] = r.Loop || v != r.Neg
	}
	if len(d.runs) > 0 {
		d.spareMerges()
		for _, r := range regions {
			if _, ok := d.runs[r]; ok {
				_, why := decided(s, r)
				if !d.e.Changed(r.Cond.Node, why) {
					delete(d.runs, r)
				}
			}
		}
		d.apply()
	}
	return d.e.Apply(), nil
}

// decided returns the value of the condition of region r, and the reason why it is known at compile
// time. The reason is "" if the value is unknown.
func decided(s *edit.State, r *ir.Region) (value bool, why string) {
	if t := r.Cond.Fact().Const; t != nil && t.DType == tensor.Bool && t.Rank() == 0 {
		value = tensor.Data[bool](t)[0]
		if value {
			return value, "region " + r.Name + ": the condition is always true"
		}
		return value, "region " + r.Name + ": the condition is always false"
	}
	if r.Loop {
		if endsAtOnce(s, r) {
			return false, "region " + r.Name + ": the condition is false in the first iteration"
		}
		return false, ""
	}
	for q := r.Parent; q != nil; q = q.Parent {
		if !q.Loop && q.Cond == r.Cond {
			return !q.Neg, "region " + r.Name + ": the condition is that of " + q.Name + ", which encloses it"
		}
	}
	return false, ""
}

type decider struct {
	s      *edit.State
	e      *ir.Editor
	runs   map[*ir.Region]bool // for each region whose condition is known, whether it runs
	counts []*ir.Node          // nodes that map the index of a Merge to the index that it had before it lost inputs
}

// dead reports whether a region never runs.
func (d *decider) dead(r *ir.Region) bool {
	for ; r != nil; r = r.Parent {
		if runs, ok := d.runs[r]; ok && !runs {
			return true
		}
	}
	return false
}

// spareMerges takes back decisions: if a Merge that is kept would lose all its inputs, the branches
// of these inputs become undecided. Such a Merge cannot be removed, because a fetch of it must fail
// at run time.
func (d *decider) spareMerges() {
	for again := true; again; {
		again = false
		for _, n := range d.s.G.Nodes {
			if n.Op != ir.MergeOp || d.dead(n.Region) || slices.ContainsFunc(n.Ins, func(o ir.Out) bool { return !d.dead(o.Node.Region) }) {
				continue
			}
			for _, o := range n.Ins {
				for r := o.Node.Region; r != nil; r = r.Parent {
					if runs, ok := d.runs[r]; ok && !runs {
						delete(d.runs, r)
						again = true
					}
				}
			}
		}
	}
}

// apply changes the graph according to the decisions.
func (d *decider) apply() {
	s := d.s
	gone := map[*ir.Node]bool{}
	// This editor does not count its edits as fuel: they only carry out a decision that was counted.
	follow := s.G.Edit(s.Pass, nil)
	s.Editors = append(s.Editors, follow)
	readers := s.G.Readers()
	nodes := slices.Clone(s.G.Nodes)
	for _, n := range nodes {
		if d.dead(n.Region) {
			gone[n] = true
		} else if _, once := d.runs[n.Region]; once && n.Op == ir.LoopVarOp {
			gone[n], gone[n.Ins[1].Node] = true, true
			follow.Replace(ir.Out{Node: n}, follow.Resolve(n.Ins[0]), "the loop runs once")
		} else if n.Op == ir.LoopVarOp && d.dead(n.Ins[1].Node.Region) {
			gone[n] = true
			follow.Replace(ir.Out{Node: n}, follow.Resolve(n.Ins[0]), "no iteration changes it")
		}
	}
	around := func(r *ir.Region) *ir.Region {
		for r != nil && d.runs[r] {
			r = r.Parent
		}
		return r
	}
	for _, r := range s.G.Regions() {
		if p := around(r.Parent); !d.runs[r] {
			r.Parent = p
		}
	}
	for _, n := range nodes {
		if !gone[n] {
			n.Region = around(n.Region)
		}
	}
	for _, n := range nodes {
		if n.Op == ir.MergeOp && !gone[n] {
			d.merge(n, gone, readers, follow)
		}
	}
	d.detach(nodes, gone)
	merges := make([]ir.Out, len(d.counts))
	for i, n := range d.counts {
		merges[i] = n.Ins[1]
	}
	follow.Apply()
	for i, n := range d.counts {
		n.Ins[1] = merges[i] // all other readers of the index of the Merge now read n
	}
	keep := make(map[*ir.Node]bool, len(s.G.Nodes))
	for _, n := range s.G.Nodes {
		keep[n] = !gone[n]
	}
	s.G.Keep(keep)
	edit.Symbols(s.G)
}

// merge removes those inputs of the Merge m that are in branches that never run. This may change
// the numbers of the remaining inputs. If the index of m is used, merge adds a node that returns
// the number that the chosen input had before the removal. The users of the index then read this
// node.
func (d *decider) merge(m *ir.Node, gone map[*ir.Node]bool, readers map[ir.Out][]*ir.Node, follow *ir.Editor) {
	var ins []ir.Out
	var at []int32
	for i, o := range m.Ins {
		if !gone[o.Node] {
			ins, at = append(ins, o), append(at, int32(i))
		}
	}
	always := len(ins) == 1 && ins[0].Node.Region.Encloses(m.Region)
	if len(ins) == len(m.Ins) && !always {
		return
	}
	g := d.s.G
	index := ir.Out{Node: m, Index: 1}
	fetched := slices.ContainsFunc(g.Fetches, func(f ir.Fetch) bool { return f.Out == index })
	switch {
	case len(m.Outs) < 2 || len(readers[index]) == 0 && !fetched:
		m.Ins = ins
	case always:
		m.Ins = ins
		follow.Replace(index, g.NewConst(m.Name+"/index", tensor.Must(tensor.From(nil, []int32{at[0]}))), "one input is left")
	default:
		m.Ins = ins
		table := g.NewConst(m.Name+"/indices", tensor.Must(tensor.From(tensor.Shape{len(at)}, at)))
		axis := g.NewConst(m.Name+"/axis", tensor.Must(tensor.From(nil, []int32{0})))
		was := g.NewNode(m.Name+"/index", "GatherV2", map[string]ir.Attr{"Tparams": tensor.Int32, "Tindices": tensor.Int32, "Taxis": tensor.Int32,
			"batch_dims": int64(0)}, 1, table, index, axis)
		was.Region, was.Outs[0].DType = m.Region, tensor.Int32
		follow.Replace(index, ir.Out{Node: was}, "inputs that never arrive are dropped")
		d.counts = append(d.counts, was)
	}
}

// detach replaces each control edge from a removed node by control edges from the nodes for which
// this node waited.
func (d *decider) detach(nodes []*ir.Node, gone map[*ir.Node]bool) {
	memo := map[*ir.Node][]*ir.Node{}
	var before func(n *ir.Node) []*ir.Node
	before = func(n *ir.Node) []*ir.Node {
		if !gone[n] {
			return []*ir.Node{n}
		}
		if ns, ok := memo[n]; ok {
			return ns
		}
		memo[n] = nil // stops the recursion if the nodes form a cycle through a loop
		var ns []*ir.Node
		for _, c := range n.Controls {
			ns = algebra.Union(ns, before(c))
		}
		for _, o := range n.Ins {
			ns = algebra.Union(ns, before(o.Node))
		}
		memo[n] = ns
		return ns
	}
	all := func(l []*ir.Node, but *ir.Node) []*ir.Node {
		if !slices.ContainsFunc(l, func(n *ir.Node) bool { return gone[n] }) {
			return l
		}
		var ns []*ir.Node
		for _, c := range l {
			ns = algebra.Union(ns, before(c))
		}
		return slices.DeleteFunc(ns, func(n *ir.Node) bool { return n == but })
	}
	for _, n := range nodes {
		if !gone[n] {
			n.Controls = all(n.Controls, n)
		}
	}
	d.s.G.Targets = all(d.s.G.Targets, nil)
}
