package kit

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// IntsN is like Ints, for an input that must have n elements. If their number is unknown at compile
// time, the elements become symbols, and CheckLen checks the number at run time.
func IntsN(c *lower.Shaper, i, n int) ([]*sym.Expr, bool) {
	if es, ok := c.Ints(i); ok {
		return es, true
	}
	f := c.In(i)
	if f.DType != tensor.Int32 && f.DType != tensor.Int64 || f.Shape.Rank() != 1 || n > ir.MaxInts {
		return nil, false
	}
	if _, static := f.Shape.Dims[0].IsInt(); static {
		return nil, false
	}
	f.Ints = make([]*sym.Expr, n)
	for k := range f.Ints {
		f.Ints[k] = c.Graph.FreshSymbol(c.Node.Ins[i], k)
	}
	return f.Ints, true
}

// Ranked returns the error UnknownRank for the first of the given inputs whose rank is unknown. It
// returns nil if all of these inputs have known ranks.
func Ranked(b *lower.Builder, is ...int) error {
	for _, i := range is {
		if o := b.Node.Ins[i]; !o.Fact().Shape.Known {
			return lower.UnknownRank(o.Node, o.Index)
		}
	}
	return nil
}

// CheckLen checks the number of elements that IntsN assumed.
func CheckLen(b *lower.Builder, i, n int) {
	if s := b.InFact(i).Shape; s.Rank() == 1 && !s.Dims[0].Is(n) {
		b.Check(shape.Equal, s.Dims[0], n, "the number of elements of an integer input")
	}
}

// OneInt returns the element of input i, a scalar, as an expression. It returns InvalidArgument if
// the input is not a scalar. The result ok is false if the rank of the input is unknown.
func OneInt(c *lower.Shaper, i int, what string) (e *sym.Expr, ok bool, err error) {
	if err := c.ScalarOr(i, what); err != nil {
		return nil, false, err
	}
	return OneElement(c, i, what)
}

// FedInt returns the only element of input i, as OneInt does. It is for inputs for which
// TensorFlow's shape function requires a scalar, but TensorFlow's kernel accepts any tensor of one
// element. Therefore FedInt rejects a constant that is not a scalar, but accepts a fed tensor of
// one element.
func FedInt(c *lower.Shaper, i int, what string) (e *sym.Expr, ok bool, err error) {
	if c.In(i).Const != nil {
		return OneInt(c, i, what)
	}
	return OneElement(c, i, what)
}

// OneElement returns the only element of input i as an expression. It returns InvalidArgument if
// the input has another number of elements. The result ok is false if the rank of the input is
// unknown. A vector of unknown length is assumed to have one element, and CheckLen checks this at
// run time.
func OneElement(c *lower.Shaper, i int, what string) (e *sym.Expr, ok bool, err error) {
	es, ok := IntsN(c, i, 1)
	if !ok {
		if s := c.Shape(i); s.Rank() > 1 {
			return nil, false, tensor.Errorf(tensor.InvalidArgument, "%s must be a scalar, not of the shape %v", what, s)
		}
		return nil, false, nil
	}
	if len(es) != 1 {
		return nil, false, tensor.Errorf(tensor.InvalidArgument, "%s must have one element, not %d", what, len(es))
	}
	return es[0], true, nil
}

// MixedInts returns the elements of the inputs [lo, hi) one after the other if at least one input
// is known. Unknown elements become symbols.
func MixedInts(c *lower.Shaper, lo, hi int) ([]*sym.Expr, bool) {
	any := false
	for i := lo; i < hi; i++ {
		any = any || c.In(i).Ints != nil
	}
	if !any {
		return nil, false
	}
	var out []*sym.Expr
	for i := lo; i < hi; i++ {
		es, ok := c.Ints(i)
		if !ok || len(out)+len(es) > ir.MaxInts {
			return nil, false
		}
		out = append(out, es...)
	}
	return out, true
}

// RowInts returns the elements, row by row, of the matrix that joins the inputs [lo, hi) along the given axis. Each
// input is a matrix, or a vector that stands for a matrix with one row (axis 0) or one column (axis 1). RowInts
// returns false if some elements are unknown.
func RowInts(c *lower.Shaper, lo, hi, axis int) ([]*sym.Expr, bool) {
	rows, total := 1, 0
	parts := make([][]*sym.Expr, 0, hi-lo)
	for i := lo; i < hi; i++ {
		es, ok := c.Elements(i)
		if !ok {
			return nil, false
		}
		parts = append(parts, es)
		total += len(es)
		if axis == 1 {
			n, ok := c.Shape(i).Dims[0].IsInt()
			if !ok || n < 1 || i > lo && n != rows || len(es)%n != 0 {
				return nil, false
			}
			rows = n
		}
	}
	if total > ir.MaxInts {
		return nil, false
	}
	out := make([]*sym.Expr, 0, total)
	for r := range rows {
		for _, es := range parts {
			n := len(es) / rows
			out = append(out, es[r*n:(r+1)*n]...)
		}
	}
	return out, true
}

// Keep copies the values of input j to output i, which has the same elements in the same order. Set
// must have set the output's shape.
func Keep(c *lower.Shaper, i, j int) {
	in, out := c.In(j), &c.Node.Outs[i]
	if r := out.Shape.Rank(); in.Ints != nil && r >= 0 && r <= 2 {
		out.Ints = in.Ints
	}
	if in.Const == nil {
		return
	}
	if s, ok := out.Shape.Static(); ok {
		if n, err := s.Len(); err == nil && n == in.Const.Len() {
			out.Const = &tensor.Tensor{DType: in.Const.DType, Shape: s, Data: in.Const.Data}
		}
	}
}
