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

// spanKernel returns the sampling kernel named by kernel_type.
func spanKernel(n *ir.Node) (int, error) {
	name := []byte(n.Str("kernel_type"))
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			name[i] = c + 'a' - 'A'
		}
	}
	for i, s := range []string{"lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"} {
		if s == string(name) {
			return i, nil
		}
	}
	return 0, tensor.Errorf(tensor.InvalidArgument, "unrecognized kernel type: %q", name)
}

// spansShape infers the result of ScaleAndTranslate. The inputs are images [n,h,w,c], size [2],
// scale [2] and translation [2].
func spansShape(c *lower.Shaper) error {
	if _, err := spanKernel(c.Node); err != nil {
		return err
	}
	s, err := kit.RankedDims(c, 4, 1, 1, 1)
	if err != nil {
		return err
	}
	for i, name := range []string{"", "size", "scale", "translation"} {
		if i > 0 {
			if err := kit.RequireDim(s[i], 0, sym.Int(2), name); err != nil {
				return err
			}
		}
	}
	return kit.SizedImages(c, s[0], 1)
}

func spansLower(b *lower.Builder) error {
	s, out := b.InShape(0), b.OutShape(0)
	for i := 1; i < 4; i++ {
		if err := kit.RequireSame(b, b.InLen(i), sym.Int(2), "size, scale and translation must have 2 elements"); err != nil {
			return err
		}
	}
	for _, e := range []*sym.Expr{out[1], out[2], s[1], s[2], s[3]} {
		if err := kit.AtLeast(b, e, 1, "the size of an image"); err != nil {
			return err
		}
	}
	in, err := kit.InF32(b, 0)
	if err != nil {
		return err
	}
	k, err := spanKernel(b.Node)
	if err != nil {
		return err
	}
	b.Call(image.Spans, b.Out(0), in, b.In(2), b.In(3), b.Temp(tensor.Float32, sym.Product([]*sym.Expr{out[1], s[2], s[3]})),
		b.Temp(tensor.Float32, sym.Max(s[1], s[2])), plan.Lit(image.SpanParams{Kernel: k, Antialias: b.Node.Bool("antialias")},
			"N", s[0], "H", s[1], "W", s[2], "C", s[3], "OH", out[1], "OW", out[2]))
	return nil
}

// spansGradShape infers the result of ScaleAndTranslateGrad. The inputs are grads [n,oh,ow,c],
// original_image [n,h,w,c], scale [2] and translation [2].
func spansGradShape(c *lower.Shaper) error {
	if _, err := spanKernel(c.Node); err != nil {
		return err
	}
	s, err := kit.RankedDims(c, 4, 4, 1, 1)
	if err != nil {
		return err
	}
	for i := 2; i < 4; i++ {
		if err := kit.RequireDim(s[i], 0, sym.Int(2), "scale and translation"); err != nil {
			return err
		}
	}
	if !s[0].Known || !s[1].Known {
		c.Set(0, c.In(1).DType, s[1])
		return nil
	}
	c.Set(0, c.In(1).DType, ir.ShapeOf(s[0].Dims[0], s[1].Dims[1], s[1].Dims[2], s[0].Dims[3]))
	return nil
}

func spansGradLower(b *lower.Builder) error {
	g, s := b.InShape(0), b.OutShape(0)
	for i := 2; i < 4; i++ {
		if err := kit.RequireSame(b, b.InLen(i), sym.Int(2), "scale and translation must have 2 elements"); err != nil {
			return err
		}
	}
	k, err := spanKernel(b.Node)
	if err != nil {
		return err
	}
	b.Call(image.SpansGrad, b.Out(0), b.In(0), b.In(2), b.In(3), b.Temp(tensor.Float32, sym.Product([]*sym.Expr{s[1], g[2], s[3]})),
		b.Temp(tensor.Float32, sym.Max(s[1], s[2])), plan.Lit(image.SpanParams{Kernel: k, Antialias: b.Node.Bool("antialias")},
			"N", s[0], "H", s[1], "W", s[2], "C", s[3], "OH", g[1], "OW", g[2]))
	return nil
}
