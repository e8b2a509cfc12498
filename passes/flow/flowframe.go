package flow

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// flowKind says which op of TensorFlow 1's control flow a node has, if any.
type flowKind uint8

const (
	plainNode flowKind = iota
	switchNode
	switchNNode
	mergeNode
	enterNode
	ExitNode
	nextNode
	condNode
	triggerNode
)

var flowKinds = map[string]flowKind{"Switch": switchNode, "RefSwitch": switchNode, "_SwitchN": switchNNode, "Merge": mergeNode,
	"RefMerge": mergeNode, "Enter": enterNode, "RefEnter": enterNode, "Exit": ExitNode, "RefExit": ExitNode,
	"NextIteration": nextNode, "RefNextIteration": nextNode, "LoopCond": condNode, "ControlTrigger": triggerNode}

// flowNode describes a node. It keeps the node's op, inputs and control inputs from before the
// pass, and contains the results of the pass's analysis.
type flowNode struct {
	*ir.Node
	Kind     flowKind
	op       string
	ins      []ir.Out
	controls []*ir.Node
	types    []tensor.DType // of the outputs
	orders   []*ir.Node     // control inputs that affect the order of execution; see regions.order
	constant bool           // whether the node is an Enter whose value exists in all iterations
	pinned   bool           // whether the node is a target, or one of its outputs is fetched

	seen  bool // whether the node can be executed in a run
	Frame *frame
	// loop of the node, or nil; for a constant Enter, the loop of its input; for an Exit, the loop
	// that it leaves
	loop *flowLoop

	carries bool // whether the node is a Merge with a NextIteration as an input
	busy    bool
	known   bool // alive is known
	alive   truth
}

// frame is a loop frame as TensorFlow defines it. It contains the nodes between the Enters and the
// Exits that have the same frame name.
type frame struct {
	Name   string
	parent *frame
	depth  int
	enter  *flowNode // the first
}

func (f *frame) text() string {
	if f == nil {
		return "no frame"
	}
	return "frame '" + f.Name + "'"
}

// maxFrames bounds the nesting of loops.
const maxFrames = 1000

// out returns the frame of the nodes that read n.
func (n *flowNode) out() *frame {
	if n.Kind == ExitNode {
		return n.Frame.parent
	}
	return n.Frame
}

// FlowNodes makes a flowNode for each node, with copies of the fields that the pass will change.
func FlowNodes(order []*ir.Node) ([]*flowNode, map[*ir.Node]*flowNode) {
	list := make([]*flowNode, len(order))
	of := make(map[*ir.Node]*flowNode, len(order))
	for i, n := range order {
		f := &flowNode{Node: n, Kind: flowKinds[n.Op], op: n.Op, ins: append([]ir.Out(nil), n.Ins...), controls: append([]*ir.Node(nil), n.Controls...)}
		for i := range n.Outs {
			f.types = append(f.types, n.Outs[i].DType)
		}
		f.constant = f.Kind == enterNode && n.Bool("is_constant")
		list[i], of[n] = f, f
	}
	return list, of
}

// Frames finds the frame of every node that a run reaches, as TensorFlow does: it starts at the
// nodes without inputs and follows all edges. It returns InvalidArgument if a node has inputs from
// different frames.
func Frames(list []*flowNode, of map[*ir.Node]*flowNode) error {
	next := make(map[*ir.Node][]*flowNode, len(list))
	var work []*flowNode
	for _, n := range list {
		for _, o := range n.ins {
			next[o.Node] = append(next[o.Node], n)
		}
		for _, c := range n.controls {
			next[c] = append(next[c], n)
		}
		if len(n.ins)+len(n.controls) == 0 {
			n.seen = true
			work = append(work, n)
		}
	}
	type key struct {
		parent *frame
		name   string
	}
	all := map[key]*frame{}
	for len(work) > 0 {
		n := work[0]
		work = work[1:]
		if (n.Kind == ExitNode || n.Kind == nextNode) && n.Frame == nil {
			return tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "the node is in no frame: no Enter leads to it"), n.Name, n.op)
		}
		at := n.out()
		for _, r := range next[n.Node] {
			want := at
			if r.Kind == enterNode {
				name := r.Str("frame_name")
				if name == "" {
					return tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "an Enter must have a frame name"), r.Name, r.op)
				}
				if k, _ := r.Attrs["parallel_iterations"].(int64); k < 0 || k > math.MaxInt32 {
					return tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "parallel_iterations is %d", k), r.Name, r.op)
				}
				want = all[key{at, name}]
				if want == nil {
					want = &frame{Name: name, parent: at, depth: 1, enter: r}
					if at != nil {
						want.depth = at.depth + 1
					}
					if want.depth > maxFrames {
						return tensor.AtNode(tensor.Errorf(tensor.ResourceExhausted, "loops are nested deeper than %d", maxFrames), r.Name, r.op)
					}
					all[key{at, name}] = want
				}
			}
			if !r.seen {
				r.seen, r.Frame = true, want
				work = append(work, r)
			} else if r.Frame != want {
				has := r.Frame
				if r.Kind == enterNode {
					has = has.parent
				}
				return tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "the node has inputs from different frames: %q is in %s, others are in %s",
					n.Name, at.text(), has.text()), r.Name, r.op)
			}
		}
	}
	return nil
}

// loops returns the loops of the graph. It divides each frame into its connected parts, and returns
// one loop for each part. There can be several parts, because a graph that was imported twice has
// two independent frames with the same name. Constant Enters do not connect parts, since their
// values may be used in all parts of the frame.
func loops(list []*flowNode, of map[*ir.Node]*flowNode, busy func(*ir.Node) bool) []*flowLoop {
	deepest := 0
	for _, n := range list {
		if n.seen && n.Frame != nil {
			deepest = max(deepest, n.Frame.depth)
		}
	}
	if deepest == 0 {
		return nil
	}
	index := make(map[*ir.Node]int32, len(list))
	for i, n := range list {
		index[n.Node] = int32(i)
	}
	var all []*flowLoop
	for d := 1; d <= deepest; d++ {
		up := make([]int32, len(list))
		for i := range up {
			up[i] = int32(i)
		}
		find := func(i int32) int32 {
			for up[i] != i {
				up[i] = up[up[i]]
				i = up[i]
			}
			return i
		}
		union := func(from *ir.Node, to int32) {
			f := of[from]
			if out := f.out(); !f.seen || out == nil || out.depth < d || f.constant && f.Frame.depth == d {
				return
			}
			a, b := find(index[from]), find(to)
			up[max(a, b)] = min(a, b)
		}
		for i, n := range list {
			if !n.seen || n.Frame == nil || n.Frame.depth < d {
				continue
			}
			for _, o := range n.ins {
				union(o.Node, int32(i))
			}
			for _, c := range n.controls {
				union(c, int32(i))
			}
		}
		rejoin(list, of, d, busy, find, func(a, b int32) { up[max(a, b)] = min(a, b) })
		class := map[int32]*flowLoop{}
		for i, n := range list {
			if !n.seen || n.Frame == nil || n.Frame.depth < d || n.constant && n.Frame.depth == d {
				continue
			}
			r := find(int32(i))
			l := class[r]
			if l == nil {
				f := n.Frame
				for f.depth > d {
					f = f.parent
				}
				l = &flowLoop{frame: f, parent: n.loop, flagged: map[*flowNode]bool{}}
				if l.parent != nil {
					l.parent.inner = append(l.parent.inner, l)
				}
				class[r] = l
				all = append(all, l)
			}
			n.loop = l
		}
	}
	for _, n := range list {
		if !n.seen {
			continue
		}
		if in := n.inputs(); in != nil {
			for _, o := range n.ins {
				if f := of[o.Node]; f.constant {
					in.enter(f)
				}
			}
			for _, c := range n.controls {
				if f := of[c]; f.constant {
					in.enter(f)
				}
			}
		}
		l := n.loop
		if l == nil || n.constant {
			continue
		}
		l.nodes = append(l.nodes, n)
		switch n.Kind {
		case enterNode:
			l.enter(n)
		case nextNode:
			l.nexts = append(l.nexts, n)
		case ExitNode:
			l.exits = append(l.exits, n)
		case mergeNode:
			for _, o := range n.ins {
				if of[o.Node].Kind == nextNode {
					n.carries = true
				}
			}
		}
	}
	return all
}

// unvaried reports whether the node n in frame f can be alive if the only Enters of f that are
// alive are constant.
func unvaried(n *flowNode, f *frame, of map[*ir.Node]*flowNode, known map[*flowNode]bool) bool {
	if yes, ok := known[n]; ok {
		return yes
	}
	known[n] = true
	free := func(m *flowNode) bool {
		if m.Kind == enterNode && m.Frame == f {
			return m.constant
		}
		return m.Kind != nextNode && unvaried(m, f, of, known)
	}
	yes := n.Kind != mergeNode
	for _, o := range n.ins {
		if is := free(of[o.Node]); n.Kind == mergeNode {
			yes = yes || is // a Merge is alive if at least one of its inputs is alive
		} else {
			yes = yes && is
		}
	}
	for _, c := range n.controls {
		yes = yes && (n.Kind == mergeNode || free(of[c]))
	}
	known[n] = yes
	return yes
}

// rejoin joins parts of a frame again. It does so if the frame contains a node that reads state or
// has effects, but depends only on constant Enters: TensorFlow runs such a node in each iteration
// of the whole frame. The function busy reports whether a node reads state or has effects.
func rejoin(list []*flowNode, of map[*ir.Node]*flowNode, d int, busy func(*ir.Node) bool, find func(int32) int32, join func(a, b int32)) {
	type key struct {
		f *frame
		l *flowLoop
	}
	type parts struct {
		roots []int32
		stray bool
		known map[*flowNode]bool
	}
	frames := map[key]*parts{}
	var all []*parts
	// whether the part contains a NextIteration, or a node that reads state or has effects
	lively := map[int32]bool{}
	seen := map[int32]bool{}
	for i, n := range list {
		if !n.seen || n.Frame == nil || n.Frame.depth < d || n.constant && n.Frame.depth == d {
			continue
		}
		f := n.Frame
		for f.depth > d {
			f = f.parent
		}
		p := frames[key{f, n.loop}]
		if p == nil {
			p = &parts{known: map[*flowNode]bool{}}
			frames[key{f, n.loop}] = p
			all = append(all, p)
		}
		r := find(int32(i))
		if !seen[r] {
			seen[r] = true
			p.roots = append(p.roots, r)
		}
		if n.Kind == nextNode && n.Frame.depth == d {
			lively[r] = true
		}
		if busy(n.Node) {
			lively[r] = true
			p.stray = p.stray || unvaried(n, f, of, p.known)
		}
	}
	for _, p := range all {
		first := int32(-1)
		for _, r := range p.roots {
			switch {
			case !p.stray || !lively[r]:
			case first < 0:
				first = r
			default:
				join(find(first), find(r))
			}
		}
	}
}

// inputs returns the loop that the node's inputs are in.
func (n *flowNode) inputs() *flowLoop {
	if n.Kind == enterNode && !n.constant {
		return n.loop.parent
	}
	return n.loop
}

// InFrames returns the nodes in loops of TensorFlow 1, except for Exits. If a frame of the graph is
// invalid, it returns an empty set.
func InFrames(g *ir.Graph) map[*ir.Node]bool {
	in := map[*ir.Node]bool{}
	order, err := g.Order()
	if err != nil {
		return in
	}
	list, of := FlowNodes(order)
	if Frames(list, of) != nil {
		return in
	}
	for _, n := range list {
		if n.Frame != nil && n.Kind != ExitNode {
			in[n.Node] = true
		}
	}
	return in
}
