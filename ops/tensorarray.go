package ops

import (
	"slices"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/container"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// tensorArrayDefs are the ops of TensorArrays: resources of a run, made each
// time TensorArrayV3 runs, whose ops are ordered by the flow that they hand on. Of
// the older forms the handle, there a string or a reference, is a resource too, and
// only TensorArrayV3 and TensorArrayGradV3 have a flow output. Errors are
// InvalidArgument: an index that is outside of an array that does not grow, a
// tensor written twice, read twice without clear_after_read = false, or read where
// nothing was written and the element shape is not fully known.
var tensorArrayDefs = slices.Concat(arrayForms(Reads, "", arrayMakeShape, arrayMakeLower),
	arrayForms(BySignature, "Grad", arrayGradShape, arrayGradLower),
	[]*Def{{Name: "TensorArrayGradWithShape", Flags: arrayFlags, Shape: arrayGradShape, Lower: arrayGradLower, Limits: "the length of shape_to_prepend must be known when compiling"}},
	arrayForms(BySignature, "Write", withFlow(arrayWriteShape), arrayWriteLower),
	arrayForms(BySignature, "Scatter", withFlow(arrayScatterShape), arrayScatterLower),
	arrayForms(BySignature, "Split", withFlow(arraySplitShape), arraySplitLower),
	[]*Def{{Name: "TensorArrayUnpack", Flags: arrayFlags, Shape: arrayFlowShape, Lower: arrayUnpackLower}},
	arrayForms(Reads, "Read", withFlow(arrayReadShape), arrayReadLower),
	arrayForms(Reads, "Gather", withFlow(arrayGatherShape), arrayGatherLower),
	[]*Def{{Name: "TensorArrayPack", Level: Reads, Flags: arrayFlags, Shape: arrayPackShape, Lower: arrayPackLower}},
	arrayForms(Reads, "Concat", withFlow(arrayConcatShape), arrayConcatLower),
	arrayForms(Reads, "Size", withFlow(arraySizeShape), arraySizeLower),
	arrayForms(BySignature, "Close", withoutOutputs, arrayCloseLower))

const arrayFlags = Stateful | NoFold

// arrayForms are the three forms of an op of TensorArrays.
func arrayForms(level Level, name string, shape func(*Shaper) error, lowering func(*Builder) error) []*Def {
	var ds []*Def
	for _, form := range []string{"", "V2", "V3"} {
		ds = append(ds, &Def{Name: "TensorArray" + name + form, Level: level, Flags: arrayFlags, Shape: shape, Lower: lowering})
	}
	return ds
}

// withFlow is the shape function of an op whose last input is the flow, a scalar in all forms but the oldest.
func withFlow(shape func(*Shaper) error) func(*Shaper) error {
	return func(c *Shaper) error {
		if strings.HasSuffix(c.Node.Op, "V2") || strings.HasSuffix(c.Node.Op, "V3") {
			if err := c.scalarOr(c.NumIn()-1, "the flow"); err != nil {
				return err
			}
		}
		return shape(c)
	}
}

func arrayMakeShape(c *Shaper) error {
	c.Set(0, tensor.Resource, ir.ShapeOf())
	if len(c.Node.Outs) > 1 {
		c.Set(1, tensor.Float32, ir.ShapeOf())
	}
	return c.scalarOr(0, "the size")
}

func arrayMakeLower(b *Builder) error {
	flow := b.Temp(tensor.Float32, sym.One)
	if len(b.Node.Outs) > 1 {
		flow = b.Out(1)
	}
	name := b.Node.Str("tensor_array_name")
	if name == "" {
		name = b.Node.Name
	}
	dims, known := partialInts(b.Node, "element_shape")
	clear := true
	if _, given := b.Node.Attrs["clear_after_read"]; given {
		clear = b.Node.Bool("clear_after_read")
	}
	b.Call(container.NewArray, b.Out(0), flow, b.In(0), name, b.Node.DType("dtype"), dims, known,
		resource.ArrayFlags{Dynamic: b.Node.Bool("dynamic_size"), ClearAfterRead: clear, Identical: b.Node.Bool("identical_element_shapes")})
	return nil
}

// arrayGradShape: the array of the gradients of input 0 for attribute source, the
// same for all nodes with that source. Writes to one place of it add up.
func arrayGradShape(c *Shaper) error {
	if c.NumIn() > 2 {
		c.Ints(2) // for the lowering
	}
	c.Set(0, tensor.Resource, ir.ShapeOf())
	if len(c.Node.Outs) > 1 {
		c.Set(1, tensor.Float32, ir.ShapeOf())
	}
	return nil
}

func arrayGradLower(b *Builder) error {
	flow := b.Temp(tensor.Float32, sym.One)
	if len(b.Node.Outs) > 1 {
		flow = b.Out(1)
	}
	prepend := []*sym.Expr{}
	if b.NumIn() > 2 {
		es, ok := b.Ints(2)
		if !ok {
			return tensor.Errorf(tensor.Unimplemented, "the length of shape_to_prepend must be known when compiling")
		}
		prepend = es
	}
	b.Call(container.GradArray, b.Out(0), flow, b.In(0), b.In(1), b.Node.Str("source"), prepend)
	return nil
}

// arrayFlowShape: the flow, behind a write.
func arrayFlowShape(c *Shaper) error {
	c.Set(0, tensor.Float32, ir.ShapeOf())
	return nil
}

// arrayWriteShape: a tensor to place index.
func arrayWriteShape(c *Shaper) error {
	if err := c.scalarOr(1, "the index"); err != nil {
		return err
	}
	if err := c.fitsArray("the value", c.Shape(2)); err != nil {
		return err
	}
	return arrayFlowShape(c)
}

// fitsArray compares what is written with the element shape that input 0, an array
// of the third form, was made for: the others' is looked at in the run only.
func (c *Shaper) fitsArray(what string, x ir.Shape) error {
	made := c.Node.Ins[0].Node
	if made.Op != "TensorArrayV3" {
		return nil
	}
	dims, known := partialInts(made, "element_shape")
	return fits(what, x, "the array's element shape", sure(dims, known))
}

// arrayScatterShape: an index for each row of the value.
func arrayScatterShape(c *Shaper) error {
	ix, err := c.WithRank(1, 1)
	if err != nil {
		return err
	}
	if x := c.Shape(2); x.Known {
		if len(x.Dims) == 0 {
			return tensor.Errorf(tensor.InvalidArgument, "the value must have at least one dimension")
		}
		if ix.Known && differ(ix.Dims[0], x.Dims[0]) {
			return tensor.Errorf(tensor.InvalidArgument, "Expected len(indices) == values.shape[0], but saw: %v indices and the shape %v", ix.Dims[0], x)
		}
		if err := c.fitsArray("a row of the value", ir.ShapeOf(x.Dims[1:]...)); err != nil {
			return err
		}
	}
	return arrayFlowShape(c)
}

// arraySplitShape: lengths is a vector.
func arraySplitShape(c *Shaper) error {
	if _, err := c.WithRank(2, 1); err != nil {
		return err
	}
	return arrayFlowShape(c)
}

func arrayWriteLower(b *Builder) error {
	if err := b.ranked(2); err != nil {
		return err
	}
	d := b.InFact(2).DType
	b.Call(byKind(d, container.ArrayWriteRaw, container.ArrayWriteStr, container.ArrayWriteHnd),
		b.Out(0), b.In(0), b.In(1), b.raw(b.In(2)), b.In(3), b.InShape(2), d)
	return nil
}

func arrayScatterLower(b *Builder) error {
	if err := b.ranked(1, 2); err != nil {
		return err
	}
	d := b.InFact(2).DType
	b.Call(byKind(d, container.ArrayScatterRaw, container.ArrayScatterStr, container.ArrayScatterHnd),
		b.Out(0), b.In(0), b.In(1), b.raw(b.In(2)), b.In(3), b.InShape(2), d)
	return nil
}

func arrayUnpackLower(b *Builder) error {
	if err := b.ranked(1); err != nil {
		return err
	}
	if len(b.InShape(1)) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "the value must be at least a vector")
	}
	d := b.InFact(1).DType
	b.Call(byKind(d, container.ArrayUnpackRaw, container.ArrayUnpackStr, container.ArrayUnpackHnd),
		b.Out(0), b.In(0), b.raw(b.In(1)), b.In(2), b.InShape(1), d)
	return nil
}

func arraySplitLower(b *Builder) error {
	if err := b.ranked(1, 2); err != nil {
		return err
	}
	d := b.InFact(1).DType
	b.Call(byKind(d, container.ArraySplitRaw, container.ArraySplitStr, container.ArraySplitHnd),
		b.Out(0), b.In(0), b.raw(b.In(1)), b.In(2), b.In(3), b.InShape(1), d)
	return nil
}

// arrayReadShape: the tensor at index.
func arrayReadShape(c *Shaper) error {
	c.setFound(0, c.Node.DType("dtype"), heldBy(c.Graph, c.Node).shape(ir.Shape{}))
	return c.scalarOr(1, "the index")
}

func arrayReadLower(b *Builder) error {
	d := b.OutFact(0).DType
	b.findSizes(0, func(k int, size []*sym.Expr) {
		b.CallSizes(container.ArrayDim, size, b.In(0), b.In(1), d, k)
	})
	if !b.OutFact(0).Shape.Known {
		return unknownRank(b.Node, 0)
	}
	b.Call(byKind(d, container.ArrayReadRaw, container.ArrayReadStr, container.ArrayReadHnd),
		b.raw(b.Out(0)), b.In(0), b.In(1), b.OutShape(0), d)
	return nil
}

// arrayGatherShape: the tensors at the indices, attribute element_shape each.
func arrayGatherShape(c *Shaper) error {
	ix, err := c.WithRank(1, 1)
	if err != nil {
		return err
	}
	if !ix.Known {
		c.unknownShape(0, c.Node.DType("dtype"))
		return nil
	}
	s := heldBy(c.Graph, c.Node).shape(partialAttr(c.Node, "element_shape"))
	c.setFound(0, c.Node.DType("dtype"), s, ix.Dims[0])
	return nil
}

func arrayGatherLower(b *Builder) error {
	d := b.OutFact(0).DType
	ask, known := partialInts(b.Node, "element_shape")
	if !b.OutFact(0).Shape.Known {
		return unknownRank(b.Node, 0)
	}
	b.findSizes(0, func(k int, size []*sym.Expr) {
		b.CallSizes(container.ArrayGatherDim, size, b.In(0), b.In(1), d, ask, known, k-1)
	})
	b.Call(byKind(d, container.ArrayGatherRaw, container.ArrayGatherStr, container.ArrayGatherHnd),
		b.raw(b.Out(0)), b.In(0), b.In(1), b.OutShape(0)[1:], d, ask, known)
	return nil
}

// arrayPackShape: all tensors.
func arrayPackShape(c *Shaper) error {
	s := heldBy(c.Graph, c.Node).shape(partialAttr(c.Node, "element_shape"))
	c.setFound(0, c.Node.DType("dtype"), s, nil)
	return nil
}

func arrayPackLower(b *Builder) error {
	d := b.OutFact(0).DType
	ask, known := partialInts(b.Node, "element_shape")
	if !b.OutFact(0).Shape.Known {
		return unknownRank(b.Node, 0)
	}
	out := b.OutShape(0)
	b.findSizes(0, func(k int, size []*sym.Expr) {
		if k == 0 {
			b.CallSizes(container.ArrayRows, size, b.In(0), d)
		} else {
			b.CallSizes(container.ArrayPackDim, size, b.In(0), out[0], d, ask, known, k-1)
		}
	})
	b.Call(byKind(d, container.ArrayPackRaw, container.ArrayPackStr, container.ArrayPackHnd),
		b.raw(b.Out(0)), b.In(0), out[0], out[1:], d, ask, known)
	return nil
}

// arrayConcatShape: all tensors joined along their first axis, and their rows;
// attribute element_shape_except0 is the shape of a row.
func arrayConcatShape(c *Shaper) error {
	ask := partialAttr(c.Node, "element_shape_except0")
	if ask.Known {
		ask = ir.ShapeOf(append([]*sym.Expr{nil}, ask.Dims...)...)
	}
	s := heldBy(c.Graph, c.Node).shape(ask)
	if s.Known {
		if len(s.Dims) == 0 {
			return tensor.Errorf(tensor.InvalidArgument, "scalars cannot be concatenated: pack them")
		}
		s = ir.ShapeOf(dimSet(s.Dims, 0, nil)...)
	}
	c.setFound(0, c.Node.DType("dtype"), s)
	c.Set(1, tensor.Int64, ir.ShapeOf(c.NewSizeK(1, 0)))
	return nil
}

func arrayConcatLower(b *Builder) error {
	d := b.OutFact(0).DType
	ask, known := partialInts(b.Node, "element_shape_except0")
	if !b.OutFact(0).Shape.Known {
		return unknownRank(b.Node, 0)
	}
	b.findSizes(1, func(_ int, size []*sym.Expr) {
		b.CallSizes(container.ArrayRows, size, b.In(0), d)
	})
	b.findSizes(0, func(k int, size []*sym.Expr) {
		b.CallSizes(container.ArrayConcatDim, size, b.In(0), d, ask, known, k)
	})
	b.Call(byKind(d, container.ArrayConcatRaw, container.ArrayConcatStr, container.ArrayConcatHnd),
		b.raw(b.Out(0)), b.Out(1), b.In(0), b.OutShape(0), d, ask, known)
	return nil
}

// arraySizeShape: the number of tensors, known where the array keeps its size.
func arraySizeShape(c *Shaper) error {
	c.Set(0, tensor.Int32, ir.ShapeOf())
	k := &contents{g: c.Graph, reader: c.Node, changes: true}
	var n *sym.Expr
	for i, h := range k.holdersOf(c.Node.Ins[0]) {
		if !makesHolder(h.node.Op) || len(h.node.Ins) != 1 || h.node.Bool("dynamic_size") {
			return nil
		}
		es, ok := IntsOf(c.Graph, h.node.Ins[0])
		if !ok || len(es) != 1 || signed(es[0]) || i > 0 && !es[0].Equal(n) {
			return nil
		}
		n, k.home = es[0], h.node.Region
		if !k.constant(n) {
			return nil
		}
	}
	if n != nil {
		c.SetInts(0, []*sym.Expr{n})
	}
	return nil
}

func arraySizeLower(b *Builder) error {
	b.Call(container.ArraySize, b.Out(0), b.In(0))
	return nil
}

func arrayCloseLower(b *Builder) error {
	b.Call(container.ArrayClose, b.In(0))
	return nil
}
