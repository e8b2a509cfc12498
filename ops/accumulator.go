package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/queue"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

var accumulated = map[string][]tensor.DType{"dtype": {tensor.Float32, tensor.Float64, tensor.Half}}

// accumulatorDefs add up gradients until there are enough of them.
var accumulatorDefs = []*Def{
	{Name: "ConditionalAccumulator", Level: Source, Flags: looks, Types: accumulated, Shape: handleShape, Lower: accumulatorLower},
	{Name: "ResourceConditionalAccumulator", Level: Source, Flags: looks, Types: accumulated, Shape: handleShape, Lower: accumulatorLower},
	{Name: "SparseConditionalAccumulator", Level: Source, Flags: looks, Types: accumulated, Shape: handleShape, Lower: accumulatorLower},
	{Name: "AccumulatorApplyGradient", Flags: changes, Types: accumulated, Shape: localStepShape, Lower: applyGradientLower},
	{Name: "ResourceAccumulatorApplyGradient", Flags: changes, Types: accumulated, Shape: localStepShape, Lower: applyGradientLower},
	{Name: "SparseAccumulatorApplyGradient", Flags: changes, Types: accumulated, Shape: localStepShape, Lower: applySparseLower},
	{Name: "AccumulatorTakeGradient", Flags: changes, Types: accumulated, Shape: takeGradientShape, Lower: takeGradientLower, Limits: "the rank is that of attribute shape, or of the graph's gradients"},
	{Name: "ResourceAccumulatorTakeGradient", Flags: changes, Types: accumulated, Shape: takeGradientShape, Lower: takeGradientLower, Limits: "the rank is that of attribute shape, or of the graph's gradients"},
	{Name: "SparseAccumulatorTakeGradient", Flags: changes, Types: accumulated, Shape: takeSparseShape, Lower: takeSparseLower, Limits: "the rank is that of attribute shape, or of the graph's gradients"},
	{Name: "AccumulatorNumAccumulated", Level: Reads, Flags: looks, Shape: scalarShape(tensor.Int32), Lower: numAccumulatedLower},
	{Name: "ResourceAccumulatorNumAccumulated", Level: Reads, Flags: looks, Shape: scalarShape(tensor.Int32), Lower: numAccumulatedLower},
	{Name: "AccumulatorSetGlobalStep", Flags: changes, Shape: localStepShape, Lower: globalStepLower},
	{Name: "ResourceAccumulatorSetGlobalStep", Flags: changes, Shape: localStepShape, Lower: globalStepLower},
}

func accumulatorLower(b *Builder) error {
	n := b.Node
	p := resource.AccumulatorParams{Name: resourceName(n), DType: n.DType("dtype"), Sparse: n.Op == "SparseConditionalAccumulator"}
	switch r := n.Str("reduction_type"); r {
	case "MEAN", "":
		p.Mean = true
	case "SUM":
	default:
		return b.Errorf(tensor.InvalidArgument, "reduction_type %q is none of MEAN and SUM", r)
	}
	s, ok := n.Attrs["shape"].(ir.PartialShape)
	p.AnyRank = s.UnknownRank || !ok
	shape := []int{}
	for _, d := range s.Dims {
		shape = append(shape, int(d))
	}
	b.Object(0, resourceKey(n, "accumulator", false), resource.NewAccumulator, p, shape)
	return nil
}

// localStepShape: the step, input 1, is a scalar.
func localStepShape(c *Shaper) error {
	_, err := c.WithRank(1, 0)
	return err
}

var applyKernels = kernelTable{
	{tensor.Float32}: queue.ApplyF32,
	{tensor.Float64}: queue.ApplyF64,
	{tensor.Half}:    queue.ApplyF16,
}

var applySparseKernels = kernelTable{
	{tensor.Float32}: queue.ApplySparseF32,
	{tensor.Float64}: queue.ApplySparseF64,
	{tensor.Half}:    queue.ApplySparseF16,
}

func applyGradientLower(b *Builder) error {
	fn, err := applyKernels.get(b.InFact(2).DType)
	if err != nil {
		return err
	}
	if err := b.ranked(2); err != nil {
		return err
	}
	b.Call(fn, b.In(0), b.In(1), b.In(2), append([]*sym.Expr{}, b.InShape(2)...))
	return nil
}

// applySparseLower: handle, local_step, gradient_indices, gradient_values, gradient_shape.
func applySparseLower(b *Builder) error {
	fn, err := applySparseKernels.get(b.InFact(3).DType)
	if err != nil {
		return err
	}
	if err := b.ranked(3); err != nil {
		return err
	}
	b.Call(fn, b.In(0), b.In(1), b.In(2), b.In(3), b.In(4), append([]*sym.Expr{}, b.InShape(3)...), b.Node.Bool("has_known_shape"))
	return nil
}

// gradientElement is what an accumulator hands out: as its attribute shape says,
// or as NoteElements has found it. Output i of n is the gradient.
func gradientElement(n *ir.Node, i int) element {
	d := n.DType("dtype")
	if m := maker(n.Ins[0]); m != nil {
		if s, ok := m.Attrs["shape"].(ir.PartialShape); ok && !s.UnknownRank {
			return elementOf(d, s)
		}
	}
	types := make([]tensor.DType, i+1)
	types[i] = d
	return noted(n, types)[i]
}

func takeGradientShape(c *Shaper) error {
	if err := c.scalarOr(1, "num_required"); err != nil {
		return err
	}
	c.elementShape(0, gradientElement(c.Node, 0))
	return nil
}

func takeGradientLower(b *Builder) error {
	parts := b.Temp(tensor.Variant, sym.One)
	b.Call(queue.TakeGradient, plan.Context{}, writes(parts), b.In(0), b.In(1), b.Node.DType("dtype"))
	parts.Mode = plan.Read
	return b.unbox(0, parts, gradientElement(b.Node, 0), 0)
}

// sparseElements are indices [n], values [n, …] and shape.
func sparseElements(n *ir.Node) []element {
	v := gradientElement(n, 1)
	shape := element{dtype: tensor.Int64, known: v.known}
	if v.known {
		shape.dims = []*sym.Expr{sym.Int(len(v.dims))}
		if len(v.dims) > 0 {
			v.dims = v.dims[1:]
		}
	}
	return []element{{dtype: tensor.Int64, known: true}, v, shape}
}

func takeSparseShape(c *Shaper) error {
	if err := c.scalarOr(1, "num_required"); err != nil {
		return err
	}
	es := sparseElements(c.Node)
	n := c.NewSize(0)
	c.elementShape(0, es[0], n)
	c.elementShape(1, es[1], n)
	c.elementShape(2, es[2])
	return nil
}

func takeSparseLower(b *Builder) error {
	es := sparseElements(b.Node)
	parts := b.Temp(tensor.Variant, sym.Int(3))
	b.Call(queue.TakeSparse, plan.Context{}, writes(parts), b.In(0), b.In(1), b.Node.DType("dtype"))
	parts.Mode = plan.Read
	b.CallSizes(queue.Dim, []*sym.Expr{b.NewSize(0)}, parts.At(sym.Zero, sym.One), 0, 1)
	if err := b.unboxAll(parts, es[:2], 1); err != nil {
		return err
	}
	return b.unbox(2, parts.At(sym.Int(2), sym.One), es[2], 0)
}

func numAccumulatedLower(b *Builder) error {
	b.Call(queue.Accumulated, b.Out(0), b.In(0))
	return nil
}

func globalStepLower(b *Builder) error {
	b.Call(queue.SetStep, b.In(0), b.In(1))
	return nil
}
