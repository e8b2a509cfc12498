package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/tensormap"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// mapRank is the limit of ops that read a tensor from a variant.
const mapRank = "the rank of what is read must follow from the graph"

// tensorMapDefs are maps from tensors to tensors: variants, of which a change makes
// another; see resource.Map. Keys are equal by type, shape and bytes.
var tensorMapDefs = append([]*Def{
	{Name: "EmptyTensorMap", Flags: NoFold, Shape: scalarShape(tensor.Variant), Lower: mapEmptyLower},
	{Name: "TensorMapInsert", Flags: NoFold | Effect, Shape: mapChangeShape, Lower: mapInsertLower},
	{Name: "TensorMapErase", Flags: NoFold | Effect, Shape: mapChangeShape, Lower: mapEraseLower},
	{Name: "TensorMapLookup", Flags: NoFold, Limits: mapRank, Shape: mapLookupShape, Lower: mapLookupLower},
	{Name: "TensorMapHasKey", Flags: NoFold, Shape: scalarShape(tensor.Bool), Lower: mapHasLower},
	{Name: "TensorMapSize", Flags: NoFold, Shape: scalarShape(tensor.Int32), Lower: mapSizeLower},
	{Name: "TensorMapStackKeys", Flags: NoFold, Limits: mapRank + "; keys come in the order they were inserted", Shape: mapStackShape, Lower: mapStackLower},
}, compositeDefs...)

func mapEmptyLower(b *Builder) error {
	b.Call(tensormap.Empty, b.Out(0))
	return nil
}

// mapChangeShape: a map like the first input.
func mapChangeShape(c *Shaper) error {
	c.Set(0, tensor.Variant, ir.ShapeOf())
	return c.scalarOr(0, "the map")
}

// mapKey is the key that input 1 is.
func (b *Builder) mapKey() (plan.View, error) {
	if err := b.ranked(0, 1); err != nil {
		return plan.View{}, err
	}
	d := b.InFact(1).DType
	k := b.Temp(tensor.Variant, sym.One)
	b.Call(byKind(d, tensormap.KeyRaw, tensormap.KeyStr, tensormap.KeyHnd), writes(k), b.raw(b.In(1)), d, append([]*sym.Expr{}, b.InShape(1)...))
	k.Mode = plan.Read
	return k, nil
}

func mapInsertLower(b *Builder) error {
	k, err := b.mapKey()
	if err != nil {
		return err
	}
	if err := b.ranked(2); err != nil {
		return err
	}
	d := b.InFact(2).DType
	b.Call(byKind(d, tensormap.InsertRaw, tensormap.InsertStr, tensormap.InsertHnd), b.Out(0), b.In(0), k, b.raw(b.In(2)), d, append([]*sym.Expr{}, b.InShape(2)...))
	return nil
}

func mapEraseLower(b *Builder) error {
	k, err := b.mapKey()
	if err != nil {
		return err
	}
	b.Call(tensormap.Erase, b.Out(0), b.In(0), k)
	return nil
}

func mapHasLower(b *Builder) error {
	k, err := b.mapKey()
	if err != nil {
		return err
	}
	b.Call(tensormap.Has, b.Out(0), b.In(0), k)
	return nil
}

func mapSizeLower(b *Builder) error {
	b.Call(tensormap.Size, b.Out(0), b.In(0))
	return nil
}

// variantSources returns the nodes of the ops that make names which put something into the variant o, through all
// that hands variants on, lists included.
func variantSources(o ir.Out, makes func(op string) bool) []*ir.Node {
	var nodes []*ir.Node
	seen := map[ir.Out]bool{}
	var visit func(o ir.Out)
	visit = func(o ir.Out) {
		if seen[o] {
			return
		}
		seen[o] = true
		if makes(o.Node.Op) {
			nodes = append(nodes, o.Node)
		}
		from, handed := handedOn(o)
		if holder, list := listHolder(o); list {
			from = listItems(holder)
		} else if !handed {
			from = o.Node.Ins
		}
		for _, i := range from {
			if i.Fact().DType == tensor.Variant {
				visit(i)
			}
		}
	}
	visit(o)
	return nodes
}

// sizesInCommon returns what shapes of tensors in variants have in common for a reader elsewhere: their rank and
// constant dimensions, nil for others.
func sizesInCommon(shapes []ir.Shape) ir.Shape {
	for _, s := range shapes {
		if !s.Known {
			return ir.Shape{}
		}
	}
	if len(shapes) == 0 {
		return ir.ShapeOf() // nobody writes: every read fails
	}
	s := commonShape(shapes)
	for k, d := range s.Dims {
		if d != nil && !isConst(d) {
			s.Dims[k] = nil
		}
	}
	return s
}

// mapShape returns the shape of the keys, or of the values that have the reader's type, of the map o.
func mapShape(o ir.Out, in int, d tensor.DType) ir.Shape {
	var shapes []ir.Shape
	for _, n := range variantSources(o, func(op string) bool { return op == "TensorMapInsert" }) {
		if f := n.Ins[in].Fact(); f.DType == d {
			shapes = append(shapes, f.Shape)
		}
	}
	return sizesInCommon(shapes)
}

// mapLookupShape: TensorMapLookup(map, key): the tensor at the key.
func mapLookupShape(c *Shaper) error {
	d := c.Node.DType("value_dtype")
	c.setFound(0, d, mapShape(c.Node.Ins[0], 2, d))
	return c.scalarOr(0, "the map")
}

func mapLookupLower(b *Builder) error {
	k, err := b.mapKey()
	if err != nil {
		return err
	}
	d := b.OutFact(0).DType
	v := b.Temp(tensor.Variant, sym.One)
	b.Call(tensormap.Lookup, writes(v), b.In(0), k, d)
	v.Mode = plan.Read
	return b.readPart(0, v)
}

// readPart binds the sizes of output i by the tensor in v and copies it.
func (b *Builder) readPart(i int, v plan.View) error {
	if !b.OutFact(i).Shape.Known {
		if b.OutUsed(i) {
			return unknownRank(b.Node, i)
		}
		return nil
	}
	b.findSizes(i, func(k int, size []*sym.Expr) {
		b.CallSizes(tensormap.Dim, size, v, k, len(b.OutShape(i)))
	})
	if b.OutUsed(i) {
		d := b.OutFact(i).DType
		b.Call(byKind(d, tensormap.ReadRaw, tensormap.ReadStr, tensormap.ReadHnd), b.raw(b.Out(i)), v, append([]*sym.Expr{}, b.OutShape(i)...))
	}
	return nil
}

// mapStackShape: TensorMapStackKeys(map): all keys, which must have one shape.
func mapStackShape(c *Shaper) error {
	d := c.Node.DType("key_dtype")
	c.setFound(0, d, mapShape(c.Node.Ins[0], 1, d), nil)
	return c.scalarOr(0, "the map")
}

func mapStackLower(b *Builder) error {
	d := b.OutFact(0).DType
	if d.Opaque() {
		return b.Errorf(tensor.Unimplemented, "keys of type %s", d)
	}
	rank := len(b.OutShape(0)) - 1
	b.findSizes(0, func(k int, size []*sym.Expr) {
		if k == 0 {
			b.CallSizes(tensormap.Len, size, b.In(0))
		} else {
			b.CallSizes(tensormap.KeyDim, size, b.In(0), k-1, rank)
		}
	})
	b.Call(byKind(d, tensormap.StackRaw, tensormap.StackStr, nil), b.raw(b.Out(0)), b.In(0), d, append([]*sym.Expr{}, b.OutShape(0)[1:]...))
	return nil
}
