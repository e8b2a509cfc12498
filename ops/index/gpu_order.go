package index

import (
	"github.com/graphc/graphc/kernels/gpu/order"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

func inTopKOnGPU(b *lower.Builder) error {
	classes, k, err := inTopKSizes(b)
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

// gpuOrders select the largest elements, or search in sorted elements.
func gpuOrders() []*lower.GPU {
	places := []tensor.DType{tensor.Int32, tensor.Int64, tensor.Int16}
	tops := kit.GPUTypes(func(d tensor.DType) any { return bytype.GPU["order.TopK"+kit.GPUSuffix[d]+"I32"] })
	bounds := kit.GPUTypes(func(d tensor.DType) any { return bytype.GPU["order.LowerBound"+kit.GPUSuffix[d]+"I32"] })
	ints := []tensor.DType{tensor.Int32, tensor.Int64}
	return []*lower.GPU{
		{Op: "TopKV2", Types: map[string][]tensor.DType{"T": tops, "index_type": places}, Lower: topKOnGPU},
		{Op: "TopK", Types: map[string][]tensor.DType{"T": tops}, Lower: topKOnGPU},
		{Op: "InTopKV2", Types: map[string][]tensor.DType{"T": ints}, Lower: inTopKOnGPU},
		{Op: "LowerBound", Types: map[string][]tensor.DType{"T": bounds, "out_type": ints}, Lower: boundOnGPU},
		{Op: "UpperBound", Types: map[string][]tensor.DType{"T": bounds, "out_type": ints}, Lower: boundOnGPU},
	}
}

// topKOnGPU lowers TopK and TopKV2 for GPUs. It computes the same as topKLower, but the result is
// always sorted.
func topKOnGPU(b *lower.Builder) error {
	p, err := topKParams(b)
	if err != nil {
		return err
	}
	fn := bytype.GPU["order.TopK"+kit.GPUSuffix[b.InFact(0).DType]+kit.GPUSuffix[b.OutFact(1).DType]]
	p.V = order.TopParams{}
	b.Call(fn, b.Queue(), kit.DevOutOrTemp(b, 0), kit.DevOutOrTemp(b, 1), b.DevIn(0), p)
	return nil
}

func boundOnGPU(b *lower.Builder) error {
	s, v := b.InShape(0), b.InShape(1)
	if !s[0].Equal(v[0]) {
		b.Check(shape.Equal, s[0], v[0], "Leading dim_size of both tensors must match.")
	}
	fn := bytype.GPU["order."+b.Node.Op+kit.GPUSuffix[b.InFact(0).DType]+kit.GPUSuffix[b.OutFact(0).DType]]
	b.Call(fn, b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1), plan.Lit(order.SearchParams{}, "Rows", s[0], "N", s[1], "Values", v[1]))
	return nil
}
