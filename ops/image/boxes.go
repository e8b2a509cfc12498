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

var (
	boxImageTypes  = append([]tensor.DType{tensor.Uint32, tensor.Uint64}, imageTypes...)
	drawTypes      = map[string][]tensor.DType{"T": {tensor.Float32, tensor.Half}}
	distortTypes   = map[string][]tensor.DType{"T": {tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64}}
	contrastTypes1 = map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Uint8}}
)

// boxDefs draw, sample, crop and propose boxes.
var boxDefs = []*lower.Def{
	{Name: "DrawBoundingBoxes", Types: drawTypes, Shape: drawShape, Lower: drawLower},
	{Name: "DrawBoundingBoxesV2", Types: drawTypes, Shape: drawShape, Lower: drawLower},
	{Name: "ExtractGlimpse", Flags: lower.Stateful | lower.NoFold, Shape: glimpseShape, Lower: glimpseLower},
	{Name: "ExtractGlimpseV2", Flags: lower.Stateful | lower.NoFold, Shape: glimpseShape, Lower: glimpseLower},
	{Name: "CropAndResizeGradImage", Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Half}}, Shape: cropGradImageShape, Lower: cropGradImageLower},
	{Name: "CropAndResizeGradBoxes", Types: map[string][]tensor.DType{"T": boxImageTypes}, Shape: cropGradBoxesShape, Lower: cropGradBoxesLower},
	{Name: "ScaleAndTranslate", Types: map[string][]tensor.DType{"T": boxImageTypes}, Shape: spansShape, Lower: spansLower},
	{Name: "ScaleAndTranslateGrad", Types: map[string][]tensor.DType{"T": {tensor.Float32}}, Shape: spansGradShape, Lower: spansGradLower},
	{Name: "SampleDistortedBoundingBox", Level: lower.Reads, Flags: lower.Stateful | lower.NoFold, Types: distortTypes, Shape: distortShape, Lower: distortLower},
	{Name: "SampleDistortedBoundingBoxV2", Level: lower.Reads, Flags: lower.Stateful | lower.NoFold, Types: distortTypes, Shape: distortShape, Lower: distortLower},
	{Name: "StatelessSampleDistortedBoundingBox", Types: distortTypes, Shape: distortShape, Lower: distortLower},
	{Name: "RandomCrop", Level: lower.Reads, Flags: lower.Stateful | lower.NoFold, Types: map[string][]tensor.DType{"T": boxImageTypes}, Shape: randomCropShape, Lower: randomCropLower},
	{Name: "AdjustContrast", Types: contrastTypes1, Shape: contrastClipShape, Lower: contrastClipLower},
	{Name: "GenerateBoundingBoxProposals", Limits: "shapes only: TensorFlow has no CPU kernel", Shape: proposalsShape, Lower: proposalsLower},
}

// dim returns dimension k of s, or nil if the rank is unknown.
func dim(s ir.Shape, k int) *sym.Expr {
	if !s.Known {
		return nil
	}
	return s.Dims[k]
}

// drawShape infers the result of DrawBoundingBoxes and DrawBoundingBoxesV2. The inputs are images
// [n,h,w,c], boxes [n,m,4] and, for V2, colours [k,c].
func drawShape(c *lower.Shaper) error {
	ranks := []int{4, 3, 2}[:c.NumIn()]
	s, err := kit.RankedDims(c, ranks...)
	if err != nil {
		return err
	}
	if d := dim(s[0], 3); d != nil {
		if n, ok := d.IsInt(); ok && n != 1 && n != 3 && n != 4 {
			return tensor.Errorf(tensor.InvalidArgument, "images have the shape %v; 1, 3 or 4 channels are required", s[0])
		}
	}
	if err := kit.RequireDim(s[1], 2, sym.Int(4), "boxes"); err != nil {
		return err
	}
	if err := kit.RequireDim(s[1], 0, dim(s[0], 0), "boxes"); err != nil {
		return err
	}
	c.Same(0, 0)
	return nil
}

func drawLower(b *lower.Builder) error {
	s, boxes := b.InShape(0), b.InShape(1)
	if err := kit.RequireSame(b, boxes[2], sym.Int(4), "boxes must have 4 columns"); err != nil {
		return err
	}
	if err := kit.RequireSame(b, boxes[0], s[0], "images and boxes must agree in batch"); err != nil {
		return err
	}
	p := plan.Lit(image.BoxesParams{}, "N", s[0], "H", s[1], "W", s[2], "C", s[3], "Boxes", boxes[1])
	if b.NumIn() > 2 {
		k := b.InShape(2)
		p = p.With("Colours", b.In(2), "Rows", k[0], "Row", k[1])
		b.Check(image.CheckColours, k[1], s[3])
	}
	in, err := kit.InF32(b, 0)
	if err != nil {
		return err
	}
	out, done := kit.OutF32(b, 0)
	b.Call(image.DrawF32, out, in, b.In(1), p)
	return done()
}

// glimpseShape infers the result of ExtractGlimpse and ExtractGlimpseV2. The inputs are input
// [n,h,w,c], size [2] and offsets [n,2].
func glimpseShape(c *lower.Shaper) error {
	s, err := kit.RankedDims(c, 4, 1, 2)
	if err != nil {
		return err
	}
	if _, err := glimpseNoise(c.Node); err != nil {
		return err
	}
	if err := kit.RequireDim(s[1], 0, sym.Int(2), "size"); err != nil {
		return err
	}
	if err := kit.RequireDim(s[2], 1, sym.Int(2), "offsets"); err != nil {
		return err
	}
	if err := kit.RequireDim(s[2], 0, dim(s[0], 0), "offsets"); err != nil {
		return err
	}
	return kit.SizedImages(c, s[0], 0)
}

func glimpseNoise(n *ir.Node) (int, error) {
	uniform, noise := n.Bool("uniform_noise"), n.Str("noise")
	switch {
	case uniform && noise != "" && noise != "uniform":
		return 0, tensor.Errorf(tensor.InvalidArgument, "uniform_noise contradicts the noise %q", noise)
	case noise == "uniform", noise == "" && uniform:
		return image.Uniform, nil
	case noise == "gaussian", noise == "":
		return image.Gaussian, nil
	case noise == "zero":
		return image.Zero, nil
	}
	return 0, tensor.Errorf(tensor.InvalidArgument, "the noise could only be uniform, gaussian, or zero, not %q", noise)
}

func glimpseLower(b *lower.Builder) error {
	s, out := b.InShape(0), b.OutShape(0)
	if err := kit.RequireSame(b, b.InLen(1), sym.Int(2), "size must have 2 elements"); err != nil {
		return err
	}
	if err := kit.RequireSame(b, b.InShape(2)[0], s[0], "input and offsets must agree in batch"); err != nil {
		return err
	}
	if err := kit.RequireSame(b, b.InShape(2)[1], sym.Int(2), "offsets must have 2 columns"); err != nil {
		return err
	}
	for _, e := range out[1:3] {
		if err := kit.AtLeast(b, e, 0, "the size of a glimpse"); err != nil {
			return err
		}
	}
	noise, err := glimpseNoise(b.Node)
	if err != nil {
		return err
	}
	p := image.GlimpseParams{Old: b.Node.Op == "ExtractGlimpse", Centred: b.Node.Bool("centered"), Normalized: b.Node.Bool("normalized"), Noise: noise}
	b.Call(image.Glimpse, b.Out(0), b.In(0), b.In(2), plan.Lit(p, "N", s[0], "H", s[1], "W", s[2], "C", s[3], "OH", out[1], "OW", out[2]))
	return nil
}

// contrastClipShape infers the result of AdjustContrast, whose inputs are images, contrast_factor,
// min_value and max_value.
func contrastClipShape(c *lower.Shaper) error {
	s := c.Shape(0)
	if s.Known && len(s.Dims) < 3 {
		return tensor.Errorf(tensor.InvalidArgument, "images have the shape %v; at least rank 3 is required", s)
	}
	for i := 1; i < 4; i++ {
		if _, err := c.WithRank(i, 0); err != nil {
			return err
		}
	}
	c.Set(0, tensor.Float32, ir.Shape{Known: s.Known, Dims: s.Dims})
	return nil
}

func contrastClipLower(b *lower.Builder) error {
	s := b.InShape(0)
	r := len(s)
	in, err := kit.InF32(b, 0)
	if err != nil {
		return err
	}
	b.Call(image.ContrastClip, b.Out(0), in, b.In(1), b.In(2), b.In(3), plan.Lit(image.ContrastParams{}, "Images", sym.Product(s[:r-3]),
		"Pixels", s[r-3].Mul(s[r-2]), "C", s[r-1]))
	return nil
}

// proposalsShape infers the results of GenerateBoundingBoxProposals. The first inputs are scores
// [n,h,w,a], deltas [n,h,w,4a], image_info [n,5] and anchors [h,w,a,4].
func proposalsShape(c *lower.Shaper) error {
	s, err := kit.RankedDims(c, 4, 4, 2, 3, 0, 0, 0)
	if err != nil {
		return err
	}
	n := dim(s[0], 0)
	if n == nil {
		c.Set(0, tensor.Float32, ir.Shape{})
		c.Set(1, tensor.Float32, ir.Shape{})
		return nil
	}
	post := c.Node.Int("post_nms_topn")
	if post < 1 {
		return tensor.Errorf(tensor.InvalidArgument, "post_nms_topn is %d; it must be positive", post)
	}
	c.Set(0, tensor.Float32, ir.ShapeOf(n, sym.Int(post), sym.Int(4)))
	c.Set(1, tensor.Float32, ir.ShapeOf(n, sym.Int(post)))
	return nil
}

func proposalsLower(b *lower.Builder) error {
	return b.Errorf(tensor.Unimplemented, "GenerateBoundingBoxProposals has no CPU kernel")
}
