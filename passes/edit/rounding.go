package edit

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
)

// A rewrite may change the last bit of a floating-point number. This can matter if an op rounds the
// number to an integer: 49·(1/49) is less than 1 in f32, so it is truncated to 0.

// RoundingSeen reports whether a change of the last bit of a number in o may change an integer, a
// bool or a text, or the result of a function that is discontinuous.
func RoundingSeen(ops *lower.Table, readers map[ir.Out][]*ir.Node, o ir.Out) bool {
	done := map[ir.Out]bool{o: true}
	for todo := []ir.Out{o}; len(todo) > 0; {
		o := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, r := range readers[o] {
			if len(r.Outs) == 0 || ops.Trait(r.Op, lower.RoundsNumbers) || callsFunctions(r) {
				return true
			}
			for i, f := range r.Outs {
				next := ir.Out{Node: r, Index: i}
				switch d := f.DType; {
				case !d.IsFloat() && !d.IsComplex() && (len(readers[next]) > 0 || i == 0):
					return true
				case ops.Trait(r.Op, lower.KeepsDigits) && !done[next]:
					done[next] = true
					todo = append(todo, next)
				}
			}
		}
	}
	return false
}
