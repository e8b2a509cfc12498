package nn

import (
	"github.com/graphc/graphc/kernels/gpu/conv"
	"github.com/graphc/graphc/kernels/volume"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuDilations returns the GPU lowerings of Dilation2D and its gradients.
func gpuDilations() []*lower.GPU {
	var list []*lower.GPU
	for _, d := range dilationDefs {
		list = append(list, &lower.GPU{Op: d.Name, Types: map[string][]tensor.DType{"T": kit.GPUTypesOf("conv.Dilate")}, Lower: dilationOnGPU})
	}
	return list
}

// dilationOnGPU: see dilationLower.
func dilationOnGPU(b *lower.Builder) error {
	q, err := dilationParams(b)
	if err != nil {
		return err
	}
	v := q.V.(volume.Params)
	p := plan.Struct{V: conv.DilationParams{SH: v.SH, SW: v.SW, DilH: v.DilH, DilW: v.DilW},
		Fields: fieldsOf(q, "N", "H", "W", "C", "KH", "KW", "OH", "OW", "PH", "PW")}
	d := b.InFact(0).DType
	switch b.Node.Op {
	case "Dilation2D":
		b.Call(kit.GPUKernel("conv.Dilate", d), b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1), p)
	case "Dilation2DBackpropInput":
		b.Call(kit.GPUKernel("conv.DilateInput", d), b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1), b.DevIn(2), p)
	default:
		b.Call(kit.GPUKernel("conv.DilateFilter", d), b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1), b.DevIn(2), p)
	}
	return nil
}
