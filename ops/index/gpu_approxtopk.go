package index

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuApproxTopK describes ApproxTopK on GPUs. The results are exact, as on CPUs.
func gpuApproxTopK() []*lower.GPU {
	return []*lower.GPU{{Op: "ApproxTopK", Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Half, tensor.BFloat16}}, Lower: approxTopKOnGPU}}
}

// approxTopKOnGPU: see approxTopKLower.
func approxTopKOnGPU(b *lower.Builder) error {
	top, err := approxTopK(b.Shaper())
	if err != nil {
		return err
	}
	for i := range 2 {
		b.SetUsed(ir.Out{Node: top, Index: i}, b.OutUsed(i))
	}
	if err := kit.LowerStage(b, top, topKOnGPU); err != nil {
		return err
	}
	for i := range 2 {
		if buf := b.DevBuf(ir.Out{Node: top, Index: i}); buf != nil {
			b.SetDevBuf(ir.Out{Node: b.Node, Index: i}, buf)
		}
	}
	return nil
}
