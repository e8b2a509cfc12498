package kit

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/gather"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// Strides returns the row-major strides of dims.
func Strides(dims []*sym.Expr) []*sym.Expr { return scalar.Rows(dims) }

// SizeOf returns the value e in a form that can be a dimension of output i. This is e itself if e
// cannot be negative. Otherwise, it is symbol number k of the output. BindSize then binds this
// symbol at run time.
func SizeOf(c *lower.Shaper, i, k int, e *sym.Expr) (*sym.Expr, error) {
	if v, ok := e.IsInt(); ok && v < 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "dimension %d of the result would be %d", k, v)
	}
	if lower.MayBeNegative(e) {
		return c.NewSizeK(i, k), nil
	}
	return e, nil
}

// BindSize binds a size that SizeOf created to the value of e. The step checks that the value is a
// valid size.
func BindSize(b *lower.Builder, i, k int, e *sym.Expr, what string) {
	if lower.MayBeNegative(e) {
		b.CallSizes(array.Size, []*sym.Expr{b.NewSizeK(i, k)}, e, what)
	}
}

// JoinDim merges two dimensions that must be equal, preferring a constant. It returns
// InvalidArgument if they are known to differ.
func JoinDim(a, b *sym.Expr, what string) (*sym.Expr, error) {
	if a.Equal(b) {
		return a, nil
	}
	if v, ok := a.Sub(b).IsInt(); ok && v != 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%s: %v against %v", what, a, b)
	}
	if _, ok := b.IsInt(); ok {
		return b, nil
	}
	return a, nil
}

// DimSet copies dims with dimension k replaced by e.
func DimSet(dims []*sym.Expr, k int, e *sym.Expr) []*sym.Expr {
	r := append([]*sym.Expr(nil), dims...)
	r[k] = e
	return r
}

// SizedImages sets the type of output 0 to f32, and its shape to s with the height and width that
// are the elements of input 1. It returns an error if the height or width is known to be smaller
// than least.
func SizedImages(c *lower.Shaper, s ir.Shape, least int) error {
	size := ImageSizes2(c, 1)
	if !s.Known || size == nil {
		c.Set(0, tensor.Float32, ir.Shape{})
		return nil
	}
	for _, e := range size {
		if KnownLess(e, least) {
			return tensor.Errorf(tensor.InvalidArgument, "the size is %v; at least %d is required", e, least)
		}
	}
	c.Set(0, tensor.Float32, ir.ShapeOf(s.Dims[0], size[0], size[1], s.Dims[3]))
	return nil
}

// DimsOf reads input i as the dimensions of output 0. Dimensions that may be negative become
// symbols, whose values BindDims checks. DimsOf returns nil without an error if the dimensions are
// unknown.
func DimsOf(c *lower.Shaper, i int) ([]*sym.Expr, error) {
	if r := c.Shape(i).Rank(); r == 0 || r > 1 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "dimensions must be a vector, not of the shape %v", c.Shape(i))
	}
	es, ok := c.Ints(i)
	if !ok {
		return nil, nil
	}
	dims := make([]*sym.Expr, len(es))
	for k, e := range es {
		var err error
		if dims[k], err = SizeOf(c, 0, k, e); err != nil {
			return nil, err
		}
	}
	return dims, nil
}

// BindDims binds the sizes that DimsOf introduced.
func BindDims(b *lower.Builder, i int) {
	es, _ := b.Ints(i)
	for k, e := range es {
		BindSize(b, 0, k, e, "a dimension")
	}
}

// Indices returns input i as i32 or i64.
func Indices(b *lower.Builder, i int) (plan.View, tensor.DType) {
	d := b.InFact(i).DType
	if d != tensor.Int16 {
		return b.In(i), d
	}
	t := b.Temp(tensor.Int32, b.InLen(i))
	b.Call(gather.WidenI16, Writes(t), b.In(i))
	return Reads(t), tensor.Int32
}

// ImageSizes2 returns the two elements of input i. The lowering checks that there are two.
func ImageSizes2(c *lower.Shaper, i int) []*sym.Expr {
	es, _ := IntsN(c, i, 2)
	return es
}

// KnownLess reports whether e is known to be less than n.
func KnownLess(e *sym.Expr, n int) bool { v, ok := e.IsInt(); return ok && v < n }

// FillZero fills v with zeros.
func FillZero(b *lower.Builder, v plan.View) error {
	d := v.Buf.DType
	fn, err := bytype.ArrayFill.Get(d)
	if err != nil {
		return err
	}
	b.Call(fn, v, b.Const("", &tensor.Tensor{DType: d, Shape: tensor.Shape{1}, Data: tensor.MakeSlice(d, 1)}))
	return nil
}
