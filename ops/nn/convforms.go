package nn

import (
	"maps"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/layout"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	arrayops "github.com/graphc/graphc/ops/array"
	imageops "github.com/graphc/graphc/ops/image"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// convFormDefs describes Conv, which is lowered to convolutions of two or three dimensions, and
// convolutions that are fused with padding and resizing.
var convFormDefs = []*lower.Def{
	{Name: "Conv", Flags: lower.Expensive, Types: map[string][]tensor.DType{"T": convTypes}, Shape: anyConvShape, Lower: anyConvLower},
	{Name: "FusedPadConv2D", Flags: lower.Expensive, Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: padConvShape, Lower: padConvLower},
	{Name: "FusedResizeAndPadConv2D", Flags: lower.Expensive, Types: map[string][]tensor.DType{"T": {tensor.Half, tensor.Float32, tensor.Float64}},
		Shape: padConvShape, Lower: padConvLower},
}

// anyConv returns the two nodes to which a Conv node is lowered: a reshape of the image that merges
// all batch dimensions, and a convolution of two or three dimensions. Both nodes are nil if the
// shape of the image or of the filter is unknown.
func anyConv(s *lower.Shaper) (image, c *ir.Node, err error) {
	n := s.Node
	if v, f := n.Int("groups"), n.Ins[1].Fact().Shape; v != 1 {
		if static := n.Ins[0].Fact().Shape.Known && f.Known; static && (v < 1 || len(f.Dims) > 0 && lower.Differ(f.Dims[len(f.Dims)-1].Mod(sym.Int(v)), sym.Zero)) {
			return nil, nil, tensor.Errorf(tensor.InvalidArgument, "%d groups do not divide the filter %v", v, f)
		}
		return nil, nil, tensor.Errorf(tensor.Unimplemented, "grouped convolutions are not supported, but there are %d groups", v)
	}
	batch := n.Int("batch_dims")
	in, filter := n.Ins[0].Fact().Shape, n.Ins[1].Fact().Shape
	if !in.Known || !filter.Known {
		return nil, nil, nil
	}
	space := len(in.Dims) - 1 - batch
	if space != 2 && space != 3 || batch < 0 {
		return nil, nil, tensor.Errorf(tensor.InvalidArgument, "the input %v has %d dimensions of space after %d of the batch; 2 or 3 are required", in, space, batch)
	}
	if len(filter.Dims) != space+2 {
		return nil, nil, tensor.Errorf(tensor.InvalidArgument, "the filter has the shape %v; rank %d is required", filter, space+2)
	}
	for _, d := range filter.Dims {
		if d.Is(0) {
			return nil, nil, tensor.Errorf(tensor.InvalidArgument, "the filter has the shape %v, which is empty", filter)
		}
	}
	channels := space + 1
	if n.Str("data_format") == "CHANNELS_FIRST" {
		channels = 1
	}
	for _, attr := range []string{"strides", "dilations"} {
		v := n.Ints(attr)
		if len(v) == 0 && attr == "dilations" {
			continue
		}
		if len(v) != space+2 || v[0] != 1 || v[channels] != 1 {
			return nil, nil, tensor.Errorf(tensor.InvalidArgument, "%s must have %d values, with 1 for batch and channels: %v", attr, space+2, v)
		}
	}
	dims := append([]*sym.Expr{sym.Product(in.Dims[:batch])}, in.Dims[batch:]...)
	if lower.Differ(dims[channels], filter.Dims[space]) {
		return nil, nil, tensor.Errorf(tensor.InvalidArgument, "the input has %v channels, but the filter %v", dims[channels], filter.Dims[space])
	}
	if channels == 1 {
		code := tensor.Unimplemented
		if space == 3 {
			code = tensor.InvalidArgument
		}
		return nil, nil, tensor.Errorf(code, "no CPU kernel accepts channels first")
	}
	attrs := map[string]ir.Attr{}
	for _, a := range []string{"T", "strides", "dilations", "padding", "explicit_paddings"} {
		if v, ok := n.Attrs[a]; ok && !(a == "dilations" && len(n.Ints(a)) == 0) {
			attrs[a] = v
		}
	}
	image = kit.Stage(n, "image", "Reshape", nil)
	image.Outs[0] = ir.Fact{DType: n.Ins[0].Fact().DType, Shape: ir.ShapeOf(dims...), Const: nil}
	op, infer := "Conv2D", conv2dShape
	if space == 3 {
		op, infer = "Conv3D", windowShape
	}
	c = kit.Stage(n, "conv", op, attrs, ir.Out{Node: image}, n.Ins[1])
	return image, c, infer(s.Of(c))
}

func anyConvShape(c *lower.Shaper) error {
	_, n, err := anyConv(c)
	out := ir.Shape{}
	if err == nil && n != nil {
		batch := c.Node.Int("batch_dims")
		out = ir.ShapeOf(append(append([]*sym.Expr{}, c.Shape(0).Dims[:batch]...), n.Outs[0].Shape.Dims[1:]...)...)
	}
	c.Set(0, c.In(0).DType, out)
	return err
}

// anyConvStages returns the two nodes of anyConv, and adds checks of sizes that are known only at
// run time. It returns an error if the shape of the image or of the filter is unknown.
func anyConvStages(b *lower.Builder) (image, n *ir.Node, err error) {
	if image, n, err = anyConv(b.Shaper()); err != nil {
		return nil, nil, err
	}
	if n == nil {
		return nil, nil, lower.UnknownRank(b.Node, 0)
	}
	if err := kit.AtLeast(b, b.InLen(1), 1, "the number of the filter's elements"); err != nil {
		return nil, nil, err
	}
	f := b.InShape(1)
	return image, n, kit.RequireSame(b, n.Ins[0].Fact().Shape.Dims[len(f)-1], f[len(f)-2], "the input's channels must be the filter's")
}

func anyConvLower(b *lower.Builder) error {
	image, n, err := anyConvStages(b)
	if err != nil {
		return err
	}
	b.SetBuf(ir.Out{Node: image}, b.In(0).Buf)
	lowering := convLower2
	if n.Op == "Conv3D" {
		lowering = conv3dLower
	}
	if err := kit.LowerStage(b, n, lowering); err != nil {
		return err
	}
	kit.OutOf(b, n)
	return nil
}

func convLower2(b *lower.Builder) error { return convLower(b, &kit.Epilogue{}) }

// padConv holds the stages of FusedResizeAndPadConv2D(image, size, paddings, filter): a bilinear
// resize, the cast of its result to type T, a mirror padding and a convolution. FusedPadConv2D has
// no input named size, so the fields resize and resized are nil.
type padConv struct{ resize, resized, pad, conv *ir.Node }

func padConvOf(c *lower.Shaper) (p padConv, err error) {
	n := c.Node
	if v := n.Ints("strides"); len(v) != 4 || v[0] != 1 || v[3] != 1 {
		return p, tensor.Errorf(tensor.InvalidArgument, "strides must have 4 values, with 1 for batch and channels: %v", v)
	}
	image, at := n.Ins[0], 1
	if image.Fact().Shape.Known && image.Fact().Shape.Len().Is(0) {
		return p, tensor.Errorf(tensor.InvalidArgument, "the input has the shape %v, which is empty", image.Fact().Shape)
	}
	if n.Op == "FusedResizeAndPadConv2D" {
		p.resize = kit.Stage(n, "resize", "ResizeBilinear", map[string]ir.Attr{"align_corners": n.Bool("resize_align_corners")}, image, n.Ins[1])
		if err := imageops.ResizeShape(c.Of(p.resize)); err != nil {
			return p, err
		}
		p.resized = kit.Stage(n, "resized", "Cast", nil, ir.Out{Node: p.resize})
		p.resized.Outs[0] = ir.Fact{DType: image.Fact().DType, Shape: p.resize.Outs[0].Shape}
		image, at = ir.Out{Node: p.resized}, 2
	}
	p.pad = kit.Stage(n, "pad", "MirrorPad", map[string]ir.Attr{"mode": n.Attrs["mode"]}, image, n.Ins[at])
	if err := arrayops.PadShape(c.Of(p.pad)); err != nil {
		return p, err
	}
	if s := p.pad.Ins[0].Fact().Shape; s.Known {
		if len(s.Dims) != 4 {
			return p, tensor.Errorf(tensor.InvalidArgument, "the input has the shape %v; rank 4 is required", s)
		}
		before, after, _, err := arrayops.Margins(c.Of(p.pad), 4)
		if err != nil {
			return p, err
		}
		for _, e := range []*sym.Expr{before[0], after[0], before[3], after[3]} {
			if lower.Differ(e, sym.Zero) {
				return p, tensor.Errorf(tensor.InvalidArgument, "paddings of the batch or the channels: %v, %v", before, after)
			}
		}
		p.pad.Outs[0].Shape.Dims[0], p.pad.Outs[0].Shape.Dims[3] = s.Dims[0], s.Dims[3]
	}
	p.conv = kit.Stage(n, "conv", "Conv2D", map[string]ir.Attr{"T": n.Attrs["T"], "strides": n.Attrs["strides"], "padding": n.Attrs["padding"]},
		ir.Out{Node: p.pad}, n.Ins[at+1])
	if err := conv2dShape(c.Of(p.conv)); err != nil {
		return p, err
	}
	if s, f := p.pad.Outs[0].Shape, n.Ins[at+1].Fact().Shape; s.Known && f.Known && lower.Differ(s.Dims[3], f.Dims[2]) {
		return p, tensor.Errorf(tensor.InvalidArgument, "the input has %v channels, but the filter %v", s.Dims[3], f.Dims[2])
	}
	return p, nil
}

func padConvShape(c *lower.Shaper) error {
	g := *c.Graph // a copy of the graph, because the sizes of the nodes in p must not be added to the graph itself
	g.Symbols = maps.Clone(c.Graph.Symbols)
	p, err := padConvOf(&lower.Shaper{Graph: &g, Node: c.Node, Table: c.Table})
	for name, sy := range g.Symbols {
		if n := sy.Out.Node; c.Graph.Node(n.Name) == n {
			c.Graph.Symbols[name] = sy
		}
	}
	if err != nil {
		return err
	}
	out := p.conv.Outs[0].Shape
	// If the height or width of the result is known only at run time, for example because it
	// depends on the input named paddings or the input named size, it becomes a symbolic size of
	// output 0.
	for i := 1; i < 3 && out.Known; i++ {
		if !kit.IsInt(out.Dims[i]) {
			out.Dims[i] = c.NewSizeK(0, i)
		}
	}
	c.Set(0, c.In(0).DType, out)
	return nil
}

// spacePadLower lowers a mirror padding, as mirrorPadLower does, and adds checks that the batch and
// the channels are not padded.
func spacePadLower(b *lower.Builder) error {
	before, after, err := arrayops.BindMargins(b, 4)
	if err != nil {
		return err
	}
	for _, e := range []*sym.Expr{before[0], after[0], before[3], after[3]} {
		if !kit.IsInt(e) {
			b.Check(shape.Equal, e, 0, "paddings of the batch and of the channels")
		}
	}
	return arrayops.MirrorPad(b, before, after)
}

func padConvLower(b *lower.Builder) error {
	p, err := padConvOf(b.Shaper())
	if err != nil {
		return err
	}
	if err := kit.AtLeast(b, b.InLen(0), 1, "the number of the input's elements"); err != nil {
		return err
	}
	if p.resize != nil {
		if err := kit.LowerStage(b, p.resize, imageops.ResizeBilinearLower); err != nil {
			return err
		}
		b.SetBuf(ir.Out{Node: p.resized}, b.Buf(ir.Out{Node: p.resize}))
		if d := b.InFact(0).DType; d != tensor.Float32 {
			b.SetBuf(ir.Out{Node: p.resized}, nil)
			s := b.At(p.resized)
			fn, err := kit.KernelFor(b, d, layout.NarrowF16, layout.NarrowF64)
			if err != nil {
				return err
			}
			s.Call(fn, s.Out(0), s.In(0))
		}
	}
	if err := kit.LowerStage(b, p.pad, spacePadLower); err != nil {
		return err
	}
	f := p.conv.Ins[1].Fact().Shape
	if err := kit.RequireSame(b, p.pad.Outs[0].Shape.Dims[3], f.Dims[2], "the input's channels must be the filter's"); err != nil {
		return err
	}
	if err := kit.LowerStage(b, p.conv, convLower2); err != nil {
		return err
	}
	for i, d := range b.OutShape(0) {
		if at := p.conv.Outs[0].Shape.Dims[i]; !d.Equal(at) {
			b.CallSizes(array.Size, []*sym.Expr{d}, at, "the size of the result")
		}
	}
	kit.OutOf(b, p.conv)
	return nil
}
