package nn

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	gpunorm "github.com/graphc/graphc/kernels/gpu/norm"
	"github.com/graphc/graphc/kernels/norm"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuNorms returns the GPU lowerings of batch normalisation, of local response normalisation (LRN),
// and of their gradients.
func gpuNorms() []*lower.GPU {
	types := map[string][]tensor.DType{"T": normTypes, "U": {tensor.Float32}}
	var list []*lower.GPU
	for _, op := range []string{"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"} {
		list = append(list, &lower.GPU{Op: op, Types: types, Lower: batchNormOnGPU})
	}
	for _, op := range []string{"FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"} {
		list = append(list, &lower.GPU{Op: op, Types: types, Lower: batchNormGradOnGPU})
	}
	for _, op := range []string{"LRN", "LRNGrad"} {
		list = append(list, &lower.GPU{Op: op, Types: map[string][]tensor.DType{"T": {tensor.Float32}}, Lower: lrnOnGPU})
	}
	return append(list, &lower.GPU{Op: "_FusedBatchNormEx", Types: types, Lower: batchNormOnGPU,
		Fits: func(n *ir.Node) bool { return !n.Bool("is_training") }})
}

// batchNormOnGPU lowers FusedBatchNorm and its variants for a GPU, as batchNormLower does for the
// CPU. If mean and variance are inputs, the normalisation is an element-wise op, and the outputs
// that return mean and variance share the memory of these inputs.
func batchNormOnGPU(b *lower.Builder) error {
	p, err := batchNormParams(b)
	if err != nil {
		return err
	}
	v := p.V.(norm.Params)
	outer, c, inner := p.Fields["Outer"][0], p.Fields["C"][0], p.Fields["Inner"][0]
	if b.Node.Bool("is_training") {
		q := plan.Lit(gpunorm.Params{Epsilon: v.Epsilon, Factor: v.Factor}, "Outer", outer, "C", c, "Inner", inner)
		if v.Factor != 1 {
			q = q.With("OldMean", b.DevIn(3), "OldVar", b.DevIn(4))
		}
		b.Call(kit.GPUKernel("norm.Train", b.InFact(0).DType), b.Queue(), kit.DevOutOrTemp(b, 0), b.DevIn(0), b.DevIn(1), b.DevIn(2),
			kit.DevOutOrTemp(b, 1), kit.DevOutOrTemp(b, 2), kit.DevOutOrTemp(b, 3), kit.DevOutOrTemp(b, 4), normScratch(b, c), q)
		reserve3(b)
		return nil
	}
	if b.OutUsed(0) {
		e := kit.Epilogue{Norm: &kit.NormEpilogue{Scale: b.DevIn(1), Offset: b.DevIn(2), Mean: b.DevIn(3), Variance: b.DevIn(4), Epsilon: v.Epsilon}}
		if b.Node.Op == "_FusedBatchNormEx" {
			if err := batchNormExtra(b.OnDev(), &e); err != nil {
				return err
			}
		}
		e.OnDev(b, b.DevOut(0), b.DevIn(0), outer, c, inner)
	}
	for i := 1; i < 5; i++ {
		if b.OutUsed(i) {
			b.Alias(i, 3+(i-1)%2)
		}
	}
	reserve3(b)
	return nil
}

// normScratch returns the scratch memory for a kernel that computes statistics of c channels. Its
// size is gpunorm.Scratch(c) bytes.
func normScratch(b *lower.Builder, c *sym.Expr) plan.View {
	return b.DevTemp(tensor.Uint8, sym.Max(sym.Int(gpunorm.Scratch(1)), c.MulInt(16)))
}

func batchNormGradOnGPU(b *lower.Builder) error {
	p, err := batchNormGradParams(b)
	if err != nil {
		return err
	}
	c := p.Fields["C"][0]
	q := plan.Struct{V: gpunorm.Params{Epsilon: p.V.(norm.Params).Epsilon, Factor: 1}, Fields: p.Fields}
	b.Call(kit.GPUKernel("norm.Grad", b.InFact(1).DType), b.Queue(), kit.DevOutOrTemp(b, 0), kit.DevOutOrTemp(b, 1), kit.DevOutOrTemp(b, 2), b.DevIn(0), b.DevIn(1),
		b.DevIn(2), b.DevIn(3), b.DevIn(4), normScratch(b, c), b.Node.Bool("is_training"), q)
	for i := 3; i < 5; i++ {
		if b.OutUsed(i) {
			b.Out(i)
		}
	}
	return nil
}

// lrnOnGPU lowers LRN and LRNGrad for a GPU, as lrnLower and lrnGradLower do for the CPU.
func lrnOnGPU(b *lower.Builder) error {
	s := b.InShape(0)
	p := plan.Lit(gpunorm.LRNParams{Radius: b.Node.Int("depth_radius"), Bias: b.Node.Float("bias"), Alpha: b.Node.Float("alpha"), Beta: b.Node.Float("beta")},
		"Rows", sym.Product(s[:3]), "C", s[3])
	if b.Node.Op == "LRN" {
		b.Call(gpunorm.LRNF32, b.Queue(), b.DevOut(0), b.DevIn(0), p)
		return nil
	}
	for i := 1; i < 3; i++ {
		if err := kit.RequireSame(b, b.InLen(i), b.InLen(0), "the inputs must have the same shape"); err != nil {
			return err
		}
	}
	b.Call(gpunorm.LRNGradF32, b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1), b.DevIn(2), p)
	return nil
}
