package passes

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// The sign of a zero reaches what is computed from it in few ways. A sum with +0
// turns -0 into +0 and does nothing else, so that it may go where no reader's
// reader tells the two apart.

// seesZeroSign is which inputs of an op give other numbers for -0 than for +0:
// a mask of the first two, all where the op has lists of inputs.
var seesZeroSign = map[string]int{
	"Bitcast": 1, "Reciprocal": 1, "Inv": 1, "Rsqrt": 1, "Atan2": 3, "Angle": 1, "NextAfter": 3, "Pow": 1,
	"Div": 2, "RealDiv": 2, "TruncateDiv": 2, "FloorDiv": 2, "Xdivy": 2, "Digamma": 1,
	"Complex": 3, // functions of complex numbers have branch cuts
}

// losesZeroSign is the ops whose results are the same numbers, with the same
// signs, for -0 and +0: even functions, those that are not 0 at 0, and sums of
// products, which begin with +0.
var losesZeroSign = map[string]bool{
	"Abs": true, "Square": true, "SquaredDifference": true, "Cos": true, "Cosh": true, "Exp": true, "Sigmoid": true, "Softplus": true, "Erfc": true,
	"Softmax": true, "MatMul": true, "BatchMatMul": true, "BatchMatMulV2": true, "BatchMatMulV3": true,
	"Conv2D": true, "DepthwiseConv2dNative": true, "Conv2DBackpropInput": true, "Conv3D": true,
}

// maxZeroSigns bounds the tensors that zeroSignSeen goes through, which is called for
// nodes all along a chain.
const maxZeroSigns = 64

// zeroSignSeen reports that the sign of a zero in o may change a number computed
// from it, or a text or state made of it. It may where a reader calls functions, and
// where more than maxZeroSigns tensors depend on it.
func zeroSignSeen(readers map[ir.Out][]*ir.Node, o ir.Out) bool {
	done := make(map[ir.Out]bool, maxZeroSigns)
	done[o] = true
	for todo := []ir.Out{o}; len(todo) > 0; {
		if len(done) > maxZeroSigns {
			return true
		}
		o := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, r := range readers[o] {
			if losesZeroSign[r.Op] {
				continue
			}
			if len(r.Outs) == 0 || callsFunctions(r) {
				return true
			}
			mask := seesZeroSign[r.Op]
			for i, in := range r.Ins {
				if in == o && mask>>min(i, 1)&1 != 0 {
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

// callsFunctions reports that an attribute of n names a function.
func callsFunctions(n *ir.Node) bool {
	for _, a := range n.Attrs {
		switch a.(type) {
		case ir.Func, []ir.Func:
			return true
		}
	}
	return false
}
