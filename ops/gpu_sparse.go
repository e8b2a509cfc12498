package ops

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gpu/gather"
	"github.com/graphc/graphc/kernels/segment"
	"github.com/graphc/graphc/kernels/sparse"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuSparse are sparse tensors that meet dense ones. What is to be known of indices alone, which of them there
// are, and that they are valid, the host finds out.
func gpuSparse() []*GPU {
	ids := []tensor.DType{tensor.Int32, tensor.Int64}
	list := []*GPU{
		{Name: "SparseTensorDenseMatMul", Types: map[string][]tensor.DType{"T": gpuTypesOf("gather.SparseProduct"), "Tindices": ids}, Lower: sparseMatMulOnGPU},
		{Name: "SparseToDense", Types: map[string][]tensor.DType{"T": gpuTypes(func(d tensor.DType) any { return scatterGPU("Update", d, tensor.Int64) }), "Tindices": ids},
			Lower: sparseToDenseOnGPU},
	}
	for _, op := range []string{"Sum", "Mean", "SqrtN"} {
		list = append(list, &GPU{Name: "SparseSegment" + op + "GradV2", Types: map[string][]tensor.DType{"T": gpuTypesOf("gather.Divide"), "Tidx": ids, "Tsegmentids": ids},
			Lower: sparseSegmentGrad2OnGPU})
	}
	return list
}

// devPut copies scratch of the host's to the device.
func (b *Builder) devPut(host plan.View) plan.View {
	t := b.DevTemp(host.Buf.DType, host.Len)
	b.l.step(b.l.put(b.Node, writes(t), reads(host)))
	return reads(t)
}

// sparseMatMulOnGPU: see sparseMatMulLower. Places outside of the matrix are left out, as on TensorFlow's GPUs.
func sparseMatMulOnGPU(b *Builder) error {
	if !b.InFact(0).Shape.Known {
		return ErrOnHost
	}
	p, err := b.sparseMatMulParams()
	if err != nil {
		return err
	}
	v := p.V.(sparse.Product)
	q := plan.Lit(gather.SparseProduct{TransA: v.AdjointA, TransB: v.AdjointB, ConjA: v.AdjointA, ConjB: v.AdjointB, Wide: b.InFact(0).DType == tensor.Int64},
		"N", b.InShape(0)[0], "Rows", p.Fields["Rows"][0], "K", p.Fields["Inner"][0], "Cols", p.Fields["Cols"][0])
	b.Call(gpuKernel("gather.SparseProduct", b.InFact(1).DType), b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1), b.DevIn(3), q)
	return nil
}

// sparseToDenseOnGPU: see sparseToDenseLower.
func sparseToDenseOnGPU(b *Builder) error {
	at, err := b.densePlaces()
	if err != nil {
		return err
	}
	out, places := b.DevOut(0), b.devPut(at)
	x := newBox()
	x.add(b.OutLen(0), sym.One, sym.Zero)
	b.devBox(out, b.DevIn(3), x)
	b.devRows("Update", out, b.DevIn(2), places, b.OutLen(0), sym.One, len(b.InShape(2)) == 0)
	return nil
}

// sparseSegmentGrad2OnGPU: see sparseSegmentGrad2Lower, and sparseSegmentGradOnGPU.
func sparseSegmentGrad2OnGPU(b *Builder) error {
	at, err := b.uniqueIndices()
	if err != nil {
		return err
	}
	x := b.InShape(0)
	inner := sym.Product(x[1:])
	grad := b.devSegmentShares(b.DevIn(0), b.DevIn(2), x[0], inner)
	rows := b.devGathered(grad, b.DevIn(2), x[0], inner)
	out, places := b.DevOut(0), b.devPut(at)
	b.devZero(out)
	b.devRows("Add", out, rows, places, b.NewSize(0), inner, false)
	return nil
}

// devSegmentShares are the gradients of n segments for each of their rows.
func (b *Builder) devSegmentShares(grad, ids plan.View, n, inner *sym.Expr) plan.View {
	s := segmentScale(b.Node.Op)
	if s == segment.Sum {
		return grad
	}
	t := b.DevTemp(grad.Buf.DType, grad.Len)
	b.devCopy(writes(t), grad)
	b.devDivide(t, ids, n, inner, s == segment.SqrtN)
	return reads(t)
}
