package kit

import (
	"math"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// RankedDims returns the shapes of the inputs 0, 1, … It returns an error unless input i has the
// rank ranks[i].
func RankedDims(c *lower.Shaper, ranks ...int) ([]ir.Shape, error) {
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

// RequireDim returns an error if dimension k of s is known to differ from want.
func RequireDim(s ir.Shape, k int, want *sym.Expr, what string) error {
	if s.Known && want != nil && lower.Differ(s.Dims[k], want) {
		return tensor.Errorf(tensor.InvalidArgument, "%s: the shape %v must have %v in dimension %d", what, s, want, k)
	}
	return nil
}

// OnCPU rejects nodes for which TensorFlow has no CPU kernel, with TensorFlow's error codes.
//
// Channels-first formats are accepted for the element types that TensorFlow's default build has
// kernels for. Dilations are accepted where TensorFlow's plain kernels support them. They are also
// accepted on nodes with attribute _dilated. The compiler creates such nodes, for example from a
// convolution between a SpaceToBatchND and a BatchToSpaceND.
func (f Format) OnCPU(n *ir.Node, dils []int) error {
	code := tensor.InvalidArgument
	narrow := false // whether TensorFlow's CPU kernel rejects not only other types, but f16 as well
	layouts := true
	switch n.Op {
	case "Conv2D", "_FusedConv2D", "DepthwiseConv2dNative", "_FusedDepthwiseConv2dNative",
		"DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter":
		code = tensor.Unimplemented
	case "AvgPool", "AvgPoolGrad":
		narrow = true
	case "MaxPoolV2", "MaxPoolGrad", "MaxPoolGradV2", "MaxPoolGradGrad", "MaxPoolGradGradV2", "MaxPool3DGrad", "MaxPool3DGradGrad":
		layouts = false
	}
	if f.First() {
		switch d := n.DType("T"); {
		case !layouts || d != tensor.Float32 && d != tensor.BFloat16 && d != tensor.Half || narrow && d == tensor.Half:
			return tensor.Errorf(code, "no CPU kernel accepts %s with channels first", d)
		}
	}
	switch n.Op {
	case "Conv2D", "_FusedConv2D", "_FusedDepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter":
		return nil
	}
	for _, d := range dils {
		if d != 1 && !n.Bool("_dilated") {
			return tensor.Errorf(code, "no CPU kernel has dilations: %v", dils)
		}
	}
	return nil
}

// FedAnyRank reports whether input i is a feed of unknown rank.
func FedAnyRank(c *lower.Shaper, i int) bool {
	n := c.Node.Ins[i].Node
	p, ok := n.Attrs["shape"].(ir.PartialShape)
	return n.Op == "Placeholder" && (!ok || p.UnknownRank)
}

// PartOf returns a pointer to part(*v), or nil if the optional operand v is nil.
func PartOf(v *plan.View, part func(plan.View) plan.View) *plan.View {
	if v == nil {
		return nil
	}
	p := part(*v)
	return &p
}

// RequireSame requires two dimensions to be equal. It returns an error if they are known to differ,
// and adds a run-time check if that is unknown.
func RequireSame(b *lower.Builder, x, y *sym.Expr, what string) error {
	if x.Equal(y) {
		return nil
	}
	m, mok := x.IsInt()
	n, nok := y.IsInt()
	if mok && nok {
		return b.Errorf(tensor.InvalidArgument, "%s: %d against %d", what, m, n)
	}
	b.Check(shape.Equal, x, y, what)
	return nil
}

// OneOr checks that x is 1 or equals y. It does this at compile time if x and y are known, and
// otherwise appends a check for run time.
func OneOr(b *lower.Builder, x, y *sym.Expr, what string) error {
	if x.Is(1) || x.Equal(y) {
		return nil
	}
	if _, ok := x.IsInt(); ok {
		return RequireSame(b, x, y, what)
	}
	b.Check(shape.OneOr, x, y, what)
	return nil
}

// AtLeast requires x ≥ lo. It checks this at compile time if x is known, else at run time.
func AtLeast(b *lower.Builder, x *sym.Expr, lo int, what string) error {
	if n, ok := x.IsInt(); ok {
		if n < lo {
			return b.Errorf(tensor.InvalidArgument, "%s is %d, at least %d is required", what, n, lo)
		}
		return nil
	}
	if lo <= 0 && x.NonNegative() {
		return nil
	}
	b.Check(shape.AtLeast, x, lo, what)
	return nil
}

// Format holds the positions of channels and space in a tensor of a data format. Batch is dimension
// 0.
type Format struct {
	Channels int
	Space    []int
}

// First reports whether the channels precede the spatial dimensions.
func (f Format) First() bool { return f.Channels == 1 }

// Shape returns the shape of a tensor that has the format f: n is the size of its batch, c is the
// number of channels, and space holds the sizes of the space dimensions.
func (f Format) Shape(n, c *sym.Expr, space ...*sym.Expr) ir.Shape {
	if f.First() {
		return ir.ShapeOf(append([]*sym.Expr{n, c}, space...)...)
	}
	return ir.ShapeOf(append(append([]*sym.Expr{n}, space...), c)...)
}

// Spatial reads an attribute with one value for each dimension (strides, ksize, dilations) and
// returns the values of the spatial dimensions. The values for batch and channels must be 1.
func (f Format) Spatial(n *ir.Node, attr string) ([]int, error) {
	v := n.Ints(attr)
	if _, given := n.Attrs[attr]; !given && attr == "dilations" {
		v = make([]int, len(f.Space)+2)
		for i := range v {
			v[i] = 1
		}
	}
	if len(v) != len(f.Space)+2 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%s has %d values; %d are required", attr, len(v), len(f.Space)+2)
	}
	if err := f.CheckWindow(n, attr, v); err != nil {
		return nil, err
	}
	r := make([]int, len(f.Space))
	for i, at := range f.Space {
		r[i] = v[at]
	}
	return r, nil
}

// Paddings returns the EXPLICIT padding of each spatial dimension, and zeros for other paddings.
func (f Format) Paddings(n *ir.Node) ([][2]int, error) {
	r := make([][2]int, len(f.Space))
	v := n.Ints("explicit_paddings")
	switch n.Str("padding") {
	case "SAME", "VALID":
		if len(v) != 0 && n.Op != "MaxPoolGrad" { // MaxPoolGrad reads the attribute only if the padding is EXPLICIT
			return nil, tensor.Errorf(tensor.InvalidArgument, "explicit_paddings must be empty when padding is %s", n.Str("padding"))
		}
		return r, nil
	case "EXPLICIT":
	default:
		return nil, tensor.Errorf(tensor.InvalidArgument, "unknown padding %q", n.Str("padding"))
	}
	if len(v) != 2*(len(f.Space)+2) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "explicit_paddings has %d values; %d are required", len(v), 2*(len(f.Space)+2))
	}
	for _, p := range v {
		if p < 0 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "explicit_paddings must not be negative: %v", v)
		}
	}
	if v[0] != 0 || v[1] != 0 || v[2*f.Channels] != 0 || v[2*f.Channels+1] != 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "explicit_paddings over batch or channels: %v", v)
	}
	for i, at := range f.Space {
		r[i] = [2]int{v[2*at], v[2*at+1]}
	}
	return r, nil
}

// Scalars requires the inputs [lo, hi) to be scalars.
func Scalars(c *lower.Shaper, lo, hi int) error {
	for i := lo; i < hi; i++ {
		if _, err := c.WithRank(i, 0); err != nil {
			return err
		}
	}
	return nil
}

// CheckWindow rejects invalid values v of attr, which has one value for each dimension.
func (f Format) CheckWindow(n *ir.Node, attr string, v []int) error {
	positive := func(of ...int) error {
		for _, i := range of {
			if v[i] < 1 {
				return tensor.Errorf(tensor.InvalidArgument, "%s must be positive and fit 32 bits: %v", attr, v)
			}
		}
		return nil
	}
	one := func(of ...int) error {
		for _, i := range of {
			if v[i] != 1 {
				code := tensor.Unimplemented
				if n.Op == "Conv2DBackpropFilter" || n.Op == "Conv2DBackpropInput" && f.Channels == 1 || strings.Contains(n.Op, "Conv3D") || strings.HasPrefix(n.Op, "Depthwise") && attr == "strides" {
					code = tensor.InvalidArgument
				}
				return tensor.Errorf(code, "%s over batch or channels: %v", attr, v)
			}
		}
		return nil
	}
	for _, x := range v {
		if x < math.MinInt32 || x > math.MaxInt32 {
			return tensor.Errorf(tensor.InvalidArgument, "%s must be positive and fit 32 bits: %v", attr, v)
		}
	}
	all := append([]int{0, f.Channels}, f.Space...)
	var checks []error
	switch windowOrderOf(n.Op, attr) {
	case allFirst:
		checks = []error{positive(all...), one(0, f.Channels)}
	case spaceFirst:
		checks = []error{positive(f.Space...), one(0, f.Channels)}
	case othersFirst:
		checks = []error{one(0, f.Channels), positive(all...)}
	case batchFirst:
		checks = []error{one(0), positive(all...), one(f.Channels)}
	case spaceBatch:
		checks = []error{positive(f.Space...), one(0), positive(f.Channels), one(f.Channels)}
	case batchSpace:
		checks = []error{one(0), positive(f.Space...)}
	}
	for _, err := range checks {
		if err != nil {
			return err
		}
	}
	return nil
}
