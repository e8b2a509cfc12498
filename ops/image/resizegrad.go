package image

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/image"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var resizeGradDefs = []*lower.Def{
	{Name: "ResizeBilinearGrad", Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16}}, Shape: resizeGradShape, Lower: resizeGradLower},
	{Name: "ResizeBicubicGrad", Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64}}, Shape: resizeGradShape, Lower: resizeGradLower},
	{Name: "ResizeNearestNeighborGrad", Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16, tensor.Uint8, tensor.Int8, tensor.Int32}}, Shape: resizeGradShape, Lower: resizeGradLower},
}

// resizeGradShape infers the result of the gradients of resizing ops. The inputs are grads and the
// original image. For ResizeNearestNeighborGrad, input 1 is not the image, but its height and
// width.
func resizeGradShape(c *lower.Shaper) error {
	g, err := c.WithRank(0, 4)
	if err != nil {
		return err
	}
	d := c.Node.DType("T")
	if c.Node.Op != "ResizeNearestNeighborGrad" {
		s, err := c.WithRank(1, 4)
		if err != nil {
			return err
		}
		if s.Known && g.Known { // TensorFlow uses only the image's height and width
			dims := slices.Clone(s.Dims)
			for _, k := range []int{0, 3} {
				if lower.Differ(g.Dims[k], s.Dims[k]) {
					dims[k] = g.Dims[k]
				}
			}
			s = ir.ShapeOf(dims...)
		}
		c.Set(0, d, s)
		return nil
	}
	if _, err := c.WithRank(1, 1); err != nil {
		return err
	}
	size := kit.ImageSizes2(c, 1)
	if size != nil && len(size) != 2 {
		return tensor.Errorf(tensor.InvalidArgument, "size has %d elements; 2 are required", len(size))
	}
	if size == nil || !g.Known {
		c.Set(0, d, ir.Shape{})
		return nil
	}
	c.Set(0, d, ir.ShapeOf(g.Dims[0], size[0], size[1], g.Dims[3]))
	return nil
}

// resizeGrad returns the parameters of the forward op, and appends checks.
func resizeGrad(b *lower.Builder) (plan.Struct, error) {
	g, out := b.InShape(0), b.OutShape(0)
	for _, k := range []int{0, 3} {
		if err := kit.RequireSame(b, g[k], out[k], "gradient and image must agree in batch and channels"); err != nil {
			return plan.Struct{}, err
		}
	}
	if b.Node.Op == "ResizeNearestNeighborGrad" {
		if err := kit.RequireSame(b, b.InLen(1), sym.Int(2), "size must have 2 elements"); err != nil {
			return plan.Struct{}, err
		}
	}
	for _, k := range []int{1, 2} {
		for _, e := range []*sym.Expr{g[k], out[k]} {
			if err := kit.AtLeast(b, e, 1, "the size of an image"); err != nil {
				return plan.Struct{}, err
			}
		}
	}
	return plan.Lit(image.ResizeParams{AlignCorners: b.Node.Bool("align_corners"), HalfPixel: b.Node.Bool("half_pixel_centers")},
		"N", g[0], "H", out[1], "W", out[2], "C", out[3], "OH", g[1], "OW", g[2]), nil
}

func resizeGradLower(b *lower.Builder) error {
	p, err := resizeGrad(b)
	if err != nil {
		return err
	}
	fns := []any{image.BilinearGrad, image.BilinearGradF64}
	switch b.Node.Op {
	case "ResizeBicubicGrad":
		fns = []any{image.BicubicGrad, image.BicubicGradF64}
	case "ResizeNearestNeighborGrad":
		fns = []any{image.NearestGrad, image.NearestGradF64, image.NearestGradU8, image.NearestGradI8, image.NearestGradI32}
	}
	f := kit.Format{Channels: 3}
	grad, err := kit.Widened(b, 0, f, false)
	if err != nil {
		return err
	}
	dst, done := kit.Narrowed(b, f, false)
	fn, err := kit.KernelFor(b, dst.Buf.DType, fns...)
	if err != nil {
		return err
	}
	b.Call(fn, dst, grad, p)
	return done()
}
