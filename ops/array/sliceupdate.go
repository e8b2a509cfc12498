package array

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// sliceUpdateDefs write to the elements that StridedSlice would read.
var sliceUpdateDefs = []*lower.Def{
	{Name: "StridedSliceGrad", Types: kit.Moves, Shape: stridedGradShape, Lower: stridedGradLower},
	{Name: "TensorStridedSliceUpdate", Types: kit.Moves, Shape: sliceUpdateShape, Lower: sliceUpdateLower},
}

// gradDims reads StridedSliceGrad's input 0 as the result's dimensions. Dimensions known only at
// run time become symbols numbered from ExtraSize on, because the symbols of cuts are numbered from
// 0 on.
func gradDims(c *lower.Shaper) ([]*sym.Expr, error) {
	if _, err := c.WithRank(0, 1); err != nil {
		return nil, err
	}
	es, ok := c.Ints(0)
	if !ok {
		return nil, nil
	}
	dims := make([]*sym.Expr, len(es))
	for k, e := range es {
		v, static := e.IsInt()
		switch {
		case static && v < 0:
			return nil, tensor.Errorf(tensor.InvalidArgument, "dimension %d is %d", k, v)
		case lower.MayBeNegative(e):
			dims[k] = c.NewSizeK(0, lower.ExtraSize+k)
		default:
			dims[k] = e
		}
	}
	return dims, nil
}

// stridedGradShape infers the result of StridedSliceGrad, whose inputs are shape, begin, end,
// strides and dy. The result has the given shape. It has the elements of dy at the positions of the
// slice and zeros everywhere else.
func stridedGradShape(c *lower.Shaper) error {
	dims, err := gradDims(c)
	if err != nil {
		return err
	}
	if dims == nil {
		c.UnknownShape(0, c.In(4).DType)
		return nil
	}
	c.Set(0, c.In(4).DType, ir.ShapeOf(dims...))
	_, err = planStrided(c, dims, 1)
	return err
}

func stridedGradLower(b *lower.Builder) error {
	p, err := stridedGradPlan(b)
	if err != nil {
		return err
	}
	if err := kit.FillZero(b, b.Out(0)); err != nil {
		return err
	}
	x := p.box(b.OutShape(0))
	x.Dst, x.Src, x.DstOff, x.SrcOff = x.Src, x.Dst, x.SrcOff, x.DstOff
	return kit.Move(b, kit.Part(b.Out(0), false), b.In(4), x)
}

// stridedGradPlan returns the slice whose gradient is dy. It binds and checks values known only at
// run time.
func stridedGradPlan(b *lower.Builder) (*slicePlan, error) {
	c := b.Shaper()
	es, _ := c.Ints(0)
	dims := b.OutShape(0)
	for k, e := range es {
		if lower.MayBeNegative(e) {
			b.CallSizes(array.Size, []*sym.Expr{dims[k]}, e, "a dimension")
		}
	}
	p, err := planStrided(c, dims, 1)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, b.Errorf(tensor.Unimplemented, "the length of begin, end and strides must be known when compiling")
	}
	checkSpread(b, 1, len(dims))
	bindCuts(b, p, dims)
	want, got := p.shape().Dims, b.InShape(4)
	if len(want) != len(got) {
		return nil, b.Errorf(tensor.InvalidArgument, "dy has the shape %v, but the slice %v", ir.ShapeOf(got...), p.shape())
	}
	for k, e := range want {
		if err := mustEqual(b, got[k], e, "dy against the slice"); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// mustEqual returns InvalidArgument if two dimensions are known to differ. It adds a run-time check
// if they are not known to be equal.
func mustEqual(b *lower.Builder, x, y *sym.Expr, what string) error {
	if x.Equal(y) {
		return nil
	}
	if _, err := kit.JoinDim(x, y, what); err != nil {
		return err
	}
	b.Check(shape.Equal, x, y, what)
	return nil
}

// sliceUpdateShape infers the result of TensorStridedSliceUpdate. The inputs are named input, begin,
// end, strides and value. The result is a copy of input 0 in which the slice is replaced by input 4,
// broadcast to the shape of the slice.
func sliceUpdateShape(c *lower.Shaper) error {
	c.Same(0, 0)
	if x := c.Shape(0); x.Known {
		_, err := planStrided(c, x.Dims, 1)
		return err
	}
	return nil
}

func sliceUpdateLower(b *lower.Builder) error {
	_, x, err := sliceUpdateBox(b)
	if err != nil {
		return err
	}
	b.Copy(b.Out(0), b.In(0))
	return kit.Move(b, kit.Part(b.Out(0), false), b.In(4), x)
}

// sliceUpdateBox returns the plan of the slice, and the box that copies the value into the slice.
// It appends the steps that bind and check values known only at run time.
func sliceUpdateBox(b *lower.Builder) (*slicePlan, *kit.Box, error) {
	if d := b.InFact(0).DType; d.IsQuantized() {
		return nil, nil, b.Errorf(tensor.InvalidArgument, "unsupported data type: %s", d)
	}
	dims := b.InShape(0)
	p, err := planStrided(b.Shaper(), dims, 1)
	if err != nil {
		return nil, nil, err
	}
	if p == nil {
		return nil, nil, b.Errorf(tensor.Unimplemented, "the length of begin, end and strides must be known when compiling")
	}
	checkSpread(b, 1, len(dims))
	bindCuts(b, p, dims)
	want, got := p.shape().Dims, b.InShape(4)
	if len(got) > len(want) {
		return nil, nil, b.Errorf(tensor.InvalidArgument, "value has the shape %v, but the slice %v", ir.ShapeOf(got...), p.shape())
	}
	x := p.box(dims)
	st := kit.Strides(got)
	x.Dst, x.DstOff, x.SrcOff = x.Src, x.SrcOff, sym.Zero
	x.Src = nil
	for k, e := range want {
		step, j := sym.Zero, k-(len(want)-len(got))
		switch {
		case j < 0 || got[j].Is(1):
		case kit.IsInt(got[j]) || got[j].Equal(e):
			if err := mustEqual(b, got[j], e, "value against the slice"); err != nil {
				return nil, nil, err
			}
			step = st[j]
		default:
			step = b.NewSizeK(0, lower.ExtraSize+k)
			b.CallSizes(array.BroadcastStride, []*sym.Expr{step}, got[j], e, st[j])
		}
		if p.out[k] >= 0 { // new axes are not in the box
			x.Src = append(x.Src, step)
		}
	}
	return p, x, nil
}
