package algebra

import (
	"fmt"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Limits of folding, in addition to ir.Limits.
const (
	// If an output is larger than ir.Limits.FoldNode, it is stored only if it is at most foldGrowth
	// times as large as the constants from which it is computed. Such an output is usually the
	// result of converting stored weights.
	foldGrowth = 4
	// FoldCheap is the size limit in bytes for values that can be computed as fast as they can be
	// read from memory. For all other values, the limit is ir.Limits.FoldNode.
	FoldCheap = 100 << 10
	// foldInner bounds the size in bytes of an intermediate result of the evaluation.
	foldInner = 256 << 20
	// foldMemory bounds the memory in bytes that an evaluation holds at any time.
	foldMemory = 512 << 20
	// foldShare limits the time for evaluating nodes: it must be at most 1/foldShare of the time
	// limit for compiling.
	foldShare = 4
)

// Fold replaces nodes that depend only on constants by the values of their outputs. Some of these
// values are known from shape inference. For pure nodes with constant inputs, Options.Eval computes
// the values, in one call for a whole subgraph of such nodes. If the evaluation of a node fails,
// the node is kept, because TensorFlow reports an error only when the node runs. The new constant
// gets the control inputs of the nodes that it replaces. If it has no control inputs, it is outside
// of all regions.
func Fold(s *edit.State) (bool, error) { return foldNodes(s, false) }

// Sizes is like Fold, but replaces only small integers and booleans. It runs even if all optional
// passes are disabled, because the rank of a tensor may depend on such values, and a tensor of
// unknown rank cannot be compiled.
func Sizes(s *edit.State) (bool, error) { return foldNodes(s, true) }

func foldNodes(s *edit.State, sizes bool) (bool, error) {
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	f := &Folder{S: s, sizes: sizes, order: order, e: s.Edit(), cond: edit.Conditional(s.O.Ops, s.G), fed: map[*ir.Node]bool{}, in: map[*ir.Node]bool{}, stay: map[*ir.Node]bool{},
		leaves: map[*ir.Node]int{}, dear: map[*ir.Node]bool{}, waits: map[*ir.Node][]*ir.Node{},
		fetched: map[ir.Out]bool{}, readers: s.G.Readers()}
	for _, fd := range s.G.Feeds {
		f.fed[fd.Out.Node] = true
	}
	for _, ft := range s.G.Fetches {
		f.fetched[ft.Out] = true
	}
	for _, r := range s.G.Regions() {
		f.fetched[r.Cond] = true
	}
	if (sizes || f.known()) && s.O.Eval != nil {
		f.cones()
		f.evaluate()
	}
	return f.e.Apply(), nil
}

// Folder computes values that are known at compile time and replaces tensors by constants.
type Folder struct {
	S       *edit.State
	sizes   bool // whether only small integers and booleans are replaced
	order   []*ir.Node
	e       *ir.Editor
	cond    map[*ir.Node]bool
	fed     map[*ir.Node]bool
	fetched map[ir.Out]bool // tensors that are fetched or are a region's condition
	readers map[ir.Out][]*ir.Node
	in      map[*ir.Node]bool // nodes that depend only on constants and can be evaluated
	leaves  map[*ir.Node]int  // lower bound for the size in bytes of the constants from which a node is computed
	dear    map[*ir.Node]bool // nodes whose results take longer to compute than to read from memory
	waits   map[*ir.Node][]*ir.Node
	stay    map[*ir.Node]bool // nodes that could be evaluated, but run at run time
}

// used reports whether a tensor is read or fetched.
func (f *Folder) used(o ir.Out) bool { return len(f.readers[o]) > 0 || f.fetched[o] }

// known replaces outputs whose value shape inference found. It returns false if the pass is out of
// fuel.
func (f *Folder) known() bool {
	for _, n := range f.order {
		if n.Op == "Const" || n.Op == ir.YieldOp || n.Op == ir.NextOp || f.fed[n] || f.cond[n] || f.S.Levels.Of(n) > lower.Reads {
			continue
		}
		for i := range n.Outs {
			o := ir.Out{Node: n, Index: i}
			t := n.Outs[i].Const
			if t == nil || !f.used(o) || isForward(f.S.O.Ops, n) {
				continue
			}
			if !f.replace(o, t, n.Controls, "its value is known") {
				return false
			}
		}
	}
	return true
}

// isForward reports whether n does nothing but pass a constant to its output. Fold skips such
// nodes, because the pass named identity removes them.
func isForward(ops *lower.Table, n *ir.Node) bool {
	return ops.Is(n.Op, lower.Forward) && len(n.Ins) == 1 && n.Ins[0].Node.Op == "Const" && len(n.Controls) == 0
}

// replace replaces a tensor by a constant.
func (f *Folder) replace(o ir.Out, t *tensor.Tensor, controls []*ir.Node, why string) bool {
	name := o.Node.Name + "/const"
	if o.Index > 0 {
		name += fmt.Sprintf("_%d", o.Index)
	}
	c := f.S.G.NewConst(name, t)
	c.Node.Device, c.Node.Origin = o.Node.Device, o.Node.Origin
	c.Node.Controls = append([]*ir.Node(nil), controls...)
	return f.e.Replace(o, c, why)
}

// cones finds the nodes that can be evaluated, and records them in f.in.
func (f *Folder) cones() {
	for _, n := range f.order {
		if !f.foldable(n) {
			continue
		}
		f.in[n] = true
		f.wait(n)
		inner := 0
		f.dear[n] = !f.S.O.Ops.Trait(n.Op, lower.Fills)
		for _, o := range n.Ins {
			f.dear[n] = f.dear[n] || f.dear[o.Node]
			if f.in[o.Node] {
				inner = max(inner, f.leaves[o.Node])
			} else if b, ok := BytesOf(o.Fact()); ok {
				f.leaves[n] += b
			}
		}
		f.leaves[n] += inner
	}
}

// constant returns the value of a tensor, or nil if it is unknown. The value is known if the tensor
// is a Const, which this pass may have added, or if shape inference found it.
func (f *Folder) constant(o ir.Out) *tensor.Tensor {
	o = f.e.Resolve(o)
	if t := o.Node.Value(); t != nil && !f.fed[o.Node] {
		return t
	}
	if f.fed[o.Node] || f.cond[o.Node] || f.S.Levels.Of(o.Node) != lower.Pure {
		return nil
	}
	return o.Fact().Const
}

// tooLarge is the reason that is reported if a node is computed in each run although it depends
// only on constants.
const tooLarge = "it depends only on constants, but its value is too large to store"

// refuse records why a node that could be evaluated is not folded.
func (f *Folder) refuse(n *ir.Node) {
	if why := f.S.NoFold[n.Name]; why != "" && !f.sizes {
		f.e.Refuse(n, why)
	}
}

func (f *Folder) foldable(n *ir.Node) bool {
	if f.S.NoFold[n.Name] != "" {
		f.refuse(n)
		return false
	}
	if n.Op == "Const" || len(n.Ins) == 0 || f.fed[n] || edit.IsFlow(f.S.O.Ops, n) || ir.Joins(n.Op) || isForward(f.S.O.Ops, n) || f.S.Levels.Of(n) != lower.Pure {
		return false
	}
	d := f.S.O.Ops.Lookup(n.Op)
	if d == nil || d.Lower == nil || d.Has(lower.NoFold) {
		return false
	}
	used := false
	for i := range n.Outs {
		fact := &n.Outs[i]
		if !fact.DType.IsData() {
			return false
		}
		used = used || f.used(ir.Out{Node: n, Index: i})
		if f.sizes && !isSize(fact) {
			return false
		}
		if size, ok := BytesOf(fact); ok && size > foldInner {
			return false
		}
	}
	for _, o := range n.Ins {
		if !f.in[o.Node] && f.constant(o) == nil {
			return false
		}
	}
	return used
}

// isSize reports whether a tensor may be used to compute shapes: whether it is a small scalar or
// vector of integers or booleans.
func isSize(f *ir.Fact) bool {
	if f.DType != tensor.Int32 && f.DType != tensor.Int64 && f.DType != tensor.Bool || f.Shape.Rank() > 1 {
		return false
	}
	if !f.Shape.Known {
		return false
	}
	n, ok := f.Shape.Len().IsInt()
	return !ok || n <= ir.MaxInts
}

// BytesOf returns the size of a tensor in bytes. If the tensor has more than foldInner elements,
// BytesOf returns foldInner+1 instead. It returns false if the size is known only at run time.
func BytesOf(f *ir.Fact) (int, bool) {
	s, ok := f.Shape.Static()
	if !ok {
		return 0, false
	}
	n, err := s.Len()
	if err != nil || n > foldInner {
		return foldInner + 1, true
	}
	return n * f.DType.Size(), true
}

// frontier returns the tensors to be stored as constants: the outputs of evaluated nodes that are
// read by nodes that run at run time. If such an output is too large to be stored, its node also
// runs at run time, and the inputs of this node are stored instead.
func (f *Folder) frontier() []ir.Out {
	var outs []ir.Out
	for k := len(f.order) - 1; k >= 0; k-- {
		n := f.order[k]
		if !f.in[n] {
			continue
		}
		var want []ir.Out
		for i := range n.Outs {
			o := ir.Out{Node: n, Index: i}
			if !f.wanted(o) {
				continue
			}
			if size, ok := BytesOf(&n.Outs[i]); ok && !f.affords(n, size) {
				f.stay[n] = true
				if !f.sizes {
					f.e.Refuse(n, tooLarge)
				}
			}
			want = append(want, o)
		}
		if !f.stay[n] {
			outs = append(outs, want...)
		}
	}
	slices.Reverse(outs)
	return outs
}

// wanted reports whether a tensor is read at run time.
func (f *Folder) wanted(o ir.Out) bool {
	if f.fetched[o] {
		return true
	}
	for _, r := range f.readers[o] {
		if !f.in[r] || f.stay[r] {
			return true
		}
	}
	return false
}

// affords reports whether an output of n may be stored as a constant. Parameter size is the size of
// the output in bytes.
func (f *Folder) affords(n *ir.Node, size int) bool {
	ins, most := f.leaves[n], FoldCheap
	if f.dear[n] {
		most = f.S.O.Limits.FoldNode
	}
	if bound := f.S.O.MaxFolded; bound > 0 && size > bound && !f.sizes {
		return false
	}
	if size > most && size > foldGrowth*ins {
		return false
	}
	return f.S.Folded+max(0, size-ins) <= f.S.O.Limits.FoldTotal
}

// evaluate computes the tensors that frontier returns, and replaces them by constants. It computes
// all of them in one graph or, if that fails, one node after the other.
func (f *Folder) evaluate() {
	outs := f.frontier()
	if len(outs) == 0 {
		return
	}
	if vals, err := f.eval(outs); err == nil {
		for i, o := range outs {
			if !f.store(o, vals[i]) {
				return
			}
		}
		return
	}
	known := map[ir.Out]*tensor.Tensor{}
	held := 0
	for _, n := range f.order {
		if !f.in[n] {
			continue
		}
		var os []ir.Out
		for i := range n.Outs {
			if o := (ir.Out{Node: n, Index: i}); f.used(o) {
				os = append(os, o)
			}
		}
		vals, err := f.evalNode(n, os, known)
		for _, t := range vals {
			if held += t.Len() * t.DType.Size(); held > foldMemory {
				err = tensor.Errorf(tensor.ResourceExhausted, "the values it depends on take more than %d bytes", foldMemory)
			}
		}
		if err != nil {
			f.S.NoFold[n.Name] = "computing it fails: " + err.Error()
			f.refuse(n)
			f.stay[n] = true
			continue
		}
		for i, o := range os {
			known[o] = vals[i]
		}
	}
	for _, o := range f.frontier() {
		if !f.store(o, known[o]) {
			return
		}
	}
}

// store replaces a tensor by its computed value.
func (f *Folder) store(o ir.Out, t *tensor.Tensor) bool {
	size := t.Len() * t.DType.Size()
	if t.DType != o.Fact().DType || !f.affords(o.Node, size) {
		f.S.NoFold[o.Node.Name] = tooLarge
		f.refuse(o.Node)
		return true
	}
	f.S.Folded += size
	return f.replace(o, t, f.waits[o.Node], "depends on constants only")
}

// wait records the nodes for which n waits, directly or because of the evaluated nodes on which it
// depends. It is called for all nodes in topological order. Nodes with equal lists use the same
// slice.
func (f *Folder) wait(n *ir.Node) {
	out := n.Controls
	for _, o := range n.Ins {
		from := o.Node.Controls
		if f.in[o.Node] {
			from = f.waits[o.Node]
		}
		switch {
		case len(from) == 0:
		case len(out) == 0:
			out = from
		case &out[0] != &from[0]:
			out = Union(out, from)
		}
	}
	f.waits[n] = out
}

// Union returns the nodes of list a, followed by the nodes of b that are not in a.
func Union(a, b []*ir.Node) []*ir.Node {
	seen := make(map[*ir.Node]bool, len(a))
	for _, n := range a {
		seen[n] = true
	}
	out := a[:len(a):len(a)]
	for _, n := range b {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// eval returns the values of the given tensors. It evaluates all of them in a single graph.
func (f *Folder) eval(outs []ir.Out) ([]*tensor.Tensor, error) {
	sub := f.graph()
	clone := map[*ir.Node]*ir.Node{}
	for _, n := range f.order {
		if f.in[n] {
			sub.add(n, clone, nil)
		}
	}
	for _, o := range outs {
		sub.fetch(ir.Out{Node: clone[o.Node], Index: o.Index})
	}
	sub.G.Keep(edit.Needed(sub.G))
	return sub.Run(len(outs))
}

// evalNode computes the outputs of one node.
func (f *Folder) evalNode(n *ir.Node, outs []ir.Out, known map[ir.Out]*tensor.Tensor) ([]*tensor.Tensor, error) {
	for _, o := range n.Ins {
		if f.in[o.Node] && known[o] == nil {
			return nil, tensor.Errorf(tensor.FailedPrecondition, "%s was not computed", o)
		}
	}
	sub := f.graph()
	c := sub.add(n, map[*ir.Node]*ir.Node{}, known)
	for _, o := range outs {
		sub.fetch(ir.Out{Node: c, Index: o.Index})
	}
	return sub.Run(len(outs))
}

// Subgraph is a graph of constants and pure nodes that is built in order to be evaluated.
type Subgraph struct {
	F      *Folder
	G      *ir.Graph
	consts map[ir.Out]ir.Out
}

func (f *Folder) graph() *Subgraph {
	g := ir.NewGraph("constants")
	g.Library, g.Producer, g.Deadline = f.S.G.Library, f.S.G.Producer, f.S.G.Deadline
	return &Subgraph{f, g, map[ir.Out]ir.Out{}}
}

// add adds a copy of n to the subgraph, and records it in the map clone. The inputs of the copy are
// copies of nodes, or constants.
func (s *Subgraph) add(n *ir.Node, clone map[*ir.Node]*ir.Node, known map[ir.Out]*tensor.Tensor) *ir.Node {
	ins := make([]ir.Out, len(n.Ins))
	for i, o := range n.Ins {
		if c := clone[o.Node]; c != nil {
			ins[i] = ir.Out{Node: c, Index: o.Index}
			continue
		}
		if _, ok := s.consts[o]; !ok {
			t := known[o]
			if t == nil {
				t = s.F.constant(o)
			}
			s.consts[o] = s.G.NewConst(o.Node.Name, t)
		}
		ins[i] = s.consts[o]
	}
	c := s.G.NewNode(n.Name, n.Op, n.Attrs, len(n.Outs), ins...)
	for i := range c.Outs {
		c.Outs[i].DType = n.Outs[i].DType
	}
	clone[n] = c
	return c
}

func (s *Subgraph) fetch(o ir.Out) {
	s.G.Fetches = append(s.G.Fetches, ir.Fetch{Name: o.String(), Key: o.String(), Out: o})
}

// Run evaluates the subgraph and returns the values of its fetches. Parameter n is their number. If
// a kernel panics, Run returns an error.
func (s *Subgraph) Run(n int) (ts []*tensor.Tensor, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = tensor.Errorf(tensor.Internal, "panic in the evaluation: %v", r)
		}
	}()
	if s.F.S.G.Deadline.Limit > 0 {
		left := s.F.S.G.Deadline.Limit/foldShare - s.F.S.Folding
		if left <= 0 {
			return nil, tensor.Errorf(tensor.ResourceExhausted, "folding constants takes longer than %v", s.F.S.G.Deadline.Limit/foldShare)
		}
		s.G.Deadline = s.G.Deadline.Within(left)
		start := ir.CPUTime()
		defer func() { s.F.S.Folding += ir.CPUTime() - start }()
	}
	ts, err = s.F.S.O.Eval(s.G)
	if err == nil && len(ts) != n {
		err = tensor.Errorf(tensor.Internal, "%d values for %d fetches", len(ts), n)
	}
	for _, t := range ts {
		if err == nil && t == nil {
			err = tensor.Errorf(tensor.Internal, "a fetch has no value")
		}
	}
	return ts, err
}
