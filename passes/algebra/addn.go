package algebra

import (
	"maps"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
)

// Addn replaces a tree of sums by a single AddN, whose kernel adds all terms in one loop. The terms
// have the same shape. The sums inside the tree must have no other readers. Addn runs after the
// pass fusebias: a sum that the kernel of a product can compute is then already part of the
// product, and is not replaced. If the tree is a chain, AddN adds the terms in the order of the
// chain.
func Addn(s *edit.State) (bool, error) {
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	r := &edit.Rewriter{Chains: edit.NewChains(s), E: s.Edit()}
	gone := map[*ir.Node]bool{}
	// backwards, so that the root of a tree comes before the sums inside the tree
	for _, n := range slices.Backward(order) {
		if d := n.Outs; len(d) != 1 || !edit.IsWide(d[0].DType) && !d[0].DType.IsInteger() || gone[n] || !isSum(n) || !edit.Takes(s.O.Ops, "AddN", d[0].DType) {
			continue
		}
		inner := map[*ir.Node]bool{}
		terms := terms(r, n, n, nil, inner)
		if len(terms) < 3 || len(terms) <= len(n.Ins) || len(terms) > maxTerms || len(inner) > maxTerms {
			continue
		}
		if !r.Take(n, "all terms are added in one loop") {
			break
		}
		maps.Copy(gone, inner)
		r.Set(n, "AddN", map[string]ir.Attr{"T": n.Outs[0].DType, "N": int64(len(terms))}, terms...)
	}
	changed := r.E.Apply()
	if changed {
		s.Sweep()
	}
	return changed, nil
}

// maxTerms bounds the number of tensors that one AddN adds. A larger tree is not turned into one
// AddN, but its subtrees may be.
const maxTerms = 64

// isSum reports whether n is a sum of tensors that all have n's shape.
func isSum(n *ir.Node) bool {
	if n.Op != "Add" && n.Op != "AddV2" && n.Op != "AddN" || len(n.Outs) != 1 || !n.Outs[0].Shape.Known {
		return false
	}
	for _, o := range n.Ins {
		if !o.Fact().Shape.Equal(n.Outs[0].Shape) {
			return false
		}
	}
	return len(n.Ins) > 1
}

// terms appends to l the tensors whose sum is n, and returns l. Parameter root is the root of the
// tree of sums. An input of n is an inner sum of the tree if it is a sum that only n reads. Its terms
// are then appended in its place, and its node is recorded in the map that is the last parameter. If n
// has two inputs and only the second is an inner sum, its terms are appended first, so that a chain
// keeps its order.
func terms(r *edit.Rewriter, n, root *ir.Node, l []ir.Out, within map[*ir.Node]bool) []ir.Out {
	inner := func(o ir.Out) bool {
		return isSum(o.Node) && r.Sole(o, n) && edit.Together(o.Node, root) && o.Node.Outs[0].Shape.Equal(root.Outs[0].Shape) && len(r.Readers[o]) == 1
	}
	ins := n.Ins
	if len(ins) == 2 && !inner(ins[0]) && inner(ins[1]) {
		ins = []ir.Out{ins[1], ins[0]}
	}
	for _, o := range ins {
		if len(within) > maxTerms {
			return l
		}
		if inner(o) {
			within[o.Node] = true
			l = terms(r, o.Node, root, l, within)
		} else {
			l = append(l, o)
		}
	}
	return l
}
