package state

import (
	"encoding/binary"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/tensormap"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	raggedops "github.com/graphc/graphc/ops/ragged"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// compositeDefs describes the ops that pack several tensors into a variant, and that unpack them.
// The variant is a composite tensor, or an optional that has no component or more than one.
// Optionals with exactly one component do not occur here, because the pass named optionals replaces
// them by lists.
var compositeDefs = []*lower.Def{
	{Name: "CompositeTensorVariantFromComponents", Flags: lower.NoFold | lower.Effect, Shape: composeShape, Lower: composeLower},
	{Name: "CompositeTensorVariantToComponents", Flags: lower.NoFold | lower.Effect, Limits: mapRank, Shape: decomposeShape, Lower: decomposeLower},
	{Name: "OptionalFromValue", Flags: lower.NoFold, Makes: lower.Optional, Shape: ScalarShape(tensor.Variant), Lower: composeLower},
	{Name: "OptionalNone", Flags: lower.NoFold, Makes: lower.Optional, Shape: ScalarShape(tensor.Variant), Lower: optionalNoneLower},
	{Name: "OptionalHasValue", Flags: lower.NoFold, Wants: lower.Optional, Shape: optionalHasShape, Lower: optionalHasLower},
	{Name: "OptionalGetValue", Flags: lower.NoFold | lower.Effect, Wants: lower.Optional, Limits: mapRank, Shape: decomposeShape, Lower: decomposeLower},
}

// wireField returns the contents of a field in the protobuf message b. The parameter field is the
// number of the field; if the field occurs several times, the last occurrence counts. The contents
// are either a number or bytes. ok is false if b is not a valid message.
func wireField(b []byte, field uint64) (number uint64, bytes []byte, ok bool) {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 {
			return 0, nil, false
		}
		b = b[n:]
		var size uint64
		switch tag & 7 {
		case 0:
			v, n := binary.Uvarint(b)
			if n <= 0 {
				return 0, nil, false
			}
			if b = b[n:]; tag>>3 == field {
				number = v
			}
			continue
		case 1:
			size = 8
		case 5:
			size = 4
		case 2:
			v, n := binary.Uvarint(b)
			if n <= 0 {
				return 0, nil, false
			}
			b, size = b[n:], v
		default:
			return 0, nil, false
		}
		if size > uint64(len(b)) {
			return 0, nil, false
		}
		if tag>>3 == field && tag&7 == 2 {
			bytes = b[:size]
		}
		b = b[size:]
	}
	return number, bytes, true
}

// compositeClass returns the number of the class of a composite tensor's type. Attribute metadata
// is a serialized CompositeTensorVariantMetadata message; its field 1 is a message, and field 1 of
// that message is the number of the class.
func compositeClass(n *ir.Node) (int, error) {
	if n.Op == "OptionalFromValue" || n.Op == "OptionalGetValue" {
		return tensormap.Optional, nil
	}
	_, spec, ok := wireField([]byte(n.Str("metadata")), 1)
	class := uint64(0)
	if ok {
		class, _, ok = wireField(spec, 1)
	}
	if !ok || class > 1<<31-1 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "Error parsing metadata")
	}
	return int(class), nil
}

// composeShape infers the shape of the output of CompositeTensorVariantFromComponents(components…),
// which is a scalar variant.
func composeShape(c *lower.Shaper) error {
	c.Set(0, tensor.Variant, ir.ShapeOf())
	_, err := compositeClass(c.Node)
	return err
}

func composeLower(b *lower.Builder) error {
	class, err := compositeClass(b.Node)
	if err != nil {
		return err
	}
	parts := raggedops.Room(b, tensor.Variant, sym.Int(b.NumIn()))
	for i := range b.NumIn() {
		if err := kit.Ranked(b, i); err != nil {
			return err
		}
		d := b.InFact(i).DType
		b.Call(lower.ByKind(d, tensormap.PartRaw, tensormap.PartStr, tensormap.PartHnd), kit.Writes(parts.At(sym.Int(i), sym.One)), b.Raw(b.In(i)), d, append([]*sym.Expr{}, b.InShape(i)...))
	}
	parts.Mode = plan.Read
	b.Call(tensormap.Compose, b.Out(0), parts, class)
	return nil
}

// componentTypes returns the types of the components that a node unpacks.
func componentTypes(n *ir.Node) []tensor.DType {
	if n.Op == "OptionalGetValue" {
		return n.DTypes("output_types")
	}
	return n.DTypes("Tcomponents")
}

// decomposeShape infers the shapes of the outputs of CompositeTensorVariantToComponents(variant)
// and OptionalGetValue(variant). The outputs are the components, with the shapes that they had when
// they were packed.
func decomposeShape(c *lower.Shaper) error {
	if _, err := compositeClass(c.Node); err != nil {
		return err
	}
	types := componentTypes(c.Node)
	if len(types) != len(c.Node.Outs) {
		return tensor.Errorf(tensor.InvalidArgument, "%d types for %d components", len(types), len(c.Node.Outs))
	}
	makes := "CompositeTensorVariantFromComponents"
	if c.Node.Op == "OptionalGetValue" {
		if asked, ok := c.Node.Attrs["output_shapes"].([]ir.PartialShape); ok && len(asked) != len(types) {
			return tensor.Errorf(tensor.InvalidArgument, "`output_shapes` must be the same length as `output_types` (%d vs. %d)", len(asked), len(types))
		}
		makes = "OptionalFromValue"
	}
	nodes := variantSources(c.Table, c.Node.Ins[0], func(op string) bool { return op == makes })
	for i, d := range types {
		var shapes []ir.Shape
		for _, n := range nodes {
			if len(n.Ins) == len(types) && n.Ins[i].Fact().DType == d {
				shapes = append(shapes, n.Ins[i].Fact().Shape)
			}
		}
		c.SetFound(i, d, sizesInCommon(shapes))
	}
	return nil
}

func decomposeLower(b *lower.Builder) error {
	class, err := compositeClass(b.Node)
	if err != nil {
		return err
	}
	if err := kit.Ranked(b, 0); err != nil {
		return err
	}
	var types []*sym.Expr
	for _, d := range componentTypes(b.Node) {
		types = append(types, sym.Int(int(d)))
	}
	parts := raggedops.Room(b, tensor.Variant, sym.Int(len(types)))
	b.Call(tensormap.Decompose, kit.Writes(parts), b.In(0), class, types)
	parts.Mode = plan.Read
	asked, _ := b.Node.Attrs["output_shapes"].([]ir.PartialShape)
	for i := range types {
		v := parts.At(sym.Int(i), sym.One)
		if i < len(asked) && !asked[i].UnknownRank {
			var dims []*sym.Expr
			for _, d := range asked[i].Dims {
				dims = append(dims, sym.Int(int(d)))
			}
			b.Call(tensormap.Fits, v, dims)
		}
		if err := readPart(b, i, v); err != nil {
			return err
		}
	}
	return nil
}

func optionalNoneLower(b *lower.Builder) error {
	b.Call(tensormap.None, b.Out(0))
	return nil
}

func optionalHasShape(c *lower.Shaper) error {
	c.Set(0, tensor.Bool, ir.ShapeOf())
	return c.ScalarOr(0, "the optional")
}

func optionalHasLower(b *lower.Builder) error {
	b.Call(tensormap.HasValue, b.Out(0), b.In(0))
	return nil
}
