package math

import (
	"github.com/graphc/graphc/kernels/gpu/reduce"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuScans returns the GPU lowerings of cumulative sums and products.
func gpuScans() []*lower.GPU {
	var list []*lower.GPU
	for _, op := range []string{"Cumsum", "Cumprod", "CumulativeLogsumexp"} {
		list = append(list, &lower.GPU{Op: op, Types: map[string][]tensor.DType{"T": kit.GPUTypes(func(d tensor.DType) any { return kit.GPUWrapping("reduce."+op, d) })}, Lower: scanOnGPU})
	}
	return list
}

// scanOnGPU: see scanLower.
func scanOnGPU(b *lower.Builder) error {
	outer, n, inner, _, err := splitAxis(b)
	if err != nil {
		return err
	}
	p := plan.Lit(reduce.Scan{Exclusive: b.Node.Bool("exclusive"), Reverse: b.Node.Bool("reverse")}, "Outer", outer, "N", n, "Inner", inner)
	b.Call(kit.GPUWrapping("reduce."+b.Node.Op, b.InFact(0).DType), b.Queue(), b.DevOut(0), b.DevIn(0), p)
	return nil
}
