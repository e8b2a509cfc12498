package nn

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// window is one dimension of a sliding window.
type window struct {
	in     *sym.Expr
	size   *sym.Expr // taps
	stride int
	dil    int
	before int // EXPLICIT padding
	after  int
}

// sizes returns the number of positions of the window along the dimension, and the number of
// elements of padding before the first element of the input.
func (w window) sizes(padding string) (out, pad *sym.Expr) {
	eff := w.size.AddInt(-1).MulInt(w.dil).AddInt(1)
	s := sym.Int(w.stride)
	switch padding {
	case "SAME":
		out = w.in.CeilDiv(s)
		total := out.AddInt(-1).MulInt(w.stride).Add(eff).Sub(w.in)
		return out, sym.Max(total, sym.Zero).Div(sym.Int(2))
	case "EXPLICIT":
		return w.in.AddInt(w.before + w.after).Sub(eff).Add(s).Div(s), sym.Int(w.before)
	}
	return w.in.Sub(eff).Add(s).Div(s), sym.Zero
}

// tooLarge reports whether the window is known to be larger than the padded input.
func (w window) tooLarge(padding string) bool {
	in, iok := w.in.IsInt()
	k, kok := w.size.IsInt()
	return padding != "SAME" && iok && kok && in+w.before+w.after < (k-1)*w.dil+1
}

// formatOf reads attribute data_format of an op over spatial dimensions.
func formatOf(n *ir.Node, spatial int) (kit.Format, error) {
	f := kit.Format{}
	switch df := n.Str("data_format"); df {
	case "", "NHWC", "NDHWC", "NWC":
		f.Channels = spatial + 1
		for i := range spatial {
			f.Space = append(f.Space, i+1)
		}
	case "NCHW", "NCDHW", "NCW":
		f.Channels = 1
		for i := range spatial {
			f.Space = append(f.Space, i+2)
		}
	default:
		return f, tensor.Errorf(tensor.InvalidArgument, "unknown data_format %q", df)
	}
	return f, nil
}

// WindowInts requires the values of ksize, strides or dilations to be positive and to fit 32 bits.
// This bounds products of sizes computed from them.
func WindowInts(attr string, v []int) error {
	for _, x := range v {
		if x < 1 || x > math.MaxInt32 {
			return tensor.Errorf(tensor.InvalidArgument, "%s must be positive and fit 32 bits: %v", attr, v)
		}
	}
	return nil
}
