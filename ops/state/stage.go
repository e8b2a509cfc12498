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

// stageDefs describes the ops of staging areas. A staging area is a queue of tuples, or a map from
// keys to tuples. It has no handle: all nodes with the same container and the same name use the
// same staging area.
var stageDefs = []*lower.Def{
	{Name: "Stage", Flags: kit.Changes, Shape: WithoutOutputs, Lower: stageLower},
	{Name: "Unstage", Flags: kit.Changes, Shape: unstageShape, Lower: unstageLower, Limits: "ranks are taken from the graph's Stage"},
	{Name: "StagePeek", Level: lower.Reads, Flags: kit.Looks, Shape: unstageShape, Lower: unstageLower, Limits: "ranks are taken from the graph's Stage"},
	{Name: "StageSize", Level: lower.Reads, Flags: kit.Looks, Shape: ScalarShape(tensor.Int32), Lower: stageSizeLower},
	{Name: "StageClear", Flags: kit.Changes, Shape: WithoutOutputs, Lower: stageClearLower},
	{Name: "MapStage", Flags: kit.Changes, Shape: mapStageShape, Lower: mapStageLower},
	{Name: "MapUnstage", Flags: kit.Changes, Shape: unstageShape, Lower: mapUnstageLower, Limits: "ranks are taken from the graph's MapStage; indices must be constants"},
	{Name: "MapPeek", Level: lower.Reads, Flags: kit.Looks, Shape: unstageShape, Lower: mapUnstageLower, Limits: "ranks are taken from the graph's MapStage; indices must be constants"},
	{Name: "MapUnstageNoKey", Flags: kit.Changes, Shape: unstageNoKeyShape, Lower: mapUnstageNoKeyLower, Limits: "ranks are taken from the graph's MapStage; indices must be constants"},
	{Name: "MapSize", Level: lower.Reads, Flags: kit.Looks, Shape: ScalarShape(tensor.Int32), Lower: stageSizeLower},
	{Name: "MapIncompleteSize", Level: lower.Reads, Flags: kit.Looks, Shape: ScalarShape(tensor.Int32), Lower: stageSizeLower},
	{Name: "MapClear", Flags: kit.Changes, Shape: WithoutOutputs, Lower: stageClearLower},
	{Name: "OrderedMapStage", Flags: kit.Changes, Shape: mapStageShape, Lower: mapStageLower},
	{Name: "OrderedMapUnstage", Flags: kit.Changes, Shape: unstageShape, Lower: mapUnstageLower, Limits: "ranks are taken from the graph's OrderedMapStage; indices must be constants"},
	{Name: "OrderedMapPeek", Level: lower.Reads, Flags: kit.Looks, Shape: unstageShape, Lower: mapUnstageLower, Limits: "ranks are taken from the graph's OrderedMapStage; indices must be constants"},
	{Name: "OrderedMapUnstageNoKey", Flags: kit.Changes, Shape: unstageNoKeyShape, Lower: mapUnstageNoKeyLower, Limits: "ranks are taken from the graph's OrderedMapStage; indices must be constants"},
	{Name: "OrderedMapSize", Level: lower.Reads, Flags: kit.Looks, Shape: ScalarShape(tensor.Int32), Lower: stageSizeLower},
	{Name: "OrderedMapIncompleteSize", Level: lower.Reads, Flags: kit.Looks, Shape: ScalarShape(tensor.Int32), Lower: stageSizeLower},
	{Name: "OrderedMapClear", Flags: kit.Changes, Shape: WithoutOutputs, Lower: stageClearLower},
}

// area returns the handle of the staging area that a node uses, which other nodes may use too.
func area(b *lower.Builder) plan.View {
	kind := "map"
	switch b.Node.Op {
	case "Stage", "Unstage", "StagePeek", "StageSize", "StageClear":
		kind = "stage"
	}
	return b.Kept(kit.ResourceKey(b.Node, kind, false), resource.NewStage)
}

// areaParams returns the limits of a staging area.
func areaParams(n *ir.Node) resource.StageParams {
	return resource.StageParams{Capacity: n.Int("capacity"), Memory: n.Int("memory_limit")}
}

func stageLower(b *lower.Builder) error {
	parts, err := Boxes(b, 0, b.NumIn(), false)
	if err != nil {
		return err
	}
	b.Call(queue.Stage, plan.Context{}, area(b), parts, areaParams(b.Node))
	return nil
}

// unstageShape infers the shapes of the outputs of ops such as Unstage and MapPeek. The outputs are
// the components of a tuple. Input 0 is the index or the key of the tuple, if the op has such an
// input.
func unstageShape(c *lower.Shaper) error {
	if c.NumIn() > 0 {
		if err := c.ScalarOr(0, "an index or key"); err != nil {
			return err
		}
	}
	for i, e := range Noted(c.Node, c.Node.DTypes("dtypes")) {
		ElementShape(c, i, e)
	}
	return nil
}

func unstageLower(b *lower.Builder) error {
	es := Noted(b.Node, b.Node.DTypes("dtypes"))
	parts := b.Temp(tensor.Variant, sym.Int(len(es)))
	if b.Node.Op == "StagePeek" {
		b.Call(queue.StagePeek, plan.Context{}, kit.Writes(parts), area(b), b.In(0))
	} else {
		b.Call(queue.Unstage, plan.Context{}, kit.Writes(parts), area(b))
	}
	parts.Mode = plan.Read
	return UnboxAll(b, parts, es, 0)
}

func stageSizeLower(b *lower.Builder) error {
	switch b.Node.Op {
	case "StageSize":
		b.Call(queue.StageSize, b.Out(0), area(b))
	case "MapSize", "OrderedMapSize":
		b.Call(queue.MapSize, b.Out(0), area(b))
	default:
		b.Call(queue.MapIncompleteSize, b.Out(0), area(b))
	}
	return nil
}

func stageClearLower(b *lower.Builder) error {
	b.Call(queue.StageClear, area(b))
	return nil
}

// mapStageShape is the shape function of MapStage, which has no outputs. It checks that the key is
// a scalar.
func mapStageShape(c *lower.Shaper) error { return c.ScalarOr(0, "the key") }

func mapStageLower(b *lower.Builder) error {
	parts, err := Boxes(b, 2, b.NumIn(), false)
	if err != nil {
		return err
	}
	b.Call(queue.MapStage, plan.Context{}, area(b), b.In(0), b.In(1), parts, len(b.Node.DTypes("dtypes")), areaParams(b.Node))
	return nil
}

func mapUnstageLower(b *lower.Builder) error {
	es := Noted(b.Node, b.Node.DTypes("dtypes"))
	parts := b.Temp(tensor.Variant, sym.Int(len(es)))
	peek := b.Node.Op == "MapPeek" || b.Node.Op == "OrderedMapPeek"
	b.Call(queue.MapUnstage, plan.Context{}, kit.Writes(parts), area(b), b.In(0), b.In(1), peek)
	parts.Mode = plan.Read
	return UnboxAll(b, parts, es, 0)
}

// noKeyElements returns the types and shapes of the outputs, including the key.
func noKeyElements(n *ir.Node) []Element {
	return Noted(n, append([]tensor.DType{tensor.Int64}, n.DTypes("dtypes")...))
}

func unstageNoKeyShape(c *lower.Shaper) error {
	c.Set(0, tensor.Int64, ir.ShapeOf())
	for i, e := range noKeyElements(c.Node)[1:] {
		ElementShape(c, 1+i, e)
	}
	return nil
}

func mapUnstageNoKeyLower(b *lower.Builder) error {
	es := noKeyElements(b.Node)[1:]
	parts := b.Temp(tensor.Variant, sym.Int(len(es)))
	b.Call(queue.MapUnstageNoKey, plan.Context{}, b.Out(0), kit.Writes(parts), area(b), b.In(0))
	parts.Mode = plan.Read
	for i, e := range es {
		if err := unbox(b, 1+i, parts.At(sym.Int(i), sym.One), e, 0); err != nil {
			return err
		}
	}
	return nil
}
