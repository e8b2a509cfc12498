package layout

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/passes/edit"
	"github.com/graphc/graphc/passes/fuse"
	"github.com/graphc/graphc/rt/tensor"
)

// Transpose merges two Transposes that follow each other into one. If two Transposes cancel, it
// removes both, even if there are element-wise functions between them; these functions then compute
// their result in the other order of axes. If a matrix product reads a Transpose of a matrix, the
// Transpose is replaced by the attribute of the product.
func Transpose(s *edit.State) (bool, error) {
	order, err := s.G.Order()
	if err != nil {
		return false, err
	}
	t := &turner{Chains: edit.NewChains(s), e: s.Edit()}
	for _, n := range order {
		if !t.absorb(n) {
			break
		}
		if n.Op != "Transpose" || len(n.Ins) != 2 || len(n.Controls) > 0 {
			continue
		}
		perm := fuse.PermOf(n)
		if perm == nil {
			continue
		}
		if !t.compose(n, perm) {
			break
		}
	}
	return t.e.Apply(), nil
}

type turner struct {
	*edit.Chains
	e *ir.Editor
}

// absorb changes n, if it is a matrix product that reads a transposed operand: n then reads the
// operand before the transposition. absorb returns false if the pass may make no more changes,
// because its fuel is used up.
func (t *turner) absorb(n *ir.Node) bool {
	flags := [2]string{"transpose_a", "transpose_b"}
	switch n.Op {
	case "MatMul":
	case "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3":
		flags = [2]string{"adj_x", "adj_y"} // these attributes also conjugate complex numbers
	default:
		return true
	}
	if len(n.Ins) != 2 || n.Outs[0].DType.IsComplex() && n.Op != "MatMul" {
		return true
	}
	for i, flag := range flags {
		in := n.Ins[i].Node
		if in.Op != "Transpose" || len(in.Ins) != 2 || len(in.Controls) > 0 || !edit.Together(in, n) {
			continue
		}
		perm := fuse.PermOf(in)
		last := len(perm) - 1
		if last < 1 || perm[last] != last-1 || perm[last-1] != last || !slices.IsSorted(perm[:last-1]) {
			continue
		}
		if !t.e.Changed(n, "a product can read the matrix untransposed") {
			return false
		}
		attrs := map[string]ir.Attr{}
		for k, v := range n.Attrs {
			attrs[k] = v
		}
		attrs[flag] = !n.Bool(flag)
		n.Attrs = attrs
		ins := slices.Clone(n.Ins)
		ins[i] = in.Ins[0]
		n.Ins = ins
	}
	return true
}

// compose merges or removes n, a Transpose with the permutation perm, if possible. It returns false
// if the pass may make no more changes, because its fuel is used up.
func (t *turner) compose(n *ir.Node, perm []int) bool {
	in := n.Ins[0].Node
	if in.Op == "Transpose" && len(in.Ins) == 2 && len(in.Controls) == 0 && edit.Together(in, n) {
		first := fuse.PermOf(in)
		if first == nil {
			return true
		}
		both := make([]int32, len(perm))
		for i, a := range perm {
			both[i] = int32(first[a])
		}
		if !t.e.Changed(n, "two transpositions are one") {
			return false
		}
		c := t.S.G.NewConst(n.Name+"/perm", tensor.Must(tensor.From(tensor.Shape{len(both)}, both)))
		n.Attrs = map[string]ir.Attr{"T": n.Outs[0].DType, "Tperm": tensor.Int32}
		n.Ins = []ir.Out{in.Ins[0], c}
		return true
	}
	if !elementwise(t.S.O.Ops, in) || !t.turns(n.Ins[0], perm, 1, 8) {
		return true
	}
	return t.e.Replace(ir.Out{Node: n}, t.turned(n.Ins[0], perm), "computed in the original order of axes")
}

// elementwise reports whether each element of n's result depends on one element of
// each input, up to broadcasting.
func elementwise(ops *lower.Table, n *ir.Node) bool {
	return ops.Trait(n.Op, lower.ElementWise) && len(n.Outs) == 1
}

// turns reports whether o can be computed with its axes in the order perm, without copying a
// tensor. Parameter readers is the number of nodes known to read o; if there are other readers,
// turns returns false.
func (t *turner) turns(o ir.Out, perm []int, readers, depth int) bool {
	n := o.Node
	if n.Op == "Transpose" && len(n.Ins) == 2 && len(n.Controls) == 0 {
		return inverse(fuse.PermOf(n), perm)
	}
	if depth == 0 || !elementwise(t.S.O.Ops, n) || t.Kept[n] || len(n.Controls) > 0 || len(t.Readers[o]) != readers || n.Outs[0].Shape.Rank() != len(perm) {
		return false
	}
	for i, in := range n.Ins {
		if slices.Index(n.Ins, in) < i {
			continue
		}
		v := in.Node.Value()
		if v != nil && v.Rank() <= len(perm) && v.Len() <= 1<<16 {
			continue
		}
		if !in.Fact().Shape.Equal(n.Outs[0].Shape) || !t.turns(in, perm, edit.Count(n.Ins, in), depth-1) {
			return false
		}
	}
	return true
}

// inverse reports whether the permutations a and b cancel.
func inverse(a, b []int) bool {
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	for i := range b {
		if a[b[i]] != i {
			return false
		}
	}
	return true
}

// turned returns o with its axes in the order perm.
func (t *turner) turned(o ir.Out, perm []int) ir.Out {
	n, s := o.Node, t.S
	if n.Op == "Transpose" {
		return t.e.Resolve(n.Ins[0])
	}
	if v := n.Value(); v != nil {
		return t.constant(o, v, perm)
	}
	ins := slices.Clone(n.Ins)
	for i, in := range n.Ins {
		if k := slices.Index(n.Ins, in); k < i {
			ins[i] = ins[k]
		} else {
			ins[i] = t.turned(in, perm)
		}
	}
	return fuse.CopyOf(s, n, ins...)
}

// constant returns the constant v with its axes in the order perm. Before that, it adds axes of
// size 1 at the beginning, as broadcasting would. The result is the output of a Transpose, which
// the pass named fold evaluates.
func (t *turner) constant(o ir.Out, v *tensor.Tensor, perm []int) ir.Out {
	if v.Len() == 1 && v.Rank() == 0 {
		return o
	}
	full := *v
	full.Shape = make(tensor.Shape, 0, len(perm))
	for range len(perm) - v.Rank() {
		full.Shape = append(full.Shape, 1)
	}
	full.Shape = append(full.Shape, v.Shape...)
	p := make([]int32, len(perm))
	for i, a := range perm {
		p[i] = int32(a)
	}
	s := t.S
	n := s.G.NewNode(o.Node.Name+"/turned", "Transpose", map[string]ir.Attr{"T": v.DType, "Tperm": tensor.Int32}, 1,
		s.NewConst(o.Node.Name+"/full", &full, o.Node), s.G.NewConst(o.Node.Name+"/perm", tensor.Must(tensor.From(tensor.Shape{len(p)}, p))))
	n.Device, n.Outs[0].DType = o.Node.Device, v.DType
	return ir.Out{Node: n}
}
