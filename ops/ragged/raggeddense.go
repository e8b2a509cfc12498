package ragged

import (
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/ragged"
	"github.com/graphc/graphc/lower"
	arrayops "github.com/graphc/graphc/ops/array"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// rowPartitions parses attribute row_partition_types. head reports whether the first partition is
// FIRST_DIM_SIZE, the number of rows. kinds describes all other partitions, with one character for
// each as in ragged.DenseParams.
func rowPartitions(n *ir.Node) (head bool, kinds string, err error) {
	types, _ := n.Attrs["row_partition_types"].([]string)
	var b strings.Builder
	for i, t := range types {
		switch t {
		case "FIRST_DIM_SIZE":
			if i > 0 {
				return false, "", tensor.Errorf(tensor.InvalidArgument, "FIRST_DIM_SIZE must be first")
			}
			head = true
		case "VALUE_ROWIDS":
			b.WriteByte('R')
		case "ROW_SPLITS":
			b.WriteByte('S')
		default:
			return false, "", tensor.Errorf(tensor.InvalidArgument, "Unsupported partition type: %q", t)
		}
	}
	kinds = b.String()
	switch {
	case len(types) == 0:
		err = tensor.Errorf(tensor.InvalidArgument, "Partition info types should not be empty")
	case head && (kinds == "" || kinds[0] != 'R'):
		err = tensor.Errorf(tensor.InvalidArgument, "FIRST_DIM_SIZE must be followed by VALUE_ROWIDS")
	case !head && kinds[0] == 'R':
		err = tensor.Errorf(tensor.InvalidArgument, "VALUE_ROWIDS cannot be first")
	case len(types) != len(n.Ins)-3:
		err = tensor.Errorf(tensor.InvalidArgument, "Number of row partition tensors (%d) does not equal the number of row partition types (%d).", len(n.Ins)-3, len(types))
	}
	return head, kinds, err
}

// raggedToTensorShape infers the shape of the output of RaggedTensorToTensor(shape, values,
// default, partitions…), which converts a ragged tensor to a dense tensor of the given shape. Rows
// that are too long are cut off. Rows that are too short are padded with the default, which is
// broadcast to the shape of a value. A dimension of -1 in the input shape means the length of the
// longest row in that dimension. If the input shape is the scalar -1, this applies to all
// dimensions.
func raggedToTensorShape(c *lower.Shaper) error {
	head, kinds, err := rowPartitions(c.Node)
	if err != nil {
		return err
	}
	first := 3
	if head {
		if s := c.Shape(3); s.Rank() > 0 {
			return tensor.Errorf(tensor.InvalidArgument, "FIRST_DIM_SIZE must be a scalar.")
		}
		first++
	}
	if err := partitions(c, first, len(kinds)); err != nil {
		return err
	}
	want, v, def := c.Shape(0), c.Shape(1), c.Shape(2)
	if want.Rank() > 1 {
		return tensor.Errorf(tensor.InvalidArgument, "shape must be a vector, or the scalar -1, not of the shape %v", want)
	}
	if v.Known && def.Known {
		if len(def.Dims) >= len(v.Dims) {
			return tensor.Errorf(tensor.InvalidArgument, "default_value.rank = %d must be less than rt_input.flat_values.rank = %d", len(def.Dims), len(v.Dims))
		}
		for i, d := range def.Dims {
			if !d.Is(1) && lower.Differ(d, v.Dims[i+1]) {
				return tensor.Errorf(tensor.InvalidArgument, "default_value %v does not broadcast to a value of %v", def, v)
			}
		}
	}
	d := c.In(1).DType
	es := c.In(0).Ints
	if vs, ok := c.StaticInts(0); ok && es == nil {
		for _, v := range vs {
			es = append(es, sym.Int(v))
		}
	}
	for _, e := range es {
		if n, ok := e.IsInt(); ok && n < -1 {
			return tensor.Errorf(tensor.InvalidArgument, "Dimension %d must be >= -1", n)
		} else if ok && want.Rank() == 0 && n != -1 {
			return tensor.Errorf(tensor.InvalidArgument, "The only valid scalar shape tensor is the fully unknown shape specified as -1.")
		}
	}
	rank := -1
	if v.Known {
		rank = len(kinds) + len(v.Dims)
		if want.Rank() == 1 {
			if n, ok := want.Dims[0].IsInt(); ok && n != rank {
				return tensor.Errorf(tensor.InvalidArgument, "rt_input.rank = %d but shape.rank = %d", rank, n)
			}
		}
	}
	if rank < 0 {
		c.UnknownShape(0, d)
		return nil
	}
	dims := make([]*sym.Expr, rank)
	for k := range dims {
		var e *sym.Expr // the dimension in the input shape; nil if that input is unknown or may be -1
		any := want.Rank() == 0
		if len(es) == rank && want.Rank() == 1 {
			if n, ok := es[k].IsInt(); ok && n < 0 {
				any = true
			} else if ok || es[k].NonNegative() {
				e = es[k]
			}
		}
		switch {
		case k > len(kinds):
			if dims[k] = v.Dims[k-len(kinds)]; e != nil {
				if _, err := kit.JoinDim(dims[k], e, "rt_input.shape and shape are incompatible"); err != nil {
					return err
				}
			}
		case e != nil:
			dims[k] = e
		case k == 0 && any:
			if dims[k], err = raggedRows(c, head); err != nil {
				return err
			}
		default:
			dims[k] = c.NewSizeK(0, k)
		}
	}
	c.Set(0, d, ir.ShapeOf(dims...))
	return nil
}

// raggedRows returns the number of rows. It is the value of input 3 if head is true; otherwise,
// input 3 holds the row splits. If the number of rows is known only at run time, raggedRows returns
// a symbol for it, which is a symbolic size of output 0.
func raggedRows(c *lower.Shaper, head bool) (*sym.Expr, error) {
	if s := c.Shape(3); !head && s.Rank() == 1 {
		if n, ok := s.Dims[0].IsInt(); ok && n < 1 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "Invalid first partition input. Tensor requires at least one element.")
		}
		return s.Dims[0].AddInt(-1), nil
	}
	if es := c.In(3).Ints; head && len(es) == 1 && es[0].NonNegative() {
		return es[0], nil
	}
	return c.NewSizeK(0, 0), nil
}

func raggedToTensorLower(b *lower.Builder) error {
	head, kinds, err := rowPartitions(b.Node)
	if err != nil {
		return err
	}
	if err := kit.Ranked(b, 0, 1, 2); err != nil {
		return err
	}
	p := ragged.DenseParams{Kinds: kinds, Scalar: len(b.InShape(0)) == 0}
	first, q := 3, plan.Lit(p)
	if head {
		if err := kit.Ranked(b, 3); err != nil {
			return err
		}
		first, q = 4, plan.Lit(p, "Head", kit.AsInt64(b, b.In(3)))
	} else if err := kit.AtLeast(b, b.InLen(3), 1, "the number of row splits"); err != nil {
		return err
	}
	for k := range len(kinds) {
		if err := kit.Ranked(b, first+k); err != nil {
			return err
		}
	}
	want := kit.AsInt64(b, b.In(0))
	parts, lens := wideIns(b, first, len(kinds))
	v, def, out := b.InShape(1), b.InShape(2), b.OutShape(0)
	b.Call(ragged.DenseCheck, want, parts, lens, v, def, q)
	b.FindSizes(0, func(k int, size []*sym.Expr) {
		b.CallSizes(ragged.DenseDim, size, want, parts, lens, q, k)
	})
	fill, err := raggedDefault(b, v[1:])
	if err != nil {
		return err
	}
	room := arrayops.None(b, tensor.Int64)
	if len(kinds) > 1 {
		n := b.NewSizeK(0, len(out))
		b.CallSizes(ragged.DenseRoom, []*sym.Expr{n}, parts, lens, p)
		room = b.Temp(tensor.Int64, n.MulInt(2))
	}
	d := b.OutFact(0).DType
	b.Call(lower.ByKind(d, ragged.DenseRaw, ragged.DenseStr, nil), b.Raw(b.Out(0)), b.Raw(b.In(1)), b.Raw(fill), parts, lens,
		out[:len(kinds)+1], RawLen(d, v[1:]), q, room)
	return nil
}

// raggedDefault returns the default value of RaggedTensorToTensor. It has either one element, or as
// many elements as a value, which has the dimensions dims.
func raggedDefault(b *lower.Builder, dims []*sym.Expr) (plan.View, error) {
	def, n := b.InShape(2), b.InLen(2)
	if n.Is(1) || n.Equal(sym.Product(dims)) {
		return b.In(2), nil
	}
	fn, err := bytype.ArrayBroadcast.Get(b.InFact(2).DType)
	if err != nil {
		return plan.View{}, err
	}
	if len(dims) > array.MaxRank {
		return plan.View{}, b.Errorf(tensor.Unimplemented, "a default value of %d axes; at most %d are supported", len(dims), array.MaxRank)
	}
	padded := make([]*sym.Expr, len(dims))
	for k := range dims {
		if padded[k] = sym.One; k >= len(dims)-len(def) {
			padded[k] = def[k-len(dims)+len(def)]
		}
	}
	t := b.Temp(b.InFact(2).DType, sym.Product(dims))
	b.Call(fn, t, b.In(2), dims, padded)
	t.Mode = plan.Read
	return t, nil
}
