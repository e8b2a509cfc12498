package math

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gpu/order"
	"github.com/graphc/graphc/kernels/quant"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuCounts returns the GPU lowerings of the ops that count how many values fall into each bin. As
// on TensorFlow's GPUs, a value that falls into no bin is ignored; it is not an error.
func gpuCounts() []*lower.GPU {
	ints := []tensor.DType{tensor.Int32, tensor.Int64}
	binned := []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64}
	return []*lower.GPU{
		{Op: "Bincount", Types: map[string][]tensor.DType{"T": binned}, Lower: bincountOnGPU},
		{Op: "DenseBincount", Types: map[string][]tensor.DType{"T": binned, "Tidx": ints}, Lower: bincountOnGPU},
		{Op: "HistogramFixedWidth", Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64}, "dtype": {tensor.Int32}}, Lower: histogramOnGPU},
	}
}

// bincountOnGPU lowers Bincount and DenseBincount for a GPU, as bincountLower and
// denseBincountLower do for the CPU. The weights may be empty, which means that there are no
// weights. If the compiler cannot find out whether the weights are empty, the host computes the
// node.
func bincountOnGPU(b *lower.Builder) error {
	x, w := b.InFact(0).Shape, b.InFact(2).Shape
	if !x.Known || !w.Known || !w.Len().Is(0) && !w.Len().Equal(x.Len()) {
		return lower.ErrOnHost
	}
	rows, cols, bins, err := countSizes(b)
	if err != nil {
		return err
	}
	fn := bytype.GPU["order.Bins"+kit.GPUSuffix[b.OutFact(0).DType]+kit.GPUSuffix[b.InFact(0).DType]]
	q := plan.Lit(order.Bins{Binary: b.Node.Op == "DenseBincount" && b.Node.Bool("binary_output")}, "Rows", rows, "Cols", cols, "Size", bins)
	if !b.InLen(2).Is(0) {
		q = q.With("Weights", b.DevIn(2))
	}
	b.Call(fn, b.Queue(), b.DevOut(0), b.DevIn(0), q)
	return nil
}

// histogramOnGPU lowers HistogramFixedWidth for a GPU, as histogramLower does for the CPU. The host
// checks the input value_range.
func histogramOnGPU(b *lower.Builder) error {
	if err := kit.RequireSame(b, b.InLen(1), sym.Int(2), "value_range must have 2 elements"); err != nil {
		return err
	}
	n := b.OutLen(0)
	if err := kit.AtLeast(b, n, 1, "nbins"); err != nil {
		return err
	}
	rises := any(quant.RisesF32)
	if b.InFact(0).DType == tensor.Float64 {
		rises = quant.RisesF64
	}
	b.Call(rises, b.In(1))
	bins := b.DevTemp(tensor.Int32, b.InLen(0))
	m := kit.DevWork(b, b.InLen(0))
	e := m.Real(b.InFact(0).DType)
	double := func(x scalar.Value) scalar.Value { return m.Cast(tensor.Float64, x) }
	x, bounds := m.ItemOf(b.DevIn(0)), m.Place(b.DevIn(1), scalar.Indexed)
	lo, hi := m.LoadAt(bounds, m.Int(0)), m.LoadAt(bounds, m.Int(1))
	width := double(e.Sub(hi, lo))
	finite := e.Both(e.Gt(width, m.Const(tensor.Float64, 0)), e.Lt(width, e.Infinity()))
	width = m.Select(finite, width, e.Sub(double(hi), double(lo)))
	count := double(m.Size(n))
	at := e.Div(double(e.Sub(e.Min(e.Max(x, lo), hi), lo)), e.Div(width, count))
	at = e.Min(at, e.Sub(count, m.Const(tensor.Float64, 1)))
	at = m.Select(m.Bin(scalar.Ge, at, m.Const(tensor.Float64, 0)), at, m.Const(tensor.Float64, 0))
	at = m.Select(m.Bin(scalar.Ne, x, x), m.Const(tensor.Float64, -1), at) // NaN has no bin
	m.Out(bins, at)
	if err := m.Append(); err != nil {
		return err
	}
	b.Call(order.BinsI32I32, b.Queue(), b.DevOut(0), kit.Reads(bins), plan.Lit(order.Bins{}, "Rows", sym.One, "Cols", b.InLen(0), "Size", n))
	return nil
}
