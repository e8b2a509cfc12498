package state

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/tensormap"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// mapRank is the text that documents the limit of ops that read a tensor from a variant.
const mapRank = "the graph must determine the rank of the tensor"

// tensorMapDefs describes the ops on maps from tensors to tensors. A map is a variant. An op that
// changes a map returns a new map and leaves the old one unchanged; see resource.Map. Two keys are
// equal if their types, shapes and bytes are equal.
var tensorMapDefs = append([]*lower.Def{
	{Name: "EmptyTensorMap", Flags: lower.NoFold, Makes: lower.Map, Shape: ScalarShape(tensor.Variant), Lower: mapEmptyLower},
	{Name: "TensorMapInsert", Flags: lower.NoFold | lower.Effect, Wants: lower.Map, Makes: lower.Map, Shape: mapChangeShape, Lower: mapInsertLower},
	{Name: "TensorMapErase", Flags: lower.NoFold | lower.Effect, Wants: lower.Map, Makes: lower.Map, Shape: mapChangeShape, Lower: mapEraseLower},
	{Name: "TensorMapLookup", Flags: lower.NoFold, Wants: lower.Map, Limits: mapRank, Shape: mapLookupShape, Lower: mapLookupLower},
	{Name: "TensorMapHasKey", Flags: lower.NoFold, Wants: lower.Map, Shape: ScalarShape(tensor.Bool), Lower: mapHasLower},
	{Name: "TensorMapSize", Flags: lower.NoFold, Wants: lower.Map, Shape: ScalarShape(tensor.Int32), Lower: mapSizeLower},
	{Name: "TensorMapStackKeys", Flags: lower.NoFold, Wants: lower.Map, Limits: mapRank + "; keys are in the order of insertion", Shape: mapStackShape, Lower: mapStackLower},
}, compositeDefs...)

func mapEmptyLower(b *lower.Builder) error {
	b.Call(tensormap.Empty, b.Out(0))
	return nil
}

// mapChangeShape infers the shape of the output of an op that changes a map. The output is a scalar
// variant, as is the map in input 0.
func mapChangeShape(c *lower.Shaper) error {
	c.Set(0, tensor.Variant, ir.ShapeOf())
	return c.ScalarOr(0, "the map")
}

// mapKey appends the call that makes a key for a map from input 1, and returns the key.
func mapKey(b *lower.Builder) (plan.View, error) {
	if err := kit.Ranked(b, 0, 1); err != nil {
		return plan.View{}, err
	}
	d := b.InFact(1).DType
	k := b.Temp(tensor.Variant, sym.One)
	b.Call(lower.ByKind(d, tensormap.KeyRaw, tensormap.KeyStr, tensormap.KeyHnd), kit.Writes(k), b.Raw(b.In(1)), d, append([]*sym.Expr{}, b.InShape(1)...))
	k.Mode = plan.Read
	return k, nil
}

func mapInsertLower(b *lower.Builder) error {
	k, err := mapKey(b)
	if err != nil {
		return err
	}
	if err := kit.Ranked(b, 2); err != nil {
		return err
	}
	d := b.InFact(2).DType
	b.Call(lower.ByKind(d, tensormap.InsertRaw, tensormap.InsertStr, tensormap.InsertHnd), b.Out(0), b.In(0), k, b.Raw(b.In(2)), d, append([]*sym.Expr{}, b.InShape(2)...))
	return nil
}

func mapEraseLower(b *lower.Builder) error {
	k, err := mapKey(b)
	if err != nil {
		return err
	}
	b.Call(tensormap.Erase, b.Out(0), b.In(0), k)
	return nil
}

func mapHasLower(b *lower.Builder) error {
	k, err := mapKey(b)
	if err != nil {
		return err
	}
	b.Call(tensormap.Has, b.Out(0), b.In(0), k)
	return nil
}

func mapSizeLower(b *lower.Builder) error {
	b.Call(tensormap.Size, b.Out(0), b.In(0))
	return nil
}

// variantSources returns the nodes whose results may be contained in the variant o. It returns only
// nodes whose op satisfies the given predicate. It follows o backwards through lists, and through
// nodes that return one of their inputs.
func variantSources(t *lower.Table, o ir.Out, makes func(op string) bool) []*ir.Node {
	var nodes []*ir.Node
	t.WalkVariants(o, func(n *ir.Node) bool {
		if makes(n.Op) {
			nodes = append(nodes, n)
		}
		return true
	})
	return nodes
}

// sizesInCommon returns the rank and the constant dimensions that are common to the shapes of
// tensors in variants. Other dimensions are nil.
func sizesInCommon(shapes []ir.Shape) ir.Shape {
	for _, s := range shapes {
		if !s.Known {
			return ir.Shape{}
		}
	}
	if len(shapes) == 0 {
		return ir.ShapeOf() // the graph never inserts an element, so every read fails at run time
	}
	s := lower.CommonShape(shapes)
	for k, d := range s.Dims {
		if d != nil && !kit.IsInt(d) {
			s.Dims[k] = nil
		}
	}
	return s
}

// mapShape returns the common shape of the tensors that TensorMapInsert nodes insert into the map
// o. Parameter in is the number of an input of these nodes: 1 for the shape of the keys, 2 for the
// shape of the values. Only tensors of type d count.
func mapShape(t *lower.Table, o ir.Out, in int, d tensor.DType) ir.Shape {
	var shapes []ir.Shape
	for _, n := range variantSources(t, o, func(op string) bool { return op == "TensorMapInsert" }) {
		if f := n.Ins[in].Fact(); f.DType == d {
			shapes = append(shapes, f.Shape)
		}
	}
	return sizesInCommon(shapes)
}

// mapLookupShape infers the shape of the output of TensorMapLookup(map, key), which is the value at
// the key.
func mapLookupShape(c *lower.Shaper) error {
	d := c.Node.DType("value_dtype")
	c.SetFound(0, d, mapShape(c.Table, c.Node.Ins[0], 2, d))
	return c.ScalarOr(0, "the map")
}

func mapLookupLower(b *lower.Builder) error {
	k, err := mapKey(b)
	if err != nil {
		return err
	}
	d := b.OutFact(0).DType
	v := b.Temp(tensor.Variant, sym.One)
	b.Call(tensormap.Lookup, kit.Writes(v), b.In(0), k, d)
	v.Mode = plan.Read
	return readPart(b, 0, v)
}

// readPart copies the tensor in v to output i and appends the calls that compute the sizes of the
// output.
func readPart(b *lower.Builder, i int, v plan.View) error {
	if !b.OutFact(i).Shape.Known {
		if b.OutUsed(i) {
			return lower.UnknownRank(b.Node, i)
		}
		return nil
	}
	b.FindSizes(i, func(k int, size []*sym.Expr) {
		b.CallSizes(tensormap.Dim, size, v, k, len(b.OutShape(i)))
	})
	if b.OutUsed(i) {
		d := b.OutFact(i).DType
		b.Call(lower.ByKind(d, tensormap.ReadRaw, tensormap.ReadStr, tensormap.ReadHnd), b.Raw(b.Out(i)), v, append([]*sym.Expr{}, b.OutShape(i)...))
	}
	return nil
}

// mapStackShape infers the shape of the output of TensorMapStackKeys(map). The output has all keys
// as rows, so they must have the same shape.
func mapStackShape(c *lower.Shaper) error {
	d := c.Node.DType("key_dtype")
	c.SetFound(0, d, mapShape(c.Table, c.Node.Ins[0], 1, d), nil)
	return c.ScalarOr(0, "the map")
}

func mapStackLower(b *lower.Builder) error {
	d := b.OutFact(0).DType
	if d.Opaque() {
		return b.Errorf(tensor.Unimplemented, "keys of type %s", d)
	}
	rank := len(b.OutShape(0)) - 1
	b.FindSizes(0, func(k int, size []*sym.Expr) {
		if k == 0 {
			b.CallSizes(tensormap.Len, size, b.In(0))
		} else {
			b.CallSizes(tensormap.KeyDim, size, b.In(0), k-1, rank)
		}
	})
	b.Call(lower.ByKind(d, tensormap.StackRaw, tensormap.StackStr, nil), b.Raw(b.Out(0)), b.In(0), d, append([]*sym.Expr{}, b.OutShape(0)[1:]...))
	return nil
}
