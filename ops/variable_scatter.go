package ops

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gather"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/kernels/variable"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// variableSliceDefs read and change slices of variables. What indices and shapes
// must be is checked when the variable is at hand.
var variableSliceDefs = []*Def{
	{Name: "ResourceGather", Level: Reads, Flags: Stateful | NoFold, Types: map[string][]tensor.DType{"dtype": dataTypes, "Tindices": indexTypes},
		Shape: varGatherShape, Lower: varGatherLower},
	{Name: "ResourceGatherNd", Level: Reads, Flags: Stateful | NoFold, Types: map[string][]tensor.DType{"dtype": dataTypes, "Tindices": indexTypes},
		Shape: varGatherNdShape, Lower: varGatherNdLower},

	scatterDef("ResourceScatterUpdate", "dtype", dataTypes, variableScatterUpdateKernels),
	scatterDef("ResourceScatterAdd", "dtype", numberTypes, variableScatterAddKernels),
	scatterDef("ResourceScatterSub", "dtype", numberTypes, variableScatterSubKernels),
	scatterDef("ResourceScatterMul", "dtype", numberTypes, variableScatterMulKernels),
	scatterDef("ResourceScatterDiv", "dtype", numberTypes, variableScatterDivKernels),
	scatterDef("ResourceScatterMin", "dtype", realTypes, variableScatterMinKernels),
	scatterDef("ResourceScatterMax", "dtype", realTypes, variableScatterMaxKernels),
	scatterDef("ResourceScatterNdUpdate", "T", dataTypes, variableScatterUpdateKernels),
	scatterDef("ResourceScatterNdAdd", "T", addTypes, variableScatterAddKernels),
	scatterDef("ResourceScatterNdSub", "T", numberTypes, variableScatterSubKernels),
	scatterDef("ResourceScatterNdMin", "T", realTypes, variableScatterMinKernels),
	scatterDef("ResourceScatterNdMax", "T", realTypes, variableScatterMaxKernels),

	scatterDef("ScatterUpdate", "T", dataTypes, variableScatterUpdateKernels),
	scatterDef("ScatterAdd", "T", numberTypes, variableScatterAddKernels),
	scatterDef("ScatterSub", "T", numberTypes, variableScatterSubKernels),
	scatterDef("ScatterMul", "T", numberTypes, variableScatterMulKernels),
	scatterDef("ScatterDiv", "T", numberTypes, variableScatterDivKernels),
	scatterDef("ScatterMin", "T", realTypes, variableScatterMinKernels),
	scatterDef("ScatterMax", "T", realTypes, variableScatterMaxKernels),
	scatterDef("ScatterNdUpdate", "T", dataTypes, variableScatterUpdateKernels),
	scatterDef("ScatterNdAdd", "T", addTypes, variableScatterAddKernels),
	scatterDef("ScatterNdSub", "T", numberTypes, variableScatterSubKernels),
	scatterDef("ScatterNdMin", "T", realTypes, variableScatterMinKernels),
	scatterDef("ScatterNdMax", "T", realTypes, variableScatterMaxKernels),

	{Name: "ResourceStridedSliceAssign", Flags: changes, Types: map[string][]tensor.DType{"T": dataTypes, "Index": {tensor.Int32, tensor.Int64, tensor.Int16}},
		Shape: sliceAssignShape, Lower: sliceAssignLower},
	{Name: "StridedSliceAssign", Flags: changes, Types: map[string][]tensor.DType{"T": dataTypes, "Index": {tensor.Int32, tensor.Int64, tensor.Int16}},
		Shape: sliceAssignShape, Lower: sliceAssignLower},
}

var addTypes = append([]tensor.DType{tensor.Bool}, numberTypes...)

func scatterDef(name, attr string, types []tensor.DType, t kernelTable) *Def {
	return &Def{Name: name, Flags: changes, Types: map[string][]tensor.DType{attr: types, "Tindices": indexTypes},
		Shape: varScatterShape, Lower: varScatterLower(t)}
}

// varGatherShape: ResourceGather(resource, indices), attribute batch_dims: slices
// of the axis behind the batch.
func varGatherShape(c *Shaper) error {
	d, v := c.variable(0)
	ix := c.Shape(1)
	if !v.Known || !ix.Known {
		c.unknownShape(0, d)
		return nil
	}
	if len(v.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "the variable must be at least a vector, not a scalar")
	}
	batch, err := batchDims(c.Node, v, ix)
	if err != nil {
		return err
	}
	dims := append([]*sym.Expr(nil), v.Dims[:batch]...)
	for k := range batch {
		if dims[k], err = sameDim(v.Dims[k], ix.Dims[k], "batch dimensions of the variable and indices"); err != nil {
			return err
		}
	}
	c.Set(0, d, ir.ShapeOf(append(append(dims, ix.Dims[batch:]...), v.Dims[batch+1:]...)...))
	return nil
}

// gathered returns the variable of input 0, its shape and that of the indices, input 1.
func (b *Builder) gathered() (v plan.View, dims, ix []*sym.Expr, err error) {
	if err = b.ranked(1); err == nil {
		v, dims, err = b.variable(0, false)
	}
	return v, dims, b.InShape(1), err
}

func varGatherLower(b *Builder) error {
	v, dims, ix, err := b.gathered()
	if err != nil {
		return err
	}
	batch, err := batchDims(b.Node, ir.ShapeOf(dims...), ir.ShapeOf(ix...))
	if err != nil {
		return err
	}
	for k := range batch {
		if !dims[k].Equal(ix[k]) {
			b.Check(shape.Equal, dims[k], ix[k], "batch dimensions of the variable and indices")
		}
	}
	idx, it := b.indices(1)
	fn, err := variableGatherKernels.get(b.OutFact(0).DType, it)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), v, idx, dims, plan.Lit(gather.Params{}, "Batch", sym.Product(dims[:batch]), "Outer", sym.One,
		"Limit", dims[batch], "N", sym.Product(ix[batch:]), "Inner", sym.Product(dims[batch+1:])))
	return nil
}

// varGatherNdShape: ResourceGatherNd(resource, indices): the last axis of indices
// is a position in the variable's first axes.
func varGatherNdShape(c *Shaper) error {
	d, v := c.variable(0)
	ix := c.Shape(1)
	if !v.Known || !ix.Known {
		c.unknownShape(0, d)
		return nil
	}
	if len(v.Dims) == 0 || len(ix.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "the variable and indices must be at least vectors, not of the shapes %v and %v", v, ix)
	}
	depth, ok := ix.Dims[len(ix.Dims)-1].IsInt()
	switch {
	case !ok:
		c.unknownShape(0, d)
	case depth > len(v.Dims):
		return tensor.Errorf(tensor.InvalidArgument, "indices of %d elements into a variable of rank %d", depth, len(v.Dims))
	default:
		c.Set(0, d, ir.ShapeOf(append(append([]*sym.Expr{}, ix.Dims[:len(ix.Dims)-1]...), v.Dims[depth:]...)...))
	}
	return nil
}

func varGatherNdLower(b *Builder) error {
	if !b.OutFact(0).Shape.Known {
		return unknownRank(b.Node, 0)
	}
	v, dims, ix, err := b.gathered()
	if err != nil {
		return err
	}
	depth, _ := ix[len(ix)-1].IsInt()
	idx, it := b.indices(1)
	fn, err := variableGatherNdKernels.get(b.OutFact(0).DType, it)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), v, idx, dims, depth, sym.Product(ix[:len(ix)-1]), sym.Product(dims[depth:]))
	return nil
}

// varScatterShape: (variable, indices, updates).
func varScatterShape(c *Shaper) error {
	refOut(c)
	if d, _ := handleFact(c.Node.Ins[0]); d != tensor.Invalid && d != c.In(2).DType {
		return tensor.Errorf(tensor.InvalidArgument, "updates of %v for a variable of %v", c.In(2).DType, d)
	}
	v, ix, u := c.declared(0), c.Shape(1), c.Shape(2)
	if isNd(c.Node.Op) {
		return scatterNdFits(v, ix, u)
	}
	if !v.Known || !ix.Known || u.Rank() == 0 { // a scalar goes everywhere
		return nil
	}
	if len(v.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "the variable is a scalar, it has no slices")
	}
	return fits("the shape of updates", u, "that of the slices", ir.ShapeOf(append(slices.Clone(ix.Dims), v.Dims[1:]...)...))
}

// scatterNdFits compares updates with the indices and the variable v, whose dimensions may be
// nil, as far as the three are known.
func scatterNdFits(v, ix, u ir.Shape) error {
	if ix.Rank() == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "indices must be at least a vector")
	}
	if u.Rank() == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "updates must be at least a vector")
	}
	if !ix.Known || !u.Known {
		return nil
	}
	last := len(ix.Dims) - 1
	if len(u.Dims) < last {
		return tensor.Errorf(tensor.InvalidArgument, "updates %v do not fit indices %v", u, ix)
	}
	if err := fits("the outer part of updates", ir.ShapeOf(u.Dims[:last]...), "that of indices", ir.ShapeOf(ix.Dims[:last]...)); err != nil {
		return err
	}
	depth, static := ix.Dims[last].IsInt()
	if !v.Known || !static {
		return nil
	}
	return fits("the inner part of updates", ir.ShapeOf(u.Dims[last:]...), "a slice of the variable", ir.ShapeOf(v.Dims[min(depth, len(v.Dims)):]...))
}

func varScatterLower(t kernelTable) func(b *Builder) error {
	return func(b *Builder) error {
		if err := b.ranked(1, 2); err != nil {
			return err
		}
		idx, it := b.indices(1)
		fn, err := t.get(b.InFact(2).DType, it)
		if err != nil {
			return err
		}
		p := variable.ScatterParams{Nd: isNd(b.Node.Op)}
		if p.Lenient, err = lenient(b.Node); err != nil {
			return err
		}
		b.Call(fn, b.In(0), b.In(2), idx, b.InShape(1), b.InShape(2), p)
		b.refOut()
		return nil
	}
}

func isNd(op string) bool {
	switch op {
	case "ResourceScatterNdUpdate", "ResourceScatterNdAdd", "ResourceScatterNdSub", "ResourceScatterNdMin", "ResourceScatterNdMax",
		"ScatterNdUpdate", "ScatterNdAdd", "ScatterNdSub", "ScatterNdMin", "ScatterNdMax":
		return true
	}
	return false
}

// sliceAssignShape: (variable, begin, end, strides, value), with StridedSlice's masks.
func sliceAssignShape(c *Shaper) error {
	refOut(c)
	for i := 1; i < 4; i++ {
		if _, err := c.WithRank(i, 1); err != nil {
			return err
		}
	}
	if d, _ := handleFact(c.Node.Ins[0]); d != tensor.Invalid && d != c.In(4).DType {
		return tensor.Errorf(tensor.InvalidArgument, "a value of %v for a variable of %v", c.In(4).DType, d)
	}
	return c.oneEllipsis()
}

func sliceAssignLower(b *Builder) error {
	var at [3]plan.View
	it := tensor.Invalid
	if err := b.ranked(1, 2, 3, 4); err != nil {
		return err
	}
	for i := range at {
		at[i], it = b.indices(i + 1)
	}
	fn, err := variableStridedAssignKernels.get(b.InFact(4).DType, it)
	if err != nil {
		return err
	}
	n := b.Node
	b.Call(fn, b.In(0), b.In(4), at[0], at[1], at[2], b.InShape(4), variable.StridedParams{Begin: n.Int("begin_mask"), End: n.Int("end_mask"),
		Ellipsis: n.Int("ellipsis_mask"), NewAxis: n.Int("new_axis_mask"), Shrink: n.Int("shrink_axis_mask")})
	b.refOut()
	return nil
}
