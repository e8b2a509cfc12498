package index

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gather"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gatherDefs read slices at given indices.
var gatherDefs = []*lower.Def{
	{Name: "GatherV2", Traits: lower.KeepsDigits, Types: map[string][]tensor.DType{"Tparams": kit.DataTypes, "Tindices": IndexTypes}, Shape: gatherShape, Lower: gatherLower},
	{Name: "Gather", Traits: lower.KeepsDigits, Types: map[string][]tensor.DType{"Tparams": kit.DataTypes, "Tindices": IndexTypes}, Shape: gatherShape, Lower: gatherLower},
	{Name: "GatherNd", Traits: lower.KeepsDigits, Types: map[string][]tensor.DType{"Tparams": kit.DataTypes, "Tindices": IndexTypes}, Shape: gatherNdShape, Lower: gatherNdLower},
}

// IndexTypes are the types of indices; i16 indices are widened first.
var IndexTypes = []tensor.DType{tensor.Int32, tensor.Int64, tensor.Int16}

// gatherAxis returns the axis of a GatherV2. ok is false if the axis is known only at run time.
func gatherAxis(c *lower.Shaper) (axis int, e *sym.Expr, ok bool, err error) {
	batch := c.Node.Int("batch_dims")
	if c.Node.Op != "GatherV2" || c.NumIn() < 3 {
		return 0, nil, true, nil
	}
	e, known, err := kit.OneInt(c, 2, "the axis")
	if err != nil {
		return 0, nil, false, err
	}
	if !known {
		return 0, nil, false, tensor.Errorf(tensor.Unimplemented, "the axis must be a scalar")
	}
	axis, ok = e.IsInt()
	if x := c.Shape(0); ok && x.Known {
		if axis, err = lower.Axis(axis, len(x.Dims)); err != nil {
			return 0, nil, false, err
		}
		if r := c.Shape(1).Rank(); batch < 0 && r >= 0 {
			batch += r
		}
		if axis < batch {
			return 0, nil, false, tensor.Errorf(tensor.InvalidArgument, "batch_dims %d exceeds the axis %d", batch, axis)
		}
	}
	return axis, e, ok, nil
}

// BatchDims returns the number of batch dimensions given by the attribute batch_dims. A negative
// value of the attribute counts from the rank of the indices.
func BatchDims(n *ir.Node, x, ix ir.Shape) (int, error) {
	b := n.Int("batch_dims")
	if b < 0 {
		b += len(ix.Dims)
	}
	if b < 0 || b > len(ix.Dims) || b > len(x.Dims) || b == len(x.Dims) && b > 0 {
		return 0, tensor.Errorf(tensor.InvalidArgument, "batch_dims %d does not fit params %v and indices %v", n.Int("batch_dims"), x, ix)
	}
	return b, nil
}

// gatherShape infers the result of GatherV2 and Gather. The inputs are params, indices and, for
// GatherV2, axis. Gather uses axis 0. The attribute batch_dims is the number of batch dimensions.
func gatherShape(c *lower.Shaper) error {
	x, ix := c.Shape(0), c.Shape(1)
	d := c.In(0).DType
	if !x.Known || !ix.Known {
		c.UnknownShape(0, d)
		return nil
	}
	if len(x.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "params must be at least a vector, not a scalar")
	}
	batch, err := BatchDims(c.Node, x, ix)
	if err != nil {
		return err
	}
	axis, _, ok, err := gatherAxis(c)
	if err != nil {
		return err
	}
	if !ok {
		dims := make([]*sym.Expr, len(x.Dims)-1+len(ix.Dims)-batch)
		for k := range dims {
			dims[k] = c.NewSizeK(0, k)
		}
		c.Set(0, d, ir.ShapeOf(dims...))
		return nil
	}
	dims := append([]*sym.Expr(nil), x.Dims[:axis]...)
	for k := range batch {
		if dims[k], err = kit.JoinDim(x.Dims[k], ix.Dims[k], "batch dimensions of params and indices"); err != nil {
			return err
		}
	}
	dims = append(append(dims, ix.Dims[batch:]...), x.Dims[axis+1:]...)
	c.Set(0, d, ir.ShapeOf(dims...))
	if es := c.In(0).Ints; es != nil && len(x.Dims) == 1 && len(ix.Dims) <= 1 && batch == 0 {
		if at, ok := c.StaticInts(1); ok {
			out := make([]*sym.Expr, len(at))
			for i, k := range at {
				if k < 0 || k >= len(es) {
					return tensor.Errorf(tensor.InvalidArgument, "indices[%d] = %d is not in [0, %d)", i, k, len(es))
				}
				out[i] = es[k]
			}
			c.SetInts(0, out)
		}
	}
	return nil
}

// gatherSizes returns the parameters Batch, Outer, Limit, N and Inner of a gather. It checks and
// binds values known only at run time.
func gatherSizes(b *lower.Builder) (s [5]*sym.Expr, err error) {
	c := b.Shaper()
	x, ix := b.InShape(0), b.InShape(1)
	batch, err := BatchDims(b.Node, ir.ShapeOf(x...), ir.ShapeOf(ix...))
	if err != nil {
		return s, err
	}
	if b.NumIn() > 2 {
		kit.CheckLen(b, 2, 1)
	}
	axis, e, ok, err := gatherAxis(c)
	if err != nil {
		return s, err
	}
	for k := range batch {
		if !x[k].Equal(ix[k]) {
			b.Check(shape.Equal, x[k], ix[k], "batch dimensions of params and indices")
		}
	}
	var outer, limit, inner *sym.Expr
	if ok {
		outer, limit, inner = sym.Product(x[batch:axis]), x[axis], sym.Product(x[axis+1:])
	} else {
		for k := range b.OutShape(0) {
			b.CallSizes(gather.Dim, []*sym.Expr{b.NewSizeK(0, k)}, e, x, ix, batch, k)
		}
		outer, limit, inner = b.NewSizeK(0, lower.ExtraSize), b.NewSizeK(0, lower.ExtraSize+1), b.NewSizeK(0, lower.ExtraSize+2)
		b.CallSizes(gather.Split, []*sym.Expr{outer, limit, inner}, e, x, batch)
	}
	return [5]*sym.Expr{sym.Product(x[:batch]), outer, limit, sym.Product(ix[batch:]), inner}, nil
}

// gatherByWeights returns the kernels that gather rows from a table, one kernel for each format of
// the weights in the table. All of these kernels have indices of the given type.
func gatherByWeights(indices tensor.DType) *lower.ByWeights {
	by := &lower.ByWeights{Table: true, Depth: rowLen}
	for w, d := range [...]tensor.DType{tensor.Float32, tensor.Half, tensor.BFloat16, tensor.Int8} {
		by.Fns[w] = bytype.GatherGather[[2]tensor.DType{d, indices}]
	}
	return by
}

// rowLen returns the length of a table's rows. It returns 0 if the length is unknown, or if the
// call does not gather whole rows.
func rowLen(p plan.Struct) int {
	if lower.StructInt(p, "Batch") != 1 || lower.StructInt(p, "Outer") != 1 {
		return 0
	}
	return lower.StructInt(p, "Inner")
}

func gatherLower(b *lower.Builder) error {
	s, err := gatherSizes(b)
	if err != nil {
		return err
	}
	idx, it := kit.Indices(b, 1)
	fn, err := bytype.GatherGather.Get(b.InFact(0).DType, it)
	if err != nil {
		return err
	}
	q := plan.Lit(gather.Params{}, "Batch", s[0], "Outer", s[1], "Limit", s[2], "N", s[3], "Inner", s[4])
	if b.InFact(0).DType == tensor.Float32 {
		b.Step(b.Weigh(lower.Weighing{By: gatherByWeights(it), Out: b.Out(0), Weights: b.In(0), In: idx, Params: q}))
		return nil
	}
	b.Call(fn, b.Out(0), b.In(0), idx, q)
	return nil
}

// gatherNdShape infers the result of GatherNd, whose inputs are params and indices. Each row along
// the last axis of indices is a position in the first axes of params.
func gatherNdShape(c *lower.Shaper) error {
	x, ix := c.Shape(0), c.Shape(1)
	if !x.Known || !ix.Known {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	if len(x.Dims) == 0 || len(ix.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "params and indices must be at least vectors, not of the shapes %v and %v", x, ix)
	}
	depth, ok := ix.Dims[len(ix.Dims)-1].IsInt()
	if !ok {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	if depth > len(x.Dims) {
		return tensor.Errorf(tensor.InvalidArgument, "index innermost dimension length must be <= params rank; saw: %d vs. %d", depth, len(x.Dims))
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(append(append([]*sym.Expr{}, ix.Dims[:len(ix.Dims)-1]...), x.Dims[depth:]...)...))
	return nil
}

func gatherNdLower(b *lower.Builder) error {
	x, ix := b.InShape(0), b.InShape(1)
	depth, _ := ix[len(ix)-1].IsInt()
	idx, it := kit.Indices(b, 1)
	fn, err := bytype.GatherGatherNd.Get(b.InFact(0).DType, it)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), idx, x[:depth], sym.Product(ix[:len(ix)-1]), sym.Product(x[depth:]))
	return nil
}
