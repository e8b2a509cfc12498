package image

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/audio"
	"github.com/graphc/graphc/kernels/codec/wav"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// audioDefs encode, decode and analyse sound.
var audioDefs = []*lower.Def{
	{Name: "DecodeWav", Shape: decodeWavShape, Lower: decodeWavLower},
	{Name: "EncodeWav", Shape: encodeWavShape, Lower: encodeWavLower},
	{Name: "AudioSpectrogram", Shape: spectrogramShape, Lower: spectrogramLower},
	{Name: "Mfcc", Shape: mfccShape, Lower: mfccLower},
	{Name: "AudioSummary", Shape: audioSummaryShape, Lower: audioSummaryLower},
	{Name: "AudioSummaryV2", Shape: audioSummaryShape, Lower: audioSummaryLower},
}

// decodeWavShape infers the results of DecodeWav, which are the samples, [samples, channels], and
// the sample rate.
func decodeWavShape(c *lower.Shaper) error {
	if _, err := c.WithRank(0, 0); err != nil {
		return err
	}
	var dims [2]*sym.Expr
	for i, name := range []string{"desired_samples", "desired_channels"} {
		v := c.Node.Int(name)
		switch {
		case v < -1:
			return tensor.Errorf(tensor.InvalidArgument, "%s must be at least -1, not %d", name, v)
		case v == -1:
			dims[i] = c.NewSizeK(0, i)
		default:
			dims[i] = sym.Int(v)
		}
	}
	c.Set(0, tensor.Float32, ir.ShapeOf(dims[:]...))
	c.Set(1, tensor.Int32, ir.ShapeOf())
	return nil
}

func decodeWavLower(b *lower.Builder) error {
	samples, channels := b.Node.Int("desired_samples"), b.Node.Int("desired_channels")
	b.CallSizes(wav.Size, []*sym.Expr{b.NewSizeK(0, 0), b.NewSizeK(0, 1)}, b.In(0), samples, channels)
	s := b.OutShape(0)
	b.Call(wav.Decode, b.Out(0), b.Out(1), b.In(0), s[0], s[1])
	return nil
}

func encodeWavShape(c *lower.Shaper) error {
	if _, err := c.WithRank(0, 2); err != nil {
		return err
	}
	if _, err := c.WithRank(1, 0); err != nil {
		return err
	}
	c.Set(0, tensor.String, ir.ShapeOf())
	return nil
}

func encodeWavLower(b *lower.Builder) error {
	s := b.InShape(0)
	b.Call(wav.Encode, b.Out(0), b.In(0), b.In(1), s[0], s[1])
	return nil
}

// spectrogramShape infers the result of AudioSpectrogram. The input is [samples, channels], and the
// result is [channels, windows, frequencies].
func spectrogramShape(c *lower.Shaper) error {
	window, stride := c.Node.Int("window_size"), c.Node.Int("stride")
	if window < 2 || window > 1<<26 || stride < 1 {
		return tensor.Errorf(tensor.InvalidArgument, "window_size is %d, stride %d: at least 2 and 1 are required", window, stride)
	}
	s, err := c.WithRank(0, 2)
	if err != nil {
		return err
	}
	if !s.Known {
		c.Set(0, tensor.Float32, ir.Shape{})
		return nil
	}
	frames := sym.Max(s.Dims[0].AddInt(stride-window), sym.Zero).Div(sym.Int(stride))
	c.Set(0, tensor.Float32, ir.ShapeOf(s.Dims[1], frames, sym.Int(audio.Length(window)/2+1)))
	return nil
}

func spectrogramLower(b *lower.Builder) error {
	s := b.InShape(0)
	p := audio.SpectrogramParams{Window: b.Node.Int("window_size"), Stride: b.Node.Int("stride"), Squared: b.Node.Bool("magnitude_squared")}
	scratch := 0
	var tables *plan.View
	if p.Window <= audio.MostTables {
		scratch = audio.SpectrogramScratchLen(p.Window)
		t := audio.SpectrogramTables(p.Window)
		v := b.Const("Hann window and factors of the transform", &tensor.Tensor{DType: tensor.Float64, Shape: tensor.Shape{len(t)}, Data: t})
		tables = &v
	}
	b.Call(audio.Spectrogram, b.Out(0), b.In(0), b.Temp(tensor.Float64, sym.Int(scratch)), plan.Lit(p, "Samples", s[0], "Channels", s[1], "Frames", b.OutShape(0)[1], "Tables", tables))
	return nil
}

// mfccShape infers the result of Mfcc. The input is [channels, windows, frequencies], and the
// result is [channels, windows, coefficients].
func mfccShape(c *lower.Shaper) error {
	s, err := c.WithRank(0, 3)
	if err != nil {
		return err
	}
	if _, err := c.WithRank(1, 0); err != nil {
		return err
	}
	n := c.Node.Int("dct_coefficient_count")
	if n < 1 {
		return tensor.Errorf(tensor.InvalidArgument, "dct_coefficient_count is %d; at least 1 is required", n)
	}
	if n, m := c.Node.Int("filterbank_channel_count"), c.Node.Int("dct_coefficient_count"); n > math.MaxInt32 || m > math.MaxInt32 {
		return tensor.Errorf(tensor.InvalidArgument, "filterbank_channel_count is %d, dct_coefficient_count %d: at most %d are supported", n, m, math.MaxInt32)
	}
	if !s.Known {
		c.Set(0, tensor.Float32, ir.Shape{})
		return nil
	}
	c.Set(0, tensor.Float32, ir.ShapeOf(s.Dims[0], s.Dims[1], sym.Int(n)))
	return nil
}

func mfccLower(b *lower.Builder) error {
	s := b.InShape(0)
	n := b.Node
	p := audio.MfccParams{Lower: n.Float("lower_frequency_limit"), Upper: n.Float("upper_frequency_limit"),
		Filters: n.Int("filterbank_channel_count"), Results: n.Int("dct_coefficient_count")}
	scratch, bands := sym.Zero, sym.Zero
	if p.Filters > 0 && p.Results > 0 && p.Filters <= audio.MostMfcc/p.Results {
		scratch, bands = s[2].AddInt(audio.MfccScratchLen(p.Filters, p.Results)), s[2]
	}
	b.Call(audio.Mfcc, b.Out(0), b.In(0), b.In(1), b.Temp(tensor.Float64, scratch), b.Temp(tensor.Int32, bands), plan.Lit(p, "Rows", s[0].Mul(s[1]), "Bins", s[2]))
	return nil
}

// audioSummaryShape infers the result of AudioSummary and AudioSummaryV2. Input 0 is a tag, and
// input 1 is the sound, [batch, samples, channels] or [batch, samples]. For V2, input 2 is the
// sample rate.
func audioSummaryShape(c *lower.Shaper) error {
	if n := c.Node.Int("max_outputs"); n < 1 {
		return tensor.Errorf(tensor.InvalidArgument, "max_outputs must be > 0, not %d", n)
	}
	if s := c.Shape(1); s.Known && len(s.Dims) != 2 && len(s.Dims) != 3 {
		return tensor.Errorf(tensor.InvalidArgument, "the tensor has the shape %v; 2 or 3 dimensions are required", s)
	}
	if _, err := c.WithRank(0, 0); err != nil {
		return err
	}
	for i := 0; i < c.NumIn(); i += 2 {
		if err := oneElement(c, i); err != nil {
			return err
		}
	}
	c.Set(0, tensor.String, ir.ShapeOf())
	return nil
}

// oneElement rejects an input that is known to be neither a scalar nor a vector of one element.
func oneElement(c *lower.Shaper, i int) error {
	if s := c.Shape(i); s.Known && (len(s.Dims) > 1 || len(s.Dims) == 1 && lower.Differ(s.Dims[0], sym.One)) {
		return tensor.Errorf(tensor.InvalidArgument, "input %d has the shape %v; a scalar is required", i, s)
	}
	return nil
}

func audioSummaryLower(b *lower.Builder) error {
	if err := kit.RequireSame(b, b.InLen(0), sym.One, "the tag must be a scalar"); err != nil {
		return err
	}
	var rate plan.View
	if b.NumIn() > 2 {
		rate = b.In(2)
		if err := kit.RequireSame(b, b.InLen(2), sym.One, "sample_rate must be a scalar"); err != nil {
			return err
		}
	} else {
		rate = b.Const("sample_rate", &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{}, Data: []float32{b.Node.Float("sample_rate")}})
	}
	s := b.InShape(1)
	channels := sym.One
	if len(s) == 3 {
		channels = s[2]
	}
	b.Call(wav.Summary, b.Out(0), b.In(0), b.In(1), rate, plan.Lit(wav.SummaryParams{Most: b.Node.Int("max_outputs")},
		"Batch", s[0], "Samples", s[1], "Channels", channels))
	return nil
}
