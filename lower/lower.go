package lower

import (
	"sort"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// shaper returns the interface of n's shape function.
func (l *lowerer) shaper(n *ir.Node) *Shaper { return &Shaper{l.g, n, l.t} }

type lowerer struct {
	t      *Table
	g      *ir.Graph
	p      *plan.Plan
	bufs   map[ir.Out]*plan.Buf
	used   map[ir.Out]bool
	sizing map[*ir.Node]bool // see sizing
	fed    map[ir.Out]int
	dims   map[string]bool // sizes that are known before the first step
	elems  map[ir.Out][]string
	bound  map[string]bool
	owners *ListOwners // nil before the first use
	seen   map[[32]byte]*plan.Const
	cbufs  map[*plan.Const]*plan.Buf
	temps  int
	node   *ir.Node
	nodes  int  // lowered so far
	late   bool // whether the graph's deadline has passed
	failed map[*ir.Node]bool

	methods map[string]Method // see Methods

	exactConv bool    // see ExactConv
	weights   Weights // see StoreWeights
	files     func(name string) ([]byte, error)

	allowFiles bool // see AllowFiles

	gpu    bool // whether the partition is on a GPU
	onHost func(*ir.Node) bool
	twins

	checked map[string]bool // of the prologue
	// weighings are the calls that read weights, which may be stored in fewer bits
	weighings map[*plan.Call]*Weighing

	lists  []*list // lists to which steps are now appended, each nested in the list before it
	w      *writer // writer of the current scope, nil in a graph without regions
	merges map[*ir.Node][]mergeUse
	slots  map[*ir.Node]*slot
	vars   map[*plan.Buf]*ir.Region // buffer of a loop variable → its loop
	conds  map[ir.Out]*plan.Buf     // copies of those conditions whose value changes before it is used
	errs   []error
}

// Option configures Lower.
type Option func(*lowerer)

// ExactConv makes Lower compute convolutions as plain sums. Lower then does not use Winograd's
// method, whose error is a few times larger, and does not combine adjacent pixels.
func ExactConv(l *lowerer) { l.exactConv = true }

// Lower turns a graph with inferred facts into a plan. The error joins all errors that were found.
func (t *Table) Lower(g *ir.Graph, name string, options ...Option) (*plan.Plan, error) {
	l := &lowerer{t: t, g: g, p: &plan.Plan{Name: name}, bufs: map[ir.Out]*plan.Buf{}, used: map[ir.Out]bool{}, failed: map[*ir.Node]bool{},
		fed: map[ir.Out]int{}, dims: map[string]bool{}, elems: map[ir.Out][]string{}, bound: map[string]bool{},
		seen: map[[32]byte]*plan.Const{}, cbufs: map[*plan.Const]*plan.Buf{}, checked: map[string]bool{},
		twins: twins{gpuOf: t.LookupGPU, dev: map[ir.Out]*plan.Buf{}, consts: map[*plan.Const]*plan.Buf{}, devVars: map[string]*plan.Buf{}}}
	for _, o := range options {
		o(l)
	}
	if err := l.compilable(g); err != nil {
		return nil, err
	}
	order, err := g.Order()
	if err != nil {
		return nil, err
	}
	if err := l.feeds(); err != nil {
		return nil, err
	}
	needed := l.neededSymbols()
	for sname := range needed {
		if s, ok := g.Symbols[sname]; ok && s.Index >= 0 {
			l.elems[s.Out] = append(l.elems[s.Out], sname)
			l.used[s.Out] = true
		}
	}
	l.sizing = sizing(g)
	for _, names := range l.elems {
		sort.Strings(names)
	}
	for _, f := range g.Fetches {
		l.used[f.Out] = true
	}
	for _, t := range g.Targets { // a target runs even if nothing reads it, because it may reject its operands
		for i := range t.Outs {
			l.used[ir.Out{Node: t, Index: i}] = true
		}
	}
	for _, r := range g.Regions() {
		l.used[r.Cond] = true
	}
	for i := len(order) - 1; i >= 0; i-- {
		if n := order[i]; l.runs(n) {
			for _, o := range n.Ins {
				l.used[o] = true
			}
		}
	}
	l.gatherMerges(order)
	l.placeSlots(order)
	if err := l.typed(order); err != nil {
		return nil, err
	}
	l.push(&l.p.Steps)
	if g.Branches() || parted(g) {
		l.run(nil, order)
	} else {
		for _, n := range order {
			l.lowerOne(n)
		}
	}
	if len(l.errs) > 0 {
		return nil, tensor.Join(l.errs...)
	}
	err = l.fetches()
	if err = tensor.Join(append(l.errs, err)...); err != nil {
		return nil, err
	}
	l.p.AddRooms()
	l.narrowWeights()
	if len(l.errs) > 0 {
		return nil, tensor.Join(l.errs...)
	}
	return l.p, nil
}

func (l *lowerer) feeds() error {
	read := l.g.Read()
	for i, f := range l.g.Feeds {
		fact := f.Out.Fact()
		if !fact.Shape.Known && !read[f.Out] {
			l.fed[f.Out] = i
			l.p.Feeds = append(l.p.Feeds, plan.Feed{Name: f.Name, Key: f.Key, DType: fact.DType, AnyShape: true})
			continue
		}
		if !fact.Shape.Known {
			return tensor.AtNode(UnknownRank(f.Out.Node, f.Out.Index), f.Out.Node.Name, f.Out.Node.Op)
		}
		pf := plan.Feed{Name: f.Name, Key: f.Key, DType: fact.DType, Shape: fact.Shape.Dims}
		pf.Buf = l.newBuf(f.Name, fact.DType, sym.Zero)
		pf.Buf.Place, pf.Buf.Shape = plan.Fed, fact.Shape.Dims
		l.bufs[f.Out] = pf.Buf
		l.fed[f.Out] = i
		l.p.Feeds = append(l.p.Feeds, pf)
		for a, d := range fact.Shape.Dims {
			if name, ok := d.IsVar(); ok && !l.dims[name] {
				l.dims[name] = true
				l.p.Dims = append(l.p.Dims, plan.Dim{Name: name, Feed: i, Axis: a})
			}
		}
		pf.Buf.Len = fact.Shape.Len()
	}
	return nil
}

// sizing returns the nodes that determine a size that another node's fact mentions. These nodes run
// even if nothing reads their outputs.
func sizing(g *ir.Graph) map[*ir.Node]bool {
	nodes := map[*ir.Node]bool{}
	for _, n := range g.Nodes {
		set := map[string]bool{}
		for i := range n.Outs {
			for _, d := range n.Outs[i].Shape.Dims {
				d.Vars(set)
			}
			for _, e := range n.Outs[i].Ints {
				e.Vars(set)
			}
		}
		for name := range set {
			if s, ok := g.Symbols[name]; ok && s.Index < 0 && s.Out.Node != n {
				nodes[s.Out.Node] = true
			}
		}
	}
	return nodes
}

// neededSymbols returns the set of all symbols that facts of tensors mention.
func (l *lowerer) neededSymbols() map[string]bool {
	set := map[string]bool{}
	for _, n := range l.g.Nodes {
		for i := range n.Outs {
			for _, d := range n.Outs[i].Shape.Dims {
				d.Vars(set)
			}
			for _, e := range n.Outs[i].Ints {
				e.Vars(set)
			}
		}
	}
	return set
}

func (l *lowerer) lowerNode(n *ir.Node) (err error) {
	if !l.allFed(n) && l.runs(n) {
		for i := range n.Outs {
			if !n.Outs[i].Shape.Known && l.used[ir.Out{Node: n, Index: i}] && n.Outs[i].DType.GoType() != nil {
				return UnknownRank(n, i)
			}
		}
		defer func() {
			if r := recover(); r != nil {
				err = tensor.Errorf(tensor.Internal, "panic in the lowering: %v", r)
			}
		}()
		if err := l.t.contradicted(n); err != nil {
			return err
		}
		done, err := l.lowerGPU(n)
		if err != nil {
			return err
		}
		if !done {
			if err := l.t.Untaken(n); err != nil {
				return err
			}
			if done, err = l.lowerScalar(n); err != nil {
				return err
			}
		}
		if !done {
			if err := l.t.Lookup(n.Op).Lower(&Builder{Graph: l.g, Node: n, l: l}); err != nil {
				return err
			}
		}
	}
	for i := range n.Outs {
		l.bindElems(ir.Out{Node: n, Index: i})
	}
	return nil
}

// allFed reports whether feeds replace all outputs of a node.
func (l *lowerer) allFed(n *ir.Node) bool {
	for i := range n.Outs {
		if _, ok := l.fed[ir.Out{Node: n, Index: i}]; !ok {
			return false
		}
	}
	return len(n.Outs) > 0
}

// runs reports whether the calls of node n must be in the plan: whether n has an effect, determines
// a size, or has an output that is read and is not known at compile time. The entries of l.used for
// the node's outputs must be final.
func (l *lowerer) runs(n *ir.Node) bool {
	d := l.t.Lookup(n.Op)
	if d.Has(Effect) || d.Has(Stateful) || len(n.Outs) == 0 || ir.Joins(n.Op) || l.sizing[n] {
		return true
	}
	if l.lazy(n) {
		return false
	}
	for i := range n.Outs {
		if l.used[ir.Out{Node: n, Index: i}] {
			return true
		}
	}
	return false
}

// lazy reports whether all outputs of a node are known, as constants or as expressions of sizes
// that other nodes bind. Such outputs are stored only when a step reads them.
func (l *lowerer) lazy(n *ir.Node) bool {
	if len(n.Outs) == 0 {
		return false
	}
	for i := range n.Outs {
		f := &n.Outs[i]
		if f.Const == nil && f.Ints == nil || f.Const == nil && len(l.elems[ir.Out{Node: n, Index: i}]) > 0 {
			return false
		}
		set := map[string]bool{}
		for _, d := range f.Shape.Dims {
			d.Vars(set)
		}
		for name := range set {
			if s, ok := l.g.Symbols[name]; ok && s.Index < 0 && s.Out.Node == n {
				return false
			}
		}
	}
	return true
}

// bindElems appends the calls that bind sizes to elements of tensor o, if facts contain symbols for
// these elements. The lowerer calls it right after the tensor is computed.
func (l *lowerer) bindElems(o ir.Out) {
	if len(l.elems[o]) > 0 && l.gpu {
		l.after()
	}
	for _, name := range l.elems[o] {
		f := o.Fact()
		v := plan.View{Buf: l.bufOf(o), Len: f.Shape.Len(), Mode: plan.Read}
		c := &plan.Call{Node: o.Node.Name, Op: o.Node.Op, Rets: []string{name}}
		c.Args = []plan.Arg{v, plan.Int{X: sym.Int(l.g.Symbols[name].Index)}}
		if c.Fn = shape.I64; f.DType == tensor.Int32 {
			c.Fn = shape.I32
		}
		l.step(c)
	}
}

func (l *lowerer) fetches() error {
	l.after()
	var errs []error
	for _, f := range l.g.Fetches {
		fact := f.Out.Fact()
		if !fact.Shape.Known {
			errs = append(errs, tensor.AtNode(UnknownRank(f.Out.Node, f.Out.Index), f.Out.Node.Name, f.Out.Node.Op))
			continue
		}
		if !fact.DType.IsData() {
			errs = append(errs, tensor.AtNode(tensor.Errorf(tensor.InvalidArgument, "%s is a %s and cannot be fetched", f.Name, fact.DType), f.Out.Node.Name, f.Out.Node.Op))
			continue
		}
		if l.t.Is(f.Out.Node.Op, AnyRank) {
			l.p.Fetches = append(l.p.Fetches, anyRankFetch(l, f))
			continue
		}
		l.p.Fetches = append(l.p.Fetches, plan.Fetch{Name: f.Name, Key: f.Key, DType: fact.DType, Shape: fact.Shape.Dims, Buf: l.bufOf(f.Out)})
	}
	return tensor.Join(errs...)
}
