package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/codec/wav"
	"github.com/graphc/graphc/rt/tensor"
)

// audioDefs are sound encoded, decoded and analysed.
var audioDefs = []*Def{
	{Name: "DecodeWav", Shape: decodeWavShape, Lower: decodeWavLower},
	{Name: "EncodeWav", Shape: encodeWavShape, Lower: encodeWavLower},
}

// decodeWavShape: samples [samples, channels] and their rate.
func decodeWavShape(c *Shaper) error {
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

func decodeWavLower(b *Builder) error {
	samples, channels := b.Node.Int("desired_samples"), b.Node.Int("desired_channels")
	b.CallSizes(wav.Size, []*sym.Expr{b.NewSizeK(0, 0), b.NewSizeK(0, 1)}, b.In(0), samples, channels)
	s := b.OutShape(0)
	b.Call(wav.Decode, b.Out(0), b.Out(1), b.In(0), s[0], s[1])
	return nil
}

func encodeWavShape(c *Shaper) error {
	if _, err := c.WithRank(0, 2); err != nil {
		return err
	}
	if _, err := c.WithRank(1, 0); err != nil {
		return err
	}
	c.Set(0, tensor.String, ir.ShapeOf())
	return nil
}

func encodeWavLower(b *Builder) error {
	s := b.InShape(0)
	b.Call(wav.Encode, b.Out(0), b.In(0), b.In(1), s[0], s[1])
	return nil
}
