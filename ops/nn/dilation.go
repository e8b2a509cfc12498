package nn

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/volume"
	"github.com/graphc/graphc/lower"
	indexops "github.com/graphc/graphc/ops/index"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var dilationDefs = []*lower.Def{
	{Name: "Dilation2D", Types: map[string][]tensor.DType{"T": indexops.RealTypes}, Shape: dilationShape, Lower: dilationLower},
	{Name: "Dilation2DBackpropInput", Types: map[string][]tensor.DType{"T": indexops.RealTypes}, Shape: dilationShape, Lower: dilationLower},
	{Name: "Dilation2DBackpropFilter", Types: map[string][]tensor.DType{"T": indexops.RealTypes}, Shape: dilationShape, Lower: dilationLower},
}

// dilationOf returns the height and width of the result of a dilation, the padding before the first
// row and column, the strides and the rates. The parameter image is the shape [n,h,w,c]; the
// parameter filter is the shape [kh,kw,c].
func dilationOf(n *ir.Node, image, filter []*sym.Expr) (out, pad [2]*sym.Expr, stride, rate [2]int, err error) {
	f := kit.Format{Channels: 3, Space: []int{1, 2}}
	s, err := f.Spatial(n, "strides")
	if err != nil {
		return out, pad, stride, rate, err
	}
	r, err := f.Spatial(n, "rates")
	if err != nil {
		return out, pad, stride, rate, err
	}
	if lower.Differ(image[3], filter[2]) {
		return out, pad, stride, rate, tensor.Errorf(tensor.InvalidArgument, "the image has %v channels, but the filter %v", image[3], filter[2])
	}
	for i := range 2 {
		stride[i], rate[i] = s[i], r[i]
		w := window{image[i+1], filter[i], s[i], r[i], 0, 0}
		if w.tooLarge(n.Str("padding")) {
			return out, pad, stride, rate, tensor.Errorf(tensor.InvalidArgument, "the window %v is larger than the image %v", filter[i], image[i+1])
		}
		out[i], pad[i] = w.sizes(n.Str("padding"))
	}
	return out, pad, stride, rate, nil
}

func dilationShape(c *lower.Shaper) error {
	d := c.In(0).DType
	image, err := c.WithRank(0, 4)
	if err != nil {
		return err
	}
	filter, err := c.WithRank(1, 3)
	if err != nil {
		return err
	}
	switch c.Node.Op {
	case "Dilation2DBackpropInput":
		c.Set(0, d, image)
		return nil
	case "Dilation2DBackpropFilter":
		c.Set(0, d, filter)
		return nil
	}
	if !image.Known || !filter.Known {
		c.Set(0, d, ir.Shape{})
		return nil
	}
	out, _, _, _, err := dilationOf(c.Node, image.Dims, filter.Dims)
	if err != nil {
		return err
	}
	c.Set(0, d, ir.ShapeOf(image.Dims[0], out[0], out[1], image.Dims[3]))
	return nil
}

// dilationParams returns the sizes and adds checks of sizes known only at run time.
func dilationParams(b *lower.Builder) (plan.Struct, error) {
	image, filter := b.InShape(0), b.InShape(1)
	var none plan.Struct
	out, pad, stride, rate, err := dilationOf(b.Node, image, filter)
	if err != nil {
		return none, err
	}
	if err := kit.RequireSame(b, image[3], filter[2], "the image and the filter must have the same channels"); err != nil {
		return none, err
	}
	for i := range 2 {
		if err := kit.AtLeast(b, out[i], 0, "the size of the result"); err != nil {
			return none, err
		}
	}
	q := plan.Lit(volume.Params{D: 1, KD: 1, OD: 1, SD: 1, SH: stride[0], SW: stride[1], DilH: rate[0], DilW: rate[1]},
		"N", image[0], "H", image[1], "W", image[2], "C", image[3], "KH", filter[0], "KW", filter[1],
		"OH", out[0], "OW", out[1], "PH", pad[0], "PW", pad[1])
	if b.Node.Op == "Dilation2D" {
		return q, nil
	}
	// a gradient needs a filter that is not empty, since an empty window has no maximum that
	// receives the gradient
	for _, d := range filter[:2] {
		if err := kit.AtLeast(b, d, 1, "the size of the filter"); err != nil {
			return none, err
		}
	}
	want := []*sym.Expr{image[0], out[0], out[1], image[3]}
	grad := b.InShape(2)
	if len(grad) != len(want) {
		return none, b.Errorf(tensor.InvalidArgument, "the gradient has the shape %v; rank 4 is required", b.InFact(2).Shape)
	}
	for i, d := range grad {
		if err := kit.RequireSame(b, d, want[i], "the gradient must have the shape of the forward result"); err != nil {
			return none, err
		}
	}
	return q, nil
}

func dilationLower(b *lower.Builder) error {
	q, err := dilationParams(b)
	if err != nil {
		return err
	}
	f := kit.Format{Channels: 3}
	if b.Node.Op == "Dilation2D" {
		return windowCall(b, f, false, []int{0, 1}, []bool{false, false}, []any{q}, volume.DilateF32, volume.DilateF64, volume.DilateI8, volume.DilateI16, volume.DilateI32, volume.DilateI64, volume.DilateU8, volume.DilateU16, volume.DilateU32, volume.DilateU64)
	}
	all := []bool{false, false, false}
	if b.Node.Op == "Dilation2DBackpropInput" {
		return windowCall(b, f, false, []int{0, 1, 2}, all, []any{q}, volume.DilateInputF32, volume.DilateInputF64, volume.DilateInputI8, volume.DilateInputI16, volume.DilateInputI32, volume.DilateInputI64, volume.DilateInputU8, volume.DilateInputU16, volume.DilateInputU32, volume.DilateInputU64)
	}
	return windowCall(b, f, false, []int{0, 1, 2}, all, []any{q}, volume.DilateFilterF32, volume.DilateFilterF64, volume.DilateFilterI8, volume.DilateFilterI16, volume.DilateFilterI32, volume.DilateFilterI64, volume.DilateFilterU8, volume.DilateFilterU16, volume.DilateFilterU32, volume.DilateFilterU64)
}
