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

var imageTypes = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16, tensor.Int8, tensor.Int16,
	tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16}

var imageDefs = []*lower.Def{
	{Name: "ResizeBilinear", Types: map[string][]tensor.DType{"T": imageTypes}, Shape: ResizeShape, Lower: ResizeBilinearLower},
	{Name: "ResizeBicubic", Types: map[string][]tensor.DType{"T": imageTypes}, Shape: ResizeShape, Lower: resizeBicubicLower},
	{Name: "ResizeArea", Types: map[string][]tensor.DType{"T": imageTypes}, Shape: ResizeShape, Lower: resizeAreaLower},
	{Name: "ResizeNearestNeighbor", Types: map[string][]tensor.DType{"T": imageTypes}, Shape: ResizeShape, Lower: resizeNearestLower},
	{Name: "CropAndResize", Types: map[string][]tensor.DType{"T": imageTypes}, Shape: cropShape, Lower: cropLower},
}

// ResizeShape infers the result of the resizing ops. Input 1, the new size, is [height, width].
func ResizeShape(c *lower.Shaper) error {
	if c.Node.Bool("align_corners") && c.Node.Bool("half_pixel_centers") {
		return tensor.Errorf(tensor.InvalidArgument, "align_corners and half_pixel_centers must not both be true")
	}
	d := tensor.Float32
	if c.Node.Op == "ResizeNearestNeighbor" {
		d = c.In(0).DType
	}
	s, err := c.WithRank(0, 4)
	if err != nil {
		return err
	}
	if _, err := c.WithRank(1, 1); err != nil {
		return err
	}
	size := kit.ImageSizes2(c, 1)
	if size != nil && len(size) != 2 {
		return tensor.Errorf(tensor.InvalidArgument, "size has %d elements; 2 are required", len(size))
	}
	if size == nil || !s.Known {
		c.Set(0, d, ir.Shape{})
		return nil
	}
	for _, e := range size {
		if v, ok := e.IsInt(); ok && v <= 0 {
			return tensor.Errorf(tensor.InvalidArgument, "the size %v must be positive", v)
		}
	}
	c.Set(0, d, ir.ShapeOf(s.Dims[0], size[0], size[1], s.Dims[3]))
	return nil
}

// Resize checks a resizing op and returns its parameters.
func Resize(b *lower.Builder) (plan.Struct, error) {
	in, out := b.InShape(0), b.OutShape(0)
	if err := kit.RequireSame(b, b.InLen(1), sym.Int(2), "size must have 2 elements"); err != nil {
		return plan.Struct{}, err
	}
	for i := 1; i < 3; i++ {
		if err := kit.AtLeast(b, out[i], 1, "the size to resize to"); err != nil {
			return plan.Struct{}, err
		}
		if err := kit.AtLeast(b, in[i], 1, "the size of the image"); err != nil {
			return plan.Struct{}, err
		}
	}
	if err := kit.AtLeast(b, in[3], 1, "the number of channels of the image"); err != nil {
		return plan.Struct{}, err
	}
	return plan.Lit(image.ResizeParams{AlignCorners: b.Node.Bool("align_corners"), HalfPixel: b.Node.Bool("half_pixel_centers")},
		"N", in[0], "H", in[1], "W", in[2], "C", in[3], "OH", out[1], "OW", out[2]), nil
}

// ResizeBilinearLower lowers ResizeBilinear, whose inputs are images and size.
func ResizeBilinearLower(b *lower.Builder) error {
	return resizeBy(b, image.Bilinear, image.BilinearColumns, 2, 1, lower.CostModerate)
}

func resizeBicubicLower(b *lower.Builder) error {
	return resizeBy(b, image.Bicubic, image.BicubicColumns, 4, 4, lower.CostExpensive)
}

// resizeBy appends calls of two kernels. The first kernel (columns) fills two tables: the indices
// and the weights of the neighbours of each output column. The second kernel (fn) resizes the images
// with these tables. The parameters indices and weights are the numbers of entries for each output
// column in the two tables.
func resizeBy(b *lower.Builder, fn, columns any, indices, weights, ps int) error {
	p, err := Resize(b)
	if err != nil {
		return err
	}
	in, err := kit.InF32(b, 0)
	if err != nil {
		return err
	}
	ow := b.OutShape(0)[2]
	index, weight := b.Temp(tensor.Int32, ow.MulInt(indices)), b.Temp(tensor.Float32, ow.MulInt(weights))
	b.Call(columns, kit.Writes(index), kit.Writes(weight), p)
	index.Mode, weight.Mode = plan.Read, plan.Read
	resizeRows(b, fn, p, ps, in, index, weight)
	return nil
}

// resizeRows appends a resizing kernel as a loop over the result's rows. An element takes ps
// picoseconds.
func resizeRows(b *lower.Builder, fn any, p plan.Struct, ps int, args ...any) {
	out := b.OutShape(0)
	row := out[2].Mul(out[3])
	l := b.Par(out[0].Mul(out[1]), lower.RowSplit(row, ps))
	args = append([]any{lower.Rows(b.Out(0), row)}, args...)
	l.Call(fn, append(args, p.With("First", plan.Lo, "Rows", plan.Count))...)
}

func resizeAreaLower(b *lower.Builder) error {
	p, err := Resize(b)
	if err != nil {
		return err
	}
	in, err := kit.InF32(b, 0)
	if err != nil {
		return err
	}
	resizeRows(b, image.Area, p, lower.CostExpensive, in)
	return nil
}

func resizeNearestLower(b *lower.Builder) error {
	p, err := Resize(b)
	if err != nil {
		return err
	}
	fn, err := kit.KernelFor(b, b.InFact(0).DType, image.NearestF32, image.NearestF64, image.NearestF16, image.NearestBF16, image.NearestI8,
		image.NearestI16, image.NearestI32, image.NearestI64, image.NearestU8, image.NearestU16, image.NearestU32, image.NearestU64)
	if err != nil {
		return err
	}
	resizeRows(b, fn, p, lower.CostModerate, b.In(0))
	return nil
}

// cropShape infers the result of CropAndResize. The inputs are image, boxes [n,4], box_ind [n] and
// crop_size [2].
func cropShape(c *lower.Shaper) error {
	s, err := c.WithRank(0, 4)
	if err != nil {
		return err
	}
	boxes, err := c.WithRank(1, 2)
	if err != nil {
		return err
	}
	ind, err := c.WithRank(2, 1)
	if err != nil {
		return err
	}
	if _, err := c.WithRank(3, 1); err != nil {
		return err
	}
	if boxes.Known && lower.Differ(boxes.Dims[1], sym.Int(4)) {
		return tensor.Errorf(tensor.InvalidArgument, "boxes have the shape %v; 4 columns are required", boxes)
	}
	if boxes.Known && ind.Known && lower.Differ(boxes.Dims[0], ind.Dims[0]) {
		return tensor.Errorf(tensor.InvalidArgument, "boxes have the shape %v, box_ind %v", boxes, ind)
	}
	size := kit.ImageSizes2(c, 3)
	if size != nil && len(size) != 2 {
		return tensor.Errorf(tensor.InvalidArgument, "crop_size has %d elements; 2 are required", len(size))
	}
	if m := c.Node.Str("method"); m != "bilinear" && m != "nearest" {
		return tensor.Errorf(tensor.InvalidArgument, "unknown method %q", m)
	}
	if size == nil || !s.Known || !boxes.Known {
		c.Set(0, tensor.Float32, ir.Shape{})
		return nil
	}
	for _, e := range size {
		if v, ok := e.IsInt(); ok && v <= 0 {
			return tensor.Errorf(tensor.InvalidArgument, "the crop size %v must be positive", v)
		}
	}
	c.Set(0, tensor.Float32, ir.ShapeOf(boxes.Dims[0], size[0], size[1], s.Dims[3]))
	return nil
}

// cropSizes returns CropAndResize's parameters, and appends checks.
func cropSizes(b *lower.Builder) (plan.Struct, error) {
	in, out, boxes := b.InShape(0), b.OutShape(0), b.InShape(1)
	if err := kit.RequireSame(b, boxes[1], sym.Int(4), "boxes must have 4 columns"); err != nil {
		return plan.Struct{}, err
	}
	if err := kit.RequireSame(b, boxes[0], b.InShape(2)[0], "boxes and box_ind must have the same length"); err != nil {
		return plan.Struct{}, err
	}
	if err := kit.RequireSame(b, b.InLen(3), sym.Int(2), "crop_size must have 2 elements"); err != nil {
		return plan.Struct{}, err
	}
	for i := 1; i < 3; i++ {
		if err := kit.AtLeast(b, out[i], 1, "the crop size"); err != nil {
			return plan.Struct{}, err
		}
		if err := kit.AtLeast(b, in[i], 1, "the size of the image"); err != nil {
			return plan.Struct{}, err
		}
	}
	return plan.Lit(image.CropParams{Nearest: b.Node.Str("method") == "nearest", Outside: b.Node.Float("extrapolation_value")},
		"N", in[0], "H", in[1], "W", in[2], "C", in[3], "Boxes", boxes[0], "OH", out[1], "OW", out[2]), nil
}

func cropLower(b *lower.Builder) error {
	p, err := cropSizes(b)
	if err != nil {
		return err
	}
	src, err := kit.InF32(b, 0)
	if err != nil {
		return err
	}
	b.Call(image.Crop, b.Out(0), src, b.In(1), b.In(2), p)
	return nil
}
