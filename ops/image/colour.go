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

var colourTypes = map[string][]tensor.DType{"T": {tensor.Float32, tensor.Half}}

var colourDefs = []*lower.Def{
	{Name: "RGBToHSV", Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: rgbShape, Lower: rgbLower},
	{Name: "HSVToRGB", Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Shape: rgbShape, Lower: rgbLower},
	{Name: "AdjustHue", Types: colourTypes, Shape: rgbShape, Lower: rgbLower},
	{Name: "AdjustSaturation", Types: colourTypes, Shape: rgbShape, Lower: rgbLower},
	{Name: "AdjustContrastv2", Types: colourTypes, Shape: contrastShape, Lower: contrastLower},
}

// rgbShape infers the result of the ops that convert or adjust colours. The last dimension of the
// input must be 3.
func rgbShape(c *lower.Shaper) error {
	s := c.Shape(0)
	adjust := c.NumIn() > 1
	if s.Known {
		if n := len(s.Dims); n < 1 || adjust && n < 3 {
			return tensor.Errorf(tensor.InvalidArgument, "the input has the shape %v; a last dimension of 3 is required", s)
		} else if lower.Differ(s.Dims[n-1], sym.Int(3)) {
			return tensor.Errorf(tensor.InvalidArgument, "the last dimension of %v must be 3", s)
		}
	}
	if adjust {
		if _, err := c.WithRank(1, 0); err != nil {
			return err
		}
	}
	c.Same(0, 0)
	return nil
}

// threeChannels appends the check that pixels have three channels.
func threeChannels(b *lower.Builder) {
	s := b.InShape(0)
	switch c := s[len(s)-1]; {
	case c.Is(3):
	case b.NumIn() > 1: // AdjustHue, AdjustSaturation
		b.Check(image.AdjustedColours, c)
	default:
		b.Check(image.Colours, c)
	}
}

func rgbLower(b *lower.Builder) error {
	s := b.InShape(0)
	threeChannels(b)
	n := sym.Product(s[:len(s)-1])
	if b.InFact(0).DType == tensor.Float64 {
		fn := image.ToHSV64
		if b.Node.Op == "HSVToRGB" {
			fn = image.FromHSV64
		}
		b.Call(fn, b.Out(0), b.In(0), n)
		return nil
	}
	in, err := kit.InF32(b, 0)
	if err != nil {
		return err
	}
	out, done := kit.OutF32(b, 0)
	switch b.Node.Op {
	case "RGBToHSV":
		b.Call(image.ToHSV, out, in, n)
	case "HSVToRGB":
		b.Call(image.FromHSV, out, in, n)
	case "AdjustHue":
		b.Call(image.Hue, out, in, b.In(1), n)
	default:
		b.Call(image.Saturation, out, in, b.In(1), n)
	}
	return done()
}

func contrastShape(c *lower.Shaper) error {
	s := c.Shape(0)
	if s.Known && len(s.Dims) < 3 {
		return tensor.Errorf(tensor.InvalidArgument, "images have the shape %v; at least rank 3 is required", s)
	}
	if _, err := c.WithRank(1, 0); err != nil {
		return err
	}
	c.Set(0, c.In(0).DType, ir.Shape{Known: s.Known, Dims: s.Dims})
	return nil
}

func contrastLower(b *lower.Builder) error {
	s := b.InShape(0)
	r := len(s)
	in, err := kit.InF32(b, 0)
	if err != nil {
		return err
	}
	out, done := kit.OutF32(b, 0)
	b.Call(image.Contrast, out, in, b.In(1), plan.Lit(image.ContrastParams{}, "Images", sym.Product(s[:r-3]),
		"Pixels", s[r-3].Mul(s[r-2]), "C", s[r-1]))
	return done()
}
