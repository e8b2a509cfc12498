package image

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/random"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	randomops "github.com/graphc/graphc/ops/random"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// distortParams reads the attributes and rejects those that TensorFlow rejects.
func distortParams(n *ir.Node) (p random.DistortParams, err error) {
	aspect, _ := n.Attrs["aspect_ratio_range"].([]float32)
	area, _ := n.Attrs["area_range"].([]float32)
	bad := func(format string, args ...any) (random.DistortParams, error) {
		return p, tensor.Errorf(tensor.InvalidArgument, format, args...)
	}
	switch {
	case n.Op == "SampleDistortedBoundingBox" && !(n.Float("min_object_covered") >= 0):
		return bad("min_object_covered is %v; it must not be negative", n.Float("min_object_covered"))
	case len(aspect) != 2 || !(aspect[0] > 0 && aspect[1] > 0):
		return bad("aspect_ratio_range must be 2 positive numbers, not %v", aspect)
	case len(area) != 2 || !(area[0] > 0 && area[1] > 0 && area[0] <= 1 && area[1] <= 1):
		return bad("area_range must be 2 numbers in (0, 1], not %v", area)
	case n.Int("max_attempts") < 1:
		return bad("max_attempts is %d; it must be positive", n.Int("max_attempts"))
	}
	return random.DistortParams{AspectLow: aspect[0], AspectHigh: aspect[1], AreaLow: area[0], AreaHigh: area[1],
		Attempts: n.Int("max_attempts"), UseImage: n.Bool("use_image_if_no_bounding_boxes")}, nil
}

// distortShape infers the results of the ops that sample a distorted bounding box. The first inputs
// are image_size [3] and boxes [n,m,4]. Then, if the op has them as inputs and not as attributes,
// min_object_covered and the seeds follow.
func distortShape(c *lower.Shaper) error {
	if _, err := distortParams(c.Node); err != nil {
		return err
	}
	s, err := kit.RankedDims(c, 1, 3)
	if err != nil {
		return err
	}
	if err := kit.RequireDim(s[0], 0, sym.Int(3), "image_size"); err != nil {
		return err
	}
	if err := kit.RequireDim(s[1], 2, sym.Int(4), "bounding_boxes"); err != nil {
		return err
	}
	if c.NumIn() > 2 {
		if _, err := c.WithRank(2, 0); err != nil {
			return err
		}
	}
	if c.NumIn() > 3 {
		if err := (randomops.Seeding{At: 3}).Shapes(c); err != nil {
			return err
		}
	}
	d := c.Node.DType("T")
	c.Set(0, d, ir.ShapeOf(sym.Int(3)))
	c.Set(1, d, ir.ShapeOf(sym.Int(3)))
	c.Set(2, tensor.Float32, ir.ShapeOf(sym.One, sym.One, sym.Int(4)))
	return nil
}

func distortLower(b *lower.Builder) error {
	p, err := distortParams(b.Node)
	if err != nil {
		return err
	}
	boxes := b.InShape(1)
	if err := kit.RequireSame(b, b.InLen(0), sym.Int(3), "image_size must have 3 elements"); err != nil {
		return err
	}
	if err := kit.RequireSame(b, boxes[2], sym.Int(4), "boxes must have 4 columns"); err != nil {
		return err
	}
	sd := randomops.Seeding{Stateful: true}
	if b.NumIn() > 3 {
		sd = randomops.Seeding{At: 3}
	}
	stream, err := sd.Stream(b, sym.Int(p.Attempts))
	if err != nil {
		return err
	}
	size, d := b.In(0), b.OutFact(0).DType
	if d != tensor.Int64 {
		t := b.Temp(tensor.Int64, sym.Int(3))
		b.Call(bytype.Cast[d][tensor.Int64], kit.Writes(t), size)
		size = kit.Reads(t)
	}
	var covered plan.View
	if b.NumIn() > 2 {
		covered = b.In(2)
	} else {
		covered = b.Const("min_object_covered", &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{}, Data: []float32{b.Node.Float("min_object_covered")}})
	}
	outs := []plan.View{b.Out(0), b.Out(1)}
	if d != tensor.Int64 {
		outs = []plan.View{b.Temp(tensor.Int64, sym.Int(3)), b.Temp(tensor.Int64, sym.Int(3))}
	}
	b.Call(random.Distort, outs[0], outs[1], b.Out(2), stream, size, b.In(1), covered, plan.Lit(p, "Boxes", boxes[0].Mul(boxes[1])))
	if d != tensor.Int64 {
		for i, t := range outs {
			b.Call(bytype.Cast[tensor.Int64][d], b.Out(i), kit.Reads(t))
		}
	}
	return nil
}

// randomCropShape infers the result of RandomCrop, whose inputs are image [h,w,c] and size [2].
func randomCropShape(c *lower.Shaper) error {
	s, err := kit.RankedDims(c, 3, 1)
	if err != nil {
		return err
	}
	if err := kit.RequireDim(s[1], 0, sym.Int(2), "size"); err != nil {
		return err
	}
	size, ok := kit.IntsN(c, 1, 2)
	if !s[0].Known || !ok {
		c.Set(0, c.In(0).DType, ir.Shape{})
		return nil
	}
	for _, e := range size {
		if kit.KnownLess(e, 0) {
			return tensor.Errorf(tensor.InvalidArgument, "the size %v is negative", e)
		}
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(size[0], size[1], s[0].Dims[2]))
	return nil
}

func randomCropLower(b *lower.Builder) error {
	s, out := b.InShape(0), b.OutShape(0)
	if err := kit.RequireSame(b, b.InLen(1), sym.Int(2), "size must have 2 elements"); err != nil {
		return err
	}
	stream, err := randomops.Seeding{Stateful: true}.Stream(b, sym.One)
	if err != nil {
		return err
	}
	y, x := b.NewSizeK(0, 0), b.NewSizeK(0, 1)
	b.CallSizes(random.Crop, []*sym.Expr{y, x}, stream, plan.Lit(random.CropParams{}, "H", s[0], "W", s[1], "Height", out[0], "Width", out[1]))
	box := kit.NewBox()
	row := s[1].Mul(s[2])
	box.SrcOff = y.Mul(row).Add(x.Mul(s[2]))
	box.Add(out[0], out[1].Mul(out[2]), row)
	box.Add(out[1].Mul(out[2]), sym.One, sym.One)
	return kit.Move(b, b.Out(0), b.In(0), box)
}
