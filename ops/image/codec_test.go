package image_test

import (
	"testing"

	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// pictureOp is an op on pictures, sound or boxes with valid attributes and inputs.
type pictureOp struct {
	op    string
	outs  int
	attrs map[string]ir.Attr
	ins   []pictureIn
}

type pictureIn struct {
	dtype tensor.DType
	dims  []any
}

func in(d tensor.DType, dims ...any) pictureIn { return pictureIn{d, dims} }

func pictureOps() []pictureOp {
	text, f32, i32, u8 := in(tensor.String), tensor.Float32, tensor.Int32, tensor.Uint8
	jpeg := func() map[string]ir.Attr {
		return opstest.Attrs("channels", int64(0), "ratio", int64(1), "fancy_upscaling", true, "try_recover_truncated", false, "acceptable_fraction", float32(1), "dct_method", "")
	}
	encode := opstest.Attrs("format", "", "quality", int64(95), "progressive", false, "optimize_size", false, "chroma_downsampling", true,
		"density_unit", "in", "x_density", int64(300), "y_density", int64(300), "xmp_metadata", "")
	glimpse := func() map[string]ir.Attr {
		return opstest.Attrs("centered", true, "normalized", true, "uniform_noise", false, "noise", "zero")
	}
	distort := func(more ...any) map[string]ir.Attr {
		return opstest.Attrs(append([]any{"T", i32, "seed", int64(1), "seed2", int64(2), "aspect_ratio_range", []float32{.75, 1.33}, "area_range", []float32{.05, 1},
			"max_attempts", int64(100), "use_image_if_no_bounding_boxes", false}, more...)...)
	}
	spans := func() map[string]ir.Attr {
		return opstest.Attrs("T", f32, "kernel_type", "lanczos3", "antialias", true)
	}
	image := in(f32, "N", "H", "W", 3)
	return []pictureOp{
		{"DecodePng", 1, opstest.Attrs("channels", int64(0), "dtype", tensor.Uint16), []pictureIn{text}},
		{"DecodeJpeg", 1, jpeg(), []pictureIn{text}},
		{"DecodeAndCropJpeg", 1, jpeg(), []pictureIn{text, in(i32, "K")}},
		{"DecodeGif", 1, nil, []pictureIn{text}},
		{"DecodeBmp", 1, opstest.Attrs("channels", int64(3)), []pictureIn{text}},
		{"DecodeImage", 1, opstest.Attrs("channels", int64(0), "dtype", f32, "expand_animations", true), []pictureIn{text}},
		{lower.DecodeImageAny, 1, opstest.Attrs("channels", int64(0), "dtype", f32, "expand_animations", true), []pictureIn{text}},
		{"ExtractJpegShape", 1, opstest.Attrs("output_type", i32), []pictureIn{text}},
		{"EncodePng", 1, opstest.Attrs("compression", int64(-1), "T", u8), []pictureIn{in(u8, "N", "H", "W", 3)}},
		{"EncodeJpeg", 1, encode, []pictureIn{in(u8, "H", "W", 3)}},
		{"EncodeJpegVariableQuality", 1, nil, []pictureIn{in(u8, "H", "W", 3), in(i32)}},
		{"ImageSummary", 1, opstest.Attrs("max_images", int64(3), "T", tensor.Half), []pictureIn{text, in(tensor.Half, "N", "H", "W", 3)}},
		{"DecodeWav", 2, opstest.Attrs("desired_channels", int64(-1), "desired_samples", int64(5)), []pictureIn{text}},
		{"EncodeWav", 1, nil, []pictureIn{in(f32, "S", "C"), in(i32)}},
		{"AudioSpectrogram", 1, opstest.Attrs("window_size", int64(8), "stride", int64(2), "magnitude_squared", false), []pictureIn{in(f32, "S", "C")}},
		{"Mfcc", 1, opstest.Attrs("upper_frequency_limit", float32(4000), "lower_frequency_limit", float32(20), "filterbank_channel_count", int64(40), "dct_coefficient_count", int64(13)),
			[]pictureIn{in(f32, "C", "S", 9), in(i32)}},
		{"AudioSummary", 1, opstest.Attrs("sample_rate", float32(8000), "max_outputs", int64(3)), []pictureIn{text, in(f32, "N", "S")}},
		{"AudioSummaryV2", 1, opstest.Attrs("max_outputs", int64(3)), []pictureIn{text, in(f32, "N", "S", "C"), in(f32)}},
		{"DrawBoundingBoxes", 1, opstest.Attrs("T", f32), []pictureIn{image, in(f32, "N", "B", 4)}},
		{"DrawBoundingBoxesV2", 1, opstest.Attrs("T", f32), []pictureIn{image, in(f32, "M", "B", "Q"), in(f32, "K", "C")}},
		{"ExtractGlimpse", 1, glimpse(), []pictureIn{image, in(i32, 2), in(f32, "N", 2)}},
		{"ExtractGlimpseV2", 1, glimpse(), []pictureIn{image, in(i32, "K"), in(f32, "M", "L")}},
		{"CropAndResizeGradImage", 1, opstest.Attrs("T", tensor.Half, "method", "nearest"), []pictureIn{image, in(f32, "M", "Q"), in(i32, "K"), in(i32, "L")}},
		{"CropAndResizeGradBoxes", 1, opstest.Attrs("T", u8, "method", "bilinear"), []pictureIn{image, in(u8, "I", "J", "K", "L"), in(f32, "M", "Q"), in(i32, "P")}},
		{"ScaleAndTranslate", 1, spans(), []pictureIn{image, in(i32, "K"), in(f32, "L"), in(f32, "M")}},
		{"ScaleAndTranslateGrad", 1, spans(), []pictureIn{image, in(f32, "N", "I", "J", 3), in(f32, "L"), in(f32, "M")}},
		{"SampleDistortedBoundingBox", 3, distort("min_object_covered", float32(.1)), []pictureIn{in(i32, "K"), in(f32, "N", "B", "Q")}},
		{"SampleDistortedBoundingBoxV2", 3, distort(), []pictureIn{in(i32, 3), in(f32, "N", "B", 4), in(f32)}},
		{"StatelessSampleDistortedBoundingBox", 3, distort("Tseed", i32), []pictureIn{in(i32, 3), in(f32, "N", "B", 4), in(f32), in(i32, "K")}},
		{"RandomCrop", 1, opstest.Attrs("T", f32, "seed", int64(1), "seed2", int64(2)), []pictureIn{in(f32, "H", "W", 3), in(tensor.Int64, "K")}},
		{"AdjustContrast", 1, opstest.Attrs("T", f32), []pictureIn{image, in(f32), in(f32), in(f32)}},
	}
}

// lowerPicture lowers a node of the op that p describes.
func lowerPicture(t *testing.T, p pictureOp) error {
	g := opstest.New(t)
	var ins []ir.Out
	for i, x := range p.ins {
		ins = append(ins, g.Feed("x"+string(rune('0'+i)), x.dtype, x.dims...))
	}
	outs := g.Ops(p.op, p.outs, p.attrs, ins...)
	_, err := g.Lower(outs[0])
	return err
}

// TestPictureOps checks that every op can be lowered if its sizes are known only at run time, and
// that an input of a wrong rank is rejected.
func TestPictureOps(t *testing.T) {
	for _, p := range pictureOps() {
		if err := lowerPicture(t, p); err != nil {
			t.Errorf("%s: %v", p.op, err)
		}
		for i, x := range p.ins {
			q := p
			q.ins = append([]pictureIn(nil), p.ins...)
			q.ins[i] = in(x.dtype, "A", "B", "C", "D", "E")
			if p.op == "EncodePng" {
				q.ins[i] = in(x.dtype, "A", "B")
			}
			if p.op == "AdjustContrast" && i == 0 {
				q.ins[i] = in(x.dtype, "A", "B")
			}
			if err := lowerPicture(t, q); tensor.CodeOf(err) != tensor.InvalidArgument {
				t.Errorf("%s with input %d of another rank: %v", p.op, i, err)
			}
		}
	}
	if err := lowerPicture(t, pictureOp{"GenerateBoundingBoxProposals", 2, opstest.Attrs("post_nms_topn", int64(3)), []pictureIn{in(tensor.Float32, "N", "H", "W", "A"),
		in(tensor.Float32, "N", "H", "W", "B"), in(tensor.Float32, "N", 5), in(tensor.Float32, "H", "W", "A"), in(tensor.Float32), in(tensor.Int32), in(tensor.Float32)}}); tensor.CodeOf(err) != tensor.Unimplemented {
		t.Error(err)
	}
}

// TestPictureAttributes checks that attributes and static sizes are rejected where TensorFlow
// rejects them.
func TestPictureAttributes(t *testing.T) {
	type change struct {
		op    string
		name  string
		value ir.Attr
	}
	for _, c := range []change{
		{"DecodePng", "channels", int64(2)}, {"DecodePng", "dtype", tensor.Float32}, {"DecodeJpeg", "ratio", int64(3)}, {"DecodeJpeg", "dct_method", "FLOAT"},
		{"EncodePng", "compression", int64(10)}, {"EncodeJpeg", "quality", int64(101)}, {"EncodeJpeg", "format", "cmyk"}, {"EncodeJpeg", "density_unit", "m"},
		{"ImageSummary", "max_images", int64(0)}, {"ImageSummary", "bad_color", &tensor.Tensor{DType: tensor.Uint8, Shape: tensor.Shape{}, Data: []uint8{1}}},
		{"DecodeWav", "desired_samples", int64(-2)}, {"AudioSpectrogram", "window_size", int64(1)}, {"Mfcc", "dct_coefficient_count", int64(0)},
		{"AudioSummary", "max_outputs", int64(0)}, {"ExtractGlimpse", "noise", "loud"}, {"ExtractGlimpse", "uniform_noise", true}, {"CropAndResizeGradImage", "method", "cubic"},
		{"CropAndResizeGradBoxes", "method", "nearest"}, {"ScaleAndTranslate", "kernel_type", "sinc"}, {"ScaleAndTranslateGrad", "kernel_type", "sinc"},
		{"SampleDistortedBoundingBox", "min_object_covered", float32(-1)}, {"SampleDistortedBoundingBoxV2", "aspect_ratio_range", []float32{1}},
		{"SampleDistortedBoundingBoxV2", "area_range", []float32{0, 1}}, {"SampleDistortedBoundingBoxV2", "max_attempts", int64(0)},
	} {
		for _, p := range pictureOps() {
			if p.op != c.op {
				continue
			}
			a := opstest.Attrs(c.name, c.value)
			for k, v := range p.attrs {
				if k != c.name {
					a[k] = v
				}
			}
			p.attrs = a
			if err := lowerPicture(t, p); tensor.CodeOf(err) != tensor.InvalidArgument {
				t.Errorf("%s with %s = %v: %v", c.op, c.name, c.value, err)
			}
		}
	}
	f32, i32 := tensor.Float32, tensor.Int32
	image := in(f32, 2, 4, 5, 3)
	for _, c := range []struct {
		op  string
		ins []pictureIn
	}{
		{"DecodeAndCropJpeg", []pictureIn{in(tensor.String), in(i32, 3)}},
		{"DrawBoundingBoxes", []pictureIn{in(f32, 2, 4, 5, 2), in(f32, 2, 3, 4)}},
		{"DrawBoundingBoxes", []pictureIn{image, in(f32, 2, 3, 5)}},
		{"DrawBoundingBoxes", []pictureIn{image, in(f32, 3, 3, 4)}},
		{"ExtractGlimpse", []pictureIn{image, in(i32, 3), in(f32, 2, 2)}},
		{"ExtractGlimpse", []pictureIn{image, in(i32, 2), in(f32, 3, 2)}},
		{"ExtractGlimpse", []pictureIn{image, in(i32, 2), in(f32, 2, 3)}},
		{"CropAndResizeGradImage", []pictureIn{image, in(f32, 2, 3), in(i32, 2), in(i32, 4)}},
		{"CropAndResizeGradImage", []pictureIn{image, in(f32, 3, 4), in(i32, 2), in(i32, 4)}},
		{"CropAndResizeGradImage", []pictureIn{image, in(f32, 2, 4), in(i32, 3), in(i32, 4)}},
		{"CropAndResizeGradImage", []pictureIn{image, in(f32, 2, 4), in(i32, 2), in(i32, 3)}},
		{"CropAndResizeGradImage", []pictureIn{in(f32, 2, 0, 5, 3), in(f32, 2, 4), in(i32, 2), in(i32, 4)}},
		{"CropAndResizeGradBoxes", []pictureIn{image, in(tensor.Uint8, 1, 4, 4, 2), in(f32, 2, 4), in(i32, 2)}},
		{"CropAndResizeGradBoxes", []pictureIn{image, in(tensor.Uint8, 1, 0, 4, 3), in(f32, 2, 4), in(i32, 2)}},
		{"ScaleAndTranslate", []pictureIn{image, in(i32, 3), in(f32, 2), in(f32, 2)}},
		{"ScaleAndTranslate", []pictureIn{in(f32, 2, 0, 4, 3), in(i32, 2), in(f32, 2), in(f32, 2)}},
		{"ScaleAndTranslateGrad", []pictureIn{image, image, in(f32, 3), in(f32, 2)}},
		{"SampleDistortedBoundingBox", []pictureIn{in(i32, 2), in(f32, 1, 1, 4)}},
		{"SampleDistortedBoundingBox", []pictureIn{in(i32, 3), in(f32, 1, 1, 5)}},
		{"StatelessSampleDistortedBoundingBox", []pictureIn{in(i32, 3), in(f32, 1, 1, 4), in(f32), in(i32, 3)}},
		{"RandomCrop", []pictureIn{in(f32, 4, 4, 1), in(tensor.Int64, 3)}},
		{"AudioSummaryV2", []pictureIn{in(tensor.String, 2), in(f32, 1, 2), in(f32)}},
		{"AudioSummaryV2", []pictureIn{in(tensor.String), in(f32, 1), in(f32)}},
	} {
		for _, p := range pictureOps() {
			if p.op == c.op {
				p.ins = c.ins
				if err := lowerPicture(t, p); tensor.CodeOf(err) != tensor.InvalidArgument {
					t.Errorf("%s %v: %v", c.op, c.ins, err)
				}
			}
		}
	}
}
