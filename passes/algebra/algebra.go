package algebra

import (
	"math"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Many models do not use an op for a function such as GELU, but compute it by sums, products and
// other elementary ops. The comments in this package then say that the function is "spelled out". A
// pattern recognizes such a function by its value, however the sums and products are associated.
// For this purpose, the nodes are multiplied out into a polynomial in a few tensors, which are
// called atoms. The polynomial is then compared with the polynomial of the function.

// Atom identifies a tensor that is a variable of a polynomial.
type Atom byte

// These are the atoms. Vectors are the atoms FirstVector, FirstVector+1 and so on.
const (
	AtomX Atom = 'a' + iota // the function's argument
	AtomF                   // erf, tanh or sigmoid of an expression in the argument
	AtomMean
	AtomScale // 1/√(variance + ε)
	FirstVector
)

// Poly is a polynomial. It maps each monomial, written as the sorted string of its atoms, to its
// coefficient. No coefficient is zero.
type Poly map[string]float64

// mostTerms and mostDegree bound the number of terms and the degree of a polynomial.
const mostTerms, mostDegree = 8, 6

func number(v float64) Poly {
	if v == 0 {
		return Poly{}
	}
	return Poly{"": v}
}

// Variable returns the polynomial that consists of one atom.
func Variable(a Atom) Poly { return Poly{string(rune(a)): 1} }

// Plus returns p + sign·q.
func (p Poly) Plus(q Poly, sign float64) Poly {
	r := Poly{}
	for m, c := range p {
		r[m] = c
	}
	for m, c := range q {
		if r[m] += sign * c; r[m] == 0 {
			delete(r, m)
		}
	}
	return r
}

// Times returns the product of p and q.
func (p Poly) Times(q Poly) Poly {
	r := Poly{}
	for m, c := range p {
		for n, d := range q {
			b := []byte(m + n)
			slices.Sort(b)
			if r[string(b)] += c * d; r[string(b)] == 0 {
				delete(r, string(b))
			}
		}
	}
	return r
}

// small reports whether p is within bounds and finite.
func (p Poly) small() bool {
	if len(p) > mostTerms {
		return false
	}
	for m, c := range p {
		if len(m) > mostDegree || math.IsNaN(c) || math.IsInf(c, 0) {
			return false
		}
	}
	return true
}

// Is reports whether p and q have the same terms with equal coefficients. Coefficients may differ
// by the rounding of a few constants to float32.
func (p Poly) Is(q Poly) bool {
	if len(p) != len(q) {
		return false
	}
	for m, c := range q {
		if d, ok := p[m]; !ok || !near(d, c) {
			return false
		}
	}
	return true
}

// near reports whether a and b are approximately equal. They may differ by as much as the rounding
// of constants, and of a product of constants, to float32.
func near(a, b float64) bool { return math.Abs(a-b) <= math.Abs(b)*0x1p-22 }

// Algebra turns nodes into polynomials.
type Algebra struct {
	Env map[ir.Out]Poly // tensors whose polynomial is given
	Inv map[ir.Out]Poly // for a tensor that is a divisor, the polynomial of 1 divided by this tensor
	// Leaf returns the polynomial of a tensor that cannot be multiplied out. If Leaf is nil, such a
	// tensor has no polynomial.
	Leaf func(ir.Out) (Poly, bool)
	// Trail lists the nodes that Expand has multiplied out. A node may occur in the list several
	// times.
	Trail []*ir.Node
}

// Expand returns the polynomial of a tensor, or false if the tensor is not a polynomial in the
// atoms. Parameter depth is the largest number of nodes in a chain that are multiplied out.
func (a *Algebra) Expand(o ir.Out, depth int) (Poly, bool) {
	if p, ok := a.Env[o]; ok {
		return p, true
	}
	n := o.Node
	if t := n.Value(); t != nil {
		c, ok := edit.Uniform(t)
		if ok && !math.IsNaN(c) && !math.IsInf(c, 0) && (a.Leaf == nil || t.Len() == 1 || c == 0 || c == 1) {
			return number(c), true
		}
	} else if depth > 0 && o.Index == 0 && len(n.Outs) == 1 && len(n.Ins) > 0 && len(n.Ins) <= 2 {
		mark := len(a.Trail)
		if p, ok := a.node(n, depth-1); ok && p.small() {
			a.Trail = append(a.Trail, n)
			return p, true
		}
		a.Trail = a.Trail[:mark]
	}
	if a.Leaf != nil {
		return a.Leaf(o)
	}
	return nil, false
}

func (a *Algebra) node(n *ir.Node, depth int) (Poly, bool) {
	arith := false
	switch n.Op {
	case "Mul", "Add", "AddV2", "AddN", "Sub", "RealDiv", "Div", "Pow", "Neg", "Square":
		arith = true
	}
	if !arith {
		return nil, false
	}
	x, ok := a.Expand(n.Ins[0], depth)
	if !ok {
		return nil, false
	}
	switch n.Op {
	case "Neg":
		return Poly{}.Plus(x, -1), true
	case "Square":
		return x.Times(x), true
	}
	if len(n.Ins) != 2 {
		return nil, false
	}
	if n.Op == "RealDiv" || n.Op == "Div" {
		if q, ok := a.Inv[n.Ins[1]]; ok {
			return x.Times(q), true
		}
	}
	y, ok := a.Expand(n.Ins[1], depth)
	if !ok {
		return nil, false
	}
	c, isNumber := y[""]
	isNumber = isNumber && len(y) == 1
	switch n.Op {
	case "Mul":
		return x.Times(y), true
	case "Add", "AddV2", "AddN":
		return x.Plus(y, 1), true
	case "Sub":
		return x.Plus(y, -1), true
	case "RealDiv", "Div":
		if isNumber {
			return x.Times(number(1 / c)), true
		}
	case "Pow":
		if isNumber && (c == 2 || c == 3) {
			p := x.Times(x)
			if c == 3 {
				p = p.Times(x)
			}
			return p, true
		}
	}
	return nil, false
}

// Pattern helps a pass to replace the nodes of spelled-out functions by single nodes.
type Pattern struct {
	*edit.Chains
	E    *ir.Editor
	Pos  map[*ir.Node]int
	Gone map[*ir.Node]bool // nodes that belong to a function that has already been replaced

	renames []edit.Rename
}

// NewPattern begins a search for spelled-out functions. It also returns the graph's nodes in
// topological order.
func NewPattern(s *edit.State) (*Pattern, []*ir.Node, error) {
	order, err := s.G.Order()
	if err != nil {
		return nil, nil, err
	}
	p := &Pattern{Chains: edit.NewChains(s), E: s.Edit(), Pos: make(map[*ir.Node]int, len(order)), Gone: map[*ir.Node]bool{}}
	for i, n := range order {
		p.Pos[n] = i
	}
	return p, order, nil
}

// Private reports whether root and the nodes of the set inner may be replaced by a single node.
// Hinders lists the conditions.
func (p *Pattern) Private(inner map[*ir.Node]bool, root *ir.Node) bool {
	return p.Hinders(inner, root) == ""
}

// Hinders returns a text that says why root and the nodes of the set inner must not be replaced by
// a single node, or "" if they may. No other nodes may read the outputs of the nodes in inner. All
// nodes must be on the same device and in the same region, and must have no control inputs.
func (p *Pattern) Hinders(inner map[*ir.Node]bool, root *ir.Node) string {
	if p.Gone[root] {
		return root.Name + " is part of another"
	}
	if len(root.Controls) > 0 {
		return root.Name + " waits for other nodes"
	}
	first, why := -1, "" // position of the first node that hinders the replacement, and the reason
	for n := range inner {
		if n == root || first >= 0 && p.Pos[n] > first {
			continue
		}
		if w := p.hinder(n, inner, root); w != "" {
			first, why = p.Pos[n], n.Name+" "+w
		}
	}
	return why
}

func (p *Pattern) hinder(n *ir.Node, inner map[*ir.Node]bool, root *ir.Node) string {
	switch {
	case p.Gone[n]:
		return "is part of another"
	case p.Fetched[ir.Out{Node: n}]:
		return "is fetched, or read in another region"
	case p.Kept[n]:
		return "must keep a separate result"
	case !edit.Together(n, root):
		return "runs in another region or on another device"
	case len(n.Controls) > 0:
		return "waits for other nodes"
	}
	for i := range n.Outs {
		for _, r := range p.Readers[ir.Out{Node: n, Index: i}] {
			if r != root && !inner[r] {
				return "is read by " + r.Name + ", too"
			}
		}
	}
	return ""
}

// Put replaces root and the nodes of the set inner by a single new node, which has the given op,
// attributes and inputs. It returns false if the pass may make no more changes because its fuel
// (the permitted number of edits) is used up.
func (p *Pattern) Put(root *ir.Node, inner map[*ir.Node]bool, op string, attrs map[string]ir.Attr, why string, ins ...ir.Out) bool {
	s := p.S
	for i := range ins {
		ins[i] = p.E.Resolve(ins[i])
	}
	n := s.G.NewNode(root.Name+"/fused", op, attrs, 1, ins...)
	n.Device, n.Origin = root.Device, root.Origin
	names := make([]*ir.Node, 0, len(inner))
	for m := range inner {
		names = append(names, m)
	}
	slices.SortFunc(names, func(a, b *ir.Node) int { return p.Pos[a] - p.Pos[b] })
	for _, m := range names {
		if n.Device == "" {
			n.Device = m.Device
		}
		if m != root {
			n.Origin.Names = append(n.Origin.Names[:len(n.Origin.Names):len(n.Origin.Names)], m.Name)
		}
	}
	n.Outs[0] = root.Outs[0]
	if !p.E.ReplaceNode(root, n, why) {
		s.Drop(n)
		return false
	}
	for _, m := range names {
		p.Gone[m] = true
	}
	p.Gone[root] = true
	p.renames = append(p.renames, edit.Rename{Node: n, Name: root.Name})
	return true
}

// Apply performs the edits that have been recorded. Each new node gets the name of the root that it
// replaces. Apply reports whether the graph has changed.
func (p *Pattern) Apply() bool {
	changed := p.E.Apply()
	if changed {
		p.S.Sweep()
	}
	p.S.TakeNames(p.renames)
	return changed
}

// SameF32 reports whether two tensors are f32 and have the same known shape.
func SameF32(a, b ir.Out) bool {
	x, y := a.Fact(), b.Fact()
	return x.DType == tensor.Float32 && y.DType == tensor.Float32 && x.Shape.Equal(y.Shape)
}

// Forward calls f for the nodes that read o. If f returns true for a node, Forward also calls f for
// the nodes that read the output of this node, and so on; it calls f for near nodes before distant
// ones. The parameter most limits the number of calls: once this number is reached or exceeded,
// Forward stops before the readers of the next tensor.
func (p *Pattern) Forward(o ir.Out, most int, f func(*ir.Node) bool) {
	queue := []ir.Out{o}
	seen := map[*ir.Node]bool{}
	for len(queue) > 0 && len(seen) < most {
		next := slices.Clone(p.Readers[queue[0]])
		queue = queue[1:]
		slices.SortFunc(next, func(a, b *ir.Node) int { return p.Pos[a] - p.Pos[b] })
		for _, n := range next {
			if seen[n] || len(n.Outs) != 1 {
				continue
			}
			seen[n] = true
			if f(n) {
				queue = append(queue, ir.Out{Node: n})
			}
		}
	}
}
