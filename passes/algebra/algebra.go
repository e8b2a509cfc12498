package algebra

import (
	"math"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// A spelled-out function is one that a model computes by sums, products and other elementary ops,
// for example GELU. It is recognized by what it computes, not by how its sums and products are
// associated. The nodes that compute it are multiplied out into a polynomial over a few tensors,
// called atoms. This polynomial is then compared with that of the function.

// Atom is a tensor that serves as a variable of a polynomial.
type Atom byte

// The atoms. Atoms for vectors count up from FirstVector.
const (
	AtomX Atom = 'a' + iota // the function's argument
	AtomF                   // a function of the argument: erf, tanh, sigmoid
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

// Is reports whether p has q's terms with the same coefficients, up to the rounding
// of a few f32 constants.
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

// near reports whether a and b are equal up to the rounding of constants to f32 and of one product
// of them.
func near(a, b float64) bool { return math.Abs(a-b) <= math.Abs(b)*0x1p-22 }

// Algebra turns nodes into polynomials.
type Algebra struct {
	Env map[ir.Out]Poly // tensors whose polynomial is given
	Inv map[ir.Out]Poly // divisor → the polynomial of its reciprocal
	// Leaf returns the polynomial of a tensor that cannot be multiplied out. If Leaf is nil, such a
	// tensor has no polynomial.
	Leaf func(ir.Out) (Poly, bool)
	// Trail lists the nodes that were multiplied out. A node may occur in it several times.
	Trail []*ir.Node
}

// Expand returns the polynomial of a tensor, or false if the atoms cannot express it. The parameter
// depth limits how many nodes in a chain are multiplied out.
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

// Pattern replaces the nodes of spelled-out functions.
type Pattern struct {
	*edit.Chains
	E    *ir.Editor
	Pos  map[*ir.Node]int
	Gone map[*ir.Node]bool // nodes of functions already replaced

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

// Private reports whether the nodes of inner and root may become one node.
func (p *Pattern) Private(inner map[*ir.Node]bool, root *ir.Node) bool {
	return p.Hinders(inner, root) == ""
}

// Hinders returns the reason why root and the nodes of the set inner must not become one node, or
// "" if they may. Only these nodes may read the results of inner. All must run on one device and in
// one region, and none may have control inputs.
func (p *Pattern) Hinders(inner map[*ir.Node]bool, root *ir.Node) string {
	if p.Gone[root] {
		return root.Name + " is part of another"
	}
	if len(root.Controls) > 0 {
		return root.Name + " waits for other nodes"
	}
	first, why := -1, "" // the position of the first node with a reason, and that reason
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

// Put replaces root and the nodes of the set inner by one new node. It returns false if the pass is
// out of fuel, that is, may make no more changes.
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

// Apply carries out the recorded edits and names each new node after the root that it replaced.
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

// Forward calls f with the readers of o, then with their readers, nearest first. If f returns true,
// the readers of f's argument are visited, too. Forward stops at the first tensor after it has
// visited the number of nodes given by most.
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
