package ragged

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/ragged"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	sparseops "github.com/graphc/graphc/ops/sparse"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// raggedFillDefs describes the op that fills each empty row of a ragged tensor with a default
// value, and its gradient.
var raggedFillDefs = []*lower.Def{
	{Name: "RaggedFillEmptyRows", Types: map[string][]tensor.DType{"T": append([]tensor.DType{tensor.Resource, tensor.Variant}, kit.DistanceTypes...)},
		Shape: raggedFillShape, Lower: raggedFillLower},
	{Name: "RaggedFillEmptyRowsGrad", Types: map[string][]tensor.DType{"T": kit.NumberTypes}, Shape: sparseops.UnfillShape, Lower: sparseops.UnfillLower},
}

// raggedFillShape infers the shapes of the outputs of RaggedFillEmptyRows(value_rowids, values,
// nrows, default_value). The op inserts the default value into each empty row. The outputs are the
// new row numbers and values, one bool per row that says whether the row was empty, and the new
// index of each old value.
func raggedFillShape(c *lower.Shaper) error {
	ids, err := c.WithRank(0, 1)
	if err != nil {
		return err
	}
	v, err := c.WithRank(1, 1)
	if err != nil {
		return err
	}
	for i, what := range []string{"nrows", "default_value"} {
		if err := c.ScalarOr(2+i, what); err != nil {
			return err
		}
	}
	if ids.Known && v.Known {
		if _, err := kit.JoinDim(ids.Dims[0], v.Dims[0], "the lengths of values and value_rowids"); err != nil {
			return err
		}
	}
	n := c.NewSize(0)
	c.Set(0, tensor.Int64, ir.ShapeOf(n))
	c.Set(1, c.In(1).DType, ir.ShapeOf(n))
	c.UnknownShape(2, tensor.Bool)
	c.Set(3, tensor.Int64, ids)
	es, ok := c.Ints(2)
	if !ok || len(es) != 1 {
		return nil
	}
	rows, err := kit.SizeOf(c, 2, 0, es[0])
	if err != nil {
		return err
	}
	if rows.Is(0) { // as in TensorFlow
		c.Set(0, tensor.Int64, ir.StaticShape(0, 1))
		c.Set(1, c.In(1).DType, ir.StaticShape(0))
	}
	c.Set(2, tensor.Bool, ir.ShapeOf(rows))
	return nil
}

func raggedFillLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0, 1, 2, 3); err != nil {
		return err
	}
	es, _ := b.Ints(2)
	kit.BindSize(b, 2, 0, es[0], "nrows")
	count := b.InLen(0)
	if err := kit.RequireSame(b, count, b.InLen(1), "the lengths of values and value_rowids"); err != nil {
		return err
	}
	rows := b.OutShape(2)[0]
	ends, total := b.Temp(tensor.Int64, rows), b.NewSize(0)
	b.CallSizes(ragged.FillCount, []*sym.Expr{total}, b.Out(2), kit.Writes(ends), b.In(0))
	ends.Mode = plan.Read
	b.Call(ragged.FillPlaces, b.Out(0), b.Out(3), ends, b.In(0), b.Temp(tensor.Int64, rows))
	d := b.OutFact(1).DType
	places, empty := b.Out(3), b.Out(2)
	places.Mode, empty.Mode = plan.Read, plan.Read
	b.Call(lower.ByKind(d, ragged.FillRaw, ragged.FillStr, ragged.FillHnd), b.Raw(b.Out(1)), b.Raw(b.In(1)), b.Raw(b.In(3)), places, ends, empty, RawLen(d, nil))
	return nil
}
