package algebra

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/passes/edit"
)

// SumTo merges the two nodes by which TensorFlow's gradients reverse a broadcast:
//
//	Reshape(Sum(x, BroadcastGradientArgs(s0, s1):k), sk)   _SumTo(x, sk)
//
// It does so if the axes of the sum are known only at run time. In that case, even the rank of the
// Sum is unknown unless keep_dims is set, but the rank of the Reshape is known. For matrix
// products, s0 and s1 contain only the batch dimensions of two shapes, whose other dimensions are
// equal. If the Reshape is on another device than the sum, the Reshape is kept after the _SumTo.
func SumTo(s *edit.State) (bool, error) {
	e := s.Edit()
	for _, n := range slices.Clone(s.G.Nodes) {
		if n.Op != "Reshape" || len(n.Ins) != 2 {
			continue
		}
		sum := plain(n.Ins[0]).Node
		if sum.Op != "Sum" || len(sum.Ins) != 2 || len(sum.Controls) > 0 || sum.Ins[1].Fact().Ints != nil || sum.Ins[1].Fact().Const != nil {
			continue
		}
		axes := plain(sum.Ins[1])
		if axes.Node.Op != "BroadcastGradientArgs" || len(axes.Node.Ins) != 2 {
			continue
		}
		if operand, shape := plain(axes.Node.Ins[axes.Index]), plain(n.Ins[1]); !sameInts(operand, shape) && !batches(axes.Node, operand, shape, sum.Ins[0]) {
			continue
		}
		if e.Changed(n, "a sum over axes known only at run time has the shape of the broadcast operand") {
			attrs, ins := map[string]ir.Attr{"T": n.Outs[0].DType}, []ir.Out{sum.Ins[0], n.Ins[1]}
			if n.Device == sum.Device || !s.Placed {
				n.Op, n.Attrs, n.Ins = "_SumTo", attrs, ins
				continue
			}
			to := s.G.NewNode(sum.Name+"/to", "_SumTo", attrs, 1, ins...)
			to.Device, to.Outs[0].DType = sum.Device, n.Outs[0].DType
			n.Ins = []ir.Out{{Node: to}, n.Ins[1]}
		}
	}
	return e.Apply(), nil
}

// batches reports whether a broadcast of batch dimensions matches the shape of the result. The
// parameter args is a BroadcastGradientArgs node, whose two inputs hold batch dimensions, and the
// parameter operand is one of these inputs. The parameter shape is a vector. It must begin with the
// elements of operand, followed by one element for each dimension of x that is not a batch
// dimension.
func batches(args *ir.Node, operand, shape, x ir.Out) bool {
	part, whole := operand.Fact().Ints, shape.Fact().Ints
	s0, s1 := args.Ins[0].Fact().Ints, args.Ins[1].Fact().Ints
	rest := len(whole) - len(part)
	return part != nil && whole != nil && s0 != nil && s1 != nil && rest >= 0 && x.Fact().Shape.Rank()-max(len(s0), len(s1)) == rest &&
		slices.EqualFunc(part, whole[:len(part)], (*sym.Expr).Equal)
}

// plain returns o or, if o is the output of an Identity, the tensor that is the input of this
// Identity or of a chain of them.
func plain(o ir.Out) ir.Out {
	for o.Node.Op == "Identity" && len(o.Node.Ins) == 1 && len(o.Node.Controls) == 0 {
		o = o.Node.Ins[0]
	}
	return o
}

// sameInts reports whether two vectors of integers are the same tensor or are known
// to have the same elements.
func sameInts(a, b ir.Out) bool {
	if a == b {
		return true
	}
	x, y := a.Fact().Ints, b.Fact().Ints
	return x != nil && y != nil && slices.EqualFunc(x, y, (*sym.Expr).Equal)
}
