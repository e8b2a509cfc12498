package array

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// patchDefs are ops that copy the elements under a moving window.
var patchDefs = []*lower.Def{
	{Name: "ExtractImagePatches", Types: map[string][]tensor.DType{"T": kit.NumberTypes}, Shape: patchShape, Lower: patchLower},
	{Name: "ExtractVolumePatches", Types: map[string][]tensor.DType{"T": kit.NumberTypes}, Shape: patchShape, Lower: patchLower},
}

// patchPlan describes the windows over the space axes.
type patchPlan struct {
	kernel, stride, rate []int
	out, pad             []*sym.Expr
	// left is set only for VALID windows. It holds size + stride − window for each space axis.
	// These values must not be negative.
	left []*sym.Expr
}

// planPatches reads the attributes ksizes, strides and rates, whose first and last entries must be
// 1, and padding, which is SAME or VALID. The op for volumes has no attribute rates; its rates are
// 1.
func planPatches(c *lower.Shaper) (*patchPlan, error) {
	rank := 4
	if c.Node.Op == "ExtractVolumePatches" {
		rank = 5
	}
	x, err := c.WithRank(0, rank)
	if err != nil {
		return nil, err
	}
	if err := patchAttrs(c.Node, rank); err != nil || !x.Known {
		return nil, err
	}
	if err := patchesFit(c.Node, x.Dims); err != nil {
		return nil, err
	}
	p := &patchPlan{rate: slices.Repeat([]int{1}, rank-2)}
	for _, a := range []struct {
		name string
		to   *[]int
	}{{"ksizes", &p.kernel}, {"strides", &p.stride}, {"rates", &p.rate}} {
		vs := c.Node.Ints(a.name)
		if a.name == "rates" && rank == 5 {
			continue
		}
		if vs[0] != 1 || vs[rank-1] != 1 {
			return nil, tensor.Errorf(tensor.Unimplemented, "the first and the last entry of attribute %s must be 1: %v", a.name, vs)
		}
		for _, v := range vs {
			if v < 1 {
				return nil, tensor.Errorf(tensor.OutOfRange, "attribute %s has the invalid entry %d", a.name, v)
			}
		}
		*a.to = vs[1 : rank-1]
	}
	for k, size := range x.Dims[1 : rank-1] {
		eff := (p.kernel[k]-1)*p.rate[k] + 1
		s := sym.Int(p.stride[k])
		switch pad := c.Node.Str("padding"); pad {
		case "SAME":
			out := size.CeilDiv(s)
			p.out = append(p.out, out)
			p.pad = append(p.pad, HalfPad(out.AddInt(-1).Mul(s).AddInt(eff).Sub(size), rank == 5))
		case "VALID":
			left := size.AddInt(p.stride[k] - eff)
			if kit.KnownLess(left, 0) {
				return nil, tensor.Errorf(tensor.InvalidArgument, "windows of %d elements do not fit a dimension of %v", eff, size)
			}
			p.left = append(p.left, left)
			p.out = append(p.out, sym.Max(size.AddInt(1-eff).CeilDiv(s), sym.Zero))
			p.pad = append(p.pad, sym.Zero)
		default:
			return nil, tensor.Errorf(tensor.InvalidArgument, "unknown padding %q", pad)
		}
	}
	return p, nil
}

// patchAttrs rejects attributes that do not have one entry for each dimension, and entries that are
// too large.
func patchAttrs(n *ir.Node, rank int) error {
	for _, a := range []string{"ksizes", "strides", "rates"} {
		vs := n.Ints(a)
		if a == "rates" && rank == 5 {
			continue
		}
		if len(vs) != rank {
			return tensor.Errorf(tensor.InvalidArgument, "attribute %s must have %d entries, not %v", a, rank, vs)
		}
		for _, v := range vs {
			if v > 1<<30 || v < -1<<30 {
				return tensor.Errorf(tensor.InvalidArgument, "attribute %s has the invalid entry %d", a, v)
			}
		}
	}
	return nil
}

// patchesFit rejects strides that are not positive, and windows that do not fit, for known sizes.
// TensorFlow makes these checks in its shape function, before its kernel checks the entries for
// batch and channels.
func patchesFit(n *ir.Node, x []*sym.Expr) error {
	ksizes, strides, rates := n.Ints("ksizes"), n.Ints("strides"), n.Ints("rates")
	for k := 1; k < len(x)-1; k++ {
		if !kit.IsInt(x[k]) {
			continue
		}
		if strides[k] < 1 {
			return tensor.Errorf(tensor.InvalidArgument, "attribute strides has the invalid entry %d", strides[k])
		}
		eff := ksizes[k]
		if len(x) == 4 {
			eff = (ksizes[k]-1)*rates[k] + 1
		}
		if n.Str("padding") == "VALID" && kit.KnownLess(x[k].AddInt(strides[k]-eff), 0) {
			return tensor.Errorf(tensor.InvalidArgument, "windows of %d elements do not fit a dimension of %v", eff, x[k])
		}
	}
	return nil
}

// HalfPad returns the padding before the first window. excess is the number of elements that the
// windows together need beyond the existing ones. It is negative if the windows do not reach all
// elements, because strides exceed windows. The padding of images is then 0. That of volumes is
// half of excess, rounded toward 0, so the first window begins after the first element.
func HalfPad(excess *sym.Expr, volume bool) *sym.Expr {
	pad := sym.Max(excess, sym.Zero).Div(sym.Int(2))
	if volume {
		pad = pad.Sub(sym.Max(excess.MulInt(-1), sym.Zero).Div(sym.Int(2)))
	}
	return pad
}

func patchShape(c *lower.Shaper) error {
	p, err := planPatches(c)
	if err != nil {
		return err
	}
	if p == nil {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	x := c.Shape(0).Dims
	depth := x[len(x)-1]
	for _, k := range p.kernel {
		depth = depth.MulInt(k)
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(append(append([]*sym.Expr{x[0]}, p.out...), depth)...))
	return nil
}

func patchLower(b *lower.Builder) error {
	p, err := planPatches(b.Shaper())
	if err != nil {
		return err
	}
	for _, e := range p.left {
		if err := kit.AtLeast(b, e, 0, "the room for windows"); err != nil {
			return err
		}
	}
	x := b.InShape(0)
	fn, err := bytype.ArrayPatches.Get(b.InFact(0).DType)
	if err != nil {
		return err
	}
	// Images are treated as volumes of one plane.
	three := func(es []*sym.Expr, one *sym.Expr) []*sym.Expr {
		if len(es) == 2 {
			es = []*sym.Expr{one, es[0], es[1]}
		}
		return es
	}
	ints := func(vs []int) (r [3]int) {
		r[0] = 1
		copy(r[3-len(vs):], vs)
		return r
	}
	b.Call(fn, b.Out(0), b.In(0), plan.Lit(array.PatchParams{Kernel: ints(p.kernel), Stride: ints(p.stride), Rate: ints(p.rate)},
		"Batch", x[0], "Channels", x[len(x)-1], "In", three(x[1:len(x)-1], sym.One), "Out", three(p.out, sym.One),
		"Pad", three(p.pad, sym.Zero)))
	return nil
}
