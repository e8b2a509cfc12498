package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gemm"
	gpugemm "github.com/graphc/graphc/kernels/gpu/gemm"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuProducts are products of matrices and sums of products: the lowerings for CPUs with
// their products and copies in the device's memory.
func gpuProducts() []*GPU {
	var list []*GPU
	for _, d := range append(matmulDefs[:len(matmulDefs):len(matmulDefs)], einsumDefs...) {
		g := &GPU{Op: d.Name, Types: map[string][]tensor.DType{}, Lower: func(b *Builder) error { return d.Lower(b.OnDev()) }}
		switch d.Name {
		case "SparseMatMul":
			continue
		case "BatchMatMulV3":
			g.Types["Ta"] = gpuTypesOf("gemm.")
			g.Fits = func(n *ir.Node) bool { return n.DType("Ta") == n.DType("Tb") && n.DType("Tout") == n.DType("Ta") }
		default:
			g.Types["T"] = gpuTypesOf("gemm.")
		}
		list = append(list, g)
	}
	return list
}

// devProducts appends the batch of products that q, a gemm.BatchParams, describes.
func (b *Builder) devProducts(dst, left, right plan.View, d tensor.DType, q plan.Struct) error {
	fn := gpuKernel("gemm.", d)
	if fn == nil {
		return noKernel(b.Node.Op, d)
	}
	v := q.V.(gemm.BatchParams)
	q.V = gpugemm.Params{TransA: v.TransA, TransB: v.TransB, ConjA: v.ConjA, ConjB: v.ConjB, Dims: v.Dims}
	b.Call(fn, b.Queue(), writes(dst), reads(left), reads(right), q)
	return nil
}

// tempOf is scratch where the node's tensors are.
func (b *Builder) tempOf(d tensor.DType, n *sym.Expr) plan.View {
	if b.Moves() {
		return b.DevTemp(d, n)
	}
	return b.Temp(d, n)
}

// devRearrange copies from one labelled to another, summing over the dimensions sumDims;
// n is how many elements the result has, of which some may not be reached.
func (b *Builder) devRearrange(s, to *labelled, dims, src, dst, sumDims, sum []*sym.Expr, n *sym.Expr) error {
	d := to.view.Buf.DType
	if !sym.Product(dims).Equal(n) {
		b.devZero(to.view)
	}
	from := s.view
	if len(sumDims) > 0 {
		// The summed dimensions last, then a reduction.
		x := newBox()
		for k := range dims {
			x.add(dims[k], nil, src[k])
		}
		for k := range sumDims {
			x.add(sumDims[k], nil, sum[k])
		}
		x.dst = strides(x.dims)
		last := b.DevTemp(d, x.len())
		b.devBox(writes(last), reads(from), x)
		fn := reduceGPU("Sum", d)
		if fn == nil {
			return noKernel(b.Node.Op, d)
		}
		total := sym.Product(dims)
		sums := b.DevTemp(d, total)
		b.devReduction(fn, writes(sums), reads(last), total, sym.Product(sumDims), sym.One)
		from, src = sums, strides(dims)
	}
	x := newBox()
	for k := range dims {
		x.add(dims[k], dst[k], src[k])
	}
	b.devBox(part(to.view, sym.Product(dims).Equal(n)), reads(from), x)
	return nil
}
