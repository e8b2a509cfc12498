package state

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/kernels/variable"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// refOut sets the type and shape of output 0 to those of input 0, which is the reference to the
// variable. If the node has no outputs, refOut does nothing.
func refOut(c *lower.Shaper) {
	if len(c.Node.Outs) > 0 {
		c.Same(0, 0)
	}
}

func handOnRef(b *lower.Builder) {
	if len(b.Node.Outs) > 0 {
		b.Alias(0, 0)
	}
}

// assignShape is the shape function of ops such as AssignVariableOp. Input 0 is the variable, and
// input 1 is a value of the variable's type.
func assignShape(c *lower.Shaper) error {
	refOut(c)
	if d, _ := lower.HandleFact(c.Node.Ins[0]); d != tensor.Invalid && d != c.In(1).DType {
		return tensor.Errorf(tensor.InvalidArgument, "a value of %v for a variable of %v", c.In(1).DType, d)
	}
	if v := c.Declared(0); c.Node.Op == "Assign" && (!lower.Validates(c.Node) || slices.Contains(v.Dims, nil)) {
		return nil
	}
	return c.FitsVariable("the value", c.Shape(1))
}

func assignLower(b *lower.Builder) error {
	d := b.InFact(1).DType
	fn, err := bytype.VariableAssign.Get(d)
	if err != nil {
		return err
	}
	p := variable.AssignParams{DType: d, Validate: lower.Validates(b.Node)}
	if err := kit.Ranked(b, 1); err != nil {
		return err
	}
	b.Call(fn, b.In(0), b.In(1), b.InShape(1), p)
	handOnRef(b)
	return nil
}

func updateLower(t bytype.Table) func(b *lower.Builder) error {
	return func(b *lower.Builder) error {
		fn, err := t.Get(b.InFact(1).DType)
		if err == nil {
			err = kit.Ranked(b, 1)
		}
		if err != nil {
			return err
		}
		b.Call(fn, b.In(0), b.In(1), b.InShape(1))
		handOnRef(b)
		return nil
	}
}

func destroyLower(b *lower.Builder) error {
	lenient := true
	if v, ok := b.Node.Attrs["ignore_lookup_error"].(bool); ok {
		lenient = v
	}
	b.Call(variable.Destroy, b.In(0), lenient)
	return nil
}

// countShape infers the shape of the output of CountUpTo(ref), which increments a scalar variable
// up to the value of attribute limit. The output is the value before the increment.
func countShape(c *lower.Shaper) error {
	d := c.Node.DType("T")
	if n := c.Node.Int("limit"); d == tensor.Int32 && int(int32(n)) != n {
		return tensor.Errorf(tensor.InvalidArgument, "limit is %d, which is out of range for an int32", n)
	}
	if _, s := lower.HandleFact(c.Node.Ins[0]); len(s.Dims) > 0 {
		return tensor.Errorf(tensor.InvalidArgument, "the variable has the shape %v; a scalar is required", s.Dims)
	}
	c.Set(0, d, ir.ShapeOf())
	return nil
}

func countLower(b *lower.Builder) error {
	fn, err := bytype.VariableCountUpTo.Get(b.OutFact(0).DType)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.Node.Int("limit"))
	return nil
}

// refSelectShape infers the shape of the output of RefSelect(index, refs…), which is one of the
// references: the one at position index.
func refSelectShape(c *lower.Shaper) error {
	if _, err := c.WithRank(0, 0); err != nil {
		return err
	}
	if c.NumIn() < 2 {
		return tensor.Errorf(tensor.InvalidArgument, "the node has no references to select from")
	}
	c.Same(0, 1)
	return nil
}

func refSelectLower(b *lower.Builder) error {
	n := b.NumIn() - 1
	for k := range n {
		b.Call(variable.Select, kit.Part(b.Out(0), k == 0), b.In(k+1), b.In(0), k, n)
	}
	return nil
}
