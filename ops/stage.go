package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/queue"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// stageDefs are staging areas, of tuples in line and of tuples by keys. They have
// no handles: nodes of one container and name share one.
var stageDefs = []*Def{
	{Name: "Stage", Flags: changes, Shape: withoutOutputs, Lower: stageLower},
	{Name: "Unstage", Flags: changes, Shape: unstageShape, Lower: unstageLower, Limits: "ranks are those that the graph's Stage puts in"},
	{Name: "StagePeek", Level: Reads, Flags: looks, Shape: unstageShape, Lower: unstageLower, Limits: "ranks are those that the graph's Stage puts in"},
	{Name: "StageSize", Level: Reads, Flags: looks, Shape: scalarShape(tensor.Int32), Lower: stageSizeLower},
	{Name: "StageClear", Flags: changes, Shape: withoutOutputs, Lower: stageClearLower},
	{Name: "MapStage", Flags: changes, Shape: mapStageShape, Lower: mapStageLower},
	{Name: "MapUnstage", Flags: changes, Shape: unstageShape, Lower: mapUnstageLower, Limits: "ranks are those that the graph's MapStage puts in; indices must be constants"},
	{Name: "MapPeek", Level: Reads, Flags: looks, Shape: unstageShape, Lower: mapUnstageLower, Limits: "ranks are those that the graph's MapStage puts in; indices must be constants"},
	{Name: "MapUnstageNoKey", Flags: changes, Shape: unstageNoKeyShape, Lower: mapUnstageNoKeyLower, Limits: "ranks are those that the graph's MapStage puts in; indices must be constants"},
	{Name: "MapSize", Level: Reads, Flags: looks, Shape: scalarShape(tensor.Int32), Lower: stageSizeLower},
	{Name: "MapIncompleteSize", Level: Reads, Flags: looks, Shape: scalarShape(tensor.Int32), Lower: stageSizeLower},
	{Name: "MapClear", Flags: changes, Shape: withoutOutputs, Lower: stageClearLower},
	{Name: "OrderedMapStage", Flags: changes, Shape: mapStageShape, Lower: mapStageLower},
	{Name: "OrderedMapUnstage", Flags: changes, Shape: unstageShape, Lower: mapUnstageLower, Limits: "ranks are those that the graph's OrderedMapStage puts in; indices must be constants"},
	{Name: "OrderedMapPeek", Level: Reads, Flags: looks, Shape: unstageShape, Lower: mapUnstageLower, Limits: "ranks are those that the graph's OrderedMapStage puts in; indices must be constants"},
	{Name: "OrderedMapUnstageNoKey", Flags: changes, Shape: unstageNoKeyShape, Lower: mapUnstageNoKeyLower, Limits: "ranks are those that the graph's OrderedMapStage puts in; indices must be constants"},
	{Name: "OrderedMapSize", Level: Reads, Flags: looks, Shape: scalarShape(tensor.Int32), Lower: stageSizeLower},
	{Name: "OrderedMapIncompleteSize", Level: Reads, Flags: looks, Shape: scalarShape(tensor.Int32), Lower: stageSizeLower},
	{Name: "OrderedMapClear", Flags: changes, Shape: withoutOutputs, Lower: stageClearLower},
}

// area is the handle of the staging area a node shares.
func (b *Builder) area() plan.View {
	kind := "map"
	switch b.Node.Op {
	case "Stage", "Unstage", "StagePeek", "StageSize", "StageClear":
		kind = "stage"
	}
	return b.Kept(resourceKey(b.Node, kind, false), resource.NewStage)
}

// areaParams bound what a node puts into a staging area.
func areaParams(n *ir.Node) resource.StageParams {
	return resource.StageParams{Capacity: n.Int("capacity"), Memory: n.Int("memory_limit")}
}

func stageLower(b *Builder) error {
	parts, err := b.boxes(0, b.NumIn(), false)
	if err != nil {
		return err
	}
	b.Call(queue.Stage, plan.Context{}, b.area(), parts, areaParams(b.Node))
	return nil
}

// unstageShape: the components; input 0, if any, is an index or a key.
func unstageShape(c *Shaper) error {
	if c.NumIn() > 0 {
		if err := c.scalarOr(0, "an index or key"); err != nil {
			return err
		}
	}
	for i, e := range noted(c.Node, c.Node.DTypes("dtypes")) {
		c.elementShape(i, e)
	}
	return nil
}

func unstageLower(b *Builder) error {
	es := noted(b.Node, b.Node.DTypes("dtypes"))
	parts := b.Temp(tensor.Variant, sym.Int(len(es)))
	if b.Node.Op == "StagePeek" {
		b.Call(queue.StagePeek, plan.Context{}, writes(parts), b.area(), b.In(0))
	} else {
		b.Call(queue.Unstage, plan.Context{}, writes(parts), b.area())
	}
	parts.Mode = plan.Read
	return b.unboxAll(parts, es, 0)
}

func stageSizeLower(b *Builder) error {
	switch b.Node.Op {
	case "StageSize":
		b.Call(queue.StageSize, b.Out(0), b.area())
	case "MapSize", "OrderedMapSize":
		b.Call(queue.MapSize, b.Out(0), b.area())
	default:
		b.Call(queue.MapIncompleteSize, b.Out(0), b.area())
	}
	return nil
}

func stageClearLower(b *Builder) error {
	b.Call(queue.StageClear, b.area())
	return nil
}

// mapStageShape: the key is a scalar.
func mapStageShape(c *Shaper) error { return c.scalarOr(0, "the key") }

func mapStageLower(b *Builder) error {
	parts, err := b.boxes(2, b.NumIn(), false)
	if err != nil {
		return err
	}
	b.Call(queue.MapStage, plan.Context{}, b.area(), b.In(0), b.In(1), parts, len(b.Node.DTypes("dtypes")), areaParams(b.Node))
	return nil
}

func mapUnstageLower(b *Builder) error {
	es := noted(b.Node, b.Node.DTypes("dtypes"))
	parts := b.Temp(tensor.Variant, sym.Int(len(es)))
	peek := b.Node.Op == "MapPeek" || b.Node.Op == "OrderedMapPeek"
	b.Call(queue.MapUnstage, plan.Context{}, writes(parts), b.area(), b.In(0), b.In(1), peek)
	parts.Mode = plan.Read
	return b.unboxAll(parts, es, 0)
}

// noKeyElements are the outputs behind the key.
func noKeyElements(n *ir.Node) []element {
	return noted(n, append([]tensor.DType{tensor.Int64}, n.DTypes("dtypes")...))
}

func unstageNoKeyShape(c *Shaper) error {
	c.Set(0, tensor.Int64, ir.ShapeOf())
	for i, e := range noKeyElements(c.Node)[1:] {
		c.elementShape(1+i, e)
	}
	return nil
}

func mapUnstageNoKeyLower(b *Builder) error {
	es := noKeyElements(b.Node)[1:]
	parts := b.Temp(tensor.Variant, sym.Int(len(es)))
	b.Call(queue.MapUnstageNoKey, plan.Context{}, b.Out(0), writes(parts), b.area(), b.In(0))
	parts.Mode = plan.Read
	for i, e := range es {
		if err := b.unbox(1+i, parts.At(sym.Int(i), sym.One), e, 0); err != nil {
			return err
		}
	}
	return nil
}
