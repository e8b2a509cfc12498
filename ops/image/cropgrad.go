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

// cropGradImageShape infers the result of CropAndResizeGradImage. The inputs are grads [m,h,w,c],
// boxes [m,4], box_ind [m] and image_size [4].
func cropGradImageShape(c *lower.Shaper) error {
	s, err := kit.RankedDims(c, 4, 2, 1, 1)
	if err != nil {
		return err
	}
	if m := c.Node.Str("method"); m != "bilinear" && m != "nearest" {
		return tensor.Errorf(tensor.InvalidArgument, "unknown method %q", m)
	}
	if err := boxShapes(s[0], s[1], s[2]); err != nil {
		return err
	}
	if err := kit.RequireDim(s[3], 0, sym.Int(4), "image_size"); err != nil {
		return err
	}
	d := c.Node.DType("T")
	size, ok := kit.IntsN(c, 3, 4)
	if !ok {
		c.Set(0, d, ir.Shape{})
		return nil
	}
	c.Set(0, d, ir.ShapeOf(size...))
	return nil
}

// boxShapes checks that the shapes of gradients, boxes and image indices fit each other, as far as
// they are known.
func boxShapes(grads, boxes, ind ir.Shape) error {
	if err := kit.RequireDim(boxes, 1, sym.Int(4), "boxes"); err != nil {
		return err
	}
	if err := kit.RequireDim(boxes, 0, dim(grads, 0), "boxes"); err != nil {
		return err
	}
	if err := kit.RequireDim(ind, 0, dim(grads, 0), "box_ind"); err != nil {
		return err
	}
	return kit.RequireDim(ind, 0, dim(boxes, 0), "box_ind")
}

// boxCheck appends those checks of boxShapes that are possible only at run time.
func boxCheck(b *lower.Builder, boxes, ind int) error {
	g := b.InShape(0)
	if err := kit.RequireSame(b, b.InShape(boxes)[1], sym.Int(4), "boxes must have 4 columns"); err != nil {
		return err
	}
	if err := kit.RequireSame(b, b.InShape(boxes)[0], g[0], "grads and boxes must have the same length"); err != nil {
		return err
	}
	if err := kit.RequireSame(b, b.InShape(ind)[0], g[0], "grads and box_ind must have the same length"); err != nil {
		return err
	}
	for _, e := range g[1:3] {
		if err := kit.AtLeast(b, e, 1, "the crop size"); err != nil {
			return err
		}
	}
	return nil
}

// cropGradParams returns the sizes of the forward op as a kernel's parameters, and appends checks.
func cropGradParams(b *lower.Builder) (plan.Struct, error) {
	g, out := b.InShape(0), b.OutShape(0)
	if err := boxCheck(b, 1, 2); err != nil {
		return plan.Struct{}, err
	}
	if err := kit.RequireSame(b, b.InLen(3), sym.Int(4), "image_size must have 4 elements"); err != nil {
		return plan.Struct{}, err
	}
	for i, lo := range []int{0, 1, 1, 0} {
		if err := kit.AtLeast(b, out[i], lo, "image_size"); err != nil {
			return plan.Struct{}, err
		}
	}
	if err := kit.RequireSame(b, out[3], g[3], "grads and image_size must agree in channels"); err != nil {
		return plan.Struct{}, err
	}
	return plan.Lit(image.CropParams{Nearest: b.Node.Str("method") == "nearest"},
		"N", out[0], "H", out[1], "W", out[2], "C", out[3], "Boxes", g[0], "OH", g[1], "OW", g[2]), nil
}

func cropGradImageLower(b *lower.Builder) error {
	p, err := cropGradParams(b)
	if err != nil {
		return err
	}
	fn, err := kit.KernelFor(b, b.OutFact(0).DType, image.CropGradF32, image.CropGradF64, image.CropGradF16)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1), b.In(2), p)
	return nil
}

// cropGradBoxesShape infers the result of CropAndResizeGradBoxes. The inputs are grads [m,h,w,c],
// image [n,h,w,c], boxes [m,4] and box_ind [m].
func cropGradBoxesShape(c *lower.Shaper) error {
	s, err := kit.RankedDims(c, 4, 4, 2, 1)
	if err != nil {
		return err
	}
	if m := c.Node.Str("method"); m != "bilinear" {
		return tensor.Errorf(tensor.InvalidArgument, "unknown method %q: it must be bilinear", m)
	}
	if err := boxShapes(s[0], s[2], s[3]); err != nil {
		return err
	}
	if err := kit.RequireDim(s[0], 3, dim(s[1], 3), "grads"); err != nil {
		return err
	}
	n := dim(s[2], 0)
	if n == nil {
		n = dim(s[0], 0)
	}
	if n == nil {
		c.Set(0, tensor.Float32, ir.Shape{})
		return nil
	}
	c.Set(0, tensor.Float32, ir.ShapeOf(n, sym.Int(4)))
	return nil
}

// cropGradBoxesParams returns the sizes of the forward op as a kernel's parameters, and appends
// checks.
func cropGradBoxesParams(b *lower.Builder) (plan.Struct, error) {
	g, s := b.InShape(0), b.InShape(1)
	if err := boxCheck(b, 2, 3); err != nil {
		return plan.Struct{}, err
	}
	for _, e := range s[1:3] {
		if err := kit.AtLeast(b, e, 1, "the size of the image"); err != nil {
			return plan.Struct{}, err
		}
	}
	if err := kit.RequireSame(b, g[3], s[3], "grads and image must agree in channels"); err != nil {
		return plan.Struct{}, err
	}
	return plan.Lit(image.CropParams{}, "N", s[0], "H", s[1], "W", s[2], "C", s[3], "Boxes", g[0], "OH", g[1], "OW", g[2]), nil
}

func cropGradBoxesLower(b *lower.Builder) error {
	p, err := cropGradBoxesParams(b)
	if err != nil {
		return err
	}
	in, err := kit.InF32(b, 1)
	if err != nil {
		return err
	}
	b.Call(image.CropGradBoxes, b.Out(0), b.In(0), in, b.In(2), b.In(3), p)
	return nil
}
