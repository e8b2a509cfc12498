package passes

import (
	"math"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// A spelled-out function is recognised by what it computes, not by how its sums
// and products are associated: the nodes behind it are multiplied out into a
// polynomial over a few tensors, its atoms, and that is compared with the
// function's own.

// atom is a tensor that a polynomial is written in.
type atom byte

// The atoms. vector atoms count on from firstVector.
const (
	atomX atom = 'a' + iota // the function's argument
	atomF                   // a function of the argument: erf, tanh, sigmoid
	atomMean
	atomScale // 1/√(variance + ε)
	firstVector
)

// poly maps products of atoms, sorted, to their coefficients; none is zero.
type poly map[string]float64

// mostTerms bounds what multiplying out may lead to.
const mostTerms, mostDegree = 8, 6

func number(v float64) poly {
	if v == 0 {
		return poly{}
	}
	return poly{"": v}
}

func variable(a atom) poly { return poly{string(rune(a)): 1} }

func (p poly) plus(q poly, sign float64) poly {
	r := poly{}
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

func (p poly) times(q poly) poly {
	r := poly{}
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

// small reports that p is within bounds and finite.
func (p poly) small() bool {
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

// is reports that p has q's terms with the same coefficients, up to the rounding
// of a few f32 constants.
func (p poly) is(q poly) bool {
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

// near is equality up to the rounding of constants to f32 and of one product of them.
func near(a, b float64) bool { return math.Abs(a-b) <= math.Abs(b)*0x1p-22 }

// algebra multiplies nodes out.
type algebra struct {
	env map[ir.Out]poly // tensors whose polynomial is given
	inv map[ir.Out]poly // tensors by which a division is a product
	// leaf gives the polynomial of a tensor that cannot be multiplied out; nil:
	// there is none.
	leaf func(ir.Out) (poly, bool)
	// trail are the nodes that were multiplied out, some of them repeatedly.
	trail []*ir.Node
}

// expand returns the polynomial of a tensor; false when it has none in the atoms.
func (a *algebra) expand(o ir.Out, depth int) (poly, bool) {
	if p, ok := a.env[o]; ok {
		return p, true
	}
	n := o.Node
	if t := n.Value(); t != nil {
		c, ok := uniform(t)
		if ok && !math.IsNaN(c) && !math.IsInf(c, 0) && (a.leaf == nil || t.Len() == 1 || c == 0 || c == 1) {
			return number(c), true
		}
	} else if depth > 0 && o.Index == 0 && len(n.Outs) == 1 && len(n.Ins) > 0 && len(n.Ins) <= 2 {
		mark := len(a.trail)
		if p, ok := a.node(n, depth-1); ok && p.small() {
			a.trail = append(a.trail, n)
			return p, true
		}
		a.trail = a.trail[:mark]
	}
	if a.leaf != nil {
		return a.leaf(o)
	}
	return nil, false
}

func (a *algebra) node(n *ir.Node, depth int) (poly, bool) {
	arith := false
	switch n.Op {
	case "Mul", "Add", "AddV2", "AddN", "Sub", "RealDiv", "Div", "Pow", "Neg", "Square":
		arith = true
	}
	if !arith {
		return nil, false
	}
	x, ok := a.expand(n.Ins[0], depth)
	if !ok {
		return nil, false
	}
	switch n.Op {
	case "Neg":
		return poly{}.plus(x, -1), true
	case "Square":
		return x.times(x), true
	}
	if len(n.Ins) != 2 {
		return nil, false
	}
	if n.Op == "RealDiv" || n.Op == "Div" {
		if q, ok := a.inv[n.Ins[1]]; ok {
			return x.times(q), true
		}
	}
	y, ok := a.expand(n.Ins[1], depth)
	if !ok {
		return nil, false
	}
	c, isNumber := y[""]
	isNumber = isNumber && len(y) == 1
	switch n.Op {
	case "Mul":
		return x.times(y), true
	case "Add", "AddV2", "AddN":
		return x.plus(y, 1), true
	case "Sub":
		return x.plus(y, -1), true
	case "RealDiv", "Div":
		if isNumber {
			return x.times(number(1 / c)), true
		}
	case "Pow":
		if isNumber && (c == 2 || c == 3) {
			p := x.times(x)
			if c == 3 {
				p = p.times(x)
			}
			return p, true
		}
	}
	return nil, false
}

// pattern replaces the nodes of a spelled-out function.
type pattern struct {
	*chains
	e    *ir.Editor
	pos  map[*ir.Node]int
	gone map[*ir.Node]bool // nodes of functions already replaced

	renames []rename
}

func newPattern(s *state) (*pattern, []*ir.Node, error) {
	order, err := s.g.Order()
	if err != nil {
		return nil, nil, err
	}
	p := &pattern{chains: newChains(s), e: s.edit(), pos: make(map[*ir.Node]int, len(order)), gone: map[*ir.Node]bool{}}
	for i, n := range order {
		p.pos[n] = i
	}
	return p, order, nil
}

// private reports that nobody but the nodes of inner and root needs the results
// of inner, that all run on one device and none waits for another.
func (p *pattern) private(inner map[*ir.Node]bool, root *ir.Node) bool {
	return p.hinders(inner, root) == ""
}

// hinders returns why root and the nodes of inner must not become one node, "" for
// nothing.
func (p *pattern) hinders(inner map[*ir.Node]bool, root *ir.Node) string {
	if p.gone[root] {
		return root.Name + " is part of another"
	}
	if len(root.Controls) > 0 {
		return root.Name + " waits for other nodes"
	}
	first, why := -1, "" // of several reasons that of the first node
	for n := range inner {
		if n == root || first >= 0 && p.pos[n] > first {
			continue
		}
		if w := p.hinder(n, inner, root); w != "" {
			first, why = p.pos[n], n.Name+" "+w
		}
	}
	return why
}

func (p *pattern) hinder(n *ir.Node, inner map[*ir.Node]bool, root *ir.Node) string {
	switch {
	case p.gone[n]:
		return "is part of another"
	case p.fetched[ir.Out{Node: n}]:
		return "is fetched, or read in another region"
	case p.kept[n]:
		return "must keep a result or moment of its own"
	case !together(n, root):
		return "runs in another region or on another device"
	case len(n.Controls) > 0:
		return "waits for other nodes"
	}
	for i := range n.Outs {
		for _, r := range p.readers[ir.Out{Node: n, Index: i}] {
			if r != root && !inner[r] {
				return "is read by " + r.Name + ", too"
			}
		}
	}
	return ""
}

// put replaces root, and with it the nodes of inner, by a new node; false when
// fuel is out.
func (p *pattern) put(root *ir.Node, inner map[*ir.Node]bool, op string, attrs map[string]ir.Attr, why string, ins ...ir.Out) bool {
	s := p.s
	for i := range ins {
		ins[i] = p.e.Resolve(ins[i])
	}
	n := s.g.NewNode(root.Name+"/fused", op, attrs, 1, ins...)
	n.Device, n.Origin = root.Device, root.Origin
	names := make([]*ir.Node, 0, len(inner))
	for m := range inner {
		names = append(names, m)
	}
	slices.SortFunc(names, func(a, b *ir.Node) int { return p.pos[a] - p.pos[b] })
	for _, m := range names {
		if n.Device == "" {
			n.Device = m.Device
		}
		if m != root {
			n.Origin.Names = append(n.Origin.Names[:len(n.Origin.Names):len(n.Origin.Names)], m.Name)
		}
	}
	n.Outs[0] = root.Outs[0]
	if !p.e.ReplaceNode(root, n, why) {
		s.drop(n)
		return false
	}
	for _, m := range names {
		p.gone[m] = true
	}
	p.gone[root] = true
	p.renames = append(p.renames, rename{n, root.Name})
	return true
}

// apply carries the edits out; the new nodes get their roots' names.
func (p *pattern) apply() bool {
	changed := p.e.Apply()
	if changed {
		p.s.sweep()
	}
	p.s.takeNames(p.renames)
	return changed
}

// sweep drops what a pass left without readers, so that the next does not count it
// among them.
func (s *state) sweep() {
	s.g.Keep(needed(s.g))
	symbols(s.g)
}

// sameShape reports that two tensors are f32 of one known shape.
func sameF32(a, b ir.Out) bool {
	x, y := a.Fact(), b.Fact()
	return x.DType == tensor.Float32 && y.DType == tensor.Float32 && x.Shape.Equal(y.Shape)
}

// forward calls f with the nodes after o that only arithmetic separates from it,
// nearest first, until f returns false for all branches or most nodes were seen.
// f tells whether to go on behind a node.
func (p *pattern) forward(o ir.Out, most int, f func(*ir.Node) bool) {
	queue := []ir.Out{o}
	seen := map[*ir.Node]bool{}
	for len(queue) > 0 && len(seen) < most {
		next := slices.Clone(p.readers[queue[0]])
		queue = queue[1:]
		slices.SortFunc(next, func(a, b *ir.Node) int { return p.pos[a] - p.pos[b] })
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
