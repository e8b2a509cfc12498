package sparse

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/kernels/gather"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// sparseGradDefs describes SparseFillEmptyRowsGrad(reverse_index_map, grad_values). The op returns
// the gradients with respect to the original values, and with respect to the default value of the
// rows that were empty.
var sparseGradDefs = []*lower.Def{
	{Name: "SparseFillEmptyRowsGrad", Types: map[string][]tensor.DType{"T": kit.NumberTypes}, Shape: UnfillShape, Lower: UnfillLower},
}

var unfillKernels = bytype.Table{
	{tensor.Float32}:    gather.UnfillF32,
	{tensor.Float64}:    gather.UnfillF64,
	{tensor.Half}:       gather.UnfillF16,
	{tensor.BFloat16}:   gather.UnfillBF16,
	{tensor.Int8}:       gather.UnfillI8,
	{tensor.Int16}:      gather.UnfillI16,
	{tensor.Int32}:      gather.UnfillI32,
	{tensor.Int64}:      gather.UnfillI64,
	{tensor.Uint8}:      gather.UnfillU8,
	{tensor.Uint16}:     gather.UnfillU16,
	{tensor.Uint32}:     gather.UnfillU32,
	{tensor.Uint64}:     gather.UnfillU64,
	{tensor.Complex64}:  gather.UnfillC64,
	{tensor.Complex128}: gather.UnfillC128,
}

// UnfillShape is the shape function of the gradient of SparseFillEmptyRows.
func UnfillShape(c *lower.Shaper) error {
	for i := range 2 {
		if _, err := c.WithRank(i, 1); err != nil {
			return err
		}
	}
	d := c.In(1).DType
	c.Set(0, d, c.Shape(0))
	c.Set(1, d, ir.ShapeOf())
	return nil
}

// UnfillLower lowers the gradient of SparseFillEmptyRows.
func UnfillLower(b *lower.Builder) error {
	fn, err := unfillKernels.Get(b.InFact(1).DType)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.Out(1), b.In(0), b.In(1), b.Temp(tensor.Bool, b.InLen(1)))
	return nil
}
