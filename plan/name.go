package plan

import (
	"slices"
	"strings"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan/names"
	"github.com/graphc/graphc/rt"
	"github.com/graphc/graphc/rt/tensor"
)

// NodeOf returns the node and the op of a step. For a loop over items, it returns the range from
// the first to the last node.
func NodeOf(s Step) (node, op string) {
	switch s := s.(type) {
	case *Call:
		return s.Node, s.Op
	case *Copy:
		return s.Node, s.Op
	case *Scalar:
		return s.Node, s.Op
	case *Put:
		return s.Node, s.Op
	case *Get:
		return s.Node, s.Op
	case *Send:
		return s.Node, s.Op
	case *Recv:
		return s.Node, s.Op
	case *Par:
		if len(s.Body) == 0 {
			return "", ""
		}
		node, op = NodeOf(s.Body[0])
		if last, lop := NodeOf(s.Body[len(s.Body)-1]); last != node {
			node, op = node+names.Range+last, op+names.Range+lop
		}
		return node, op
	case *If:
		return s.Node, s.Op
	case *Loop:
		return s.Node, s.Op
	case *Tasks:
		return s.Node, s.Op
	case *Break:
		return s.Node, s.Op
	case *Let:
		return s.Node, s.Op
	case *Room:
		return s.Node, s.Op
	}
	return "", ""
}

// Outputs returns the types and shapes of the tensors that a step itself writes, such as
// f32[d_x_0,128]. The function size formats sizes. Tensors in the private memory of a loop over
// items are omitted.
func Outputs(s Step, size func(*sym.Expr) string) []string {
	var seen []*Buf
	var out []string
	add := func(v View) {
		if v.Mode&Write == 0 || v.Buf.Shape == nil || v.Buf.Root().Place == Worker || slices.Contains(seen, v.Buf) {
			return
		}
		seen = append(seen, v.Buf)
		out = append(out, TypeText(v.Buf.DType, v.Buf.Shape, size))
	}
	switch s := s.(type) {
	case *Call, *Scalar, Transfer, *Par:
		s.Views(add)
	case *Copy:
		add(s.Dst)
	}
	return out
}

// TypeText formats a type and a shape. The function size formats sizes.
func TypeText(d tensor.DType, shape []*sym.Expr, size func(*sym.Expr) string) string {
	dims := make([]string, len(shape))
	for i, e := range shape {
		dims[i] = size(e)
	}
	return d.String() + "[" + strings.Join(dims, ",") + "]"
}

// NameNodes chooses short names for the nodes of the given plans, which must belong to the same
// signature.
func NameNodes(plans ...*Plan) {
	var nodes []string
	note := func(node, _ string) {
		first, last, _ := strings.Cut(node, names.Range)
		nodes = append(nodes, first, last)
	}
	all := Partitions(plans)
	for _, p := range all {
		Walk(p.Steps, func(_ int, st Step) { note(NodeOf(st)) })
		for _, st := range Flat(p.Steps) { // Flat also returns the steps in the bodies of loops over items, which Walk omits
			note(NodeOf(st))
		}
		for _, c := range p.Prologue {
			note(c.Node, c.Op)
		}
	}
	short := names.Of(nodes)
	for _, p := range append(all, plans...) {
		p.Names = short
	}
}

// Describe returns the description of a step for hooks and errors, with the short name of its node; see Outputs.
func (p *Plan) Describe(s Step, size func(*sym.Expr) string) rt.Step {
	node, op := NodeOf(s)
	return rt.Step{Node: p.Names.Short(node), Op: op, Outputs: Outputs(s, size)}
}
