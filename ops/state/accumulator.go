package state

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/queue"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

var accumulated = map[string][]tensor.DType{"dtype": {tensor.Float32, tensor.Float64, tensor.Half}}

// accumulatorDefs add gradients until there are enough of them.
var accumulatorDefs = []*lower.Def{
	{Name: "ConditionalAccumulator", Level: lower.Source, Flags: lower.Kept | kit.Looks, Types: accumulated, Shape: HandleShape, Lower: accumulatorLower},
	{Name: "ResourceConditionalAccumulator", Level: lower.Source, Flags: lower.Kept | kit.Looks, Types: accumulated, Shape: HandleShape, Lower: accumulatorLower},
	{Name: "SparseConditionalAccumulator", Level: lower.Source, Flags: lower.Kept | kit.Looks, Types: accumulated, Shape: HandleShape, Lower: accumulatorLower},
	{Name: "AccumulatorApplyGradient", Flags: kit.Changes, Types: accumulated, Shape: localStepShape, Lower: applyGradientLower},
	{Name: "ResourceAccumulatorApplyGradient", Flags: kit.Changes, Types: accumulated, Shape: localStepShape, Lower: applyGradientLower},
	{Name: "SparseAccumulatorApplyGradient", Flags: kit.Changes, Types: accumulated, Shape: localStepShape, Lower: applySparseLower},
	{Name: "AccumulatorTakeGradient", Flags: kit.Changes, Types: accumulated, Shape: takeGradientShape, Lower: takeGradientLower, Limits: "the rank is taken from attribute shape, or from the graph's gradients"},
	{Name: "ResourceAccumulatorTakeGradient", Flags: kit.Changes, Types: accumulated, Shape: takeGradientShape, Lower: takeGradientLower, Limits: "the rank is taken from attribute shape, or from the graph's gradients"},
	{Name: "SparseAccumulatorTakeGradient", Flags: kit.Changes, Types: accumulated, Shape: takeSparseShape, Lower: takeSparseLower, Limits: "the rank is taken from attribute shape, or from the graph's gradients"},
	{Name: "AccumulatorNumAccumulated", Level: lower.Reads, Flags: kit.Looks, Shape: ScalarShape(tensor.Int32), Lower: numAccumulatedLower},
	{Name: "ResourceAccumulatorNumAccumulated", Level: lower.Reads, Flags: kit.Looks, Shape: ScalarShape(tensor.Int32), Lower: numAccumulatedLower},
	{Name: "AccumulatorSetGlobalStep", Flags: kit.Changes, Shape: localStepShape, Lower: globalStepLower},
	{Name: "ResourceAccumulatorSetGlobalStep", Flags: kit.Changes, Shape: localStepShape, Lower: globalStepLower},
}

func accumulatorLower(b *lower.Builder) error {
	n := b.Node
	p := resource.AccumulatorParams{Name: ResourceName(n), DType: n.DType("dtype"), Sparse: n.Op == "SparseConditionalAccumulator"}
	switch r := n.Str("reduction_type"); r {
	case "MEAN", "":
		p.Mean = true
	case "SUM":
	default:
		return b.Errorf(tensor.InvalidArgument, "reduction_type %q must be MEAN or SUM", r)
	}
	s, ok := n.Attrs["shape"].(ir.PartialShape)
	p.AnyRank = s.UnknownRank || !ok
	shape := []int{}
	for _, d := range s.Dims {
		shape = append(shape, int(d))
	}
	b.Object(0, kit.ResourceKey(n, "accumulator", false), resource.NewAccumulator, p, shape)
	return nil
}

// localStepShape is the shape function of ops that have a step as input 1 and no outputs. It checks
// that the step is a scalar.
func localStepShape(c *lower.Shaper) error {
	_, err := c.WithRank(1, 0)
	return err
}

var applyKernels = bytype.Table{
	{tensor.Float32}: queue.ApplyF32,
	{tensor.Float64}: queue.ApplyF64,
	{tensor.Half}:    queue.ApplyF16,
}

var applySparseKernels = bytype.Table{
	{tensor.Float32}: queue.ApplySparseF32,
	{tensor.Float64}: queue.ApplySparseF64,
	{tensor.Half}:    queue.ApplySparseF16,
}

func applyGradientLower(b *lower.Builder) error {
	fn, err := applyKernels.Get(b.InFact(2).DType)
	if err != nil {
		return err
	}
	if err := kit.Ranked(b, 2); err != nil {
		return err
	}
	b.Call(fn, b.In(0), b.In(1), b.In(2), append([]*sym.Expr{}, b.InShape(2)...))
	return nil
}

// applySparseLower lowers SparseAccumulatorApplyGradient. The inputs are handle, local_step,
// gradient_indices, gradient_values and gradient_shape.
func applySparseLower(b *lower.Builder) error {
	fn, err := applySparseKernels.Get(b.InFact(3).DType)
	if err != nil {
		return err
	}
	if err := kit.Ranked(b, 3); err != nil {
		return err
	}
	b.Call(fn, b.In(0), b.In(1), b.In(2), b.In(3), b.In(4), append([]*sym.Expr{}, b.InShape(3)...), b.Node.Bool("has_known_shape"))
	return nil
}

// gradientElement returns the type and shape of the gradient that node n takes from an accumulator
// and returns as output i. The shape is the attribute shape of the node that made the accumulator
// or, if that is absent, the shape that NoteElements has found.
func gradientElement(n *ir.Node, i int) Element {
	d := n.DType("dtype")
	if m := kit.HandleMaker(n.Ins[0]); m != nil {
		if s, ok := m.Attrs["shape"].(ir.PartialShape); ok && !s.UnknownRank {
			return elementOf(d, s)
		}
	}
	types := make([]tensor.DType, i+1)
	types[i] = d
	return Noted(n, types)[i]
}

func takeGradientShape(c *lower.Shaper) error {
	if err := c.ScalarOr(1, "num_required"); err != nil {
		return err
	}
	ElementShape(c, 0, gradientElement(c.Node, 0))
	return nil
}

func takeGradientLower(b *lower.Builder) error {
	parts := b.Temp(tensor.Variant, sym.One)
	b.Call(queue.TakeGradient, plan.Context{}, kit.Writes(parts), b.In(0), b.In(1), b.Node.DType("dtype"))
	parts.Mode = plan.Read
	return unbox(b, 0, parts, gradientElement(b.Node, 0), 0)
}

// sparseElements returns the types and shapes of the elements: indices [n], values [n, …] and
// shape.
func sparseElements(n *ir.Node) []Element {
	v := gradientElement(n, 1)
	shape := Element{Dtype: tensor.Int64, Known: v.Known}
	if v.Known {
		shape.Dims = []*sym.Expr{sym.Int(len(v.Dims))}
		if len(v.Dims) > 0 {
			v.Dims = v.Dims[1:]
		}
	}
	return []Element{{Dtype: tensor.Int64, Known: true}, v, shape}
}

func takeSparseShape(c *lower.Shaper) error {
	if err := c.ScalarOr(1, "num_required"); err != nil {
		return err
	}
	es := sparseElements(c.Node)
	n := c.NewSize(0)
	ElementShape(c, 0, es[0], n)
	ElementShape(c, 1, es[1], n)
	ElementShape(c, 2, es[2])
	return nil
}

func takeSparseLower(b *lower.Builder) error {
	es := sparseElements(b.Node)
	parts := b.Temp(tensor.Variant, sym.Int(3))
	b.Call(queue.TakeSparse, plan.Context{}, kit.Writes(parts), b.In(0), b.In(1), b.Node.DType("dtype"))
	parts.Mode = plan.Read
	b.CallSizes(queue.Dim, []*sym.Expr{b.NewSize(0)}, parts.At(sym.Zero, sym.One), 0, 1)
	if err := UnboxAll(b, parts, es[:2], 1); err != nil {
		return err
	}
	return unbox(b, 2, parts.At(sym.Int(2), sym.One), es[2], 0)
}

func numAccumulatedLower(b *lower.Builder) error {
	b.Call(queue.Accumulated, b.Out(0), b.In(0))
	return nil
}

func globalStepLower(b *lower.Builder) error {
	b.Call(queue.SetStep, b.In(0), b.In(1))
	return nil
}
