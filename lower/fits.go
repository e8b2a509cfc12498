package lower

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// DefaultFits checks that a default value's shape fits the shape in the node's attribute.
func DefaultFits(n *ir.Node, s ir.Shape) error {
	return Fits("the default value", s, "the attribute shape", PartialAttr(n, "shape"))
}

// statedShape returns the shape in an attribute, with nil for unknown dimensions.
func statedShape(s ir.PartialShape) ir.Shape {
	if s.UnknownRank {
		return ir.Shape{}
	}
	dims := make([]*sym.Expr, len(s.Dims))
	for i, d := range s.Dims {
		if d >= 0 {
			dims[i] = sym.Int(int(d))
		}
	}
	return ir.ShapeOf(dims...)
}

// Fits returns an error if no tensor can have both shapes. nil dimensions are unknown.
func Fits(what string, x ir.Shape, other string, y ir.Shape) error {
	if !x.Known || !y.Known {
		return nil
	}
	bad := len(x.Dims) != len(y.Dims)
	for k := 0; !bad && k < len(x.Dims); k++ {
		bad = x.Dims[k] != nil && y.Dims[k] != nil && Differ(x.Dims[k], y.Dims[k])
	}
	if bad {
		return tensor.Errorf(tensor.InvalidArgument, "%s is %s, %s is %s", what, openShape(x.Dims), other, openShape(y.Dims))
	}
	return nil
}

// openShape formats dimensions, some of which may be nil.
func openShape(dims []*sym.Expr) string {
	s := "["
	for k, d := range dims {
		if k > 0 {
			s += ","
		}
		if d == nil {
			s += "?"
		} else {
			s += d.String()
		}
	}
	return s + "]"
}
