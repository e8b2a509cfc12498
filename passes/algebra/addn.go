package algebra

import (
	"maps"
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/edit"
)

// Addn turns a tree of sums of tensors of one shape into one AddN, whose kernel adds all terms in
// one loop. No other node may read an intermediate sum. Addn runs after fusebias, so the sums that
// the kernel of a product can compute are already part of that product. If the tree is a chain, the
// AddN adds the terms in the chain's order.
func Addn(s *edit.State) (bool, error) {
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	r := &edit.Rewriter{Chains: edit.NewChains(s), E: s.Edit()}
	gone := map[*ir.Node]bool{}
	for _, n := range slices.Backward(order) { // the loop visits a tree's root before its inner sums
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

// terms appends to l the tensors whose sum is n. The parameter root is the tree's root. An inner
// sum belongs to the tree if the tree alone needs it; terms records each inner sum in the map
// within. If only the second of two inputs is an inner sum, terms visits that input first, so that
// a chain keeps its order.
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
