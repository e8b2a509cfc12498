package ops

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gpu/order"
	"github.com/graphc/graphc/kernels/quant"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuCounts count and compare. As on TensorFlow's GPUs a value that no bin is for is no error:
// it is left out.
func gpuCounts() []*GPU {
	ints := []tensor.DType{tensor.Int32, tensor.Int64}
	binned := []tensor.DType{tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64}
	return []*GPU{
		{Op: "Bincount", Types: map[string][]tensor.DType{"T": binned}, Lower: bincountOnGPU},
		{Op: "DenseBincount", Types: map[string][]tensor.DType{"T": binned, "Tidx": ints}, Lower: bincountOnGPU},
		{Op: "HistogramFixedWidth", Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64}, "dtype": {tensor.Int32}}, Lower: histogramOnGPU},
	}
}

func inTopKOnGPU(b *Builder) error {
	classes, k, err := b.inTopKSizes()
	if err != nil {
		return err
	}
	fn := order.InTopKI32
	if b.InFact(1).DType == tensor.Int64 {
		fn = order.InTopKI64
	}
	b.Call(fn, b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1), b.InShape(0)[0], classes, k)
	return nil
}

// bincountOnGPU: see bincountLower and denseBincountLower. Only a run may tell whether there
// are weights.
func bincountOnGPU(b *Builder) error {
	x, w := b.InFact(0).Shape, b.InFact(2).Shape
	if !x.Known || !w.Known || !w.Len().Is(0) && !w.Len().Equal(x.Len()) {
		return ErrOnHost
	}
	rows, cols, bins, err := b.countSizes()
	if err != nil {
		return err
	}
	weights := noPtr()
	if !b.InLen(2).Is(0) {
		weights = b.DevIn(2)
	}
	fn := gpuKernels["order.Bins"+gpuSuffix[b.OutFact(0).DType]+gpuSuffix[b.InFact(0).DType]]
	p := order.Bins{Binary: b.Node.Op == "DenseBincount" && b.Node.Bool("binary_output")}
	b.Call(fn, b.Queue(), b.DevOut(0), b.DevIn(0), weights, plan.Lit(p, "Rows", rows, "Cols", cols, "Size", bins))
	return nil
}

// histogramOnGPU: see histogramLower. The host looks at the range.
func histogramOnGPU(b *Builder) error {
	if err := b.sameDim(b.InLen(1), sym.Int(2), "value_range must have 2 elements"); err != nil {
		return err
	}
	n := b.OutLen(0)
	if err := b.atLeast(n, 1, "nbins"); err != nil {
		return err
	}
	rises := any(quant.RisesF32)
	if b.InFact(0).DType == tensor.Float64 {
		rises = quant.RisesF64
	}
	b.Call(rises, b.In(1))
	bins := b.DevTemp(tensor.Int32, b.InLen(0))
	m := b.devWork(b.InLen(0))
	e := m.real(b.InFact(0).DType)
	double := func(x scalar.Value) scalar.Value { return m.Cast(tensor.Float64, x) }
	x, bounds := m.item(b.DevIn(0)), m.place(b.DevIn(1), scalar.Indexed)
	lo, hi := m.LoadAt(bounds, m.Int(0)), m.LoadAt(bounds, m.Int(1))
	width := double(e.sub(hi, lo))
	finite := e.both(e.gt(width, m.Const(tensor.Float64, 0)), e.lt(width, e.infinity()))
	width = m.Select(finite, width, e.sub(double(hi), double(lo)))
	count := double(m.size(n))
	at := e.div(double(e.sub(e.min(e.max(x, lo), hi), lo)), e.div(width, count))
	at = e.min(at, e.sub(count, m.Const(tensor.Float64, 1)))
	at = m.Select(m.Bin(scalar.Ge, at, m.Const(tensor.Float64, 0)), at, m.Const(tensor.Float64, 0))
	at = m.Select(m.Bin(scalar.Ne, x, x), m.Const(tensor.Float64, -1), at) // NaN counts nowhere
	m.out(bins, at)
	if err := m.call(); err != nil {
		return err
	}
	b.Call(order.BinsI32I32, b.Queue(), b.DevOut(0), reads(bins), noPtr(), plan.Lit(order.Bins{}, "Rows", sym.One, "Cols", b.InLen(0), "Size", n))
	return nil
}
