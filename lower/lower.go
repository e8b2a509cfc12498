package lower

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"
	"strings"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// Unsupported is an op no lowering exists for, with the nodes that use it.
type Unsupported struct {
	Op    string
	Nodes []string
}

// UnsupportedError lists everything a graph holds that cannot be lowered.
type UnsupportedError struct{ Ops []Unsupported }

// Error lists every op with its count and first nodes.
func (e *UnsupportedError) Error() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s: %d unsupported ops:", tensor.Unimplemented, len(e.Ops))
	for _, u := range e.Ops {
		fmt.Fprintf(&s, "\n  %s (%d nodes): %s", tensor.Clip(u.Op), len(u.Nodes), tensor.Clip(strings.Join(u.Nodes[:min(3, len(u.Nodes))], ", ")))
		if len(u.Nodes) > 3 {
			s.WriteString(", …")
		}
	}
	return s.String()
}

// Unwrap gives the error its code.
func (e *UnsupportedError) Unwrap() error {
	return tensor.Errorf(tensor.Unimplemented, "unsupported ops")
}

// Compilable refuses a graph with nodes that may not be compiled (PermissionDenied or
// DeadlineExceeded; see Access) or whose ops have no lowering (an UnsupportedError).
func (t *Table) Compilable(g *ir.Graph, options ...Option) error {
	l := &lowerer{t: t}
	for _, o := range options {
		o(l)
	}
	return l.compilable(g)
}

// shaper is what the shape function of n works with.
func (l *lowerer) shaper(n *ir.Node) *Shaper { return &Shaper{l.g, n, l.t} }

func (l *lowerer) compilable(g *ir.Graph) error {
	if err := l.t.refused(g, l.allowFiles); err != nil {
		return err
	}
	if e := l.t.lowerable(g); e != nil {
		return e
	}
	return nil
}

// lowerable lists the ops of g that have no lowering, sorted by name.
func (t *Table) lowerable(g *ir.Graph) *UnsupportedError {
	by := map[string][]string{}
	for _, n := range g.Nodes {
		if d := t.Lookup(n.Op); d == nil || d.Lower == nil {
			by[n.Op] = append(by[n.Op], n.Name)
		}
	}
	if len(by) == 0 {
		return nil
	}
	e := &UnsupportedError{}
	for op, ns := range by {
		e.Ops = append(e.Ops, Unsupported{op, ns})
	}
	sort.Slice(e.Ops, func(i, j int) bool { return e.Ops[i].Op < e.Ops[j].Op })
	return e
}

type lowerer struct {
	t      *Table
	g      *ir.Graph
	p      *plan.Plan
	bufs   map[ir.Out]*plan.Buf
	used   map[ir.Out]bool
	sizing map[*ir.Node]bool // see sizing
	fed    map[ir.Out]int
	dims   map[string]bool // sizes known before the first step
	elems  map[ir.Out][]string
	bound  map[string]bool
	seen   map[[32]byte]*plan.Const
	cbufs  map[*plan.Const]*plan.Buf
	temps  int
	node   *ir.Node
	nodes  int  // lowered so far
	late   bool // the graph's deadline has come
	failed map[*ir.Node]bool

	methods map[string]Method // see Methods

	exactConv bool    // see ExactConv
	weights   Weights // see StoreWeights
	files     func(name string) ([]byte, error)

	allowFiles bool // see AllowFiles

	gpu    bool // the partition is a GPU's
	onHost func(*ir.Node) bool
	twins

	checked map[string]bool // of the prologue
	// weighings are the calls that read weights, which may be stored in fewer bits.
	weighings map[*plan.Call]*Weighing

	lists  []*list // of steps that are open, the innermost last
	w      *writer // of the scope under way, nil in a graph without regions
	merges map[*ir.Node][]mergeUse
	slots  map[*ir.Node]*slot
	vars   map[*plan.Buf]*ir.Region // the places of loops' variables
	conds  map[ir.Out]*plan.Buf     // copies of conditions that change before they are looked at
	errs   []error
}

// Option says how Lower lowers.
type Option func(*lowerer)

// ExactConv has convolutions computed as the sums they are, not by Winograd's
// method, whose error is a few times larger, nor with neighbouring pixels in one.
func ExactConv(l *lowerer) { l.exactConv = true }

// Lower turns a graph with inferred facts into a plan. All errors are joined.
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
	for _, t := range g.Targets { // a target runs although nothing reads it: it may refuse its operands
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

// sizing returns the nodes that find out a size which a fact of another node
// mentions: they run even where nobody reads what they make.
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

// neededSymbols returns every symbol that a fact of a tensor mentions.
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

// typed refuses all nodes that the host computes and whose element types its kernels do not take, so that no
// lowering has to look at them. A node that the device turns out not to compute is looked at when it is lowered.
func (l *lowerer) typed(order []*ir.Node) error {
	var errs []error
	for _, n := range order {
		if l.allFed(n) || !l.runs(n) || l.gpu && l.computes(n) {
			continue
		}
		if err := l.t.Untaken(n); err != nil {
			errs = append(errs, tensor.AtNode(err, n.Name, n.OpName()))
		}
	}
	return tensor.Join(errs...)
}

// allFed reports whether feeds stand for all outputs of a node.
func (l *lowerer) allFed(n *ir.Node) bool {
	for i := range n.Outs {
		if _, ok := l.fed[ir.Out{Node: n, Index: i}]; !ok {
			return false
		}
	}
	return len(n.Outs) > 0
}

// Untaken is the error of a node of element types that its op's kernels do not take. A
// lowering may count on the types that the Def lists: calls with others do not fit.
func (t *Table) Untaken(n *ir.Node) error {
	def := t.Lookup(n.Op)
	if def == nil {
		return nil
	}
	types := def.Types
	for _, attr := range slices.Sorted(maps.Keys(types)) {
		if d, ok := n.Attrs[attr].(tensor.DType); ok && !slices.Contains(types[attr], d) {
			return tensor.Errorf(tensor.Unimplemented, "no CPU kernel takes %s as %s: %v are taken", d, attr, types[attr])
		}
	}
	return nil
}

// contradicted is the error of a node that has, by an attribute, outputs of a type that no kernel
// makes: a shape function may know only the types of the kernels.
func (t *Table) contradicted(n *ir.Node) error {
	o := opdef.Lookup(n.Op)
	if o == nil || len(o.Outs) != len(n.Outs) {
		return nil
	}
	for i, p := range o.Outs {
		if d, ok := n.Attrs[p.TypeAttr].(tensor.DType); ok && d != n.Outs[i].DType {
			return t.Untaken(n)
		}
	}
	return nil
}

// runs reports a node whose calls are made: it has an effect, or somebody reads
// an output that is not known already, or a size that it finds out. used must tell of all its readers.
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

// lazy reports a node all of whose outputs are known as constants or as
// expressions over sizes that others tell: they are stored only where somebody reads them.
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

// bindElems reads sizes that are elements of a tensor, right after it is made.
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

// bufOf returns the buffer of a tensor, storing it now when it was left for later.
func (l *lowerer) bufOf(o ir.Out) *plan.Buf {
	if b := l.bufs[o]; b != nil {
		return b
	}
	if l.dev[o] != nil {
		return l.hostOf(o)
	}
	f := o.Fact()
	switch {
	case f.Const != nil:
		b := l.constBuf(o.Node.Name, "", f.Const)
		l.bufs[o] = b
		return b
	case f.Ints != nil:
		b := l.newBuf(o.String(), f.DType, f.Shape.Len())
		b.Shape = f.Shape.Dims
		c := &plan.Call{Node: o.Node.Name, Op: o.Node.Op}
		c.Args = []plan.Arg{plan.View{Buf: b, Len: b.Len, Mode: plan.Write}, plan.Ints{X: f.Ints}}
		if c.Fn = shape.SetI64; f.DType == tensor.Int32 {
			c.Fn = shape.SetI32
		}
		l.ahead(c)
		l.bufs[o] = b
		if top := l.lists[len(l.lists)-1]; len(l.lists) > 1 {
			top.made = append(top.made, o)
		}
		return b
	}
	if len(l.errs) == 0 { // where there are errors it is of a node that is refused
		l.errs = append(l.errs, tensor.AtNode(tensor.Errorf(tensor.Internal, "it is read before it is made"), o.Node.Name, o.Node.OpName()))
	}
	b := l.newBuf(o.String(), f.DType, sym.Zero)
	l.bufs[o] = b
	return b
}

func (l *lowerer) newBuf(name string, d tensor.DType, n *sym.Expr) *plan.Buf {
	b := &plan.Buf{ID: len(l.p.Bufs), Name: name, DType: d, Len: n}
	switch {
	case d == tensor.String:
		b.Place = plan.Strings
	case d.Opaque():
		b.Place = plan.Handles
	case !l.beforeSteps(n):
		b.Place = plan.Grow
	}
	l.p.Bufs = append(l.p.Bufs, b)
	return b
}

func (l *lowerer) alias(name string, f *ir.Fact, of *plan.Buf, off *sym.Expr) *plan.Buf {
	b := &plan.Buf{ID: len(l.p.Bufs), Name: name, DType: f.DType, Len: f.Shape.Len(), Shape: f.Shape.Dims,
		Place: of.Place, Alias: of, Off: off}
	l.p.Bufs = append(l.p.Bufs, b)
	return b
}

// BeforeSteps reports that e depends on the feeds' sizes only.
func (l *lowerer) beforeSteps(e *sym.Expr) bool {
	set := map[string]bool{}
	e.Vars(set)
	for v := range set {
		if !l.dims[v] {
			return false
		}
	}
	return true
}

func (l *lowerer) constBuf(name, note string, t *tensor.Tensor) *plan.Buf {
	key := constKey(t)
	c := l.seen[key]
	if c == nil {
		c = &plan.Const{ID: len(l.p.Consts), Name: name, DType: t.DType, Shape: t.Shape, Data: t.Data, Note: note}
		l.seen[key] = c
		l.p.Consts = append(l.p.Consts, c)
	}
	if b := l.cbufs[c]; b != nil {
		return b
	}
	b := &plan.Buf{ID: len(l.p.Bufs), Name: c.Name, Place: plan.Constant, DType: t.DType, Const: c,
		Shape: ir.StaticShape(t.Shape...).Dims, Len: sym.Int(t.Len())}
	l.cbufs[c] = b
	l.p.Bufs = append(l.p.Bufs, b)
	return b
}

// constKey is equal for constants of the same Go type and bytes, whatever their shape.
func constKey(t *tensor.Tensor) [32]byte {
	h := ir.NewHash()
	fmt.Fprintf(h, "%T %d\n", t.Data, t.Len())
	if ss, ok := t.Data.([]string); ok {
		for _, s := range ss {
			fmt.Fprintf(h, "%d:%s", len(s), s)
		}
	} else if n := t.Len(); n > 0 {
		h.Write(tensor.Raw(reflect.ValueOf(t.Data)))
	}
	return [32]byte(h.Sum(nil))
}

// begin notes the node whose steps come now.
func (l *lowerer) begin(n *ir.Node) {
	l.node = n
	top := l.lists[len(l.lists)-1]
	top.begun = len(*top.steps)
}

// ahead puts a step before those of the node under way, which may be in a loop of rows already.
func (l *lowerer) ahead(s plan.Step) {
	top := l.lists[len(l.lists)-1]
	*top.steps = slices.Insert(*top.steps, min(top.begun, len(*top.steps)), s)
	top.begun++
}

// after has what is stored for the first time come behind all steps so far.
func (l *lowerer) after() {
	top := l.lists[len(l.lists)-1]
	top.begun = len(*top.steps)
}

func (l *lowerer) step(s plan.Step) {
	top := l.lists[len(l.lists)-1].steps
	*top = append(*top, s)
	if c, ok := s.(*plan.Call); ok {
		for _, r := range c.Rets {
			l.bound[r] = true
		}
	}
}

// check puts a check before the steps when the feeds' sizes decide it.
func (l *lowerer) check(c *plan.Call) {
	if len(l.lists) > 1 { // it counts where the branch is taken
		l.step(c)
		return
	}
	set := map[string]bool{}
	for _, a := range c.Args {
		switch a := a.(type) {
		case plan.View:
			l.step(c)
			return
		case plan.Int:
			a.X.Vars(set)
		case plan.Ints:
			for _, e := range a.X {
				e.Vars(set)
			}
		case plan.Struct:
			for _, es := range a.Fields {
				for _, e := range es {
					e.Vars(set)
				}
			}
		}
	}
	for v := range set {
		if !l.dims[v] {
			l.step(c)
			return
		}
	}
	if key := checkKey(c); !l.checked[key] {
		l.checked[key] = true
		l.p.Prologue = append(l.p.Prologue, c)
	}
}

// checkKey is equal for checks that refuse the same sizes.
func checkKey(c *plan.Call) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%x", reflect.ValueOf(c.Fn).Pointer())
	for _, a := range c.Args {
		if s, ok := a.(plan.Struct); ok { // its expressions stand behind pointers
			names := slices.Sorted(maps.Keys(s.Fields))
			fmt.Fprintf(&b, " %T%+v", s.V, s.V)
			for _, n := range names {
				fmt.Fprintf(&b, " %s=%v", n, s.Fields[n])
			}
			continue
		}
		fmt.Fprintf(&b, " %T%v", a, a)
	}
	return b.String()
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
