package passes

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/graphc/graphc/internal/testkit"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/passes/flow"
	"github.com/graphc/graphc/rt/tensor"
)

// outcomeOf is the result of a run. The map values holds the values of the fetches that are alive.
// The map effects counts how often each node with effects ran with each input.
type outcomeOf struct {
	values  map[string]int
	effects map[string]int
}

// errUnclear is the error for a run whose result TensorFlow does not define, because a Merge has
// two live inputs or a loop does not end.
var errUnclear = fmt.Errorf("unclear")

// maxTurns bounds iterations.
const maxTurns = 40

// executor runs a graph with control flow of TensorFlow 1, in the way TensorFlow's executor does.
// It passes tokens along edges. A token is a value, or says that the value is dead.
type executor struct {
	readers map[*ir.Node][]reader
	feeds   map[string]int
	queue   []event
	out     outcomeOf
	got     map[ir.Out]int
	frames  []*frameRun // open ones
	ran     int
}

type reader struct {
	to  *ir.Node
	in  int // number of the input at which the token arrives; -1 for a control edge
	out int
}

// turn is an iteration of a frame. The outermost frame has one iteration.
type turn struct {
	parent *turn
	frame  *frameRun
	n      int
	nodes  map[*ir.Node]*arrived
}

type frameRun struct {
	name   string
	left   map[*ir.Node]bool // live Exits
	turns  []*turn
	always []event // of constant Enters
}

type arrived struct {
	values    map[int]token
	waits     int
	fired     bool
	deadEnter bool // whether an Enter of a loop's Merge is dead; as in TensorFlow, the Merge is then dead, too
	entered   map[string]*frameRun
}

type token struct {
	v    int
	dead bool
}

type event struct {
	to reader
	at *turn
	t  token
}

func execute(g *ir.Graph, feeds map[string]int) (out outcomeOf, err error) {
	x := &executor{readers: map[*ir.Node][]reader{}, feeds: feeds, got: map[ir.Out]int{},
		out: outcomeOf{values: map[string]int{}, effects: map[string]int{}}}
	for _, n := range g.Nodes {
		for i, o := range n.Ins {
			x.readers[o.Node] = append(x.readers[o.Node], reader{n, i, o.Index})
		}
		for _, c := range n.Controls {
			x.readers[c] = append(x.readers[c], reader{n, -1, 0})
		}
	}
	root := &turn{nodes: map[*ir.Node]*arrived{}}
	for _, n := range g.Nodes {
		if len(n.Ins)+len(n.Controls) == 0 {
			x.fire(n, root, nil, false)
		}
	}
	list, of := flow.FlowNodes(g.Nodes)
	if err := flow.Frames(list, of); err != nil {
		return x.out, err
	}
	for err == nil {
		for len(x.queue) > 0 && err == nil {
			e := x.queue[0]
			x.queue = x.queue[1:]
			err = x.arrive(e)
		}
		// When no token is left in a frame, those Exits that have not sent a token send a dead
		// token.
		k := len(x.frames) - 1
		if k < 0 {
			break
		}
		f := x.frames[k]
		x.frames = x.frames[:k]
		for _, n := range list {
			if n.Kind == flow.ExitNode && n.Frame.Name == f.name && !f.left[n.Node] {
				for _, r := range x.readers[n.Node] {
					x.queue = append(x.queue, event{r, f.turns[0].parent, token{0, true}})
				}
			}
		}
	}
	for _, f := range g.Fetches {
		if v, ok := x.got[f.Out]; ok {
			x.out.values[f.Name] = v
		}
	}
	return x.out, err
}

func (x *executor) arrive(e event) error {
	n := e.to.to
	a := e.at.nodes[n]
	if a == nil {
		a = &arrived{values: map[int]token{}, entered: map[string]*frameRun{}}
		e.at.nodes[n] = a
	}
	if e.to.in < 0 {
		a.waits++
		if e.t.dead && n.Op != "Merge" {
			a.values[-1] = e.t
		}
	} else {
		if _, twice := a.values[e.to.in]; twice {
			return errUnclear
		}
		a.values[e.to.in] = e.t
		a.deadEnter = a.deadEnter || e.t.dead && n.Ins[e.to.in].Node.Op == "Enter" && n.Ins[1%len(n.Ins)].Node.Op == "NextIteration"
	}
	live, ins := 0, 0
	for i, t := range a.values {
		if i >= 0 {
			ins++
			if !t.dead {
				live++
			}
		}
	}
	if n.Op == "Merge" {
		if live > 1 {
			return errUnclear
		}
		if a.waits < len(n.Controls) || a.fired || live == 0 && ins < len(n.Ins) && !a.deadEnter {
			return nil
		}
	} else if ins < len(n.Ins) || a.waits < len(n.Controls) {
		return nil
	}
	a.fired = true
	_, dead := a.values[-1]
	dead = dead || n.Op != "Merge" && live < ins || n.Op == "Merge" && live == 0
	x.ran++
	if x.ran > 20000 {
		return errUnclear
	}
	return x.fire(n, e.at, a, dead)
}

func truthOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compute returns the value of a node that is not control flow. The two test executors, executor
// and walker, use it.
func compute(n *ir.Node, in func(i int) int, feeds map[string]int) int {
	switch n.Op {
	case "Const":
		if v, ok := n.Value().Ints(); ok {
			return int(v[0])
		}
		return truthOf(tensor.Data[bool](n.Value())[0])
	case "Placeholder":
		return feeds[n.Name]
	case "AddV2":
		return int(int32(in(0) + in(1)))
	case "Mul":
		return int(int32(in(0) * in(1)))
	case "Less":
		return truthOf(in(0) < in(1))
	case "Equal":
		return truthOf(in(0) == in(1))
	case "LogicalNot":
		return 1 - in(0)
	case "NoOp":
		return 0
	}
	return in(0) // Identity and other ops that return their input
}

func (x *executor) fire(n *ir.Node, at *turn, a *arrived, dead bool) error {
	in := func(i int) int { return a.values[i].v }
	send := func(at *turn, out func(i int) token, node token) {
		for _, r := range x.readers[n] {
			t := node
			if r.in >= 0 {
				t = out(r.out)
			}
			x.queue = append(x.queue, event{r, at, t})
		}
	}
	same := func(t token) func(int) token { return func(int) token { return t } }
	switch n.Op {
	case "Switch":
		if at.parent == nil && !dead {
			x.got[ir.Out{Node: n, Index: in(1)}] = in(0)
		}
		send(at, func(i int) token { return token{in(0), dead || in(1) != i} }, token{0, dead})
		return nil
	case "_SwitchN":
		k := in(1)
		if k < 0 || k >= len(n.Outs) {
			k = len(n.Outs) - 1
		}
		if at.parent == nil && !dead {
			x.got[ir.Out{Node: n, Index: k}] = in(0)
		}
		send(at, func(i int) token { return token{in(0), dead || k != i} }, token{0, dead})
		return nil
	case "Merge":
		if dead {
			send(at, same(token{0, true}), token{0, true})
			return nil
		}
		for i, t := range a.values {
			if i >= 0 && !t.dead {
				if at.parent == nil {
					x.got[ir.Out{Node: n}], x.got[ir.Out{Node: n, Index: 1}] = t.v, i
				}
				send(at, func(o int) token {
					if o == 1 {
						return token{i, false}
					}
					return t
				}, token{})
			}
		}
		return nil
	case "Enter":
		name := n.Str("frame_name")
		owner := at.nodes[nil]
		if owner == nil {
			owner = &arrived{entered: map[string]*frameRun{}}
			at.nodes[nil] = owner
		}
		f := owner.entered[name]
		if f == nil {
			f = &frameRun{name: name, left: map[*ir.Node]bool{}}
			x.frames = append(x.frames, f)
			owner.entered[name] = f
			f.turns = []*turn{{parent: at, frame: f, nodes: map[*ir.Node]*arrived{}}}
		}
		t := token{in(0), dead}
		to := f.turns[:1]
		if n.Bool("is_constant") {
			to = f.turns
			for _, r := range x.readers[n] {
				f.always = append(f.always, event{to: r, t: t})
			}
		}
		for _, w := range to {
			send(w, same(t), token{0, dead})
		}
		return nil
	case "NextIteration":
		if dead {
			return nil
		}
		if at.n+1 == len(at.frame.turns) {
			if at.n > maxTurns {
				return errUnclear
			}
			w := &turn{parent: at.parent, frame: at.frame, n: at.n + 1, nodes: map[*ir.Node]*arrived{}}
			at.frame.turns = append(at.frame.turns, w)
			for _, e := range at.frame.always {
				e.at = w
				x.queue = append(x.queue, e)
			}
		}
		send(at.frame.turns[at.n+1], same(token{in(0), false}), token{})
		return nil
	case "Exit":
		if !dead {
			if at.parent.parent == nil {
				if _, twice := x.got[ir.Out{Node: n}]; twice {
					return errUnclear
				}
				x.got[ir.Out{Node: n}] = in(0)
			}
			at.frame.left[n] = true
			send(at.parent, same(token{in(0), false}), token{})
		}
		return nil
	}
	t := token{0, dead}
	if !dead {
		t.v = compute(n, in, x.feeds)
		if n.Op == "PrintV2" {
			x.out.effects[fmt.Sprint(n.Name, "=", t.v)]++
		}
		if at.parent == nil {
			x.got[ir.Out{Node: n}] = t.v
		}
	}
	send(at, same(t), token{0, dead})
	return nil
}

// walker runs a graph whose control flow consists of regions. It follows the rules in the comment
// on ir.Region.
type walker struct {
	g     *ir.Graph
	feeds map[string]int
	value map[ir.Out]int
	ran   map[*ir.Node]int // the value of clock when the node last ran
	begun map[*ir.Region]int
	clock int
	out   outcomeOf
	dead  map[string]bool
}

func walk(g *ir.Graph, feeds map[string]int) (outcomeOf, error) {
	w := &walker{g: g, feeds: feeds, value: map[ir.Out]int{}, ran: map[*ir.Node]int{}, begun: map[*ir.Region]int{}, dead: map[string]bool{},
		out: outcomeOf{values: map[string]int{}, effects: map[string]int{}}}
	w.clock = 1
	if err := w.scope(nil); err != nil {
		return w.out, err
	}
	for _, f := range g.Fetches {
		if !w.dead[f.Name] {
			v, err := w.read(f.Out)
			if err != nil {
				return w.out, err
			}
			w.out.values[f.Name] = v
		}
	}
	return w.out, nil
}

func (w *walker) read(o ir.Out) (int, error) {
	if w.ran[o.Node] == 0 || w.ran[o.Node] < w.begun[o.Node.Region.InnerLoop()] {
		return 0, fmt.Errorf("%s is read and has not run", o)
	}
	return w.value[o], nil
}

// runs reports whether region r runs: whether r and all enclosing branches, up to the innermost
// enclosing loop, are taken.
func (w *walker) runs(r *ir.Region) (bool, error) {
	for ; r != nil && !r.Loop; r = r.Parent {
		if yes, err := w.runs(r.Parent); !yes || err != nil {
			return false, err
		}
		v, err := w.read(r.Cond)
		if err != nil || (v == 1) == r.Neg {
			return false, err
		}
	}
	return true, nil
}

// unit is a node or an inner loop. The graph and each loop consist of units, which run one after
// the other.
type unit struct {
	node *ir.Node
	loop *ir.Region
}

func (w *walker) scope(l *ir.Region) error {
	of := func(n *ir.Node) (unit, bool) {
		in := n.Region.InnerLoop()
		if in == l {
			return unit{node: n}, true
		}
		for in != nil {
			up := in.Parent.InnerLoop()
			if up == l {
				return unit{loop: in}, true
			}
			in = up
		}
		return unit{}, false
	}
	needs := map[unit]map[unit]bool{}
	var units []unit
	for _, n := range w.g.Nodes {
		u, here := of(n)
		if !here {
			continue
		}
		if needs[u] == nil {
			needs[u] = map[unit]bool{}
			units = append(units, u)
		}
		add := func(m *ir.Node) {
			if v, ok := of(m); ok && v != u && m.Op != ir.NextOp {
				needs[u][v] = true
			}
		}
		for _, o := range n.Ins {
			add(o.Node)
		}
		for _, c := range n.Controls {
			add(c)
		}
		for r := n.Region; r != l; r = r.Parent {
			add(r.Cond.Node)
		}
	}
	done := map[unit]bool{}
	for len(done) < len(units) {
		moved := false
		for _, u := range units {
			ready := !done[u]
			for v := range needs[u] {
				ready = ready && done[v]
			}
			if !ready {
				continue
			}
			done[u], moved = true, true
			r := u.loop
			if u.node != nil {
				r = u.node.Region
			} else {
				r = r.Parent
			}
			yes, err := w.runs(r)
			if err != nil {
				return err
			}
			if !yes {
				continue
			}
			if u.node != nil {
				err = w.node(u.node)
			} else {
				err = w.loop(u.loop)
			}
			if err != nil {
				return err
			}
		}
		if !moved {
			return fmt.Errorf("the nodes of a scope wait for each other")
		}
	}
	return nil
}

func (w *walker) loop(l *ir.Region) error {
	var vars []*ir.Node
	for _, n := range w.g.Nodes {
		if n.Op == ir.LoopVarOp && n.Region == l {
			vars = append(vars, n)
		}
	}
	next := map[*ir.Node]int{}
	for _, v := range vars {
		x, err := w.read(v.Ins[0])
		if err != nil {
			return err
		}
		next[v] = x
	}
	for i := 0; ; i++ {
		if i > maxTurns+5 {
			return errUnclear
		}
		w.clock++
		w.begun[l] = w.clock
		for _, v := range vars {
			w.value[ir.Out{Node: v}] = next[v]
		}
		if err := w.scope(l); err != nil {
			return err
		}
		for _, v := range vars {
			if n := v.Ins[1].Node; w.ran[n] >= w.begun[l] {
				next[v] = w.value[ir.Out{Node: n}]
			}
		}
		if c, err := w.read(l.Cond); err != nil || c == 0 {
			return err
		}
	}
}

func (w *walker) node(n *ir.Node) error {
	w.clock++
	var fault error
	switch n.Op {
	case ir.LoopVarOp:
	case ir.MergeOp:
		last := -1
		for i, o := range n.Ins {
			if t := w.ran[o.Node]; t > 0 && t >= w.begun[n.Region.Common(o.Node.Region).InnerLoop()] && (last < 0 || t > w.ran[n.Ins[last].Node]) {
				last = i
			}
		}
		if last < 0 && slices.ContainsFunc(n.Controls, func(c *ir.Node) bool { return w.dead[c.Str("tensor")] }) {
			return nil // the run has failed
		}
		if last < 0 {
			return fmt.Errorf("%s: none of its yields has run", n.Name)
		}
		w.value[ir.Out{Node: n}], w.value[ir.Out{Node: n, Index: 1}] = w.value[n.Ins[last]], last
	case flow.AliveOp:
		v, err := w.read(n.Ins[0])
		if err != nil {
			return err
		}
		if v == 0 {
			w.dead[n.Str("tensor")] = true
		}
	default:
		v := compute(n, func(i int) int {
			x, err := w.read(n.Ins[i])
			if err != nil && fault == nil {
				fault = fmt.Errorf("%s: %w", n.Name, err)
			}
			return x
		}, w.feeds)
		w.value[ir.Out{Node: n}] = v
		if n.Op == "PrintV2" {
			w.out.effects[fmt.Sprint(n.Name, "=", v)]++
		}
	}
	w.ran[n] = w.clock
	return fault
}

// flowMaker makes random graphs.
type flowMaker struct {
	*rand.Rand
	g     *ir.Graph
	frame int
}

// pool holds the tensors of a frame from which inputs of new nodes are picked.
type pool struct {
	nums, bools []ir.Out
	root        bool
}

func (m *flowMaker) op(name, op string, d tensor.DType, nout int, attrs map[string]ir.Attr, ins ...ir.Out) *ir.Node {
	n := m.g.NewNode(name, op, attrs, nout, ins...)
	for i := range n.Outs {
		n.Outs[i].DType = d
	}
	return n
}

func (m *flowMaker) pick(l []ir.Out) ir.Out {
	if m.IntN(3) > 0 && len(l) > 4 {
		return l[len(l)-1-m.IntN(4)]
	}
	return l[m.IntN(len(l))]
}

func (m *flowMaker) control(n *ir.Node, p *pool) {
	if m.IntN(6) == 0 {
		if c := m.pick(p.nums).Node; c != n && !slices.Contains(n.Controls, c) {
			n.Controls = append(n.Controls, c)
		}
	}
}

// grow adds count random nodes to the frame of the pool p.
func (m *flowMaker) grow(p *pool, count, depth int) {
	for range count {
		var n *ir.Node
		num := func() ir.Out { return m.pick(p.nums) }
		switch m.IntN(12) {
		case 0, 1:
			n = m.op("add", "AddV2", tensor.Int32, 1, nil, num(), num())
		case 2:
			n = m.op("mul", "Mul", tensor.Int32, 1, nil, num(), num())
		case 3:
			n = m.op("less", "Less", tensor.Bool, 1, nil, num(), num())
		case 4:
			n = m.op("not", "LogicalNot", tensor.Bool, 1, nil, m.pick(p.bools))
		case 5, 6:
			n = m.op("switch", "Switch", tensor.Int32, 2, nil, num(), m.pick(p.bools))
		case 7:
			if m.IntN(3) == 0 {
				n = m.op("switchn", "_SwitchN", tensor.Int32, 1+m.IntN(3), nil, num(), num())
			} else {
				n = m.op("bswitch", "Switch", tensor.Bool, 2, nil, m.pick(p.bools), m.pick(p.bools))
			}
		case 8, 9:
			ins := []ir.Out{num(), num(), num()}[:1+m.IntN(3)]
			if s := m.pick(p.nums).Node; s.Op == "Switch" { // in most cases, merge both outputs of the same Switch
				ins = []ir.Out{{Node: s}, {Node: s, Index: 1}}
			}
			n = m.op("merge", "Merge", tensor.Int32, 2, nil, ins...)
		case 10:
			n = m.op("print", "PrintV2", tensor.Int32, 1, nil, num())
			m.g.Targets = append(m.g.Targets, n)
		case 11:
			if depth > 0 {
				m.loop(p, depth-1)
			}
			continue
		}
		if n.Op != "Merge" || p.root {
			m.control(n, p)
		}
		for i := range n.Outs {
			o := ir.Out{Node: n, Index: i}
			if n.Outs[i].DType == tensor.Bool {
				p.bools = append(p.bools, o)
			} else {
				p.nums = append(p.nums, o)
			}
		}
	}
}

// loop adds a loop, which is a new frame. Values from the pool p enter it.
func (m *flowMaker) loop(p *pool, depth int) {
	m.frame++
	name := fmt.Sprint("w", m.frame)
	enter := func(o ir.Out, constant bool) ir.Out {
		return ir.Out{Node: m.op("enter", "Enter", o.Fact().DType, 1, map[string]ir.Attr{"frame_name": name, "is_constant": constant}, o)}
	}
	q := &pool{}
	zero := ir.Out{Node: m.op("zero", "Mul", tensor.Int32, 1, nil, m.pick(p.nums), m.pick(p.nums))}
	var merges []*ir.Node
	for i := range 1 + m.IntN(3) {
		o := zero
		if i > 0 || m.IntN(4) == 0 {
			o = m.pick(p.nums)
		}
		e := enter(o, false)
		mg := m.op("variable", "Merge", tensor.Int32, 2, nil, e, e)
		merges = append(merges, mg)
		q.nums = append(q.nums, ir.Out{Node: mg})
	}
	for range 1 + m.IntN(2) {
		q.nums = append(q.nums, enter(m.pick(p.nums), true))
	}
	q.bools = append(q.bools, enter(m.pick(p.bools), true))
	if m.IntN(12) == 0 {
		q.nums = append(q.nums, enter(m.pick(p.nums), false))
	}
	one := m.g.NewConst("one", tensor.Must(tensor.From(nil, []int32{1 + int32(m.IntN(3))})))
	one.Node.Controls = []*ir.Node{merges[0]}
	limit := m.g.NewConst("limit", tensor.Must(tensor.From(nil, []int32{int32(m.IntN(6))})))
	limit.Node.Controls = []*ir.Node{merges[0]}
	count := m.op("count", "Less", tensor.Bool, 1, nil, ir.Out{Node: merges[0]}, limit)
	c := ir.Out{Node: m.op("cond", "LoopCond", tensor.Bool, 1, nil, ir.Out{Node: count})}
	q.bools = append(q.bools, c)
	m.grow(q, m.IntN(4), depth)
	var exits []ir.Out
	body := &pool{bools: q.bools}
	for _, mg := range merges {
		by := c
		if m.IntN(8) == 0 {
			by = m.pick(q.bools)
		}
		s := m.op("leave", "Switch", tensor.Int32, 2, nil, ir.Out{Node: mg}, by)
		exits = append(exits, ir.Out{Node: s})
		body.nums = append(body.nums, ir.Out{Node: s, Index: 1})
	}
	first := ir.Out{Node: m.op("step", "AddV2", tensor.Int32, 1, nil, body.nums[0], one)}
	body.nums = append(body.nums, first)
	if m.IntN(3) == 0 {
		body.nums = append(body.nums, q.nums...)
	}
	m.grow(body, m.IntN(6), depth)
	for i, mg := range merges {
		o := first
		if i > 0 {
			o = m.pick(body.nums)
		}
		if m.IntN(5) == 0 && i > 0 {
			o = ir.Out{Node: exits[i].Node, Index: 1}
		}
		mg.Ins[1] = ir.Out{Node: m.op("next", "NextIteration", tensor.Int32, 1, nil, o)}
		m.control(mg.Ins[1].Node, body)
	}
	for _, o := range exits {
		if m.IntN(10) == 0 {
			o = m.pick(body.nums)
		}
		p.nums = append(p.nums, ir.Out{Node: m.op("exit", "Exit", tensor.Int32, 1, nil, o)})
	}
}

func randomFlow(seed uint64) *ir.Graph {
	m := &flowMaker{Rand: rand.New(rand.NewPCG(seed, 7)), g: ir.NewGraph("g")}
	p := &pool{root: true}
	for i := range 3 {
		n := m.op(fmt.Sprint("x", i), "Placeholder", tensor.Int32, 1, nil)
		b := m.op(fmt.Sprint("p", i), "Placeholder", tensor.Bool, 1, nil)
		p.nums, p.bools = append(p.nums, ir.Out{Node: n}), append(p.bools, ir.Out{Node: b})
		m.g.Feeds = append(m.g.Feeds, ir.Feed{Name: n.Name, Out: ir.Out{Node: n}}, ir.Feed{Name: b.Name, Out: ir.Out{Node: b}})
	}
	m.grow(p, 4+m.IntN(20), 2)
	for i := range 4 {
		o := m.pick(p.nums)
		m.g.Fetches = append(m.g.Fetches, ir.Fetch{Name: fmt.Sprint("f", i), Out: o})
	}
	return m.g
}

// TestFlowMeansTheSame runs random graphs before the pass named flow with executor, and after the
// pass with walker. It checks that the outcomes are equal.
func TestFlowMeansTheSame(t *testing.T) { sameFlow(t, 0, testkit.Times(700, 2000)) }

// TestFlowBounds makes the same checks as TestFlowMeansTheSame, with low limits. The pass describes by
// a Boolean function when a node runs. Almost all of these functions exceed the limits, so the pass
// computes a separate condition for each of them instead.
func TestFlowBounds(t *testing.T) {
	paths, way := flow.MostPaths, flow.LongestWay
	defer func() { flow.MostPaths, flow.LongestWay = paths, way }()
	flow.MostPaths, flow.LongestWay = 1, 2
	sameFlow(t, 100000, 500)
}

func sameFlow(t *testing.T, from uint64, graphs int) {
	clear, loops, dead := 0, 0, 0
	for seed := from; seed < from+uint64(graphs); seed++ {
		g := randomFlow(seed)
		before := g.Clone()
		before.Keep(edit.Needed(before))
		g.Keep(edit.Needed(g))
		s := edit.NewState(g, edit.Options{Ops: ops.Ops()})
		s.Pass = "flow"
		if _, err := flow.Flow(s); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		texts := func() string { return before.Text(ir.PrintOptions{}) + "\n" + g.Text(ir.PrintOptions{}) }
		if err := ir.Check(g); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, texts())
		}
		hasLoop := slices.ContainsFunc(g.Regions(), func(r *ir.Region) bool { return r.Loop })
		for v := range 16 {
			feeds := map[string]int{"p0": v & 1, "p1": v >> 1 & 1, "p2": v >> 2 & 1, "x0": v - 3, "x1": 2, "x2": v >> 3}
			want, err := execute(before, feeds)
			if err != nil {
				continue
			}
			got, err := walk(g, feeds)
			if err == nil && (!maps.Equal(got.values, want.values) || !maps.Equal(got.effects, want.effects)) {
				err = fmt.Errorf("got %v, want %v", got, want)
			}
			if err != nil {
				t.Fatalf("seed %d, feeds %v: %v\n%s", seed, feeds, err, texts())
			}
			clear++
			loops += truthOf(hasLoop)
			dead += truthOf(len(want.values) < len(g.Fetches))
		}
	}
	if clear < graphs || loops < graphs/2 || dead < graphs/2 {
		t.Errorf("of %d graphs come %d runs, %d with loops, %d with dead fetches", graphs, clear, loops, dead)
	}
}
