package nn

import (
	"github.com/graphc/graphc/ir/sym"
	gpunorm "github.com/graphc/graphc/kernels/gpu/norm"
	gpusoftmax "github.com/graphc/graphc/kernels/gpu/softmax"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuRows returns the GPU lowerings of ops that work on rows: softmax, cross entropies and layer
// normalisation. As on TensorFlow's GPUs, the loss for a label out of range is NaN.
func gpuRows() []*lower.GPU {
	of := func(name, kernel string, lowering func(*lower.Builder) error) *lower.GPU {
		return &lower.GPU{Op: name, Types: map[string][]tensor.DType{"T": kit.GPUTypesOf(kernel)}, Lower: lowering}
	}
	return []*lower.GPU{
		of("Softmax", "softmax.Softmax", softmaxOnGPU), of("LogSoftmax", "softmax.LogSoftmax", softmaxOnGPU),
		of("SoftmaxCrossEntropyWithLogits", "softmax.CrossEntropy", entropyOnGPU),
		{Op: "SparseSoftmaxCrossEntropyWithLogits", Types: map[string][]tensor.DType{"T": kit.SoftmaxTypes["T"], "Tlabels": {tensor.Int32, tensor.Int64}}, Lower: sparseEntropyOnGPU},
		of("_MaskedSoftmax", "softmax.Masked", maskedSoftmaxOnGPU),
		of("_LayerNorm", "norm.LayerNorm", layerNormOnGPU), of("_RMSNorm", "norm.RMSNorm", layerNormOnGPU),
	}
}

func softmaxOnGPU(b *lower.Builder) error {
	s := b.InShape(0)
	n := len(s) - 1
	b.Call(kit.GPUKernel("softmax."+b.Node.Op, b.InFact(0).DType), b.Queue(), b.DevOut(0), b.DevIn(0), sym.Product(s[:n]), s[n])
	return nil
}

func entropyOnGPU(b *lower.Builder) error {
	p := entropySizes(b)
	q := plan.Lit(gpusoftmax.Entropy{}, "Rows", p[0], "Cols", p[1], "FRows", p[2], "FCols", p[3], "LRows", p[4], "LCols", p[5])
	b.Call(kit.GPUKernel("softmax.CrossEntropy", b.InFact(0).DType), b.Queue(), kit.DevOutOrTemp(b, 0), kit.DevOutOrTemp(b, 1), b.DevIn(0), b.DevIn(1), q)
	return nil
}

func sparseEntropyOnGPU(b *lower.Builder) error {
	f := b.InShape(0)
	if err := kit.CheckSame(b, f[:1], b.InShape(1)); err != nil {
		return err
	}
	fn := bytype.GPU["softmax.SparseCrossEntropy"+kit.GPUSuffix[b.InFact(0).DType]+kit.GPUSuffix[b.InFact(1).DType]]
	b.Call(fn, b.Queue(), kit.DevOutOrTemp(b, 0), kit.DevOutOrTemp(b, 1), b.DevIn(0), b.DevIn(1), f[0], f[1])
	return nil
}

func maskedSoftmaxOnGPU(b *lower.Builder) error {
	x := b.InShape(0)
	stride, err := maskStrides(b)
	if err != nil {
		return err
	}
	q := plan.Lit(gpusoftmax.MaskedParams{Scale: float64(b.Node.Float("scale"))}, "Rows", sym.Product(x[:3]), "N", x[3],
		"H", sym.Max(x[1], sym.One), "T", sym.Max(x[2], sym.One), "MaskB", stride[0], "MaskH", stride[1], "MaskT", stride[2])
	if b.NumIn() > 1 {
		q = q.With("Mask", b.DevIn(1))
	}
	b.Call(kit.GPUKernel("softmax.Masked", b.InFact(0).DType), b.Queue(), b.DevOut(0), b.DevIn(0), q)
	return nil
}

func layerNormOnGPU(b *lower.Builder) error {
	x := b.InShape(0)
	n := len(x) - 1
	gamma, beta, err := layerNormInputs(b, x[n])
	if err != nil {
		return err
	}
	q := plan.Lit(gpunorm.LayerParams{Epsilon: b.Node.Float("epsilon")}, "Rows", sym.Product(x[:n]), "C", x[n])
	if gamma > 0 {
		q = q.With("Gamma", b.DevIn(gamma))
	}
	if beta > 0 {
		q = q.With("Beta", b.DevIn(beta))
	}
	b.Call(kit.GPUKernel("norm."+b.Node.Op[1:], b.InFact(0).DType), b.Queue(), b.DevOut(0), b.DevIn(0), q)
	return nil
}
