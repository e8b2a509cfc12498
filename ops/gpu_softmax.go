package ops

import (
	"github.com/graphc/graphc/ir/sym"
	gpunorm "github.com/graphc/graphc/kernels/gpu/norm"
	gpusoftmax "github.com/graphc/graphc/kernels/gpu/softmax"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuRows are what works on rows: softmax, cross entropies, normalisation. A label out of
// range gives NaN, as on TensorFlow's GPUs.
func gpuRows() []*GPU {
	of := func(name, kernel string, lowering func(*Builder) error) *GPU {
		return &GPU{Op: name, Types: map[string][]tensor.DType{"T": gpuTypesOf(kernel)}, Lower: lowering}
	}
	return []*GPU{
		of("Softmax", "softmax.Softmax", softmaxOnGPU), of("LogSoftmax", "softmax.LogSoftmax", softmaxOnGPU),
		of("SoftmaxCrossEntropyWithLogits", "softmax.CrossEntropy", entropyOnGPU),
		{Op: "SparseSoftmaxCrossEntropyWithLogits", Types: map[string][]tensor.DType{"T": softmaxTypes["T"], "Tlabels": {tensor.Int32, tensor.Int64}}, Lower: sparseEntropyOnGPU},
		of("_MaskedSoftmax", "softmax.Masked", maskedSoftmaxOnGPU),
		of("_LayerNorm", "norm.LayerNorm", layerNormOnGPU), of("_RMSNorm", "norm.RMSNorm", layerNormOnGPU),
	}
}

func softmaxOnGPU(b *Builder) error {
	s := b.InShape(0)
	n := len(s) - 1
	b.Call(gpuKernel("softmax."+b.Node.Op, b.InFact(0).DType), b.Queue(), b.DevOut(0), b.DevIn(0), sym.Product(s[:n]), s[n])
	return nil
}

func entropyOnGPU(b *Builder) error {
	p := b.entropySizes()
	q := plan.Lit(gpusoftmax.Entropy{}, "Rows", p[0], "Cols", p[1], "FRows", p[2], "FCols", p[3], "LRows", p[4], "LCols", p[5])
	b.Call(gpuKernel("softmax.CrossEntropy", b.InFact(0).DType), b.Queue(), b.devOutOrTemp(0), b.devOutOrTemp(1), b.DevIn(0), b.DevIn(1), q)
	return nil
}

func sparseEntropyOnGPU(b *Builder) error {
	f := b.InShape(0)
	if err := b.checkSame(f[:1], b.InShape(1)); err != nil {
		return err
	}
	fn := gpuKernels["softmax.SparseCrossEntropy"+gpuSuffix[b.InFact(0).DType]+gpuSuffix[b.InFact(1).DType]]
	b.Call(fn, b.Queue(), b.devOutOrTemp(0), b.devOutOrTemp(1), b.DevIn(0), b.DevIn(1), f[0], f[1])
	return nil
}

func maskedSoftmaxOnGPU(b *Builder) error {
	x := b.InShape(0)
	stride, err := b.maskStrides()
	if err != nil {
		return err
	}
	mask := noPtr()
	if b.NumIn() > 1 {
		mask = b.DevIn(1)
	}
	q := plan.Lit(gpusoftmax.MaskedParams{Scale: float64(b.Node.Float("scale"))}, "Rows", sym.Product(x[:3]), "N", x[3],
		"H", sym.Max(x[1], sym.One), "T", sym.Max(x[2], sym.One), "MaskB", stride[0], "MaskH", stride[1], "MaskT", stride[2])
	b.Call(gpuKernel("softmax.Masked", b.InFact(0).DType), b.Queue(), b.DevOut(0), b.DevIn(0), mask, q)
	return nil
}

func layerNormOnGPU(b *Builder) error {
	x := b.InShape(0)
	n := len(x) - 1
	gamma, beta, err := b.layerNormInputs(x[n])
	if err != nil {
		return err
	}
	view := func(i int) plan.Arg {
		if i == 0 {
			return noPtr()
		}
		return b.DevIn(i)
	}
	args := []any{b.Queue(), b.DevOut(0), b.DevIn(0), view(gamma)}
	if b.Node.Op == "_LayerNorm" {
		args = append(args, view(beta))
	}
	q := plan.Lit(gpunorm.LayerParams{Epsilon: b.Node.Float("epsilon")}, "Rows", sym.Product(x[:n]), "C", x[n])
	b.Call(gpuKernel("norm."+b.Node.Op[1:], b.InFact(0).DType), append(args, q)...)
	return nil
}
