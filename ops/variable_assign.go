package ops

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/kernels/variable"
	"github.com/graphc/graphc/rt/tensor"
)

// refOut: output 0, where there is one, is the reference that input 0 is.
func refOut(c *Shaper) {
	if len(c.Node.Outs) > 0 {
		c.Same(0, 0)
	}
}

func (b *Builder) refOut() {
	if len(b.Node.Outs) > 0 {
		b.Alias(0, 0)
	}
}

// assignShape: input 1 is the value, of the variable's type.
func assignShape(c *Shaper) error {
	refOut(c)
	if d, _ := handleFact(c.Node.Ins[0]); d != tensor.Invalid && d != c.In(1).DType {
		return tensor.Errorf(tensor.InvalidArgument, "a value of %v for a variable of %v", c.In(1).DType, d)
	}
	if v := c.declared(0); c.Node.Op == "Assign" && (!Validates(c.Node) || slices.Contains(v.Dims, nil)) {
		return nil
	}
	return c.fitsVariable("the value", c.Shape(1))
}

func assignLower(b *Builder) error {
	d := b.InFact(1).DType
	fn, err := variableAssignKernels.get(d)
	if err != nil {
		return err
	}
	p := variable.AssignParams{DType: d, Validate: Validates(b.Node)}
	if err := b.ranked(1); err != nil {
		return err
	}
	b.Call(fn, b.In(0), b.In(1), b.InShape(1), p)
	b.refOut()
	return nil
}

// Validates reports whether an assignment refuses another shape than the variable's.
func Validates(n *ir.Node) bool {
	if v, given := n.Attrs["validate_shape"].(bool); given {
		return v
	}
	return n.Op == "Assign"
}

func updateLower(t kernelTable) func(b *Builder) error {
	return func(b *Builder) error {
		fn, err := t.get(b.InFact(1).DType)
		if err == nil {
			err = b.ranked(1)
		}
		if err != nil {
			return err
		}
		b.Call(fn, b.In(0), b.In(1), b.InShape(1))
		b.refOut()
		return nil
	}
}

func destroyLower(b *Builder) error {
	lenient := true
	if v, ok := b.Node.Attrs["ignore_lookup_error"].(bool); ok {
		lenient = v
	}
	b.Call(variable.Destroy, b.In(0), lenient)
	return nil
}

// countShape: CountUpTo(ref), attribute limit: the scalar that the variable held.
func countShape(c *Shaper) error {
	d := c.Node.DType("T")
	if n := c.Node.Int("limit"); d == tensor.Int32 && int(int32(n)) != n {
		return tensor.Errorf(tensor.InvalidArgument, "limit is %d, which is out of range for an int32", n)
	}
	if _, s := handleFact(c.Node.Ins[0]); len(s.Dims) > 0 {
		return tensor.Errorf(tensor.InvalidArgument, "a variable of the shape %v, a scalar is required", s.Dims)
	}
	c.Set(0, d, ir.ShapeOf())
	return nil
}

func countLower(b *Builder) error {
	fn, err := variableCountUpToKernels.get(b.OutFact(0).DType)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.Node.Int("limit"))
	return nil
}

// refSelectShape: RefSelect(index, refs…): the reference of that number.
func refSelectShape(c *Shaper) error {
	if _, err := c.WithRank(0, 0); err != nil {
		return err
	}
	if c.NumIn() < 2 {
		return tensor.Errorf(tensor.InvalidArgument, "there is nothing to select from")
	}
	c.Same(0, 1)
	return nil
}

func refSelectLower(b *Builder) error {
	n := b.NumIn() - 1
	for k := range n {
		b.Call(variable.Select, part(b.Out(0), k == 0), b.In(k+1), b.In(0), k, n)
	}
	return nil
}
