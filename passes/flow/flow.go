package flow

import (
	"fmt"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// AliveOp is the op that checks whether a fetched tensor is alive. The input of the op is a bool
// scalar. If it is false, the tensor is dead, and the run fails as in TensorFlow. Attribute tensor
// is the name of the fetched tensor.
const AliveOp = "_Alive"

// Flow replaces Switch, Merge, Enter, Exit and NextIteration by regions. Each node moves to a
// region that runs exactly if TensorFlow's executor would execute the node because it is alive.
//
// Switch, Enter, Exit and LoopCond are removed or, if control edges depend on them, become
// Identity. A Merge becomes a _Merge with one _Yield for each input. However, if one of its inputs
// is alive whenever the Merge is alive, the Merge is replaced by this input. The Merge of a loop
// variable becomes a _LoopVar or, if no iteration changes the variable, is replaced by its initial
// value. In the resulting graph, control edges only determine the order of nodes.
func Flow(s *edit.State) (bool, error) {
	if !hasV1Flow(s.O.Ops, s.G) {
		return false, nil
	}
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	list, of := FlowNodes(order)
	if err := Frames(list, of); err != nil {
		return false, err
	}
	a := &aliveness{list: list, of: of, loops: loops(list, of, func(n *ir.Node) bool { return s.Levels.Of(n) >= lower.Reads }), Levels: s.Levels, d: newDiagram(), index: map[condition]int32{}}
	if err := a.run(); err != nil {
		return false, err
	}
	r := &regions{aliveness: a, s: s, g: s.G, values: map[ir.Out]ir.Out{}, built: map[*ir.Node]bool{}, keep: map[*ir.Node]bool{},
		waits: map[*ir.Node][]*ir.Node{}, branches: map[branchKey]*ir.Region{}, flags: map[flagKey]ir.Out{}, passed: map[passKey]ir.Out{},
		conditions: map[int32]ir.Out{}, numbers: map[int32]ir.Out{}, zeros: map[tensor.DType]ir.Out{}, counts: map[string]int{}, holds: map[*flowNode][]*ir.Node{}, names: map[string]int{}, read: map[ir.Out]bool{}, waited: map[*ir.Node]bool{}}
	if err := r.run(); err != nil {
		return false, err
	}
	return true, nil
}

// regions rewrites the graph. It uses the conditions under which nodes are alive, which aliveness
// has computed.
type regions struct {
	*aliveness
	s *edit.State
	g *ir.Graph

	values map[ir.Out]ir.Out // a tensor → its replacement
	built  map[*ir.Node]bool
	keep   map[*ir.Node]bool
	waits  map[*ir.Node][]*ir.Node // for a node, the nodes for which its readers wait instead

	branches   map[branchKey]*ir.Region
	flags      map[flagKey]ir.Out
	passed     map[passKey]ir.Out
	conditions map[int32]ir.Out
	numbers    map[int32]ir.Out
	zeros      map[tensor.DType]ir.Out
	counts     map[string]int // for the base of names, how many numbers are in use
	// for a variable that no iteration changes, the nodes for which its next value waits
	holds  map[*flowNode][]*ir.Node
	names  map[string]int    // of regions
	read   map[ir.Out]bool   // tensors that have readers
	waited map[*ir.Node]bool // nodes that other nodes wait for
	later  []func()          // functions to be called when all nodes have regions
}

type branchKey struct {
	parent *ir.Region
	on     int32
	neg    bool
}

type flagKey struct {
	in *ir.Region
	t  truth
}

type passKey struct {
	o  ir.Out
	in *ir.Region
}

func (r *regions) run() error {
	for _, n := range r.list {
		for _, o := range n.ins {
			r.read[o] = true
		}
		for _, c := range n.controls {
			r.waited[c] = true
		}
		for l := n.loop; l != nil && r.s.Levels.Of(n.Node) == lower.Effects; l = l.parent {
			l.effects = true
		}
	}
	for _, f := range r.g.Fetches {
		r.of[f.Out.Node].pinned = true
	}
	for _, t := range r.g.Targets {
		r.of[t].pinned = true
	}
	r.order()
	for _, f := range r.g.Fetches {
		r.read[f.Out] = true
		if n := r.of[f.Out.Node]; n.out() != nil {
			return tensor.Errorf(tensor.InvalidArgument, "fetch %q is in a loop, %s: a fetch is a tensor outside of loops", f.Name, n.out().text())
		}
	}
	for _, t := range r.g.Targets {
		r.waited[t] = true
	}
	for _, n := range r.list {
		r.node(n)
	}
	r.fetches()
	var targets []*ir.Node
	for _, t := range r.g.Targets {
		for _, n := range r.wait(t) {
			if !slices.Contains(targets, n) {
				targets = append(targets, n)
			}
		}
	}
	r.g.Targets = targets
	for len(r.later) > 0 && r.err == nil {
		f := r.later[0]
		r.later = r.later[1:]
		f()
	}
	if r.err != nil {
		return r.err
	}
	r.g.Keep(r.keep)
	edit.Symbols(r.g)
	return nil
}

// order finds those control edges that affect the order of execution. Their sources read state or
// have effects, or run after such nodes. If a source is hoisted out of its region, it loses its
// control inputs, and the nodes that read it get them instead.
func (r *regions) order() {
	next := map[*ir.Node][]*ir.Node{}
	after := map[*ir.Node]bool{}
	var work []*ir.Node
	for _, n := range r.list {
		for _, o := range n.ins {
			next[o.Node] = append(next[o.Node], n.Node)
		}
		for _, c := range n.controls {
			next[c] = append(next[c], n.Node)
		}
		if r.s.Levels.Of(n.Node) >= lower.Reads {
			after[n.Node] = true
			work = append(work, n.Node)
		}
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, m := range next[n] {
			if !after[m] {
				after[m] = true
				work = append(work, m)
			}
		}
	}
	for _, n := range r.list {
		add := func(cs []*ir.Node) {
			for _, c := range cs {
				if after[c] {
					n.orders = append(n.orders, c)
				}
			}
		}
		add(n.controls)
		for _, o := range n.ins {
			if f := r.of[o.Node]; r.hoisted(f) {
				add(f.controls)
			}
		}
	}
}

// hoisted reports whether a node is a constant or only returns a handle, so that it needs no
// region.
func (r *regions) hoisted(n *flowNode) bool {
	if n.pinned && len(n.controls) > 0 {
		return false
	}
	return n.op == "Const" || n.Kind == plainNode && len(n.ins) == 0 && n.op != "Placeholder" && n.op != "PlaceholderV2" &&
		r.s.Levels.Of(n.Node) == lower.Source
}

// node moves the node n to its region, if n is not removed from the graph.
func (r *regions) node(n *flowNode) {
	if r.built[n.Node] || r.err != nil {
		return
	}
	switch n.Kind {
	case plainNode, triggerNode:
	case mergeNode:
		r.value(ir.Out{Node: n.Node})
		return
	default:
		return
	}
	r.built[n.Node] = true
	t := r.aliveness.node(n)
	if t == never {
		return
	}
	r.keep[n.Node] = true
	if r.hoisted(n) {
		n.Controls = nil
		return
	}
	if n.Kind == triggerNode {
		n.Op = "NoOp"
	}
	at := r.region(n.loop, t)
	n.Region = at
	for i, o := range n.ins {
		n.Ins[i] = r.at(o, n.loop, at)
	}
	n.Controls = r.controls(n.orders, n.Node)
}

// controls returns the nodes that replace the control inputs cs of a node. If the parameter self is
// not nil, it is this node, and the result does not contain it.
func (r *regions) controls(cs []*ir.Node, self *ir.Node) []*ir.Node {
	var out []*ir.Node
	seen := map[*ir.Node]bool{self: true}
	for _, c := range cs {
		for _, n := range r.wait(c) {
			if !seen[n] {
				seen[n] = true
				out = append(out, n)
			}
		}
	}
	return out
}

// wait returns the nodes for which a node has to wait instead of c. If c is kept in the graph, this
// is c itself. If waiting for c has no effect on the order, wait returns no nodes.
func (r *regions) wait(c *ir.Node) []*ir.Node {
	if w, ok := r.waits[c]; ok {
		return w
	}
	n := r.of[c]
	if n == nil {
		return []*ir.Node{c}
	}
	r.waits[c] = nil
	if !n.seen || r.aliveness.node(n) == never {
		return nil
	}
	var w []*ir.Node
	switch {
	case r.hoisted(n) && len(n.controls) > 0:
		w = r.controls(n.orders, nil)
	case n.Kind == plainNode || n.Kind == triggerNode:
		w = []*ir.Node{c}
	case n.Kind == nextNode: // the value was computed in the previous iteration, which has ended
	default:
		seen := map[*ir.Node]bool{}
		add := func(o ir.Out) {
			if m := o.Node; m != nil && m.Op != "Const" && !seen[m] {
				seen[m] = true
				w = append(w, m)
			}
		}
		add(r.value(ir.Out{Node: c}))
		if n.Kind == switchNode && len(n.ins) > 1 {
			add(r.value(n.ins[1]))
		}
	}
	r.waits[c] = w
	return w
}

// value returns the replacement of a tensor.
func (r *regions) value(o ir.Out) ir.Out {
	n := r.of[o.Node]
	if n == nil {
		return o
	}
	if n.Kind == switchNode || n.Kind == switchNNode {
		o.Index = 0
	}
	if v, ok := r.values[o]; ok {
		return v
	}
	if r.err != nil {
		return o
	}
	var v ir.Out
	switch n.Kind {
	case plainNode, triggerNode:
		v = o
	case mergeNode:
		if n.carries {
			v = r.variable(n, o.Index)
		} else {
			v = r.merge(n, o.Index)
		}
	case ExitNode:
		v = r.exit(n)
	case nextNode:
		v = r.carried(n, []*flowNode{n}, nil)
	default:
		v = r.handsOn(n)
	}
	r.values[o] = v
	return v
}

// handsOn returns the tensor that replaces the output of a Switch, Enter or LoopCond. It is the
// input of n or, if control inputs of n must be kept, an Identity of this input.
func (r *regions) handsOn(n *flowNode) ir.Out {
	if len(n.orders) > 0 && r.aliveness.node(n) != never {
		if cs := r.controls(n.orders, n.Node); len(cs) > 0 {
			l := n.inputs()
			at := r.region(l, r.aliveness.node(n))
			return r.become(n, "Identity", at, cs, r.at(n.ins[0], l, at))
		}
	}
	v := r.value(n.ins[0])
	r.journal(n, v, "its region says when it runs")
	return v
}

// become changes n in place to a node with the given op, region, control inputs and inputs, and a
// single output. It returns the output.
func (r *regions) become(n *flowNode, op string, at *ir.Region, controls []*ir.Node, ins ...ir.Out) ir.Out {
	n.Op, n.Ins, n.Controls, n.Region = op, ins, controls, at
	n.Attrs = map[string]ir.Attr{}
	d := ins[0].Fact().DType
	if op == "Identity" {
		n.Attrs["T"] = d
	}
	n.Outs = []ir.Fact{{DType: d}}
	r.keep[n.Node] = true
	o := ir.Out{Node: n.Node}
	r.journal(n, o, "it joins regions")
	return o
}

func (r *regions) journal(n *flowNode, to ir.Out, why string) {
	r.g.Journal = append(r.g.Journal, ir.Edit{Pass: r.s.Pass, Node: n.Name, New: to.String(), Why: why})
}

// add adds one of the nodes that connect regions, and returns its output. If the parameter from is
// not nil, it is an existing node: the new node is on the same device, and its name begins with the
// name of the existing node.
func (r *regions) add(from *flowNode, name, op string, at *ir.Region, d tensor.DType, ins ...ir.Out) ir.Out {
	base := "flow"
	if from != nil {
		base = from.Name
	}
	n := r.g.NewNode(r.fresh(base+"/"+name), op, nil, 1, ins...)
	n.Region, n.Outs[0].DType = at, d
	if from != nil {
		n.Device, n.Origin = from.Device, from.Origin
	}
	r.keep[n] = true
	return ir.Out{Node: n}
}

// fresh returns an unused name. It remembers the last number for each base.
func (r *regions) fresh(base string) string {
	name := base
	for r.g.Node(name) != nil {
		r.counts[base]++
		name = fmt.Sprintf("%s_%d", base, r.counts[base])
	}
	return name
}

// yield appends a _Yield.
func (r *regions) yield(from *flowNode, at *ir.Region, o ir.Out) ir.Out {
	return r.add(from, "yield", ir.YieldOp, at, o.Fact().DType, o)
}

// constant adds a constant outside of all regions.
func (r *regions) constant(name string, t *tensor.Tensor) ir.Out {
	o := r.g.NewConst(r.fresh("flow/"+name), t)
	r.keep[o.Node] = true
	return o
}

// number returns an int32 constant outside of all regions.
func (r *regions) number(k int32) ir.Out {
	if o, ok := r.numbers[k]; ok {
		return o
	}
	o := r.constant("index", tensor.Must(tensor.From(nil, []int32{k})))
	r.numbers[k] = o
	return o
}

func (r *regions) boolean(b bool) ir.Out {
	t := never
	name := "false"
	if b {
		t, name = always, "true"
	}
	k := flagKey{nil, t}
	if o, ok := r.flags[k]; ok {
		return o
	}
	o := r.constant(name, tensor.Must(tensor.From(nil, []bool{b})))
	r.flags[k] = o
	return o
}

// at returns the tensor that replaces o for a node that reads it. The parameter at is the region of
// this node. If the new tensor is in a region that does not enclose this region, a Merge is added
// that makes it available there.
func (r *regions) at(o ir.Out, l *flowLoop, at *ir.Region) ir.Out {
	return r.reach(r.value(o), at)
}

func (r *regions) reach(v ir.Out, at *ir.Region) ir.Out {
	r.placed(v)
	if v.Node.Region.Encloses(at) {
		return v
	}
	k := passKey{v, at}
	if w, ok := r.passed[k]; ok {
		return w
	}
	from := r.of[v.Node]
	y := r.yield(from, v.Node.Region, v)
	w := r.add(from, "passed", ir.MergeOp, at, v.Fact().DType, y)
	r.passed[k] = w
	return w
}

// placed sets the region of the node that computes v, if it has not been set yet.
func (r *regions) placed(v ir.Out) {
	if n := r.of[v.Node]; n != nil && n.Kind == plainNode {
		r.node(n)
	}
}

// fetches makes fetched tensors available outside of their regions, and adds the check that they
// are not dead, as in TensorFlow.
func (r *regions) fetches() {
	for i := range r.g.Fetches {
		f := &r.g.Fetches[i]
		n := r.of[f.Out.Node]
		d := n.types[f.Out.Index]
		t := r.out(f.Out, nil)
		if t == always {
			f.Out = r.value(f.Out)
			continue
		}
		check := r.g.NewNode(r.fresh(n.Name+"/fetched"), AliveOp, map[string]ir.Attr{"tensor": f.Name}, 0, r.flag(t, nil, n))
		check.Origin = n.Origin
		r.keep[check] = true
		if t == never {
			z, ok := r.zero(n, d)
			if !ok {
				return
			}
			id := r.add(n, "dead", "Identity", nil, d, z)
			id.Node.Attrs = map[string]ir.Attr{"T": d}
			id.Node.Controls = []*ir.Node{check}
			f.Out = id
			continue
		}
		at := r.region(nil, t)
		y := r.yield(n, at, r.at(f.Out, nil, at))
		y.Node.Controls = []*ir.Node{check}
		m := r.add(n, "value", ir.MergeOp, nil, y.Fact().DType, y)
		m.Node.Controls = []*ir.Node{check}
		f.Out = m
	}
}

// zero returns a constant of type d. It is used as an input in cases in which the value does not
// matter.
func (r *regions) zero(n *flowNode, d tensor.DType) (ir.Out, bool) {
	if o, ok := r.zeros[d]; ok {
		return o, true
	}
	t, err := tensor.New(d, nil, 1<<10)
	if err != nil || !d.IsData() {
		if r.err == nil {
			r.err = tensor.AtNode(tensor.Errorf(tensor.Unimplemented, "a %s that may be dead is used outside the region where it is alive", d), n.Name, n.op)
		}
		return ir.Out{}, false
	}
	o := r.constant("none", t)
	r.zeros[d] = o
	return o, true
}
