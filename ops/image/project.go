package image

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/image"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var projectTypes = map[string][]tensor.DType{"dtype": {tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16, tensor.Uint8, tensor.Int32, tensor.Int64}}

var projectDefs = []*lower.Def{
	{Name: "ImageProjectiveTransformV2", Types: projectTypes, Shape: projectShape, Lower: projectLower},
	{Name: "ImageProjectiveTransformV3", Types: projectTypes, Shape: projectShape, Lower: projectLower},
}

// projectShape infers the result of ImageProjectiveTransformV2 and V3. The inputs are images,
// transforms [1 or N, 8], output_shape [2] and, for V3, fill_value.
func projectShape(c *lower.Shaper) error {
	s, err := c.WithRank(0, 4)
	if err != nil {
		return err
	}
	t, err := c.WithRank(1, 2)
	if err != nil {
		return err
	}
	if t.Known && lower.Differ(t.Dims[1], sym.Int(8)) {
		return tensor.Errorf(tensor.InvalidArgument, "transforms have the shape %v; 8 columns are required", t)
	}
	if _, err := c.WithRank(2, 1); err != nil {
		return err
	}
	size := kit.ImageSizes2(c, 2)
	if size != nil && len(size) != 2 {
		return tensor.Errorf(tensor.InvalidArgument, "output_shape has %d elements; 2 are required", len(size))
	}
	if size == nil || !s.Known {
		c.Set(0, c.In(0).DType, ir.Shape{})
		return nil
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(s.Dims[0], size[0], size[1], s.Dims[3]))
	return nil
}

// projectParams returns the image.ProjectParams of a node. It appends those checks that are
// possible only at run time.
func projectParams(b *lower.Builder) (plan.Struct, error) {
	none := plan.Struct{}
	var p image.ProjectParams
	switch m := b.Node.Str("interpolation"); m {
	case "NEAREST":
	case "BILINEAR":
		p.Bilinear = true
	default:
		return none, b.Errorf(tensor.InvalidArgument, "unknown interpolation %q", m)
	}
	switch m := b.Node.Str("fill_mode"); m {
	case "CONSTANT", "":
	case "REFLECT":
		p.Fill = image.Reflect
	case "WRAP":
		p.Fill = image.Wrap
	case "NEAREST":
		p.Fill = image.Nearest
	default:
		return none, b.Errorf(tensor.InvalidArgument, "unknown fill_mode %q", m)
	}
	in, out, t := b.InShape(0), b.OutShape(0), b.InShape(1)
	if err := kit.RequireSame(b, t[1], sym.Int(8), "transforms must have 8 columns"); err != nil {
		return none, err
	}
	if err := kit.OneOr(b, t[0], in[0], "there must be one transform, or one for each image"); err != nil {
		return none, err
	}
	if err := kit.RequireSame(b, b.InLen(2), sym.Int(2), "output_shape must have 2 elements"); err != nil {
		return none, err
	}
	for i := 1; i < 3; i++ {
		if err := kit.AtLeast(b, out[i], 1, "the size of the result"); err != nil {
			return none, err
		}
	}
	if b.NumIn() > 3 && b.InFact(3).Shape.Rank() > 0 {
		return none, b.Errorf(tensor.InvalidArgument, "fill_value must be a scalar, not of the shape %v", b.InFact(3).Shape)
	}
	return plan.Lit(p, "N", in[0], "H", in[1], "W", in[2], "C", in[3], "OH", out[1], "OW", out[2], "Transforms", t[0]), nil
}

func projectLower(b *lower.Builder) error {
	q, err := projectParams(b)
	if err != nil {
		return err
	}
	f := kit.Format{Channels: 3}
	src, err := kit.Widened(b, 0, f, false)
	if err != nil {
		return err
	}
	dst, done := kit.Narrowed(b, f, false)
	fn, err := kit.KernelFor(b, dst.Buf.DType, image.ProjectF32, image.ProjectF64, image.ProjectU8, image.ProjectI32, image.ProjectI64)
	if err != nil {
		return err
	}
	if b.NumIn() > 3 {
		q = q.With("Outside", b.In(3))
	}
	b.Call(fn, dst, src, b.In(1), q)
	return done()
}
