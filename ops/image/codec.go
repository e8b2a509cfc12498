package image

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/codec/jpeg"
	"github.com/graphc/graphc/kernels/codec/picture"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

var pictureTypes = []tensor.DType{tensor.Uint8, tensor.Uint16}

// codecDefs encode and decode pictures. As in TensorFlow, the decoders detect the format from the
// contents: DecodePng reads JPEG files, too.
var codecDefs = []*lower.Def{
	{Name: "DecodePng", Limits: pictureLimits, Types: map[string][]tensor.DType{"dtype": pictureTypes}, Shape: decodeShape, Lower: decodeLower},
	{Name: "DecodeJpeg", Limits: pictureLimits, Shape: decodeShape, Lower: decodeLower},
	{Name: "DecodeAndCropJpeg", Limits: pictureLimits, Shape: decodeShape, Lower: decodeLower},
	{Name: "DecodeGif", Limits: pictureLimits, Shape: decodeShape, Lower: decodeLower},
	{Name: "DecodeBmp", Shape: decodeShape, Lower: decodeLower},
	{Name: "DecodeImage", Limits: pictureLimits + "; with expand_animations a GIF file must be a constant, or only fetches read the result",
		Types: map[string][]tensor.DType{"dtype": {tensor.Uint8, tensor.Uint16, tensor.Float32}}, Shape: decodeShape, Lower: decodeLower},
	{Name: lower.DecodeImageAny, Flags: lower.AnyRank, Limits: kit.MadeByPasses, Shape: decodeAnyShape, Lower: decodeAnyLower},
	{Name: "ExtractJpegShape", Limits: pictureLimits, Shape: jpegShapeShape, Lower: jpegShapeLower},
	{Name: "EncodePng", Limits: "same pixels as in TensorFlow's files, other bytes", Types: map[string][]tensor.DType{"T": pictureTypes}, Shape: encodePngShape, Lower: encodePngLower},
	{Name: "EncodeJpeg", Shape: encodeJpegShape, Lower: encodeJpegLower},
	{Name: "EncodeJpegVariableQuality", Shape: encodeJpegShape, Lower: encodeJpegLower},
	{Name: "ImageSummary", Limits: "same pixels as in TensorFlow's files, other bytes",
		Types: map[string][]tensor.DType{"T": {tensor.Uint8, tensor.Float32, tensor.Float64, tensor.Half}}, Shape: imageSummaryShape, Lower: imageSummaryLower},
}

const pictureLimits = "no JPEG files with arithmetic coding, no WebP, no JPEG XL"

// pictureParams reads the attributes of a decoding op and rejects those that TensorFlow rejects.
func pictureParams(n *ir.Node) (p picture.Params, err error) {
	p = picture.Params{Channels: 3, JPEG: jpeg.Params{Ratio: 1, Acceptable: 1}}
	switch n.Op {
	case "DecodeImage", lower.DecodeImageAny:
		p.Op, p.Expand = picture.Image, n.Bool("expand_animations")
	case "DecodeJpeg":
		p.Op = picture.JPEG
	case "DecodeAndCropJpeg":
		p.Op = picture.CropJPEG
	case "DecodePng":
		p.Op = picture.PNG
	case "DecodeGif":
		p.Op, p.Expand, p.Frames = picture.GIF, true, true
		return p, nil
	default:
		p.Op = picture.BMP
	}
	p.Channels = n.Int("channels")
	switch p.Channels {
	case 0, 1, 3, 4:
	default:
		return p, tensor.Errorf(tensor.InvalidArgument, "channels must be 0, 1, 3 or 4, not %d", p.Channels)
	}
	if p.Op == picture.JPEG || p.Op == picture.CropJPEG {
		j := &p.JPEG
		j.Ratio, j.Box, j.Recover = n.Int("ratio"), !n.Bool("fancy_upscaling"), n.Bool("try_recover_truncated")
		j.Acceptable = n.Float("acceptable_fraction")
		switch j.Ratio {
		case 1, 2, 4, 8:
		default:
			return p, tensor.Errorf(tensor.InvalidArgument, "ratio must be 1, 2, 4, or 8, not %d", j.Ratio)
		}
		switch m := n.Str("dct_method"); m {
		case "", "INTEGER_FAST":
		case "INTEGER_ACCURATE":
			j.Accurate = true
		default:
			return p, tensor.Errorf(tensor.InvalidArgument, "dct_method must be '', INTEGER_FAST or INTEGER_ACCURATE, not %q", m)
		}
	}
	return p, nil
}

// decodeShape infers the result of the ops that decode pictures. The result is [height, width,
// channels], or [frames, height, width, channels] for DecodeGif. For DecodeImage, it has the
// dimension of frames only if the input is known at compile time to be a GIF file; see framesOf.
func decodeShape(c *lower.Shaper) error {
	p, err := pictureParams(c.Node)
	if err != nil {
		return err
	}
	if _, err := c.WithRank(0, 0); err != nil {
		return err
	}
	d := tensor.Uint8
	if t := c.Node.DType("dtype"); t != tensor.Invalid {
		d = t
	}
	switch {
	case d == tensor.Uint8, d == tensor.Uint16 && (p.Op == picture.Image || p.Op == picture.PNG), d == tensor.Float32 && p.Op == picture.Image:
	default:
		return tensor.Errorf(tensor.InvalidArgument, "pictures cannot be decoded to %s", d)
	}
	if p.Op == picture.CropJPEG {
		w, err := c.WithRank(1, 1)
		if err != nil {
			return err
		}
		if w.Known && lower.Differ(w.Dims[0], sym.Int(4)) {
			return tensor.Errorf(tensor.InvalidArgument, "crop_window has the shape %v; 4 elements are required", w)
		}
	}
	ch := sym.Int(p.Channels)
	if p.Channels == 0 {
		ch = c.NewSizeK(0, 2)
	}
	dims := []*sym.Expr{c.NewSizeK(0, 0), c.NewSizeK(0, 1), ch}
	if framesOf(c.Const(0), &p) {
		dims = append([]*sym.Expr{c.NewSizeK(0, 3)}, dims...)
	}
	c.Set(0, d, ir.ShapeOf(dims...))
	return nil
}

// framesOf reports whether the result has a dimension of frames.
func framesOf(contents *tensor.Tensor, p *picture.Params) bool {
	if p.Op == picture.Image && p.Expand && contents != nil {
		if s := tensor.Data[string](contents); len(s) == 1 && len(s[0]) >= 4 && s[0][:4] == "GIF8" {
			p.Frames = true
		}
	}
	return p.Frames
}

// decodeLower lowers the ops that decode pictures. The first step reads the sizes from the file's
// header, and the second step decodes the picture.
func decodeLower(b *lower.Builder) error {
	p, err := pictureParams(b.Node)
	if err != nil {
		return err
	}
	frames := framesOf(b.InConst(0), &p)
	sizes := []*sym.Expr{b.NewSizeK(0, 0), b.NewSizeK(0, 1), b.NewSizeK(0, 2)}
	if p.Op == picture.CropJPEG {
		if err := kit.RequireSame(b, b.InLen(1), sym.Int(4), "crop_window must have 4 elements"); err != nil {
			return err
		}
		b.CallSizes(picture.CropSize, sizes, b.In(0), b.In(1), p)
		b.Call(picture.CropU8, b.Out(0), b.In(0), b.In(1), p)
		return nil
	}
	if frames {
		b.CallSizes(picture.Size4, append([]*sym.Expr{b.NewSizeK(0, 3)}, sizes...), b.In(0), p)
	} else {
		b.CallSizes(picture.Size3, sizes, b.In(0), p)
	}
	return decodePicture(b, p)
}

func jpegShapeShape(c *lower.Shaper) error {
	if _, err := c.WithRank(0, 0); err != nil {
		return err
	}
	c.Set(0, c.Node.DType("output_type"), ir.ShapeOf(sym.Int(3)))
	return nil
}

func jpegShapeLower(b *lower.Builder) error {
	fn, err := kit.KernelFor(b, b.OutFact(0).DType, picture.ShapeI32, picture.ShapeI64)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0))
	return nil
}

func decodeAnyShape(c *lower.Shaper) error {
	if _, err := pictureParams(c.Node); err != nil {
		return err
	}
	if _, err := c.WithRank(0, 0); err != nil {
		return err
	}
	_, dims := lower.AnyRankSizes(c)
	c.Set(0, c.Node.DType("dtype"), ir.ShapeOf(sym.Product(dims)))
	return nil
}

func decodeAnyLower(b *lower.Builder) error {
	p, err := pictureParams(b.Node)
	if err != nil {
		return err
	}
	rank, dims := lower.AnyRankSizes(b.Shaper())
	b.CallSizes(picture.SizeAny, append([]*sym.Expr{rank}, dims...), b.In(0), p)
	return decodePicture(b, p)
}

// decodePicture appends the step that decodes.
func decodePicture(b *lower.Builder, p picture.Params) error {
	fn, err := kit.KernelFor(b, b.OutFact(0).DType, picture.DecodeU8, picture.DecodeU16, picture.DecodeF32)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), p)
	return nil
}
