package math

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// sumToDefs describes the op _SumTo(x, s), which is the gradient of broadcasting. x has the shape
// to which a tensor of shape s was broadcast. The two shapes are aligned at their last axes. _SumTo
// sums x over those axes along which s has no dimension or a dimension of 1. Along all other axes,
// the dimensions of x and of s must be equal; otherwise, the op fails with InvalidArgument. The
// axes to be summed may be known only at run time, because the shape of the result is given.
var sumToDefs = []*lower.Def{
	{Name: "_SumTo", Types: map[string][]tensor.DType{"T": kit.NumberTypes}, Shape: sumToShape, Lower: sumToLower},
}

func sumToShape(c *lower.Shaper) error {
	dims, err := kit.DimsOf(c, 1)
	if err != nil {
		return err
	}
	if dims == nil {
		c.Set(0, c.In(0).DType, ir.Shape{})
		return nil
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(dims...))
	if x := c.Shape(0); x.Known {
		_, err = sumTo(x.Dims, dims)
	}
	return err
}

// summed describes a dimension of _SumTo's input. The length of the dimension is the product of two
// factors: the field kept is the factor that remains, and the field gone is the factor that is
// summed.
type summed struct {
	kept, gone *sym.Expr
	open       bool // at compile time it is unknown whether the dimension is kept or summed
}

func sumTo(x, to []*sym.Expr) ([]summed, error) {
	if len(to) > len(x) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "a tensor of %d dimensions cannot be summed to %d", len(x), len(to))
	}
	ss := make([]summed, len(x))
	for i, d := range x {
		s := summed{sym.One, d, false}
		if k := i - len(x) + len(to); k >= 0 && !to[k].Is(1) {
			switch t := to[k]; {
			case t.Equal(d):
				s.kept, s.gone = d, sym.One
			case kit.IsInt(t) && kit.IsInt(d):
				return nil, tensor.Errorf(tensor.InvalidArgument, "dimension %d of %v cannot be summed to %v", i, d, t)
			default:
				s = summed{t, d.Div(sym.Max(t, sym.One)), true}
			}
		}
		ss[i] = s
	}
	return ss, nil
}

// sumToGroups merges the dimensions of the input and returns the lengths of the merged dimensions.
// The first of these is kept, the second is summed, and so on in turn. sumToGroups adds checks of
// sizes that are known only at run time. same reports whether the result is equal to the input.
func sumToGroups(b *lower.Builder) (es []*sym.Expr, same bool, err error) {
	kit.BindDims(b, 1)
	x := b.InShape(0)
	ss, err := sumTo(x, b.OutShape(0))
	if err != nil {
		return nil, false, err
	}
	same = true
	es = []*sym.Expr{sym.One}
	add := func(kept bool, e *sym.Expr) {
		if e.Is(1) {
			return
		}
		if kept != (len(es)%2 == 1) {
			es = append(es, e)
		} else {
			es[len(es)-1] = es[len(es)-1].Mul(e)
		}
	}
	for i, s := range ss {
		same = same && !s.open && s.gone.Is(1)
		if s.open {
			b.Check(shape.Sums, x[i], s.kept)
		}
		add(true, s.kept)
		add(false, s.gone)
	}
	return es, same, nil
}

func sumToLower(b *lower.Builder) error {
	t := b.InFact(0).DType
	r := bytype.Reduce["Sum"][t]
	if r.Fn == nil {
		return NoKernel("_SumTo", t)
	}
	es, same, err := sumToGroups(b)
	if err != nil {
		return err
	}
	if same {
		b.Alias(0, 0)
		return nil
	}
	dims, drop := make([]*sym.Expr, len(es)), make([]bool, len(es))
	for k, e := range es {
		dims[k], drop[k] = e, k%2 == 1
	}
	return lowerReduction(b, r, b.Out(0), b.In(0), dims, drop)
}
