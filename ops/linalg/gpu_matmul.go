package linalg

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gemm"
	gpugemm "github.com/graphc/graphc/kernels/gpu/gemm"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	mathops "github.com/graphc/graphc/ops/math"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuProducts are matrix products and Einsum. They use the CPU's lowerings, which then append
// products and copies in device memory.
func gpuProducts() []*lower.GPU {
	var list []*lower.GPU
	for _, d := range append(matmulDefs[:len(matmulDefs):len(matmulDefs)], einsumDefs...) {
		g := &lower.GPU{Op: d.Name, Types: map[string][]tensor.DType{}, Lower: func(b *lower.Builder) error { return d.Lower(b.OnDev()) }}
		switch d.Name {
		case "SparseMatMul":
			continue
		case "BatchMatMulV3":
			g.Types["Ta"] = kit.GPUTypesOf("gemm.")
			g.Fits = func(n *ir.Node) bool { return n.DType("Ta") == n.DType("Tb") && n.DType("Tout") == n.DType("Ta") }
		default:
			g.Types["T"] = kit.GPUTypesOf("gemm.")
		}
		list = append(list, g)
	}
	return list
}

// devProducts appends the batch of products that q, a gemm.BatchParams, describes.
func devProducts(b *lower.Builder, dst, left, right plan.View, d tensor.DType, q plan.Struct) error {
	fn := kit.GPUKernel("gemm.", d)
	if fn == nil {
		return mathops.NoKernel(b.Node.Op, d)
	}
	v := q.V.(gemm.BatchParams)
	q.V = gpugemm.Params{TransA: v.TransA, TransB: v.TransB, ConjA: v.ConjA, ConjB: v.ConjB, Dims: v.Dims}
	b.Call(fn, b.Queue(), kit.Writes(dst), kit.Reads(left), kit.Reads(right), q)
	return nil
}

// devRearrange copies s to a second tensor (to), and sums over the dimensions in sumDims. The
// dimensions in dims are kept. src and dst are the strides of dims in the two tensors, and sum holds
// the strides of sumDims in s. n is the number of elements of the second tensor. Elements of the
// second tensor that are not written become 0.
func devRearrange(b *lower.Builder, s, to *labelled, dims, src, dst, sumDims, sum []*sym.Expr, n *sym.Expr) error {
	d := to.view.Buf.DType
	if !sym.Product(dims).Equal(n) {
		kit.DevZero(b, to.view)
	}
	from := s.view
	if len(sumDims) > 0 {
		// Move the summed dimensions last, then reduce.
		x := kit.NewBox()
		for k := range dims {
			x.Add(dims[k], nil, src[k])
		}
		for k := range sumDims {
			x.Add(sumDims[k], nil, sum[k])
		}
		x.Dst = kit.Strides(x.Dims)
		last := b.DevTemp(d, x.Len())
		kit.DevBox(b, kit.Writes(last), kit.Reads(from), x)
		fn := mathops.ReduceGPU("Sum", d)
		if fn == nil {
			return mathops.NoKernel(b.Node.Op, d)
		}
		total := sym.Product(dims)
		sums := b.DevTemp(d, total)
		mathops.DevReduction(b, fn, kit.Writes(sums), kit.Reads(last), total, sym.Product(sumDims), sym.One)
		from, src = sums, kit.Strides(dims)
	}
	x := kit.NewBox()
	for k := range dims {
		x.Add(dims[k], dst[k], src[k])
	}
	kit.DevBox(b, kit.Part(to.view, sym.Product(dims).Equal(n)), kit.Reads(from), x)
	return nil
}
