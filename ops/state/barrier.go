package state

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/queue"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// barrierDefs collect the components of tuples by keys and return complete tuples.
var barrierDefs = []*lower.Def{
	{Name: "Barrier", Level: lower.Source, Flags: lower.Kept | kit.Looks, Shape: HandleShape, Lower: barrierLower},
	{Name: "BarrierInsertMany", Flags: kit.Changes, Shape: barrierInsertShape, Lower: barrierInsertLower},
	{Name: "BarrierTakeMany", Flags: kit.Changes, Shape: barrierTakeShape, Lower: barrierTakeLower, Limits: tupleRanks},
	{Name: "BarrierClose", Flags: kit.Changes, Shape: WithoutOutputs, Lower: barrierCloseLower},
	{Name: "BarrierReadySize", Level: lower.Reads, Flags: kit.Looks, Shape: ScalarShape(tensor.Int32), Lower: barrierSizeLower},
	{Name: "BarrierIncompleteSize", Level: lower.Reads, Flags: kit.Looks, Shape: ScalarShape(tensor.Int32), Lower: barrierSizeLower},
}

func barrierLower(b *lower.Builder) error {
	types, shapes := containerSpec(b.Node)
	if len(shapes) != len(types) {
		return b.Errorf(tensor.InvalidArgument, "%d shapes for %d components", len(shapes), len(types))
	}
	for i, s := range shapes {
		if s.UnknownRank || !staticDims(s) {
			return b.Errorf(tensor.InvalidArgument, "the shape of component %d must be fully defined", i)
		}
	}
	ts, ranks, dims := flatSpec(types, shapes)
	p := resource.BarrierParams{Name: ResourceName(b.Node)}
	if _, err := resource.NewBarrier(p, ts, ranks, dims); err != nil {
		return err
	}
	b.Object(0, kit.ResourceKey(b.Node, "barrier", false), resource.NewBarrier, p, ts, ranks, dims)
	return nil
}

func staticDims(s ir.PartialShape) bool {
	for _, d := range s.Dims {
		if d < 0 {
			return false
		}
	}
	return true
}

// barrierInsertShape is the shape function of BarrierInsertMany, which has no outputs. The inputs
// after the handle are keys [n] and values [n, …].
func barrierInsertShape(c *lower.Shaper) error {
	k, err := c.WithRank(1, 1)
	if err != nil {
		return err
	}
	v := c.Shape(2)
	switch {
	case v.Known && len(v.Dims) == 0:
		return tensor.Errorf(tensor.InvalidArgument, "values is a scalar, but must have rows")
	case v.Known && k.Known:
		_, err = kit.JoinDim(k.Dims[0], v.Dims[0], "keys and values")
	}
	return err
}

func barrierInsertLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 2); err != nil {
		return err
	}
	parts, err := Boxes(b, 2, 3, true)
	if err != nil {
		return err
	}
	b.Call(queue.BarrierInsert, plan.Context{}, b.In(0), b.In(1), parts, b.Node.Int("component_index"))
	return nil
}

// barrierElements returns the types and shapes of indices, keys and components, each without its
// number of rows.
func barrierElements(n *ir.Node) []Element {
	types := append([]tensor.DType{tensor.Int64, tensor.String}, n.DTypes("component_types")...)
	es := Noted(n, types)
	es[0].Known, es[0].Dims = true, nil
	es[1].Known, es[1].Dims = true, nil
	if m := kit.HandleMaker(n.Ins[0]); m != nil {
		if _, shapes := containerSpec(m); len(shapes) == len(es)-2 {
			for i, s := range shapes {
				es[2+i] = elementOf(types[2+i], s)
			}
		}
	}
	return es
}

func barrierTakeShape(c *lower.Shaper) error {
	c.Ints(1) // for the lowering
	for i, e := range barrierElements(c.Node) {
		ElementShape(c, i, e, c.NewSize(0))
	}
	return nil
}

func barrierTakeLower(b *lower.Builder) error {
	if err := timeout(b); err != nil {
		return err
	}
	es := barrierElements(b.Node)
	n, ok := b.Ints(1)
	if !ok || len(n) != 1 {
		return b.Errorf(tensor.InvalidArgument, "num_elements must be a scalar")
	}
	parts := b.Temp(tensor.Variant, sym.Int(len(es)))
	b.Call(queue.BarrierTake, plan.Context{}, kit.Writes(parts), b.In(0), n[0], b.Node.Bool("allow_small_batch"))
	parts.Mode = plan.Read
	b.CallSizes(queue.Dim, []*sym.Expr{b.NewSize(0)}, parts.At(sym.Zero, sym.One), 0, 1)
	return UnboxAll(b, parts, es, 1)
}

func barrierCloseLower(b *lower.Builder) error {
	b.Call(queue.BarrierClose, plan.Context{}, b.In(0), b.Node.Bool("cancel_pending_enqueues"))
	return nil
}

func barrierSizeLower(b *lower.Builder) error {
	if b.Node.Op == "BarrierReadySize" {
		b.Call(queue.BarrierReady, b.Out(0), b.In(0))
	} else {
		b.Call(queue.BarrierIncomplete, b.Out(0), b.In(0))
	}
	return nil
}
