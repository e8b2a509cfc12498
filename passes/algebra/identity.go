package algebra

import (
	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
)

// Identity removes nodes whose outputs are equal to their inputs: Identity, IdentityN and similar
// ops, casts to the same type, sums and products with a neutral element, and nodes that rearrange
// elements but in this case move none. The readers of a removed node get its control inputs. If
// this would increase the number of edges, the node is kept. If the output of a removed node was
// fetched, its input is fetched instead.
func Identity(s *edit.State) (bool, error) {
	// in this order, inputs come before their readers, so one pass is enough for a chain of nodes
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	x := &identities{s: s, e: s.Edit(), cond: edit.Conditional(s.O.Ops, s.G), readers: s.G.Readers(), fetched: map[*ir.Node]bool{}, waited: map[*ir.Node]bool{}}
	for _, f := range s.G.Fetches {
		x.fetched[f.Out.Node] = true
	}
	for _, f := range s.G.Feeds {
		x.waited[f.Out.Node] = true
	}
	for _, t := range s.G.Targets {
		x.waited[t] = true
	}
	for _, n := range s.G.Nodes {
		for _, c := range n.Controls {
			x.waited[c] = true
		}
	}
	for _, n := range order {
		if from, why := x.forwards(n); why != "" && x.free(n) {
			if !x.remove(n, from, why) {
				break
			}
		}
	}
	return x.e.Apply(), nil
}

type identities struct {
	s       *edit.State
	e       *ir.Editor
	cond    map[*ir.Node]bool
	readers map[ir.Out][]*ir.Node
	fetched map[*ir.Node]bool
	waited  map[*ir.Node]bool // nodes that are sources of control edges, targets or feeds
}

// free reports whether control flow, references and control edges allow n to be removed.
func (x *identities) free(n *ir.Node) bool {
	if x.waited[n] && x.cond[n] {
		return false // nodes with a control edge from n run only if the branch of n is taken
	}
	for _, o := range n.Ins[:min(1, len(n.Ins))] {
		if d := opdef.Lookup(o.Node.Op); d != nil && len(d.Outs) > 0 && d.Outs[0].Ref {
			return false // n copies a variable, which may change after the copy
		}
	}
	if len(n.Controls) == 0 {
		return true
	}
	if x.fetched[n] {
		return false
	}
	total := 0
	for i := range n.Outs {
		for _, r := range x.readers[ir.Out{Node: n, Index: i}] {
			if edit.IsFlow(x.s.O.Ops, r) || ir.Joins(r.Op) {
				return false
			}
			total++
		}
	}
	return total*len(n.Controls) <= total+len(n.Controls)
}

// remove replaces output i of n by input from+i of n, for all outputs. It returns false if the pass
// may make no more changes.
func (x *identities) remove(n *ir.Node, from int, why string) bool {
	for i := range n.Outs {
		o := ir.Out{Node: n, Index: i}
		if !x.e.Replace(o, x.e.Resolve(n.Ins[from+i]), why) {
			return false
		}
		for _, r := range x.readers[o] {
			r.Controls = append(r.Controls, n.Controls...)
		}
	}
	x.e.Remove(n, why)
	return true
}

// forwards returns a text that says why each output i of n is equal to input from+i. It returns ""
// if the outputs may differ from the inputs.
func (x *identities) forwards(n *ir.Node) (from int, why string) {
	if len(n.Ins) == 0 || len(n.Outs) == 0 || ir.Joins(n.Op) {
		return 0, ""
	}
	switch {
	case n.Op == "IdentityN":
		if len(n.Ins) == len(n.Outs) {
			return 0, "passes its inputs through"
		}
		return 0, ""
	case len(n.Outs) != 1:
		return 0, ""
	case x.s.O.Ops.Is(n.Op, lower.Forward):
		return 0, "passes its input through"
	}
	if n.Op == "Split" { // axis, value
		from = 1
	}
	i, idle := x.neutral(n)
	if idle {
		from = i
	}
	if len(n.Ins) <= from {
		return 0, ""
	}
	in, out := n.Ins[from].Fact(), &n.Outs[0]
	if !out.Valid() || in.DType != out.DType || !in.Shape.Equal(out.Shape) {
		return 0, ""
	}
	if idle {
		return from, "computes with a neutral element"
	}
	if (n.Op == "Sum" || n.Op == "Mean") && !out.DType.IsInteger() && edit.ZeroSignSeen(x.s.O.Ops, x.readers, ir.Out{Node: n}) {
		return 0, "" // the kernel begins with +0 as the sum, so an element -0 becomes +0
	}
	for i, o := range n.Ins {
		if i != from && !sized(o.Fact()) {
			return 0, "" // n must check the number or the values of this input's elements at run time
		}
	}
	return from, unmoved(n, in)
}

// neutral checks whether one of the two inputs of n is a constant that changes no number, not even
// NaN, such as 1 in a product. If so, neutral returns the number of the other input. The output of
// n is equal to the other input if their shapes are also equal, which the caller checks. A sum with
// 0 changes -0 to 0; it is accepted only if no reader of the sum distinguishes -0 from 0.
func (x *identities) neutral(n *ir.Node) (int, bool) {
	if len(n.Ins) != 2 {
		return 0, false
	}
	for i := range n.Ins {
		t := n.Ins[1-i].Node.Value()
		c, ok := edit.Uniform(t)
		if !ok || n.Ins[i].Node.Op == "Const" {
			continue
		}
		if !t.DType.IsInteger() && !t.DType.IsFloat() {
			continue
		}
		switch n.Op {
		case "Mul":
			ok = c == 1
		case "RealDiv", "Div":
			ok = c == 1 && i == 0
		case "Add", "AddV2":
			ok = c == 0 && (t.DType.IsInteger() || !edit.ZeroSignSeen(x.s.O.Ops, x.readers, ir.Out{Node: n}))
		case "Sub":
			ok = c == 0 && i == 0 && (t.DType.IsInteger() || !edit.ZeroSignSeen(x.s.O.Ops, x.readers, ir.Out{Node: n}))
		default:
			return 0, false
		}
		if ok {
			return i, true
		}
	}
	return 0, false
}

// sized reports whether the shape of a tensor is static and its elements are known, as numbers or
// as symbolic sizes. If so, they need not be checked at run time.
func sized(f *ir.Fact) bool {
	if f.Const != nil {
		return true
	}
	for _, d := range f.Shape.Dims {
		if _, ok := d.IsInt(); !ok {
			return false
		}
	}
	return f.Ints != nil && f.Shape.Known
}

// unmoved returns a text that says why the output of n is equal to its first input. The two must
// have the same type and shape. It returns "" if they may differ in value.
func unmoved(n *ir.Node, in *ir.Fact) string {
	switch n.Op {
	case "Cast", "Bitcast", "_ToBool":
		return "casts to the type it has"
	case "Squeeze":
		for _, d := range in.Shape.Dims {
			if _, known := d.IsInt(); !known && len(n.Ints("squeeze_dims")) == 0 {
				return "" // an unknown size may be 1 at run time, and Squeeze would then remove this dimension
			}
		}
		return "changes no size"
	case "Reshape", "ExpandDims", "BroadcastTo", "EnsureShape":
		return "changes no size"
	case "Tile":
		// if the counts are unknown, they must be checked at run time: a negative count is an error
		// even for an empty axis
		if _, ok := Ints(n.Ins[1]); ok {
			return "changes no size"
		}
	case "Slice":
		if all(n.Ins[1], 0) {
			return "takes everything"
		}
	case "Pad", "PadV2", "MirrorPad":
		return "takes everything"
	case "StridedSlice":
		if n.Int("ellipsis_mask") != 0 || n.Int("new_axis_mask") != 0 || n.Int("shrink_axis_mask") != 0 {
			return ""
		}
		if len(n.Ins) == 4 && all(n.Ins[3], 1) {
			return "takes everything"
		}
	case "Transpose":
		if len(n.Ins) == 2 && keepsOrder(n.Ins[1], in.Shape) {
			return "moves nothing"
		}
	case "ReverseV2":
		if len(n.Ins) == 2 && onlyOnes(n.Ins[1], in.Shape) {
			return "reverses axes of size one"
		}
	case "Max", "Min", "Prod", "Mean", "Sum", "Any", "All":
		if len(n.Ins) == 2 && onlyOnes(n.Ins[1], in.Shape) {
			return "reduces axes of size one"
		}
	case "Split", "SplitV": // with one output
		return "there is one part"
	case "AddN":
		if len(n.Ins) == 1 {
			return "there is one part"
		}
	case "RandomShuffle":
		if len(in.Shape.Dims) > 0 && in.Shape.Dims[0].Is(1) {
			return "shuffles one row"
		}
	}
	return ""
}

// Ints returns the elements of a tensor of integers if all are known numbers.
func Ints(o ir.Out) ([]int, bool) {
	f := o.Fact()
	if f.Const != nil {
		vs, ok := f.Const.Ints()
		if !ok {
			return nil, false
		}
		r := make([]int, len(vs))
		for i, v := range vs {
			r[i] = int(v)
		}
		return r, true
	}
	if f.Ints == nil {
		return nil, false
	}
	r := make([]int, len(f.Ints))
	for i, e := range f.Ints {
		v, ok := e.IsInt()
		if !ok {
			return nil, false
		}
		r[i] = v
	}
	return r, true
}

func all(o ir.Out, v int) bool {
	vs, ok := Ints(o)
	for _, w := range vs {
		ok = ok && w == v
	}
	return ok
}

// keepsOrder reports whether the permutation perm keeps the order of those axes whose size is not
// 1. If the shape does not change either, the permutation moves no elements.
func keepsOrder(perm ir.Out, s ir.Shape) bool {
	ps, ok := Ints(perm)
	if !ok || len(ps) != len(s.Dims) {
		return false
	}
	last := -1
	for _, p := range ps {
		if p < 0 {
			p += len(ps)
		}
		if p < 0 || p >= len(ps) {
			return false
		}
		if s.Dims[p].Is(1) {
			continue
		}
		if p < last {
			return false
		}
		last = p
	}
	return true
}

// onlyOnes reports whether all axes that are listed in the parameter axes have size 1 in the shape
// s.
func onlyOnes(axes ir.Out, s ir.Shape) bool {
	as, ok := Ints(axes)
	if !ok {
		return false
	}
	for _, a := range as {
		if a < 0 {
			a += len(s.Dims)
		}
		if a < 0 || a >= len(s.Dims) || !s.Dims[a].Is(1) {
			return false
		}
	}
	return true
}
