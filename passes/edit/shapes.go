package edit

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// FormatAxis returns the axis of the channels that attribute data_format of n specifies, or -1 if
// the format is unknown. Parameter rank is the rank of the tensor.
func FormatAxis(n *ir.Node, rank int) int {
	switch n.Str("data_format") {
	case "NCHW", "NCDHW":
		return 1
	case "", "NHWC", "NDHWC":
		return rank - 1
	}
	return -1
}

// Partial returns a shape in the form that attributes use, with -1 for unknown dimensions.
func Partial(s ir.Shape) ir.PartialShape {
	if !s.Known {
		return ir.PartialShape{UnknownRank: true}
	}
	p := ir.PartialShape{Dims: make([]int64, len(s.Dims))}
	for i, d := range s.Dims {
		p.Dims[i] = -1
		if v, ok := d.IsInt(); ok {
			p.Dims[i] = int64(v)
		}
	}
	return p
}

// NotNegative reports whether no element of o can be negative. Parameter depth is the largest
// number of nodes in a chain to be examined.
func (s *State) NotNegative(o ir.Out, depth int) bool {
	n := o.Node
	if depth == 0 || o.Index != 0 || len(n.Ins) == 0 {
		return false
	}
	if s.O.Ops.Trait(n.Op, lower.NotNegative) {
		return true
	}
	switch n.Op {
	case "MaxPool", "AvgPool", "Reshape", "Squeeze", "ExpandDims", "Identity", "Transpose":
		return s.NotNegative(n.Ins[0], depth-1)
	case "Add", "AddV2", "Mul", "Maximum":
		return len(n.Ins) == 2 && s.NotNegative(n.Ins[0], depth-1) && s.NotNegative(n.Ins[1], depth-1)
	case "Pad":
		return s.NotNegative(n.Ins[0], depth-1)
	case "ConcatV2":
		for _, in := range n.Ins[:len(n.Ins)-1] {
			if !s.NotNegative(in, depth-1) {
				return false
			}
		}
		return true
	}
	return false
}

// Reshapes reports whether n is an op that only changes the shape of its first input.
func Reshapes(n *ir.Node) bool {
	switch n.Op {
	case "Reshape", "ExpandDims":
		return len(n.Ins) == 2
	case "Squeeze":
		return len(n.Ins) == 1
	}
	return false
}

// StaticShape returns a shape as a constant for Reshape, with -1 for one unknown dimension. It
// returns false if more than one dimension is unknown, or if Reshape could not infer the unknown
// dimension.
func StaticShape(s ir.Shape) (*tensor.Tensor, bool) {
	if !s.Known {
		return nil, false
	}
	vs := make([]int32, len(s.Dims))
	open, zero := 0, false
	for i, d := range s.Dims {
		v, ok := d.IsInt()
		if !ok {
			v = -1
			open++
		}
		zero = zero || v == 0
		vs[i] = int32(v)
	}
	if open > 1 || open == 1 && zero {
		return nil, false
	}
	return tensor.Must(tensor.From(tensor.Shape{len(vs)}, vs)), true
}

// Count returns how often tensor o occurs in list l.
func Count(l []ir.Out, o ir.Out) int {
	n := 0
	for _, p := range l {
		if p == o {
			n++
		}
	}
	return n
}
