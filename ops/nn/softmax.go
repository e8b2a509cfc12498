package nn

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/kernels/softmax"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	mathops "github.com/graphc/graphc/ops/math"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// softmaxDefs are softmax over the last dimension, and cross entropies. Output 1 of a cross entropy
// is the gradient of the features. A label out of range is InvalidArgument at run time.
var softmaxDefs = []*lower.Def{
	{Name: "Softmax", Traits: lower.NotNegative | lower.LosesZeroSign, Types: kit.SoftmaxTypes, Shape: softmaxShape, Lower: softmaxLower},
	{Name: "LogSoftmax", Types: kit.SoftmaxTypes, Shape: softmaxShape, Lower: softmaxLower},
	{Name: "SoftmaxCrossEntropyWithLogits", Types: kit.SoftmaxTypes, Shape: entropyShape, Lower: entropyLower},
	{Name: "SparseSoftmaxCrossEntropyWithLogits", Types: kit.SoftmaxTypes, Shape: sparseEntropyShape, Lower: sparseEntropyLower},
}

func softmaxShape(c *lower.Shaper) error {
	if s := c.Shape(0); s.Known && len(s.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "logits must have at least one dimension")
	}
	c.Same(0, 0)
	return nil
}

func softmaxLower(b *lower.Builder) error {
	ks := map[tensor.DType]any{tensor.Float32: softmax.SoftmaxF32, tensor.Float64: softmax.SoftmaxF64, tensor.Half: softmax.SoftmaxF16, tensor.BFloat16: softmax.SoftmaxBF16}
	if b.Node.Op == "LogSoftmax" {
		ks = map[tensor.DType]any{tensor.Float32: softmax.LogSoftmaxF32, tensor.Float64: softmax.LogSoftmaxF64, tensor.Half: softmax.LogSoftmaxF16, tensor.BFloat16: softmax.LogSoftmaxBF16}
	}
	fn, err := mathops.KernelByType(b, ks)
	if err != nil {
		return err
	}
	s := b.InShape(0)
	c := s[len(s)-1]
	l := b.Par(sym.Product(s[:len(s)-1]), lower.RowSplit(c, lower.CostModerate))
	l.CallInPlace(0, 0, fn, lower.Rows(b.Out(0), c), lower.Rows(b.In(0), c), c)
	return nil
}

// entropyShape infers the shapes of the outputs of SoftmaxCrossEntropyWithLogits. Features and
// labels are broadcast to a matrix.
func entropyShape(c *lower.Shaper) error {
	d := c.In(0).DType
	s, err := lower.BroadcastShapes(c.Shape(0), c.Shape(1))
	if err != nil {
		return err
	}
	if s.Known && len(s.Dims) != 2 {
		return tensor.Errorf(tensor.InvalidArgument, "logits and labels must broadcast to a matrix, not to %v", s)
	}
	c.Set(0, d, ir.Shape{})
	if s.Known {
		c.Set(0, d, ir.ShapeOf(s.Dims[0]))
	}
	c.Set(1, d, s)
	return nil
}

func entropyLower(b *lower.Builder) error {
	fn, err := mathops.KernelByType(b, map[tensor.DType]any{tensor.Float32: softmax.CrossEntropyF32, tensor.Float64: softmax.CrossEntropyF64,
		tensor.Half: softmax.CrossEntropyF16, tensor.BFloat16: softmax.CrossEntropyBF16})
	if err != nil {
		return err
	}
	z := entropySizes(b)
	p := plan.Lit(softmax.Entropy{}, "Rows", z[0], "Cols", z[1], "FRows", z[2], "FCols", z[3], "LRows", z[4], "LCols", z[5])
	b.Call(fn, outOrTemp(b, 0), outOrTemp(b, 1), b.In(0), b.In(1), p)
	return nil
}

// entropySizes returns the rows and columns of the result, of the features and of the labels.
func entropySizes(b *lower.Builder) [6]*sym.Expr {
	matrix := func(s []*sym.Expr) []*sym.Expr {
		for len(s) < 2 {
			s = append([]*sym.Expr{sym.One}, s...)
		}
		return s
	}
	f, l, out := matrix(b.InShape(0)), matrix(b.InShape(1)), b.OutShape(1)
	for k := range f {
		if !f[k].Equal(l[k]) && !f[k].Is(1) && !l[k].Is(1) {
			b.Check(shape.Broadcastable, f[k], l[k])
		}
	}
	return [6]*sym.Expr{out[0], out[1], f[0], f[1], l[0], l[1]}
}

// outOrTemp returns a buffer for output i: the output itself or, if the output is unused, scratch
// memory of its size.
func outOrTemp(b *lower.Builder, i int) plan.View {
	if b.OutUsed(i) {
		return b.Out(i)
	}
	return kit.Writes(b.Temp(b.OutFact(i).DType, b.OutLen(i)))
}

// sparseEntropyShape infers the shapes of the outputs of SparseSoftmaxCrossEntropyWithLogits. The
// features are a matrix; the labels are a vector of class indices.
func sparseEntropyShape(c *lower.Shaper) error {
	d := c.In(0).DType
	f, err := c.WithRank(0, 2)
	if err != nil {
		return err
	}
	l, err := c.WithRank(1, 1)
	if err != nil {
		return err
	}
	if f.Known {
		if f.Dims[1].Is(0) {
			return tensor.Errorf(tensor.InvalidArgument, "Must have at least one class, but got logits shape %v", f)
		}
		rows, err := kit.MergeShapes(ir.ShapeOf(f.Dims[0]), l)
		if err != nil {
			return err
		}
		l = rows
	}
	c.Set(0, d, l)
	c.Set(1, d, f)
	return nil
}

func sparseEntropyLower(b *lower.Builder) error {
	if err := kit.AtLeast(b, b.InShape(0)[1], 1, "the number of classes"); err != nil {
		return err
	}
	ks := map[tensor.DType]any{tensor.Float32: softmax.SparseCrossEntropyF32I32, tensor.Float64: softmax.SparseCrossEntropyF64I32,
		tensor.Half: softmax.SparseCrossEntropyF16I32, tensor.BFloat16: softmax.SparseCrossEntropyBF16I32}
	if b.InFact(1).DType == tensor.Int64 {
		ks = map[tensor.DType]any{tensor.Float32: softmax.SparseCrossEntropyF32I64, tensor.Float64: softmax.SparseCrossEntropyF64I64,
			tensor.Half: softmax.SparseCrossEntropyF16I64, tensor.BFloat16: softmax.SparseCrossEntropyBF16I64}
	}
	fn, err := mathops.KernelByType(b, ks)
	if err != nil {
		return err
	}
	f := b.InShape(0)
	if err := kit.CheckSame(b, f[:1], b.InShape(1)); err != nil {
		return err
	}
	b.Call(fn, outOrTemp(b, 0), outOrTemp(b, 1), b.In(0), b.In(1), f[1])
	return nil
}
