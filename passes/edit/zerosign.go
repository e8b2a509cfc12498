package edit

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// Few computations depend on the sign of a zero. A sum of x and +0 differs from x only in one case:
// -0 becomes +0. The sum can therefore be removed if no node that depends on it distinguishes -0
// from +0.

// maxZeroSigns bounds the tensors that one call of ZeroSignSeen visits. The bound is needed because
// passes call ZeroSignSeen for every node of a chain.
const maxZeroSigns = 64

// ZeroSignSeen reports whether a change of the sign of a zero in o may change any number, text or
// state that is computed from o. It also returns true if it cannot decide this: if a node that
// depends on o calls a function, or if more than maxZeroSigns tensors depend on o.
func ZeroSignSeen(ops *lower.Table, readers map[ir.Out][]*ir.Node, o ir.Out) bool {
	done := make(map[ir.Out]bool, maxZeroSigns)
	done[o] = true
	for todo := []ir.Out{o}; len(todo) > 0; {
		if len(done) > maxZeroSigns {
			return true
		}
		o := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, r := range readers[o] {
			if ops.Trait(r.Op, lower.LosesZeroSign) {
				continue
			}
			if len(r.Outs) == 0 || callsFunctions(r) {
				return true
			}
			for i, in := range r.Ins {
				if in == o && ops.Trait(r.Op, [2]lower.Traits{lower.SeesZeroSign0, lower.SeesZeroSign1}[min(i, 1)]) {
					return true
				}
			}
			for i, f := range r.Outs {
				next := ir.Out{Node: r, Index: i}
				switch d := f.DType; {
				case d == tensor.String:
					return true
				case !d.IsInteger() && d != tensor.Bool && !done[next]:
					done[next] = true
					todo = append(todo, next)
				}
			}
		}
	}
	return false
}

// callsFunctions reports whether an attribute of n names a function.
func callsFunctions(n *ir.Node) bool {
	for _, a := range n.Attrs {
		switch a.(type) {
		case ir.Func, []ir.Func:
			return true
		}
	}
	return false
}
