package ops

import (
	"github.com/graphc/graphc/kernels/gpu/order"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuOrders select and search by size.
func gpuOrders() []*GPU {
	places := []tensor.DType{tensor.Int32, tensor.Int64, tensor.Int16}
	tops := gpuTypes(func(d tensor.DType) any { return gpuKernels["order.TopK"+gpuSuffix[d]+"I32"] })
	bounds := gpuTypes(func(d tensor.DType) any { return gpuKernels["order.LowerBound"+gpuSuffix[d]+"I32"] })
	ints := []tensor.DType{tensor.Int32, tensor.Int64}
	return []*GPU{
		{Op: "TopKV2", Types: map[string][]tensor.DType{"T": tops, "index_type": places}, Lower: topKOnGPU},
		{Op: "TopK", Types: map[string][]tensor.DType{"T": tops}, Lower: topKOnGPU},
		{Op: "InTopKV2", Types: map[string][]tensor.DType{"T": ints}, Lower: inTopKOnGPU},
		{Op: "LowerBound", Types: map[string][]tensor.DType{"T": bounds, "out_type": ints}, Lower: boundOnGPU},
		{Op: "UpperBound", Types: map[string][]tensor.DType{"T": bounds, "out_type": ints}, Lower: boundOnGPU},
	}
}

// topKOnGPU: see topKLower. What need not be sorted is sorted all the same.
func topKOnGPU(b *Builder) error {
	p, err := b.topKParams()
	if err != nil {
		return err
	}
	fn := gpuKernels["order.TopK"+gpuSuffix[b.InFact(0).DType]+gpuSuffix[b.OutFact(1).DType]]
	p.V = order.TopParams{}
	b.Call(fn, b.Queue(), b.devOutOrTemp(0), b.devOutOrTemp(1), b.DevIn(0), p)
	return nil
}

func boundOnGPU(b *Builder) error {
	s, v := b.InShape(0), b.InShape(1)
	if !s[0].Equal(v[0]) {
		b.Check(shape.Equal, s[0], v[0], "Leading dim_size of both tensors must match.")
	}
	fn := gpuKernels["order."+b.Node.Op+gpuSuffix[b.InFact(0).DType]+gpuSuffix[b.OutFact(0).DType]]
	b.Call(fn, b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1), plan.Lit(order.SearchParams{}, "Rows", s[0], "N", s[1], "Values", v[1]))
	return nil
}
