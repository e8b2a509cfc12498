package array

import (
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

var someRowsDefs = []*lower.Def{
	{Name: lower.SomeRows, Flags: lower.NoFold, Shape: someRowsShape, Lower: someRowsLower},
}

func someRowsShape(c *lower.Shaper) error {
	c.Same(0, 0)
	return nil
}

func someRowsLower(b *lower.Builder) error {
	s := b.InShape(0)
	if len(s) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "a scalar has no rows")
	}
	b.Check(shape.SomeRows, s[0], b.Node.Int("code"))
	b.Alias(0, 0)
	return nil
}
