package index

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/gather"
	"github.com/graphc/graphc/lower"
	arrayops "github.com/graphc/graphc/ops/array"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// selectDefs convert positions to values and values to positions.
var selectDefs = []*lower.Def{
	{Name: "Where", Traits: lower.KeepsDigits | lower.HandsConstant, Types: map[string][]tensor.DType{"T": whereTypes}, Shape: whereShape, Lower: whereLower},
	{Name: "OneHot", Traits: lower.Fills, Types: map[string][]tensor.DType{"T": kit.DataTypes, "TI": {tensor.Uint8, tensor.Int8, tensor.Int32, tensor.Int64}}, Shape: oneHotShape, Lower: oneHotLower},
	{Name: "InvertPermutation", Types: arrayops.IndexAttr("T"), Shape: invertShape, Lower: invertLower},
	{Name: "UnravelIndex", Types: arrayops.IndexAttr("Tidx"), Shape: unravelShape, Lower: unravelLower},
}

// whereTypes are the types that TensorFlow's kernel of Where accepts. The kernel is registered for
// halves, too, but rejects them.
var whereTypes = slices.DeleteFunc(append([]tensor.DType{tensor.Bool}, kit.NumberTypes...), func(d tensor.DType) bool { return d == tensor.Half })

// whereShape infers the result of Where, which is a matrix with a row for each nonzero element. The
// row is the position of the element.
func whereShape(c *lower.Shaper) error {
	x := c.Shape(0)
	if !x.Known {
		c.UnknownShape(0, tensor.Int64)
		return nil
	}
	if len(x.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "the input of Where must not be a scalar")
	}
	c.Set(0, tensor.Int64, ir.ShapeOf(c.NewSize(0), sym.Int(len(x.Dims))))
	return nil
}

func whereLower(b *lower.Builder) error {
	dims := b.InShape(0)
	fn, err := bytype.ArrayWhere.Get(b.InFact(0).DType)
	if err != nil {
		return err
	}
	if b.InFact(0).DType == tensor.Half {
		return b.Errorf(tensor.Unimplemented, "no CPU kernel accepts f16")
	}
	if len(dims) > array.MaxRank {
		return b.Errorf(tensor.Unimplemented, "Where over %d axes; at most %d are supported", len(dims), array.MaxRank)
	}
	b.CallSizes(fn, []*sym.Expr{b.NewSize(0)}, b.OutCap(0, b.InLen(0).MulInt(len(dims))), b.In(0), dims)
	return nil
}

// oneHotShape infers the result of OneHot, whose inputs are indices, depth, on_value and off_value.
// The attribute axis is the number of the new axis.
func oneHotShape(c *lower.Shaper) error {
	x, d := c.Shape(0), c.In(2).DType
	for i := 2; i < 4; i++ {
		if _, err := c.WithRank(i, 0); err != nil {
			return err
		}
	}
	depth, ok, err := kit.OneInt(c, 1, "depth")
	if err != nil {
		return err
	}
	if !ok || !x.Known {
		c.UnknownShape(0, d)
		return nil
	}
	n, err := kit.SizeOf(c, 0, 0, depth)
	if err != nil {
		return err
	}
	axis := len(x.Dims)
	if a := c.Node.Int("axis"); a != -1 {
		if a < 0 || a > axis {
			return tensor.Errorf(tensor.InvalidArgument, "Expected axis to be -1 or between [0, %d).  But received: %d", axis+1, a)
		}
		axis = a
	}
	c.Set(0, d, ir.ShapeOf(append(append(append([]*sym.Expr{}, x.Dims[:axis]...), n), x.Dims[axis:]...)...))
	return nil
}

func oneHotLower(b *lower.Builder) error {
	depth, _ := b.Ints(1)
	kit.BindSize(b, 0, 0, depth[0], "depth")
	out := b.OutShape(0)
	axis := len(out) - 1
	if a := b.Node.Int("axis"); a != -1 {
		axis = a
	}
	idx, it := b.In(0), b.InFact(0).DType
	if it == tensor.Uint8 || it == tensor.Int8 {
		t := b.Temp(tensor.Int32, b.InLen(0))
		if it == tensor.Uint8 {
			b.Call(gather.WidenU8, t, idx)
		} else {
			b.Call(gather.WidenI8, t, idx)
		}
		t.Mode = plan.Read
		idx, it = t, tensor.Int32
	}
	fn, err := bytype.ArrayOneHot.Get(b.OutFact(0).DType, it)
	if err != nil {
		return err
	}
	outer, inner := sym.Product(out[:axis]), sym.Product(out[axis+1:])
	if outer.Is(1) || !lower.Loopable(fn, b.OutFact(0).DType) {
		b.Call(fn, b.Out(0), idx, b.In(2), b.In(3), out[axis], inner)
		return nil
	}
	row := out[axis].Mul(inner)
	l := b.Par(outer, lower.RowSplit(row, lower.CostCheap))
	l.Call(fn, lower.Rows(b.Out(0), row), lower.Rows(idx, inner), b.In(2), b.In(3), out[axis], inner)
	return nil
}

// invertShape infers the result of InvertPermutation. For an input x, the result y satisfies
// y[x[i]] = i.
func invertShape(c *lower.Shaper) error {
	s, err := c.WithRank(0, 1)
	if err != nil {
		return err
	}
	c.Set(0, c.In(0).DType, s)
	if vs, ok := c.StaticInts(0); ok && len(vs) <= ir.MaxInts {
		out := make([]*sym.Expr, len(vs))
		for i, v := range vs {
			if v < 0 || v >= len(vs) {
				return tensor.Errorf(tensor.InvalidArgument, "%d is not between 0 and %d", v, len(vs))
			}
			if out[v] != nil {
				return tensor.Errorf(tensor.InvalidArgument, "%d is duplicated in the input.", v)
			}
			out[v] = sym.Int(i)
		}
		c.SetInts(0, out)
	}
	return nil
}

func invertLower(b *lower.Builder) error {
	fn, err := bytype.ArrayInvertPermutation.Get(b.InFact(0).DType)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0))
	return nil
}

// unravelShape infers the result of UnravelIndex, whose inputs are indices and dims. The result is
// [len(dims), n] for n indices, or [len(dims)] for a scalar index.
func unravelShape(c *lower.Shaper) error {
	ix, dims := c.Shape(0), c.Shape(1)
	if dims.Rank() == 0 || dims.Rank() > 1 {
		return tensor.Errorf(tensor.InvalidArgument, "dims must be a vector, not of the shape %v", dims)
	}
	if ix.Rank() > 1 {
		return tensor.Errorf(tensor.InvalidArgument, "indices must be a scalar or a vector, not of the shape %v", ix)
	}
	if !ix.Known || !dims.Known {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(append(append([]*sym.Expr{}, dims.Dims...), ix.Dims...)...))
	return nil
}

func unravelLower(b *lower.Builder) error {
	fn, err := bytype.ArrayUnravelIndex.Get(b.InFact(0).DType)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1))
	return nil
}
