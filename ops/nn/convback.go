package nn

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/conv"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// backGeometry describes a forward convolution. Conv2DBackpropInput computes the gradient of this
// convolution with respect to its image. Field In holds the height and width of the image, and
// field Out those of out_backprop.
type backGeometry struct {
	ConvGeometry
}

// backGeometryOf reads the sizes from input_sizes, the filter and out_backprop.
func backGeometryOf(n *ir.Node, sizes []*sym.Expr, filter, grad []*sym.Expr) (backGeometry, error) {
	var g backGeometry
	image := sizes
	if len(sizes) == 2 { // height and width only
		f, err := formatOf(n, 2)
		if err != nil {
			return g, err
		}
		image = f.Shape(grad[0], filter[2], sizes[0], sizes[1]).Dims
	}
	if len(image) != 4 {
		return g, tensor.Errorf(tensor.InvalidArgument, "input_sizes has %d elements; 4 are required", len(sizes))
	}
	c, err := ConvGeometryOf(n, image, filter, false)
	if err != nil {
		return g, err
	}
	g.ConvGeometry = c
	for i := range 2 {
		given := grad[c.F.Space[i]]
		if lower.Differ(given, c.Out[i]) {
			return g, tensor.Errorf(tensor.InvalidArgument, "out_backprop has the size %v, but the forward convolution's result has %v", given, c.Out[i])
		}
	}
	if lower.Differ(grad[0], c.N) {
		return g, tensor.Errorf(tensor.InvalidArgument, "out_backprop has %v images, but input_sizes %v", grad[0], c.N)
	}
	if lower.Differ(grad[c.F.Channels], c.Oc) {
		return g, tensor.Errorf(tensor.InvalidArgument, "out_backprop has %v channels, but the filter %v", grad[c.F.Channels], c.Oc)
	}
	return g, nil
}

// imageSizes returns the elements of input_sizes, input 0. If the graph does not determine them, it
// returns as many new symbols as rank says, and the lowering checks the number of elements. It
// returns nil if the input is not a vector.
func imageSizes(g *ir.Graph, n *ir.Node, rank int) []*sym.Expr {
	if es, ok := lower.IntsOf(g, n.Ins[0]); ok {
		return es
	}
	f := n.Ins[0].Fact()
	if f.Shape.Rank() != 1 || f.DType != tensor.Int32 && f.DType != tensor.Int64 {
		return nil
	}
	es := make([]*sym.Expr, rank)
	for k := range es {
		es[k] = g.FreshSymbol(n.Ins[0], k)
	}
	return es
}

func conv2dBackpropShape(c *lower.Shaper) error {
	d := c.In(1).DType
	filter, err := c.WithRank(1, 4)
	if err != nil {
		return err
	}
	grad, err := c.WithRank(2, 4)
	if err != nil {
		return err
	}
	if _, err := c.WithRank(0, 1); err != nil {
		return err
	}
	sizes := imageSizes(c.Graph, c.Node, 4)
	if sizes == nil || !filter.Known || !grad.Known {
		c.Set(0, d, ir.Shape{})
		return nil
	}
	g, err := backGeometryOf(c.Node, sizes, filter.Dims, grad.Dims)
	if err != nil {
		return err
	}
	c.Set(0, d, g.F.Shape(g.N, g.C, g.In[0], g.In[1]))
	return nil
}

// conv2dBackpropLower lowers Conv2DBackpropInput. Input 0 is input_sizes, input 1 is the filter,
// and input 2 is out_backprop.
func conv2dBackpropLower(b *lower.Builder) error { return convBackprop(b, &kit.Epilogue{}) }

// fusedBackpropLower lowers _FusedConv2DBackpropInput. The inputs after input 2 are the operands of
// the ops in attribute fused_ops. The only such operand that is supported is a bias.
func fusedBackpropLower(b *lower.Builder) error {
	e, err := kit.FusedEpilogue(b, 3)
	if err != nil {
		return err
	}
	if e.Res != nil || e.Norm != nil || b.OutFact(0).DType != tensor.Float32 {
		return b.Errorf(tensor.Unimplemented, "only a bias and an activation can be fused, for f32")
	}
	return convBackprop(b, &e)
}

func convBackprop(b *lower.Builder, e *kit.Epilogue) error {
	sizes := imageSizes(b.Graph, b.Node, 4)
	if err := kit.RequireSame(b, b.InLen(0), sym.Int(len(sizes)), "input_sizes must have one element for each dimension"); err != nil {
		return err
	}
	gs := b.InShape(2)
	g, err := backGeometryOf(b.Node, sizes, b.InShape(1), gs)
	if err != nil {
		return err
	}
	if err := kit.RequireSame(b, gs[0], g.N, "out_backprop and input_sizes must have the same batch"); err != nil {
		return err
	}
	if err := kit.RequireSame(b, gs[g.F.Channels], g.Oc, "out_backprop's channels must be the filter's"); err != nil {
		return err
	}
	for i := range 2 {
		sizeOf(b, gs[g.F.Space[i]], g.Out[i])
	}
	if !g.groups.Is(1) {
		if kit.IsInt(g.groups) {
			return b.Errorf(tensor.InvalidArgument, "gradients of grouped convolutions are not supported: input_sizes have %v channels, but the filter %v", g.C, g.Cg)
		}
		b.Check(shape.Equal, g.C, g.Cg, "input_sizes' channels must be the filter's")
	}
	grad, err := channelsLast(b, 2, g.F)
	if err != nil {
		return err
	}
	out, done := outLast(b, 0, g.F)
	if err := e.Check(b, g.Cg); err != nil {
		return err
	}
	if err := backprop(b, &g, out, grad, b.Source(1), 1, e); err != nil {
		return err
	}
	return done()
}

// sizeOf adds a run-time check that the two sizes are equal. It adds no check if both sizes are known
// at compile time, or if they are the same expression.
func sizeOf(b *lower.Builder, given, computed *sym.Expr) {
	if !given.Equal(computed) && !(kit.IsInt(given) && kit.IsInt(computed)) {
		b.Check(shape.Equal, given, computed, "out_backprop must have the size of the forward convolution's result")
	}
}

func backprop(b *lower.Builder, g *backGeometry, out, grad, filter plan.View, filterIn int, e *kit.Epilogue) error {
	d := b.InFact(1).DType
	if b.Moves() {
		g.inputOnDev(b, e, out, grad, filter)
		return nil
	}
	q := plan.Lit(conv.BackpropParams{StrideH: g.Stride[0], StrideW: g.Stride[1], DilH: g.Dil[0], DilW: g.Dil[1], Act: e.Clamp()},
		"N", g.N, "H", g.In[0], "W", g.In[1], "C", g.Cg, "KH", g.K[0], "KW", g.K[1], "OH", g.Out[0], "OW", g.Out[1],
		"OC", g.Oc, "PadTop", g.pad[0], "PadLeft", g.pad[1])
	if d == tensor.Float32 {
		q = q.With("Bias", e.Bias)
		var packed plan.View
		if t := b.InConst(filterIn); t != nil {
			s := t.Shape
			dst := make([]float32, conv.BackpropPackedLen(s[0], s[1], s[2], s[3]))
			conv.BackpropPackF32(dst, tensor.Data[float32](t), s[0], s[1], s[2], s[3])
			packed = b.Const("transposed filter in panels of 16", &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{len(dst)}, Data: dst})
		} else {
			n := g.K[0].Mul(g.K[1]).Mul(g.Cg)
			packed = kit.Reads(b.Temp(d, n.CeilDiv(sym.Int(16)).MulInt(16).Mul(g.Oc)))
			b.Call(conv.BackpropPackF32, kit.Writes(packed), filter, g.K[0], g.K[1], g.Cg, g.Oc)
		}
		if n, known := kit.ScratchLen(conv.BackpropScratchLen, q, "N"); known {
			taps := g.K[0].Mul(g.K[1]).Mul(g.Oc).Div(sym.Int(g.Stride[0] * g.Stride[1]))
			row := g.In[1].Mul(g.Cg)
			l := b.Par(g.N.Mul(g.In[0]), plan.Split{Grain: g.Stride[0], Work: sym.Max(row.Mul(taps), sym.One).MulInt(lower.Flops)})
			l.Call(conv.BackpropInputF32, lower.Rows(out, row), grad, packed, l.Temp(d, sym.Int(n)),
				q.With("First", plan.Lo, "Rows", plan.Count))
		} else {
			b.Call(conv.BackpropInputF32, out, grad, packed, kit.Scratch(b, d, conv.BackpropScratchLen, q, "N"), q)
		}
		return e.Finish(b, out, d, g.Cg)
	}
	fn, err := kit.KernelFor(b, d, conv.BackpropInputF64, conv.BackpropInputI32, conv.BackpropInputF16, conv.BackpropInputBF16)
	if err != nil {
		return err
	}
	b.Call(fn, out, grad, filter, q)
	return nil
}
