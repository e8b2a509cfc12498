package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/conv"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// backGeometry is the forward convolution that Conv2DBackpropInput inverts: in
// is the image whose gradient is computed, out the gradient that is given.
type backGeometry struct {
	convGeometry
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
		image = f.shape(grad[0], filter[2], sizes[0], sizes[1]).Dims
	}
	if len(image) != 4 {
		return g, tensor.Errorf(tensor.InvalidArgument, "input_sizes has %d elements, 4 are required", len(sizes))
	}
	c, err := convGeometryOf(n, image, filter, false)
	if err != nil {
		return g, err
	}
	g.convGeometry = c
	for i := range 2 {
		given := grad[c.f.space[i]]
		if differ(given, c.out[i]) {
			return g, tensor.Errorf(tensor.InvalidArgument, "out_backprop has the size %v where the forward convolution gives %v", given, c.out[i])
		}
	}
	if differ(grad[0], c.n) {
		return g, tensor.Errorf(tensor.InvalidArgument, "out_backprop has %v images, input_sizes %v", grad[0], c.n)
	}
	if differ(grad[c.f.channels], c.oc) {
		return g, tensor.Errorf(tensor.InvalidArgument, "out_backprop has %v channels, the filter %v", grad[c.f.channels], c.oc)
	}
	return g, nil
}

// imageSizes returns the elements of input_sizes, input 0. Where not even their
// number is known there are rank of them, which the lowering checks. nil when the input is no vector.
func imageSizes(g *ir.Graph, n *ir.Node, rank int) []*sym.Expr {
	if es, ok := IntsOf(g, n.Ins[0]); ok {
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

func conv2dBackpropShape(c *Shaper) error {
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
	c.Set(0, d, g.f.shape(g.n, g.c, g.in[0], g.in[1]))
	return nil
}

// conv2dBackpropLower: input 0 is input_sizes, 1 the filter, 2 out_backprop.
func conv2dBackpropLower(b *Builder) error { return b.convBackprop(&epilogue{}) }

// fusedBackpropLower: input 3 on are the arguments of fused_ops, a bias at most.
func fusedBackpropLower(b *Builder) error {
	e, err := fusedEpilogue(b, 3)
	if err != nil {
		return err
	}
	if e.res != nil || e.norm != nil || b.OutFact(0).DType != tensor.Float32 {
		return b.Errorf(tensor.Unimplemented, "nothing but a bias and an activation is fused, of f32")
	}
	return b.convBackprop(&e)
}

func (b *Builder) convBackprop(e *epilogue) error {
	sizes := imageSizes(b.Graph, b.Node, 4)
	if err := b.sameDim(b.InLen(0), sym.Int(len(sizes)), "input_sizes must have an element a dimension"); err != nil {
		return err
	}
	gs := b.InShape(2)
	g, err := backGeometryOf(b.Node, sizes, b.InShape(1), gs)
	if err != nil {
		return err
	}
	if err := b.sameDim(gs[0], g.n, "out_backprop and input_sizes must have the same batch"); err != nil {
		return err
	}
	if err := b.sameDim(gs[g.f.channels], g.oc, "out_backprop's channels must be the filter's"); err != nil {
		return err
	}
	for i := range 2 {
		b.sizeOf(gs[g.f.space[i]], g.out[i])
	}
	if !g.groups.Is(1) {
		if isInt(g.groups) {
			return b.Errorf(tensor.InvalidArgument, "the gradient of a grouped convolution: input_sizes have %v channels, the filter %v", g.c, g.cg)
		}
		b.Check(shape.Equal, g.c, g.cg, "input_sizes' channels must be the filter's")
	}
	grad, err := b.channelsLast(2, g.f)
	if err != nil {
		return err
	}
	out, done := b.outLast(0, g.f)
	if err := e.check(b, g.cg); err != nil {
		return err
	}
	if err := b.backprop(&g, out, grad, b.Source(1), 1, e); err != nil {
		return err
	}
	return done()
}

// sizeOf requires a given size to be the computed one.
func (b *Builder) sizeOf(given, computed *sym.Expr) {
	if !given.Equal(computed) && !(isInt(given) && isInt(computed)) {
		b.Check(shape.Equal, given, computed, "out_backprop must have the size of the forward convolution's result")
	}
}

func (b *Builder) backprop(g *backGeometry, out, grad, filter plan.View, filterIn int, e *epilogue) error {
	d := b.InFact(1).DType
	if b.Moves() {
		g.inputOnDev(b, e, out, grad, filter)
		return nil
	}
	q := plan.Lit(conv.BackpropParams{StrideH: g.stride[0], StrideW: g.stride[1], DilH: g.dil[0], DilW: g.dil[1], Act: e.clamp()},
		"N", g.n, "H", g.in[0], "W", g.in[1], "C", g.cg, "KH", g.k[0], "KW", g.k[1], "OH", g.out[0], "OW", g.out[1],
		"OC", g.oc, "PadTop", g.pad[0], "PadLeft", g.pad[1])
	if d == tensor.Float32 {
		var packed plan.View
		if t := b.InConst(filterIn); t != nil {
			s := t.Shape
			dst := make([]float32, conv.BackpropPackedLen(s[0], s[1], s[2], s[3]))
			conv.BackpropPackF32(dst, tensor.Data[float32](t), s[0], s[1], s[2], s[3])
			packed = b.Const("transposed filter in panels of 16", &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{len(dst)}, Data: dst})
		} else {
			n := g.k[0].Mul(g.k[1]).Mul(g.cg)
			packed = reads(b.Temp(d, n.CeilDiv(sym.Int(16)).MulInt(16).Mul(g.oc)))
			b.Call(conv.BackpropPackF32, writes(packed), filter, g.k[0], g.k[1], g.cg, g.oc)
		}
		if n, known := scratchLen(conv.BackpropScratchLen, q, "N"); known {
			taps := g.k[0].Mul(g.k[1]).Mul(g.oc).Div(sym.Int(g.stride[0] * g.stride[1]))
			row := g.in[1].Mul(g.cg)
			l := b.Par(g.n.Mul(g.in[0]), plan.Split{Grain: g.stride[0], Work: sym.Max(row.Mul(taps), sym.One).MulInt(flops)})
			l.Call(conv.BackpropInputF32, rows(out, row), grad, packed, orAbsent(e.bias, d), l.Temp(d, sym.Int(n)),
				withFields(q, "First", plan.Lo, "Rows", plan.Count))
		} else {
			b.Call(conv.BackpropInputF32, out, grad, packed, orAbsent(e.bias, d), b.scratch(d, conv.BackpropScratchLen, q, "N"), q)
		}
		return e.finish(b, out, d, g.cg)
	}
	fn, err := b.kernelFor(d, conv.BackpropInputF64, conv.BackpropInputI32, conv.BackpropInputF16, conv.BackpropInputBF16)
	if err != nil {
		return err
	}
	b.Call(fn, out, grad, filter, absent(d), q)
	return nil
}
