package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/rt/tensor"
)

// sliceUpdateDefs write into what StridedSlice would take.
var sliceUpdateDefs = []*Def{
	{Name: "StridedSliceGrad", Types: moves, Shape: stridedGradShape, Lower: stridedGradLower},
	{Name: "TensorStridedSliceUpdate", Types: moves, Shape: sliceUpdateShape, Lower: sliceUpdateLower},
}

// gradDims reads StridedSliceGrad's input 0 as the result's dimensions; their
// sizes are numbered from extraSize on, since the cuts number theirs from 0.
func gradDims(c *Shaper) ([]*sym.Expr, error) {
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
		case signed(e):
			dims[k] = c.NewSizeK(0, extraSize+k)
		default:
			dims[k] = e
		}
	}
	return dims, nil
}

// stridedGradShape: StridedSliceGrad(shape, begin, end, strides, dy): zeros of
// that shape with dy where the slice was.
func stridedGradShape(c *Shaper) error {
	dims, err := gradDims(c)
	if err != nil {
		return err
	}
	if dims == nil {
		c.unknownShape(0, c.In(4).DType)
		return nil
	}
	c.Set(0, c.In(4).DType, ir.ShapeOf(dims...))
	_, err = planStrided(c, dims, 1)
	return err
}

func stridedGradLower(b *Builder) error {
	p, err := b.stridedGradPlan()
	if err != nil {
		return err
	}
	if err := b.zero(b.Out(0)); err != nil {
		return err
	}
	x := p.box(b.OutShape(0))
	x.dst, x.src, x.dstOff, x.srcOff = x.src, x.dst, x.srcOff, x.dstOff
	return b.move(part(b.Out(0), false), b.In(4), x)
}

// stridedGradPlan is the slice that dy is of, with what a run decides bound and checked.
func (b *Builder) stridedGradPlan() (*slicePlan, error) {
	c := b.Shaper()
	es, _ := c.Ints(0)
	dims := b.OutShape(0)
	for k, e := range es {
		if signed(e) {
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
	b.checkSpread(1, len(dims))
	b.bindCuts(p, dims)
	want, got := p.shape().Dims, b.InShape(4)
	if len(want) != len(got) {
		return nil, b.Errorf(tensor.InvalidArgument, "dy has the shape %v, the slice %v", ir.ShapeOf(got...), p.shape())
	}
	for k, e := range want {
		if err := b.mustEqual(got[k], e, "dy against the slice"); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// mustEqual is InvalidArgument where two dimensions are known to differ, and a
// check at run time where they are not known to agree.
func (b *Builder) mustEqual(x, y *sym.Expr, what string) error {
	if x.Equal(y) {
		return nil
	}
	if _, err := sameDim(x, y, what); err != nil {
		return err
	}
	b.Check(shape.Equal, x, y, what)
	return nil
}

// sliceUpdateShape: TensorStridedSliceUpdate(input, begin, end, strides, value):
// value is broadcast to the slice.
func sliceUpdateShape(c *Shaper) error {
	c.Same(0, 0)
	if x := c.Shape(0); x.Known {
		_, err := planStrided(c, x.Dims, 1)
		return err
	}
	return nil
}

func sliceUpdateLower(b *Builder) error {
	_, x, err := b.sliceUpdateBox()
	if err != nil {
		return err
	}
	b.Copy(b.Out(0), b.In(0))
	return b.move(part(b.Out(0), false), b.In(4), x)
}

// sliceUpdateBox is the slice, and the copy of the value to it, with what a run decides
// bound and checked.
func (b *Builder) sliceUpdateBox() (*slicePlan, *box, error) {
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
	b.checkSpread(1, len(dims))
	b.bindCuts(p, dims)
	want, got := p.shape().Dims, b.InShape(4)
	if len(got) > len(want) {
		return nil, nil, b.Errorf(tensor.InvalidArgument, "value has the shape %v, the slice %v", ir.ShapeOf(got...), p.shape())
	}
	x := p.box(dims)
	st := strides(got)
	x.dst, x.dstOff, x.srcOff = x.src, x.srcOff, sym.Zero
	x.src = nil
	for k, e := range want {
		step, j := sym.Zero, k-(len(want)-len(got))
		switch {
		case j < 0 || got[j].Is(1):
		case isConst(got[j]) || got[j].Equal(e):
			if err := b.mustEqual(got[j], e, "value against the slice"); err != nil {
				return nil, nil, err
			}
			step = st[j]
		default:
			step = b.NewSizeK(0, extraSize+k)
			b.CallSizes(array.BroadcastStride, []*sym.Expr{step}, got[j], e, st[j])
		}
		if p.out[k] >= 0 { // a new axis is none of the box
			x.src = append(x.src, step)
		}
	}
	return p, x, nil
}
