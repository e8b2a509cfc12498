package fuse

import (
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/passes/algebra"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/rt/tensor"
)

// Contract removes Transposes of the operands and results of a BatchMatMul. It replaces the
// BatchMatMul by an Einsum, which reads the operands and writes the result in the order of axes
// that they have without the Transposes. The kernel of Einsum can access axes in any order. The
// batch dimensions of the two operands must be equal.
func Contract(s *edit.State) (bool, error) {
	p, order, err := algebra.NewPattern(s)
	if err != nil {
		return false, err
	}
	for _, n := range order {
		switch n.Op {
		case "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3":
		default:
			continue
		}
		if d := n.Outs[0].DType; d != tensor.Float32 && d != tensor.Float64 || len(n.Ins) != 2 || n.Ins[0].Fact().DType != d || n.Ins[1].Fact().DType != d {
			continue
		}
		if !batchesFit(n) {
			continue
		}
		if !contract(p, n) {
			break
		}
	}
	return p.Apply(), nil
}

// letters has the labels of the batch axes in the equation of an Einsum. The labels m, n and k are
// those of the rows, the columns and the summed axis.
const letters = "abcdefghij"

// contract replaces the BatchMatMul n, if possible. It returns false if the pass may make no more
// changes, because its fuel is used up.
func contract(p *algebra.Pattern, n *ir.Node) bool {
	x, y := n.Ins[0].Fact().Shape, n.Ins[1].Fact().Shape
	rank := x.Rank()
	if rank < 3 || rank > len(letters) || y.Rank() != rank || len(n.Controls) > 0 {
		return true
	}
	for i := range rank - 2 {
		if !x.Dims[i].Equal(y.Dims[i]) {
			return true
		}
	}
	batch := letters[:rank-2]
	label := func(rows, cols string, swap bool) string {
		if swap {
			rows, cols = cols, rows
		}
		return batch + rows + cols
	}
	left, right, out := label("m", "k", n.Bool("adj_x")), label("k", "n", n.Bool("adj_y")), batch+"mn"
	ins := []ir.Out{n.Ins[0], n.Ins[1]}
	inner := map[*ir.Node]bool{}
	absorbed := false
	for i, l := range []*string{&left, &right} {
		if t, perm := transposed(p, ins[i]); t != nil && edit.Together(t, n) && len(t.Controls) == 0 {
			*l, ins[i], absorbed = unpermute(*l, perm), t.Ins[0], true
		}
	}
	root := n
	if r, _ := Next(p.Chains, n); r != nil {
		if t, perm := transposed(p, ir.Out{Node: r}); t != nil {
			out, absorbed, root = permute(out, perm), true, r
			inner[n] = true
		}
	}
	if !absorbed || !p.Private(inner, root) {
		return true
	}
	return p.Put(root, inner, "Einsum", map[string]ir.Attr{"T": n.Outs[0].DType, "N": int64(2), "equation": left + "," + right + "->" + out},
		"products follow the original axes", ins...)
}

// transposed returns the node that computes o, and its permutation, if this node is a Transpose
// with a constant permutation. Otherwise it returns nil.
func transposed(p *algebra.Pattern, o ir.Out) (*ir.Node, []int) {
	n := o.Node
	if n.Op != "Transpose" || len(n.Ins) != 2 || p.Gone[n] {
		return nil, nil
	}
	perm := PermOf(n)
	if perm == nil {
		return nil, nil
	}
	return n, perm
}

// PermOf returns the constant permutation of a Transpose, or nil if it is unknown.
func PermOf(n *ir.Node) []int {
	perm, ok := algebra.Ints(n.Ins[1])
	if !ok || len(perm) != n.Outs[0].Shape.Rank() {
		return nil
	}
	seen := make([]bool, len(perm))
	r := make([]int, len(perm))
	for i, a := range perm {
		if a < 0 {
			a += len(perm)
		}
		if a < 0 || a >= len(perm) || seen[a] {
			return nil
		}
		seen[a], r[i] = true, a
	}
	return r
}

// permute returns the labels of the axes after a Transpose with the permutation perm. Parameter
// labels has the labels before the Transpose.
func permute(labels string, perm []int) string {
	var b strings.Builder
	for _, a := range perm {
		b.WriteByte(labels[a])
	}
	return b.String()
}

// unpermute returns the labels of a Transpose's input, given the labels of its result.
func unpermute(labels string, perm []int) string {
	b := make([]byte, len(labels))
	for i, a := range perm {
		b[a] = labels[i]
	}
	return string(b)
}
