package image

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/codec/jpeg"
	"github.com/graphc/graphc/kernels/codec/png"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// encodePngShape infers the result of EncodePng. The input holds images, [..., height, width,
// channels], and the result holds a file for each image.
func encodePngShape(c *lower.Shaper) error {
	if k := c.Node.Int("compression"); k < -1 || k > 9 {
		return tensor.Errorf(tensor.InvalidArgument, "compression must be in [-1, 9], not %d", k)
	}
	s := c.Shape(0)
	if !s.Known {
		c.Set(0, tensor.String, ir.Shape{})
		return nil
	}
	n := len(s.Dims) - 3
	if n < 0 {
		return tensor.Errorf(tensor.InvalidArgument, "the images have the shape %v; at least rank 3 is required", s)
	}
	c.Set(0, tensor.String, ir.ShapeOf(s.Dims[:n]...))
	return nil
}

func encodePngLower(b *lower.Builder) error {
	s := b.InShape(0)
	n := len(s) - 3
	fn, err := kit.KernelFrom(b, b.InFact(0).DType, png.EncodeU8, png.EncodeU16)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), plan.Lit(png.EncodeParams{Compression: b.Node.Int("compression")},
		"N", sym.Product(s[:n]), "H", s[n], "W", s[n+1], "C", s[n+2]))
	return nil
}

// imageSummaryShape infers the result of ImageSummary. The inputs are a tag and images [batch,
// height, width, channels].
func imageSummaryShape(c *lower.Shaper) error {
	if _, err := imageSummaryParams(c.Node); err != nil {
		return err
	}
	if err := oneElement(c, 0); err != nil {
		return err
	}
	if _, err := c.WithRank(1, 4); err != nil {
		return err
	}
	c.Set(0, tensor.String, ir.ShapeOf())
	return nil
}

func imageSummaryParams(n *ir.Node) (png.SummaryParams, error) {
	p := png.SummaryParams{Most: n.Int("max_images"), Half: n.DType("T") == tensor.Half}
	if p.Most < 1 || p.Most >= 1<<31 {
		return p, tensor.Errorf(tensor.InvalidArgument, "max_images is %d; it must be in [1, 2^31)", p.Most)
	}
	t, _ := n.Attrs["bad_color"].(*tensor.Tensor)
	switch {
	case t == nil:
		p.Bad = "\xff\x00\x00\xff"
	case t.DType != tensor.Uint8 || len(t.Shape) != 1:
		return p, tensor.Errorf(tensor.InvalidArgument, "bad_color must be a vector of uint8, not %v", t)
	default:
		p.Bad = string(tensor.Data[uint8](t))
	}
	return p, nil
}

func imageSummaryLower(b *lower.Builder) error {
	p, err := imageSummaryParams(b.Node)
	if err != nil {
		return err
	}
	if err := kit.RequireSame(b, b.InLen(0), sym.One, "the tag must be a scalar"); err != nil {
		return err
	}
	s := b.InShape(1)
	q := plan.Lit(p, "Batch", s[0], "H", s[1], "W", s[2], "C", s[3])
	if b.InFact(1).DType == tensor.Uint8 {
		b.Call(png.SummaryU8, b.Out(0), b.In(0), b.In(1), q)
		return nil
	}
	in, err := kit.InF32(b, 1)
	if err != nil {
		return err
	}
	b.Call(png.SummaryF32, b.Out(0), b.In(0), in, q)
	return nil
}

// encodeJpegParams reads the attributes and rejects those that TensorFlow rejects.
func encodeJpegParams(n *ir.Node) (p jpeg.EncodeParams, err error) {
	p = jpeg.EncodeParams{Quality: 95, Unit: 1, DensityX: 300, DensityY: 300}
	if n.Op == "EncodeJpegVariableQuality" {
		return p, nil
	}
	p.Quality, p.Progressive, p.Optimize = n.Int("quality"), n.Bool("progressive"), n.Bool("optimize_size")
	p.Full, p.DensityX, p.DensityY, p.XMP = !n.Bool("chroma_downsampling"), n.Int("x_density"), n.Int("y_density"), n.Str("xmp_metadata")
	if p.Quality < 0 || p.Quality > 100 {
		return p, tensor.Errorf(tensor.InvalidArgument, "quality must be in [0, 100], not %d", p.Quality)
	}
	switch f := n.Str("format"); f {
	case "":
	case "grayscale":
		p.Grey = true
	case "rgb":
		p.Colour = true
	default:
		return p, tensor.Errorf(tensor.InvalidArgument, "format must be '', grayscale or rgb, not %q", f)
	}
	switch u := n.Str("density_unit"); u {
	case "in":
	case "cm":
		p.Unit = 2
	default:
		return p, tensor.Errorf(tensor.InvalidArgument, "density_unit must be 'in' or 'cm', not %q", u)
	}
	return p, nil
}

// encodeJpegShape infers the result of EncodeJpeg and EncodeJpegVariableQuality. The inputs are an
// image [height, width, channels] and, for the latter, the quality.
func encodeJpegShape(c *lower.Shaper) error {
	if _, err := encodeJpegParams(c.Node); err != nil {
		return err
	}
	if _, err := c.WithRank(0, 3); err != nil {
		return err
	}
	if c.NumIn() > 1 {
		if _, err := c.WithRank(1, 0); err != nil {
			return err
		}
	}
	c.Set(0, tensor.String, ir.ShapeOf())
	return nil
}

func encodeJpegLower(b *lower.Builder) error {
	p, err := encodeJpegParams(b.Node)
	if err != nil {
		return err
	}
	s := b.InShape(0)
	q := plan.Lit(p, "H", s[0], "W", s[1], "C", s[2])
	if b.NumIn() > 1 {
		b.Call(jpeg.EncodeQuality, b.Out(0), b.In(0), b.In(1), q)
	} else {
		b.Call(jpeg.Encode, b.Out(0), b.In(0), q)
	}
	return nil
}
