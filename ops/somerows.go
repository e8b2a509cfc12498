package ops

import (
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/rt/tensor"
)

// SomeRows hands on its input, which must have rows: an error of the code that
// attribute code is where it has none. Pass arrays makes it of a read of all
// elements of a container whose element shape nobody stated.
const SomeRows = "_SomeRows"

var someRowsDefs = []*Def{
	{Name: SomeRows, Flags: NoFold, Shape: someRowsShape, Lower: someRowsLower},
}

func someRowsShape(c *Shaper) error {
	c.Same(0, 0)
	return nil
}

func someRowsLower(b *Builder) error {
	s := b.InShape(0)
	if len(s) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "a scalar has no rows")
	}
	b.Check(shape.SomeRows, s[0], b.Node.Int("code"))
	b.Alias(0, 0)
	return nil
}
