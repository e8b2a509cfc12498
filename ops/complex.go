package ops

import "github.com/graphc/graphc/rt/tensor"

// complexDefs join and split complex numbers.
var complexDefs = []*Def{
	{Name: "Complex", Types: typesT("Complex"), Shape: complexShape, Lower: binaryLower},
	partDef("Real"), partDef("Imag"), partDef("Angle"), partDef("ComplexAbs"),
}

func partDef(name string) *Def {
	return &Def{Name: name, Types: typesT(name), Shape: partShape, Lower: unaryLower}
}

func complexShape(c *Shaper) error {
	s, err := BroadcastShapes(c.Shape(0), c.Shape(1))
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

func partShape(c *Shaper) error {
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
