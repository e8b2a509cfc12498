package math

import (
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// complexDefs build complex numbers and return their parts.
var complexDefs = []*lower.Def{
	{Name: "Complex", Traits: lower.SeesZeroSign0 | lower.SeesZeroSign1 | lower.ElementWise | lower.Broadcasts, Types: TypesT("Complex"), Shape: complexShape, Lower: binaryLower},
	partDef("Real"), partDef("Imag"), partDef("Angle").With(lower.SeesZeroSign0), partDef("ComplexAbs"),
}

func partDef(name string) *lower.Def {
	return &lower.Def{Name: name, Traits: lower.ElementWise, Types: TypesT(name), Shape: partShape, Lower: unaryLower}
}

func complexShape(c *lower.Shaper) error {
	s, err := lower.BroadcastShapes(c.Shape(0), c.Shape(1))
	if err != nil {
		return err
	}
	d := tensor.Complex64
	if c.In(0).DType == tensor.Float64 {
		d = tensor.Complex128
	}
	if t := c.Node.DType("Tout"); t != tensor.Invalid && t != d {
		return tensor.Errorf(tensor.InvalidArgument, "Complex of %s has no kernel for Tout %s", c.In(0).DType, t)
	}
	c.Set(0, d, s)
	return nil
}

func partShape(c *lower.Shaper) error {
	d := tensor.Float32
	if c.In(0).DType == tensor.Complex128 {
		d = tensor.Float64
	}
	if t := c.Node.DType("Tout"); t != tensor.Invalid && t != d {
		return tensor.Errorf(tensor.InvalidArgument, "%s of %s has no kernel for Tout %s", c.Node.Op, c.In(0).DType, t)
	}
	c.Set(0, d, c.Shape(0))
	return nil
}
