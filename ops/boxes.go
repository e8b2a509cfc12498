package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/image"
	"github.com/graphc/graphc/kernels/random"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var (
	boxImageTypes  = append([]tensor.DType{tensor.Uint32, tensor.Uint64}, imageTypes...)
	drawTypes      = map[string][]tensor.DType{"T": {tensor.Float32, tensor.Half}}
	distortTypes   = map[string][]tensor.DType{"T": {tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64}}
	contrastTypes1 = map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Uint8}}
)

// boxDefs are boxes drawn, sampled, cropped and proposed.
var boxDefs = []*Def{
	{Name: "DrawBoundingBoxes", Types: drawTypes, Shape: drawShape, Lower: drawLower},
	{Name: "DrawBoundingBoxesV2", Types: drawTypes, Shape: drawShape, Lower: drawLower},
	{Name: "ExtractGlimpse", Flags: Stateful | NoFold, Shape: glimpseShape, Lower: glimpseLower},
	{Name: "ExtractGlimpseV2", Flags: Stateful | NoFold, Shape: glimpseShape, Lower: glimpseLower},
	{Name: "CropAndResizeGradImage", Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Half}}, Shape: cropGradImageShape, Lower: cropGradImageLower},
	{Name: "CropAndResizeGradBoxes", Types: map[string][]tensor.DType{"T": boxImageTypes}, Shape: cropGradBoxesShape, Lower: cropGradBoxesLower},
	{Name: "ScaleAndTranslate", Types: map[string][]tensor.DType{"T": boxImageTypes}, Shape: spansShape, Lower: spansLower},
	{Name: "ScaleAndTranslateGrad", Types: map[string][]tensor.DType{"T": {tensor.Float32}}, Shape: spansGradShape, Lower: spansGradLower},
	{Name: "SampleDistortedBoundingBox", Flags: Stateful | NoFold, Types: distortTypes, Shape: distortShape, Lower: distortLower},
	{Name: "SampleDistortedBoundingBoxV2", Flags: Stateful | NoFold, Types: distortTypes, Shape: distortShape, Lower: distortLower},
	{Name: "StatelessSampleDistortedBoundingBox", Types: distortTypes, Shape: distortShape, Lower: distortLower},
	{Name: "RandomCrop", Flags: Stateful | NoFold, Types: map[string][]tensor.DType{"T": boxImageTypes}, Shape: randomCropShape, Lower: randomCropLower},
	{Name: "AdjustContrast", Types: contrastTypes1, Shape: contrastClipShape, Lower: contrastClipLower},
	{Name: "GenerateBoundingBoxProposals", Limits: "shapes only: TensorFlow has no CPU kernel", Shape: proposalsShape, Lower: proposalsLower},
}

// rankedDims returns the shapes of the first inputs, which must have these ranks.
func rankedDims(c *Shaper, ranks ...int) ([]ir.Shape, error) {
	var r []ir.Shape
	for i, n := range ranks {
		s, err := c.WithRank(i, n)
		if err != nil {
			return nil, err
		}
		r = append(r, s)
	}
	return r, nil
}

// agree refuses a dimension that is known to be another.
func agree(s ir.Shape, k int, want *sym.Expr, what string) error {
	if s.Known && want != nil && differ(s.Dims[k], want) {
		return tensor.Errorf(tensor.InvalidArgument, "%s: the shape %v must have %v in dimension %d", what, s, want, k)
	}
	return nil
}

// dim is dimension k of s, nil where the rank is not known.
func dim(s ir.Shape, k int) *sym.Expr {
	if !s.Known {
		return nil
	}
	return s.Dims[k]
}

// drawShape: images [n,h,w,c], boxes [n,m,4], colours [k,c].
func drawShape(c *Shaper) error {
	ranks := []int{4, 3, 2}[:c.NumIn()]
	s, err := rankedDims(c, ranks...)
	if err != nil {
		return err
	}
	if d := dim(s[0], 3); d != nil {
		if n, ok := d.IsInt(); ok && n != 1 && n != 3 && n != 4 {
			return tensor.Errorf(tensor.InvalidArgument, "images have the shape %v, 1, 3 or 4 channels are required", s[0])
		}
	}
	if err := agree(s[1], 2, sym.Int(4), "boxes"); err != nil {
		return err
	}
	if err := agree(s[1], 0, dim(s[0], 0), "boxes"); err != nil {
		return err
	}
	c.Same(0, 0)
	return nil
}

func drawLower(b *Builder) error {
	s, boxes := b.InShape(0), b.InShape(1)
	if err := b.sameDim(boxes[2], sym.Int(4), "boxes must have 4 columns"); err != nil {
		return err
	}
	if err := b.sameDim(boxes[0], s[0], "images and boxes must agree in batch"); err != nil {
		return err
	}
	colours, rows, row := absent(tensor.Float32), sym.Zero, sym.Zero
	if b.NumIn() > 2 {
		k := b.InShape(2)
		colours, rows, row = b.In(2), k[0], k[1]
		b.Check(image.CheckColours, row, s[3])
	}
	in, err := b.inF32(0)
	if err != nil {
		return err
	}
	out, done := b.outF32(0)
	b.Call(image.DrawF32, out, in, b.In(1), colours, plan.Lit(image.BoxesParams{},
		"N", s[0], "H", s[1], "W", s[2], "C", s[3], "Boxes", boxes[1], "Rows", rows, "Row", row))
	return done()
}

// glimpseShape: input [n,h,w,c], size [2], offsets [n,2].
func glimpseShape(c *Shaper) error {
	s, err := rankedDims(c, 4, 1, 2)
	if err != nil {
		return err
	}
	if _, err := glimpseNoise(c.Node); err != nil {
		return err
	}
	if err := agree(s[1], 0, sym.Int(2), "size"); err != nil {
		return err
	}
	if err := agree(s[2], 1, sym.Int(2), "offsets"); err != nil {
		return err
	}
	if err := agree(s[2], 0, dim(s[0], 0), "offsets"); err != nil {
		return err
	}
	size := imageSizes2(c.Graph, c.Node, 1)
	if !s[0].Known || size == nil {
		c.Set(0, tensor.Float32, ir.Shape{})
		return nil
	}
	for _, e := range size {
		if less(e, 0) {
			return tensor.Errorf(tensor.InvalidArgument, "the size %v is negative", e)
		}
	}
	c.Set(0, tensor.Float32, ir.ShapeOf(s[0].Dims[0], size[0], size[1], s[0].Dims[3]))
	return nil
}

func glimpseNoise(n *ir.Node) (int, error) {
	uniform, noise := n.Bool("uniform_noise"), n.Str("noise")
	switch {
	case uniform && noise != "" && noise != "uniform":
		return 0, tensor.Errorf(tensor.InvalidArgument, "uniform_noise and the noise %q are both asked for", noise)
	case noise == "uniform", noise == "" && uniform:
		return image.Uniform, nil
	case noise == "gaussian", noise == "":
		return image.Gaussian, nil
	case noise == "zero":
		return image.Zero, nil
	}
	return 0, tensor.Errorf(tensor.InvalidArgument, "the noise could only be uniform, gaussian, or zero, not %q", noise)
}

func glimpseLower(b *Builder) error {
	s, out := b.InShape(0), b.OutShape(0)
	if err := b.sameDim(b.InLen(1), sym.Int(2), "size must have 2 elements"); err != nil {
		return err
	}
	if err := b.sameDim(b.InShape(2)[0], s[0], "input and offsets must agree in batch"); err != nil {
		return err
	}
	if err := b.sameDim(b.InShape(2)[1], sym.Int(2), "offsets must have 2 columns"); err != nil {
		return err
	}
	for _, e := range out[1:3] {
		if err := b.atLeast(e, 0, "the size of a glimpse"); err != nil {
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

// cropGradImageShape: grads [m,h,w,c], boxes [m,4], box_ind [m], image_size [4].
func cropGradImageShape(c *Shaper) error {
	s, err := rankedDims(c, 4, 2, 1, 1)
	if err != nil {
		return err
	}
	if m := c.Node.Str("method"); m != "bilinear" && m != "nearest" {
		return tensor.Errorf(tensor.InvalidArgument, "method %q is not known", m)
	}
	if err := boxShapes(s[0], s[1], s[2]); err != nil {
		return err
	}
	if err := agree(s[3], 0, sym.Int(4), "image_size"); err != nil {
		return err
	}
	d := c.Node.DType("T")
	size, ok := c.intsN(3, 4)
	if !ok {
		c.Set(0, d, ir.Shape{})
		return nil
	}
	c.Set(0, d, ir.ShapeOf(size...))
	return nil
}

// boxShapes checks gradients, boxes and their images' numbers.
func boxShapes(grads, boxes, ind ir.Shape) error {
	if err := agree(boxes, 1, sym.Int(4), "boxes"); err != nil {
		return err
	}
	if err := agree(boxes, 0, dim(grads, 0), "boxes"); err != nil {
		return err
	}
	if err := agree(ind, 0, dim(grads, 0), "box_ind"); err != nil {
		return err
	}
	return agree(ind, 0, dim(boxes, 0), "box_ind")
}

// boxCheck checks at run time what boxShapes does.
func (b *Builder) boxCheck(boxes, ind int) error {
	g := b.InShape(0)
	if err := b.sameDim(b.InShape(boxes)[1], sym.Int(4), "boxes must have 4 columns"); err != nil {
		return err
	}
	if err := b.sameDim(b.InShape(boxes)[0], g[0], "grads and boxes must have the same length"); err != nil {
		return err
	}
	if err := b.sameDim(b.InShape(ind)[0], g[0], "grads and box_ind must have the same length"); err != nil {
		return err
	}
	for _, e := range g[1:3] {
		if err := b.atLeast(e, 1, "the crop size"); err != nil {
			return err
		}
	}
	return nil
}

func cropGradImageLower(b *Builder) error {
	g, out := b.InShape(0), b.OutShape(0)
	if err := b.boxCheck(1, 2); err != nil {
		return err
	}
	if err := b.sameDim(b.InLen(3), sym.Int(4), "image_size must have 4 elements"); err != nil {
		return err
	}
	for i, lo := range []int{0, 1, 1, 0} {
		if err := b.atLeast(out[i], lo, "image_size"); err != nil {
			return err
		}
	}
	if err := b.sameDim(out[3], g[3], "grads and image_size must agree in channels"); err != nil {
		return err
	}
	fn, err := b.kernelFor(b.OutFact(0).DType, image.CropGradF32, image.CropGradF64, image.CropGradF16)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1), b.In(2), plan.Lit(image.CropParams{Nearest: b.Node.Str("method") == "nearest"},
		"N", out[0], "H", out[1], "W", out[2], "C", out[3], "Boxes", g[0], "OH", g[1], "OW", g[2]))
	return nil
}

// cropGradBoxesShape: grads [m,h,w,c], image [n,h,w,c], boxes [m,4], box_ind [m].
func cropGradBoxesShape(c *Shaper) error {
	s, err := rankedDims(c, 4, 4, 2, 1)
	if err != nil {
		return err
	}
	if m := c.Node.Str("method"); m != "bilinear" {
		return tensor.Errorf(tensor.InvalidArgument, "method %q is not known, bilinear is", m)
	}
	if err := boxShapes(s[0], s[2], s[3]); err != nil {
		return err
	}
	if err := agree(s[0], 3, dim(s[1], 3), "grads"); err != nil {
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

func cropGradBoxesLower(b *Builder) error {
	g, s := b.InShape(0), b.InShape(1)
	if err := b.boxCheck(2, 3); err != nil {
		return err
	}
	for _, e := range s[1:3] {
		if err := b.atLeast(e, 1, "the size of the image"); err != nil {
			return err
		}
	}
	if err := b.sameDim(g[3], s[3], "grads and image must agree in channels"); err != nil {
		return err
	}
	in, err := b.inF32(1)
	if err != nil {
		return err
	}
	b.Call(image.CropGradBoxes, b.Out(0), b.In(0), in, b.In(2), b.In(3), plan.Lit(image.CropParams{},
		"N", s[0], "H", s[1], "W", s[2], "C", s[3], "Boxes", g[0], "OH", g[1], "OW", g[2]))
	return nil
}

// spanKernel is the sampling kernel that kernel_type names.
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

// spansShape: images [n,h,w,c], size [2], scale [2], translation [2].
func spansShape(c *Shaper) error {
	if _, err := spanKernel(c.Node); err != nil {
		return err
	}
	s, err := rankedDims(c, 4, 1, 1, 1)
	if err != nil {
		return err
	}
	for i, name := range []string{"", "size", "scale", "translation"} {
		if i > 0 {
			if err := agree(s[i], 0, sym.Int(2), name); err != nil {
				return err
			}
		}
	}
	size := imageSizes2(c.Graph, c.Node, 1)
	if !s[0].Known || size == nil {
		c.Set(0, tensor.Float32, ir.Shape{})
		return nil
	}
	for _, e := range size {
		if less(e, 1) {
			return tensor.Errorf(tensor.InvalidArgument, "the size %v must be positive", e)
		}
	}
	c.Set(0, tensor.Float32, ir.ShapeOf(s[0].Dims[0], size[0], size[1], s[0].Dims[3]))
	return nil
}

func spansLower(b *Builder) error {
	s, out := b.InShape(0), b.OutShape(0)
	for i := 1; i < 4; i++ {
		if err := b.sameDim(b.InLen(i), sym.Int(2), "size, scale and translation must have 2 elements"); err != nil {
			return err
		}
	}
	for _, e := range []*sym.Expr{out[1], out[2], s[1], s[2], s[3]} {
		if err := b.atLeast(e, 1, "the size of an image"); err != nil {
			return err
		}
	}
	in, err := b.inF32(0)
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

// spansGradShape: grads [n,oh,ow,c], original_image [n,h,w,c], scale [2], translation [2].
func spansGradShape(c *Shaper) error {
	if _, err := spanKernel(c.Node); err != nil {
		return err
	}
	s, err := rankedDims(c, 4, 4, 1, 1)
	if err != nil {
		return err
	}
	for i := 2; i < 4; i++ {
		if err := agree(s[i], 0, sym.Int(2), "scale and translation"); err != nil {
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

func spansGradLower(b *Builder) error {
	g, s := b.InShape(0), b.OutShape(0)
	for i := 2; i < 4; i++ {
		if err := b.sameDim(b.InLen(i), sym.Int(2), "scale and translation must have 2 elements"); err != nil {
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

// distortParams reads the attributes, and refuses those that TensorFlow does.
func distortParams(n *ir.Node) (p random.DistortParams, err error) {
	aspect, _ := n.Attrs["aspect_ratio_range"].([]float32)
	area, _ := n.Attrs["area_range"].([]float32)
	bad := func(format string, args ...any) (random.DistortParams, error) {
		return p, tensor.Errorf(tensor.InvalidArgument, format, args...)
	}
	switch {
	case n.Op == "SampleDistortedBoundingBox" && !(n.Float("min_object_covered") >= 0):
		return bad("min_object_covered is %v, it must not be negative", n.Float("min_object_covered"))
	case len(aspect) != 2 || !(aspect[0] > 0 && aspect[1] > 0):
		return bad("aspect_ratio_range must be 2 positive numbers, it is %v", aspect)
	case len(area) != 2 || !(area[0] > 0 && area[1] > 0 && area[0] <= 1 && area[1] <= 1):
		return bad("area_range must be 2 numbers in (0, 1], it is %v", area)
	case n.Int("max_attempts") < 1:
		return bad("max_attempts is %d, it must be positive", n.Int("max_attempts"))
	}
	return random.DistortParams{AspectLow: aspect[0], AspectHigh: aspect[1], AreaLow: area[0], AreaHigh: area[1],
		Attempts: n.Int("max_attempts"), UseImage: n.Bool("use_image_if_no_bounding_boxes")}, nil
}

// distortShape: image_size [3], boxes [n,m,4], and the fraction covered.
func distortShape(c *Shaper) error {
	if _, err := distortParams(c.Node); err != nil {
		return err
	}
	s, err := rankedDims(c, 1, 3)
	if err != nil {
		return err
	}
	if err := agree(s[0], 0, sym.Int(3), "image_size"); err != nil {
		return err
	}
	if err := agree(s[1], 2, sym.Int(4), "bounding_boxes"); err != nil {
		return err
	}
	if c.NumIn() > 2 {
		if _, err := c.WithRank(2, 0); err != nil {
			return err
		}
	}
	if c.NumIn() > 3 {
		if err := (seeding{at: 3}).shapes(c); err != nil {
			return err
		}
	}
	d := c.Node.DType("T")
	c.Set(0, d, ir.ShapeOf(sym.Int(3)))
	c.Set(1, d, ir.ShapeOf(sym.Int(3)))
	c.Set(2, tensor.Float32, ir.ShapeOf(sym.One, sym.One, sym.Int(4)))
	return nil
}

func distortLower(b *Builder) error {
	p, err := distortParams(b.Node)
	if err != nil {
		return err
	}
	boxes := b.InShape(1)
	if err := b.sameDim(b.InLen(0), sym.Int(3), "image_size must have 3 elements"); err != nil {
		return err
	}
	if err := b.sameDim(boxes[2], sym.Int(4), "boxes must have 4 columns"); err != nil {
		return err
	}
	sd := seeding{stateful: true}
	if b.NumIn() > 3 {
		sd = seeding{at: 3}
	}
	stream, err := sd.stream(b, sym.Int(p.Attempts))
	if err != nil {
		return err
	}
	size, err := b.as(0, tensor.Int64)
	if err != nil {
		return err
	}
	var covered plan.View
	if b.NumIn() > 2 {
		covered = b.In(2)
	} else {
		covered = b.Const("min_object_covered", &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{}, Data: []float32{b.Node.Float("min_object_covered")}})
	}
	d := b.OutFact(0).DType
	outs := []plan.View{b.Out(0), b.Out(1)}
	if d != tensor.Int64 {
		outs = []plan.View{b.Temp(tensor.Int64, sym.Int(3)), b.Temp(tensor.Int64, sym.Int(3))}
	}
	b.Call(random.Distort, outs[0], outs[1], b.Out(2), stream, size, b.In(1), covered, plan.Lit(p, "Boxes", boxes[0].Mul(boxes[1])))
	if d != tensor.Int64 {
		for i, t := range outs {
			b.Call(castKernels[tensor.Int64][d], b.Out(i), reads(t))
		}
	}
	return nil
}

// randomCropShape: image [h,w,c], size [2].
func randomCropShape(c *Shaper) error {
	s, err := rankedDims(c, 3, 1)
	if err != nil {
		return err
	}
	if err := agree(s[1], 0, sym.Int(2), "size"); err != nil {
		return err
	}
	size, ok := c.intsN(1, 2)
	if !s[0].Known || !ok {
		c.Set(0, c.In(0).DType, ir.Shape{})
		return nil
	}
	for _, e := range size {
		if less(e, 0) {
			return tensor.Errorf(tensor.InvalidArgument, "the size %v is negative", e)
		}
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(size[0], size[1], s[0].Dims[2]))
	return nil
}

func randomCropLower(b *Builder) error {
	s, out := b.InShape(0), b.OutShape(0)
	if err := b.sameDim(b.InLen(1), sym.Int(2), "size must have 2 elements"); err != nil {
		return err
	}
	stream, err := seeding{stateful: true}.stream(b, sym.One)
	if err != nil {
		return err
	}
	y, x := b.NewSizeK(0, 0), b.NewSizeK(0, 1)
	b.CallSizes(random.Crop, []*sym.Expr{y, x}, stream, plan.Lit(random.CropParams{}, "H", s[0], "W", s[1], "Height", out[0], "Width", out[1]))
	box := newBox()
	row := s[1].Mul(s[2])
	box.srcOff = y.Mul(row).Add(x.Mul(s[2]))
	box.add(out[0], out[1].Mul(out[2]), row)
	box.add(out[1].Mul(out[2]), sym.One, sym.One)
	return b.move(b.Out(0), b.In(0), box)
}

// contrastClipShape: images, and the factor and limits.
func contrastClipShape(c *Shaper) error {
	s := c.Shape(0)
	if s.Known && len(s.Dims) < 3 {
		return tensor.Errorf(tensor.InvalidArgument, "images have the shape %v, at least rank 3 is required", s)
	}
	for i := 1; i < 4; i++ {
		if _, err := c.WithRank(i, 0); err != nil {
			return err
		}
	}
	c.Set(0, tensor.Float32, ir.Shape{Known: s.Known, Dims: s.Dims})
	return nil
}

func contrastClipLower(b *Builder) error {
	s := b.InShape(0)
	r := len(s)
	in, err := b.inF32(0)
	if err != nil {
		return err
	}
	b.Call(image.ContrastClip, b.Out(0), in, b.In(1), b.In(2), b.In(3), plan.Lit(image.ContrastParams{}, "Images", sym.Product(s[:r-3]),
		"Pixels", s[r-3].Mul(s[r-2]), "C", s[r-1]))
	return nil
}

// proposalsShape: scores [n,h,w,a], deltas [n,h,w,4a], image_info [n,5], anchors [h,w,a,4].
func proposalsShape(c *Shaper) error {
	s, err := rankedDims(c, 4, 4, 2, 3, 0, 0, 0)
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
		return tensor.Errorf(tensor.InvalidArgument, "post_nms_topn is %d, it must be positive", post)
	}
	c.Set(0, tensor.Float32, ir.ShapeOf(n, sym.Int(post), sym.Int(4)))
	c.Set(1, tensor.Float32, ir.ShapeOf(n, sym.Int(post)))
	return nil
}

func proposalsLower(b *Builder) error {
	return b.Errorf(tensor.Unimplemented, "GenerateBoundingBoxProposals has no CPU kernel")
}
