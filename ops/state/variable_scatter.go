package state

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gather"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/kernels/variable"
	"github.com/graphc/graphc/lower"
	arrayops "github.com/graphc/graphc/ops/array"
	"github.com/graphc/graphc/ops/bytype"
	indexops "github.com/graphc/graphc/ops/index"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// variableSliceDefs read and change slices of variables. Indices and shapes are checked when the
// variable is available.
var variableSliceDefs = []*lower.Def{
	{Name: "ResourceGather", Level: lower.Reads, Flags: lower.Leaves | lower.Stateful | lower.NoFold, Types: map[string][]tensor.DType{"dtype": kit.DataTypes, "Tindices": indexops.IndexTypes},
		Shape: varGatherShape, Lower: varGatherLower},
	{Name: "ResourceGatherNd", Level: lower.Reads, Flags: lower.Leaves | lower.Stateful | lower.NoFold, Types: map[string][]tensor.DType{"dtype": kit.DataTypes, "Tindices": indexops.IndexTypes},
		Shape: varGatherNdShape, Lower: varGatherNdLower},

	scatterDef("ResourceScatterUpdate", "dtype", kit.DataTypes, bytype.VariableScatterUpdate),
	scatterDef("ResourceScatterAdd", "dtype", kit.NumberTypes, bytype.VariableScatterAdd),
	scatterDef("ResourceScatterSub", "dtype", kit.NumberTypes, bytype.VariableScatterSub),
	scatterDef("ResourceScatterMul", "dtype", kit.NumberTypes, bytype.VariableScatterMul),
	scatterDef("ResourceScatterDiv", "dtype", kit.NumberTypes, bytype.VariableScatterDiv),
	scatterDef("ResourceScatterMin", "dtype", indexops.RealTypes, bytype.VariableScatterMin),
	scatterDef("ResourceScatterMax", "dtype", indexops.RealTypes, bytype.VariableScatterMax),
	scatterDef("ResourceScatterNdUpdate", "T", kit.DataTypes, bytype.VariableScatterUpdate),
	scatterDef("ResourceScatterNdAdd", "T", addTypes, bytype.VariableScatterAdd),
	scatterDef("ResourceScatterNdSub", "T", kit.NumberTypes, bytype.VariableScatterSub),
	scatterDef("ResourceScatterNdMin", "T", indexops.RealTypes, bytype.VariableScatterMin),
	scatterDef("ResourceScatterNdMax", "T", indexops.RealTypes, bytype.VariableScatterMax),

	scatterDef("ScatterUpdate", "T", kit.DataTypes, bytype.VariableScatterUpdate),
	scatterDef("ScatterAdd", "T", kit.NumberTypes, bytype.VariableScatterAdd),
	scatterDef("ScatterSub", "T", kit.NumberTypes, bytype.VariableScatterSub),
	scatterDef("ScatterMul", "T", kit.NumberTypes, bytype.VariableScatterMul),
	scatterDef("ScatterDiv", "T", kit.NumberTypes, bytype.VariableScatterDiv),
	scatterDef("ScatterMin", "T", indexops.RealTypes, bytype.VariableScatterMin),
	scatterDef("ScatterMax", "T", indexops.RealTypes, bytype.VariableScatterMax),
	scatterDef("ScatterNdUpdate", "T", kit.DataTypes, bytype.VariableScatterUpdate),
	scatterDef("ScatterNdAdd", "T", addTypes, bytype.VariableScatterAdd),
	scatterDef("ScatterNdSub", "T", kit.NumberTypes, bytype.VariableScatterSub),
	scatterDef("ScatterNdMin", "T", indexops.RealTypes, bytype.VariableScatterMin),
	scatterDef("ScatterNdMax", "T", indexops.RealTypes, bytype.VariableScatterMax),

	{Name: "ResourceStridedSliceAssign", Flags: kit.Changes, Types: map[string][]tensor.DType{"T": kit.DataTypes, "Index": {tensor.Int32, tensor.Int64, tensor.Int16}},
		Shape: sliceAssignShape, Lower: sliceAssignLower},
	{Name: "StridedSliceAssign", Flags: kit.Changes, Types: map[string][]tensor.DType{"T": kit.DataTypes, "Index": {tensor.Int32, tensor.Int64, tensor.Int16}},
		Shape: sliceAssignShape, Lower: sliceAssignLower},
}

var addTypes = append([]tensor.DType{tensor.Bool}, kit.NumberTypes...)

func scatterDef(name, attr string, types []tensor.DType, t bytype.Table) *lower.Def {
	return &lower.Def{Name: name, Flags: kit.Changes, Types: map[string][]tensor.DType{attr: types, "Tindices": indexops.IndexTypes},
		Shape: varScatterShape, Lower: varScatterLower(t)}
}

// varGatherShape infers the shape of the output of ResourceGather(resource, indices). Attribute
// batch_dims is the number of batch dimensions. The indices select slices along the first axis
// after them.
func varGatherShape(c *lower.Shaper) error {
	d, v := c.Variable(0)
	ix := c.Shape(1)
	if !v.Known || !ix.Known {
		c.UnknownShape(0, d)
		return nil
	}
	if len(v.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "the variable must be at least a vector, not a scalar")
	}
	batch, err := indexops.BatchDims(c.Node, v, ix)
	if err != nil {
		return err
	}
	dims := append([]*sym.Expr(nil), v.Dims[:batch]...)
	for k := range batch {
		if dims[k], err = kit.JoinDim(v.Dims[k], ix.Dims[k], "batch dimensions of the variable and indices"); err != nil {
			return err
		}
	}
	c.Set(0, d, ir.ShapeOf(append(append(dims, ix.Dims[batch:]...), v.Dims[batch+1:]...)...))
	return nil
}

// gathered returns the variable in input 0, its shape, and the shape of the indices, input 1.
func gathered(b *lower.Builder) (v plan.View, dims, ix []*sym.Expr, err error) {
	if err = kit.Ranked(b, 1); err == nil {
		v, dims, err = variableOf(b, 0, false)
	}
	return v, dims, b.InShape(1), err
}

func varGatherLower(b *lower.Builder) error {
	v, dims, ix, err := gathered(b)
	if err != nil {
		return err
	}
	batch, err := indexops.BatchDims(b.Node, ir.ShapeOf(dims...), ir.ShapeOf(ix...))
	if err != nil {
		return err
	}
	for k := range batch {
		if !dims[k].Equal(ix[k]) {
			b.Check(shape.Equal, dims[k], ix[k], "batch dimensions of the variable and indices")
		}
	}
	idx, it := kit.Indices(b, 1)
	fn, err := bytype.VariableGather.Get(b.OutFact(0).DType, it)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), v, idx, dims, plan.Lit(gather.Params{}, "Batch", sym.Product(dims[:batch]), "Outer", sym.One,
		"Limit", dims[batch], "N", sym.Product(ix[batch:]), "Inner", sym.Product(dims[batch+1:])))
	return nil
}

// varGatherNdShape infers the shape of the output of ResourceGatherNd(resource, indices). Each row
// along the last axis of indices is a position in the first axes of the variable, and selects a
// slice.
func varGatherNdShape(c *lower.Shaper) error {
	d, v := c.Variable(0)
	ix := c.Shape(1)
	if !v.Known || !ix.Known {
		c.UnknownShape(0, d)
		return nil
	}
	if len(v.Dims) == 0 || len(ix.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "the variable and indices must be at least vectors, not of the shapes %v and %v", v, ix)
	}
	depth, ok := ix.Dims[len(ix.Dims)-1].IsInt()
	switch {
	case !ok:
		c.UnknownShape(0, d)
	case depth > len(v.Dims):
		return tensor.Errorf(tensor.InvalidArgument, "indices of %d elements into a variable of rank %d", depth, len(v.Dims))
	default:
		c.Set(0, d, ir.ShapeOf(append(append([]*sym.Expr{}, ix.Dims[:len(ix.Dims)-1]...), v.Dims[depth:]...)...))
	}
	return nil
}

func varGatherNdLower(b *lower.Builder) error {
	if !b.OutFact(0).Shape.Known {
		return lower.UnknownRank(b.Node, 0)
	}
	v, dims, ix, err := gathered(b)
	if err != nil {
		return err
	}
	depth, _ := ix[len(ix)-1].IsInt()
	idx, it := kit.Indices(b, 1)
	fn, err := bytype.VariableGatherNd.Get(b.OutFact(0).DType, it)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), v, idx, dims, depth, sym.Product(ix[:len(ix)-1]), sym.Product(dims[depth:]))
	return nil
}

// varScatterShape is the shape function of the ops that change slices of variables. The inputs are
// variable, indices and updates.
func varScatterShape(c *lower.Shaper) error {
	refOut(c)
	if d, _ := lower.HandleFact(c.Node.Ins[0]); d != tensor.Invalid && d != c.In(2).DType {
		return tensor.Errorf(tensor.InvalidArgument, "updates of %v for a variable of %v", c.In(2).DType, d)
	}
	v, ix, u := c.Declared(0), c.Shape(1), c.Shape(2)
	if isNd(c.Node.Op) {
		return scatterNdFits(v, ix, u)
	}
	if !v.Known || !ix.Known || u.Rank() == 0 { // a scalar is used for all elements of the slices
		return nil
	}
	if len(v.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "the variable is a scalar and has no slices")
	}
	return lower.Fits("the shape of updates", u, "that of the slices", ir.ShapeOf(append(slices.Clone(ix.Dims), v.Dims[1:]...)...))
}

// scatterNdFits returns an error if the shape u of the updates does not fit the shape ix of the
// indices and the shape v of the variable. Unknown dimensions are not compared; in v they may be
// nil.
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
	if err := lower.Fits("the outer part of updates", ir.ShapeOf(u.Dims[:last]...), "that of indices", ir.ShapeOf(ix.Dims[:last]...)); err != nil {
		return err
	}
	depth, static := ix.Dims[last].IsInt()
	if !v.Known || !static {
		return nil
	}
	return lower.Fits("the inner part of updates", ir.ShapeOf(u.Dims[last:]...), "a slice of the variable", ir.ShapeOf(v.Dims[min(depth, len(v.Dims)):]...))
}

func varScatterLower(t bytype.Table) func(b *lower.Builder) error {
	return func(b *lower.Builder) error {
		if err := kit.Ranked(b, 1, 2); err != nil {
			return err
		}
		idx, it := kit.Indices(b, 1)
		fn, err := t.Get(b.InFact(2).DType, it)
		if err != nil {
			return err
		}
		p := variable.ScatterParams{Nd: isNd(b.Node.Op)}
		if p.Lenient, err = indexops.Lenient(b.Node); err != nil {
			return err
		}
		b.Call(fn, b.In(0), b.In(2), idx, b.InShape(1), b.InShape(2), p)
		handOnRef(b)
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

// sliceAssignShape is the shape function of the ops that assign a value to a strided slice of a
// variable. The inputs are variable, begin, end, strides and value. The attributes are the masks of
// StridedSlice.
func sliceAssignShape(c *lower.Shaper) error {
	refOut(c)
	for i := 1; i < 4; i++ {
		if _, err := c.WithRank(i, 1); err != nil {
			return err
		}
	}
	if d, _ := lower.HandleFact(c.Node.Ins[0]); d != tensor.Invalid && d != c.In(4).DType {
		return tensor.Errorf(tensor.InvalidArgument, "a value of %v for a variable of %v", c.In(4).DType, d)
	}
	return arrayops.OneEllipsis(c)
}

func sliceAssignLower(b *lower.Builder) error {
	var at [3]plan.View
	it := tensor.Invalid
	if err := kit.Ranked(b, 1, 2, 3, 4); err != nil {
		return err
	}
	for i := range at {
		at[i], it = kit.Indices(b, i+1)
	}
	fn, err := bytype.VariableStridedAssign.Get(b.InFact(4).DType, it)
	if err != nil {
		return err
	}
	n := b.Node
	b.Call(fn, b.In(0), b.In(4), at[0], at[1], at[2], b.InShape(4), variable.StridedParams{Begin: n.Int("begin_mask"), End: n.Int("end_mask"),
		Ellipsis: n.Int("ellipsis_mask"), NewAxis: n.Int("new_axis_mask"), Shrink: n.Int("shrink_axis_mask")})
	handOnRef(b)
	return nil
}
