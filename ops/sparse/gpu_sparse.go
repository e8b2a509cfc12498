package sparse

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gpu/gather"
	"github.com/graphc/graphc/kernels/sparse"
	"github.com/graphc/graphc/lower"
	indexops "github.com/graphc/graphc/ops/index"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuSparse returns the GPU lowerings of ops that combine sparse tensors with dense tensors. The
// host does the computations that depend only on indices: it finds the distinct indices and their
// positions, and checks that indices are valid.
func gpuSparse() []*lower.GPU {
	ids := []tensor.DType{tensor.Int32, tensor.Int64}
	list := []*lower.GPU{
		{Op: "SparseTensorDenseMatMul", Types: map[string][]tensor.DType{"T": kit.GPUTypesOf("gather.SparseProduct"), "Tindices": ids}, Lower: sparseMatMulOnGPU},
		{Op: "SparseToDense", Types: map[string][]tensor.DType{"T": kit.GPUTypes(func(d tensor.DType) any { return indexops.ScatterGPU("Update", d, tensor.Int64) }), "Tindices": ids},
			Lower: sparseToDenseOnGPU},
	}
	for _, op := range []string{"Sum", "Mean", "SqrtN"} {
		list = append(list, &lower.GPU{Op: "SparseSegment" + op + "GradV2", Types: map[string][]tensor.DType{"T": kit.GPUTypesOf("gather.Divide"), "Tidx": ids, "Tsegmentids": ids},
			Lower: sparseSegmentGrad2OnGPU})
	}
	return list
}

// devPut appends a step that copies a tensor from the host's memory to the device. The parameter
// host is a view of this tensor. devPut returns a view of the copy.
func devPut(b *lower.Builder, host plan.View) plan.View {
	t := b.DevTemp(host.Buf.DType, host.Len)
	b.Put(kit.Writes(t), kit.Reads(host))
	return kit.Reads(t)
}

// sparseMatMulOnGPU lowers SparseTensorDenseMatMul for a GPU, as sparseMatMulLower does for the
// CPU. As on TensorFlow's GPUs, an element whose indices are outside the matrix is ignored.
func sparseMatMulOnGPU(b *lower.Builder) error {
	if !b.InFact(0).Shape.Known {
		return lower.ErrOnHost
	}
	p, err := sparseMatMulParams(b)
	if err != nil {
		return err
	}
	v := p.V.(sparse.Product)
	q := plan.Lit(gather.SparseProduct{TransA: v.AdjointA, TransB: v.AdjointB, ConjA: v.AdjointA, ConjB: v.AdjointB, Wide: b.InFact(0).DType == tensor.Int64},
		"N", b.InShape(0)[0], "Rows", p.Fields["Rows"][0], "K", p.Fields["Inner"][0], "Cols", p.Fields["Cols"][0])
	b.Call(kit.GPUKernel("gather.SparseProduct", b.InFact(1).DType), b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1), b.DevIn(3), q)
	return nil
}

// sparseToDenseOnGPU: see sparseToDenseLower.
func sparseToDenseOnGPU(b *lower.Builder) error {
	at, err := densePlaces(b)
	if err != nil {
		return err
	}
	out, places := b.DevOut(0), devPut(b, at)
	x := kit.NewBox()
	x.Add(b.OutLen(0), sym.One, sym.Zero)
	kit.DevBox(b, out, b.DevIn(3), x)
	indexops.DevRows(b, "Update", out, b.DevIn(2), places, b.OutLen(0), sym.One, len(b.InShape(2)) == 0)
	return nil
}

// sparseSegmentGrad2OnGPU lowers SparseSegmentSumGradV2 and the similar gradients for a GPU, as
// sparseSegmentGrad2Lower does for the CPU.
func sparseSegmentGrad2OnGPU(b *lower.Builder) error {
	at, err := uniqueIndices(b)
	if err != nil {
		return err
	}
	x := b.InShape(0)
	inner := sym.Product(x[1:])
	grad := indexops.DevSegmentShares(b, b.DevIn(0), b.DevIn(2), x[0], inner)
	rows := indexops.DevGathered(b, grad, b.DevIn(2), x[0], inner)
	out, places := b.DevOut(0), devPut(b, at)
	kit.DevZero(b, out)
	indexops.DevRows(b, "Add", out, rows, places, b.NewSize(0), inner, false)
	return nil
}
