package state

import (
	"slices"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/container"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/resource"
	"github.com/graphc/graphc/rt/tensor"
)

// tensorArrayDefs describes the ops of TensorArrays. TensorArrayV3 creates an array, which exists
// until the end of the run. Each op on an array has a float input called the flow, and returns a
// new flow; this puts the ops in order. In the older forms of the ops, a handle is a string or a
// reference; here it is a resource. Of the ops that create arrays, only TensorArrayV3 and
// TensorArrayGradV3 have a flow output. An op fails with InvalidArgument:
//   - if an index is outside an array that does not grow;
//   - if a tensor is written twice;
//   - if a tensor is read twice and clear_after_read is not false;
//   - if it reads a tensor that was not written, and the element shape is not fully known.
var tensorArrayDefs = slices.Concat(arrayForms(lower.Reads, "", arrayMakeShape, arrayMakeLower, makesHolder),
	arrayForms(lower.BySignature, "Grad", arrayGradShape, arrayGradLower, &lower.Holding{Gradients: true}),
	[]*lower.Def{{Name: "TensorArrayGradWithShape", Holding: &lower.Holding{Gradients: true, Longer: true}, Flags: arrayFlags, Shape: arrayGradShape, Lower: arrayGradLower, Limits: "the length of shape_to_prepend must be known when compiling"}},
	arrayForms(lower.BySignature, "Write", withFlow(arrayWriteShape), arrayWriteLower, &lower.Holding{Puts: put(2, lower.Whole)}),
	arrayForms(lower.BySignature, "Scatter", withFlow(arrayScatterShape), arrayScatterLower, &lower.Holding{Puts: put(2, lower.EachRow)}),
	arrayForms(lower.BySignature, "Split", withFlow(arraySplitShape), arraySplitLower, &lower.Holding{Puts: put(1, lower.RowGroups)}),
	[]*lower.Def{{Name: "TensorArrayUnpack", Holding: &lower.Holding{Puts: put(1, lower.EachRow)}, Flags: arrayFlags, Shape: arrayFlowShape, Lower: arrayUnpackLower}},
	arrayForms(lower.Reads, "Read", withFlow(arrayReadShape), arrayReadLower, looksInside),
	arrayForms(lower.Reads, "Gather", withFlow(arrayGatherShape), arrayGatherLower, looksInside),
	[]*lower.Def{{Name: "TensorArrayPack", Holding: looksInside, Level: lower.Reads, Flags: arrayFlags, Shape: arrayPackShape, Lower: arrayPackLower}},
	arrayForms(lower.Reads, "Concat", withFlow(arrayConcatShape), arrayConcatLower, looksInside),
	arrayForms(lower.Reads, "Size", withFlow(arraySizeShape), arraySizeLower, nil),
	arrayForms(lower.BySignature, "Close", WithoutOutputs, arrayCloseLower, nil))

const arrayFlags = lower.Stateful | lower.NoFold

// arrayForms returns the definitions of the three versions of an op on TensorArrays, such as
// TensorArrayRead, TensorArrayReadV2 and TensorArrayReadV3.
func arrayForms(level lower.Level, name string, shape func(*lower.Shaper) error, lowering func(*lower.Builder) error, held *lower.Holding) []*lower.Def {
	var ds []*lower.Def
	for _, form := range []string{"", "V2", "V3"} {
		ds = append(ds, &lower.Def{Name: "TensorArray" + name + form, Level: level, Flags: arrayFlags, Holding: held, Shape: shape, Lower: lowering})
	}
	return ds
}

// withFlow returns the shape function of an op on TensorArrays. It checks that the last input, the
// flow, is a scalar, and then calls the given function. The oldest version of the ops has no such
// check.
func withFlow(shape func(*lower.Shaper) error) func(*lower.Shaper) error {
	return func(c *lower.Shaper) error {
		if strings.HasSuffix(c.Node.Op, "V2") || strings.HasSuffix(c.Node.Op, "V3") {
			if err := c.ScalarOr(c.NumIn()-1, "the flow"); err != nil {
				return err
			}
		}
		return shape(c)
	}
}

func arrayMakeShape(c *lower.Shaper) error {
	c.Set(0, tensor.Resource, ir.ShapeOf())
	if len(c.Node.Outs) > 1 {
		c.Set(1, tensor.Float32, ir.ShapeOf())
	}
	return c.ScalarOr(0, "the size")
}

func arrayMakeLower(b *lower.Builder) error {
	flow := b.Temp(tensor.Float32, sym.One)
	if len(b.Node.Outs) > 1 {
		flow = b.Out(1)
	}
	name := b.Node.Str("tensor_array_name")
	if name == "" {
		name = b.Node.Name
	}
	dims, known := lower.PartialInts(b.Node, "element_shape")
	clear := true
	if _, given := b.Node.Attrs["clear_after_read"]; given {
		clear = b.Node.Bool("clear_after_read")
	}
	b.Call(container.NewArray, b.Out(0), flow, b.In(0), name, b.Node.DType("dtype"), dims, known,
		resource.ArrayFlags{Dynamic: b.Node.Bool("dynamic_size"), ClearAfterRead: clear, Identical: b.Node.Bool("identical_element_shapes")})
	return nil
}

// arrayGradShape infers the shapes of the outputs of TensorArrayGrad. Output 0 is the handle of an
// array that holds the gradients of the array in input 0. All nodes with the same value of
// attribute source use the same array. If several nodes write to the same index, the written
// tensors are added.
func arrayGradShape(c *lower.Shaper) error {
	if c.NumIn() > 2 {
		c.Ints(2) // for the lowering
	}
	c.Set(0, tensor.Resource, ir.ShapeOf())
	if len(c.Node.Outs) > 1 {
		c.Set(1, tensor.Float32, ir.ShapeOf())
	}
	return nil
}

func arrayGradLower(b *lower.Builder) error {
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

// arrayFlowShape sets output 0 to the flow that an op returns after it has written to a
// TensorArray. The flow is a float32 scalar.
func arrayFlowShape(c *lower.Shaper) error {
	c.Set(0, tensor.Float32, ir.ShapeOf())
	return nil
}

// arrayWriteShape infers the shape of the output of TensorArrayWrite, which writes a tensor at an
// index and returns the flow.
func arrayWriteShape(c *lower.Shaper) error {
	if err := c.ScalarOr(1, "the index"); err != nil {
		return err
	}
	if err := fitsArray(c, "the value", c.Shape(2)); err != nil {
		return err
	}
	return arrayFlowShape(c)
}

// fitsArray compares the shape of a written tensor, x, with the element shape of the array in input
// 0. It does so only for arrays that TensorArrayV3 creates; for the older forms, the run checks the
// shape.
func fitsArray(c *lower.Shaper, what string, x ir.Shape) error {
	made := c.Node.Ins[0].Node
	if made.Op != "TensorArrayV3" {
		return nil
	}
	dims, known := lower.PartialInts(made, "element_shape")
	return lower.Fits(what, x, "the array's element shape", lower.Sure(dims, known))
}

// arrayScatterShape infers the shape of the output of TensorArrayScatter, which writes each row of
// a value at the corresponding index and returns the flow.
func arrayScatterShape(c *lower.Shaper) error {
	ix, err := c.WithRank(1, 1)
	if err != nil {
		return err
	}
	if x := c.Shape(2); x.Known {
		if len(x.Dims) == 0 {
			return tensor.Errorf(tensor.InvalidArgument, "the value must have at least one dimension")
		}
		if ix.Known && lower.Differ(ix.Dims[0], x.Dims[0]) {
			return tensor.Errorf(tensor.InvalidArgument, "Expected len(indices) == values.shape[0], but saw: %v indices and the shape %v", ix.Dims[0], x)
		}
		if err := fitsArray(c, "a row of the value", ir.ShapeOf(x.Dims[1:]...)); err != nil {
			return err
		}
	}
	return arrayFlowShape(c)
}

// arraySplitShape infers the shape of the output of TensorArraySplit, which splits a value and
// returns the flow. It returns an error if input 2, the lengths of the parts, cannot be a vector.
func arraySplitShape(c *lower.Shaper) error {
	if _, err := c.WithRank(2, 1); err != nil {
		return err
	}
	return arrayFlowShape(c)
}

func arrayWriteLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 2); err != nil {
		return err
	}
	d := b.InFact(2).DType
	b.Call(lower.ByKind(d, container.ArrayWriteRaw, container.ArrayWriteStr, container.ArrayWriteHnd),
		b.Out(0), b.In(0), b.In(1), b.Raw(b.In(2)), b.In(3), b.InShape(2), d)
	return nil
}

func arrayScatterLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 1, 2); err != nil {
		return err
	}
	d := b.InFact(2).DType
	b.Call(lower.ByKind(d, container.ArrayScatterRaw, container.ArrayScatterStr, container.ArrayScatterHnd),
		b.Out(0), b.In(0), b.In(1), b.Raw(b.In(2)), b.In(3), b.InShape(2), d)
	return nil
}

func arrayUnpackLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 1); err != nil {
		return err
	}
	if len(b.InShape(1)) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "the value must be at least a vector")
	}
	d := b.InFact(1).DType
	b.Call(lower.ByKind(d, container.ArrayUnpackRaw, container.ArrayUnpackStr, container.ArrayUnpackHnd),
		b.Out(0), b.In(0), b.Raw(b.In(1)), b.In(2), b.InShape(1), d)
	return nil
}

func arraySplitLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 1, 2); err != nil {
		return err
	}
	d := b.InFact(1).DType
	b.Call(lower.ByKind(d, container.ArraySplitRaw, container.ArraySplitStr, container.ArraySplitHnd),
		b.Out(0), b.In(0), b.Raw(b.In(1)), b.In(2), b.In(3), b.InShape(1), d)
	return nil
}

// arrayReadShape infers the shape of the output of TensorArrayRead, which is the tensor at an
// index.
func arrayReadShape(c *lower.Shaper) error {
	c.SetFound(0, c.Node.DType("dtype"), c.Held().Shape(ir.Shape{}))
	return c.ScalarOr(1, "the index")
}

func arrayReadLower(b *lower.Builder) error {
	d := b.OutFact(0).DType
	b.FindSizes(0, func(k int, size []*sym.Expr) {
		b.CallSizes(container.ArrayDim, size, b.In(0), b.In(1), d, k)
	})
	if !b.OutFact(0).Shape.Known {
		return lower.UnknownRank(b.Node, 0)
	}
	b.Call(lower.ByKind(d, container.ArrayReadRaw, container.ArrayReadStr, container.ArrayReadHnd),
		b.Raw(b.Out(0)), b.In(0), b.In(1), b.OutShape(0), d)
	return nil
}

// arrayGatherShape infers the shape of the output of TensorArrayGather, which stacks the tensors at
// several indices. Attribute element_shape is the shape of each tensor.
func arrayGatherShape(c *lower.Shaper) error {
	ix, err := c.WithRank(1, 1)
	if err != nil {
		return err
	}
	if !ix.Known {
		c.UnknownShape(0, c.Node.DType("dtype"))
		return nil
	}
	s := c.Held().Shape(lower.PartialAttr(c.Node, "element_shape"))
	c.SetFound(0, c.Node.DType("dtype"), s, ix.Dims[0])
	return nil
}

func arrayGatherLower(b *lower.Builder) error {
	d := b.OutFact(0).DType
	ask, known := lower.PartialInts(b.Node, "element_shape")
	if !b.OutFact(0).Shape.Known {
		return lower.UnknownRank(b.Node, 0)
	}
	b.FindSizes(0, func(k int, size []*sym.Expr) {
		b.CallSizes(container.ArrayGatherDim, size, b.In(0), b.In(1), d, ask, known, k-1)
	})
	b.Call(lower.ByKind(d, container.ArrayGatherRaw, container.ArrayGatherStr, container.ArrayGatherHnd),
		b.Raw(b.Out(0)), b.In(0), b.In(1), b.OutShape(0)[1:], d, ask, known)
	return nil
}

// arrayPackShape: all tensors.
func arrayPackShape(c *lower.Shaper) error {
	s := c.Held().Shape(lower.PartialAttr(c.Node, "element_shape"))
	c.SetFound(0, c.Node.DType("dtype"), s, nil)
	return nil
}

func arrayPackLower(b *lower.Builder) error {
	d := b.OutFact(0).DType
	ask, known := lower.PartialInts(b.Node, "element_shape")
	if !b.OutFact(0).Shape.Known {
		return lower.UnknownRank(b.Node, 0)
	}
	out := b.OutShape(0)
	b.FindSizes(0, func(k int, size []*sym.Expr) {
		if k == 0 {
			b.CallSizes(container.ArrayRows, size, b.In(0), d)
		} else {
			b.CallSizes(container.ArrayPackDim, size, b.In(0), out[0], d, ask, known, k-1)
		}
	})
	b.Call(lower.ByKind(d, container.ArrayPackRaw, container.ArrayPackStr, container.ArrayPackHnd),
		b.Raw(b.Out(0)), b.In(0), out[0], out[1:], d, ask, known)
	return nil
}

// arrayConcatShape infers the shapes of the outputs of TensorArrayConcat: all tensors, concatenated
// along their first axis, and the number of rows of each tensor. Attribute element_shape_except0 is
// the shape of a row.
func arrayConcatShape(c *lower.Shaper) error {
	ask := lower.PartialAttr(c.Node, "element_shape_except0")
	if ask.Known {
		ask = ir.ShapeOf(append([]*sym.Expr{nil}, ask.Dims...)...)
	}
	s := c.Held().Shape(ask)
	if s.Known {
		if len(s.Dims) == 0 {
			return tensor.Errorf(tensor.InvalidArgument, "scalars cannot be concatenated: pack them")
		}
		s = ir.ShapeOf(kit.DimSet(s.Dims, 0, nil)...)
	}
	c.SetFound(0, c.Node.DType("dtype"), s)
	c.Set(1, tensor.Int64, ir.ShapeOf(c.NewSizeK(1, 0)))
	return nil
}

func arrayConcatLower(b *lower.Builder) error {
	d := b.OutFact(0).DType
	ask, known := lower.PartialInts(b.Node, "element_shape_except0")
	if !b.OutFact(0).Shape.Known {
		return lower.UnknownRank(b.Node, 0)
	}
	b.FindSizes(1, func(_ int, size []*sym.Expr) {
		b.CallSizes(container.ArrayRows, size, b.In(0), d)
	})
	b.FindSizes(0, func(k int, size []*sym.Expr) {
		b.CallSizes(container.ArrayConcatDim, size, b.In(0), d, ask, known, k)
	})
	b.Call(lower.ByKind(d, container.ArrayConcatRaw, container.ArrayConcatStr, container.ArrayConcatHnd),
		b.Raw(b.Out(0)), b.Out(1), b.In(0), b.OutShape(0), d, ask, known)
	return nil
}

// arraySizeShape infers the shape of the output of TensorArraySize, the number of tensors. Its
// value is inferred too if the array does not grow.
func arraySizeShape(c *lower.Shaper) error {
	c.Set(0, tensor.Int32, ir.ShapeOf())
	k := c.Contents()
	k.Changes = true
	var n *sym.Expr
	for i, h := range k.HoldersOf(c.Node.Ins[0]) {
		if !k.Makes(h) || len(h.Node.Ins) != 1 || h.Node.Bool("dynamic_size") {
			return nil
		}
		es, ok := lower.IntsOf(c.Graph, h.Node.Ins[0])
		if !ok || len(es) != 1 || lower.MayBeNegative(es[0]) || i > 0 && !es[0].Equal(n) {
			return nil
		}
		n, k.Home = es[0], h.Node.Region
		if !k.Constant(n) {
			return nil
		}
	}
	if n != nil {
		c.SetInts(0, []*sym.Expr{n})
	}
	return nil
}

func arraySizeLower(b *lower.Builder) error {
	b.Call(container.ArraySize, b.Out(0), b.In(0))
	return nil
}

func arrayCloseLower(b *lower.Builder) error {
	b.Call(container.ArrayClose, b.In(0))
	return nil
}
