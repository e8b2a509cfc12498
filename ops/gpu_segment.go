package ops

import (
	"math"
	"strings"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gpu/gather"
	"github.com/graphc/graphc/kernels/segment"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuSegments combine rows by segment: by scattering them, with what divides sums after
// them. An id outside is no error, as on TensorFlow's GPUs.
func gpuSegments() []*GPU {
	ids := []tensor.DType{tensor.Int32, tensor.Int64}
	var list []*GPU
	for _, op := range []string{"SegmentSum", "SegmentProd", "SegmentMean", "SegmentMin", "SegmentMax", "UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMin", "UnsortedSegmentMax"} {
		list = append(list, &GPU{Op: op, Types: map[string][]tensor.DType{"T": segmentGPUTypes(op), "Tindices": ids}, Lower: segmentOnGPU})
	}
	for _, op := range []string{"SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"} {
		types := map[string][]tensor.DType{"T": gpuTypesOf("gather.Divide"), "Tidx": ids, "Tsegmentids": ids}
		list = append(list, &GPU{Op: op, Types: types, Lower: sparseSegmentOnGPU}, &GPU{Op: op + "WithNumSegments", Types: types, Lower: sparseSegmentOnGPU},
			&GPU{Op: op + "Grad", Types: types, Lower: sparseSegmentGradOnGPU})
	}
	return list
}

// segmentScatter is what a segment's rows are scattered by.
func segmentScatter(op string) string {
	switch {
	case strings.HasSuffix(op, "Prod"):
		return "Mul"
	case strings.HasSuffix(op, "Min"):
		return "Min"
	case strings.HasSuffix(op, "Max"):
		return "Max"
	}
	return "Add"
}

func segmentGPUTypes(op string) []tensor.DType {
	switch op {
	case "SegmentMean", "SegmentMin", "SegmentMax":
		return gpuTypesOf("gather.Divide")
	}
	return scatterTypes(segmentScatter(op))
}

// extremeBits are the bits of the highest or the lowest finite number of type d.
func extremeBits(d tensor.DType, highest bool) uint64 {
	size := uint(8 * d.Size())
	switch {
	case scalar.IsUnsigned(d) && highest:
		return math.MaxUint64 >> (64 - size)
	case scalar.IsUnsigned(d):
		return 0
	case scalar.IsSigned(d) && highest:
		return 1<<(size-1) - 1
	case scalar.IsSigned(d):
		return 1 << (size - 1)
	}
	var v uint64
	switch d {
	case tensor.Half:
		v = 0x7bff
	case tensor.BFloat16:
		v = 0x7f7f
	case tensor.Float32:
		v = uint64(math.Float32bits(math.MaxFloat32))
	default:
		v = math.Float64bits(math.MaxFloat64)
	}
	if !highest {
		v |= 1 << (size - 1)
	}
	return v
}

// devFill sets v to elements of those bits.
func (b *Builder) devFill(v plan.View, bits [2]uint64) {
	args := []any{b.Queue(), writes(v), v.Len, bits[0]}
	if v.Buf.DType.Size() == 16 {
		args = append(args, bits[1])
	}
	b.Call(gpuBytes("array.Fill", v.Buf.DType, ""), args...)
}

// devRows appends a scattering of rows of inner elements to dst, of n rows, by ids. A
// scalar u stands for all elements.
func (b *Builder) devRows(op string, dst, u, ids plan.View, n, inner *sym.Expr, one bool) {
	dst.Mode = plan.ReadWrite
	b.Call(scatterGPU(op, dst.Buf.DType, ids.Buf.DType), b.Queue(), dst, u, ids, plan.Lit(gather.ScatterParams{Depth: 1, Scalar: one}, "N", ids.Len, "Inner", inner, "D0", n))
}

// devDivide divides rows, sums of segments, by how many of ids each has, or its root.
func (b *Builder) devDivide(sums, ids plan.View, n, inner *sym.Expr, root bool) {
	counts := b.devCounts(ids, n)
	sums.Mode = plan.ReadWrite
	b.Call(gpuKernel("gather.Divide", sums.Buf.DType), b.Queue(), sums, counts, n, inner, root)
}

// devCounts is how many of ids name each of n segments.
func (b *Builder) devCounts(ids plan.View, n *sym.Expr) plan.View {
	counts := b.DevTemp(tensor.Int32, n)
	b.devZero(counts)
	one := b.DevConst("one", &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{1}, Data: []int32{1}})
	b.devRows("Add", counts, one, ids, n, sym.One, true)
	return reads(counts)
}

// segmentOnGPU: see segmentLower and unsortedLower.
func segmentOnGPU(b *Builder) error {
	op, d := b.Node.Op, b.InFact(0).DType
	x, ids := b.InShape(0), b.InShape(1)
	if strings.HasPrefix(op, "Unsorted") {
		b.unsortedChecks()
	} else {
		if !ids[0].Equal(x[0]) {
			b.Check(shape.Equal, ids[0], x[0], "segment_ids should be the same size as dimension 0 of input.")
		}
		b.bindSegmentRows(1, b.OutShape(0)[0])
	}
	n, inner := b.OutShape(0)[0], sym.Product(x[len(ids):])
	scatter := segmentScatter(op)
	var first [2]uint64
	switch scatter {
	case "Mul":
		first = scalar.ConstBits(d, 1)
	case "Min", "Max":
		if first[0] = extremeBits(d, scatter == "Min"); !strings.HasPrefix(op, "Unsorted") {
			first = scalar.ConstBits(d, math.Inf(map[bool]int{true: 1, false: -1}[scatter == "Min"]))
		}
	}
	out := b.DevOut(0)
	b.devFill(out, first)
	b.devRows(scatter, out, b.DevIn(0), b.DevIn(1), n, inner, false)
	switch op {
	case "SegmentMean":
		b.devDivide(out, b.DevIn(1), n, inner, false)
	case "SegmentMin", "SegmentMax": // a segment without rows is 0
		m := b.devWork(n, inner)
		none := m.Bin(scalar.Eq, m.along(b.devCounts(b.DevIn(1), n), sym.One, sym.Zero), m.Const(tensor.Int32, 0))
		m.out(out, m.Select(none, m.Const(d, 0), m.item(out)))
		return m.call()
	}
	return nil
}

// devGathered is rows of inner elements of src at the places ix.
func (b *Builder) devGathered(src, ix plan.View, limit, inner *sym.Expr) plan.View {
	d := src.Buf.DType
	t := b.DevTemp(d, ix.Len.Mul(inner))
	b.Call(gpuBytes("gather.Gather", d, gpuSuffix[ix.Buf.DType]), b.Queue(), writes(t), reads(src), ix,
		plan.Lit(gather.Params{}, "Batch", sym.One, "Outer", sym.One, "Limit", limit, "N", ix.Len, "Inner", inner))
	return reads(t)
}

// pairChecks requires as many segment ids as indices.
func (b *Builder) pairChecks(i, j int) {
	if n := b.InShape(i)[0]; !n.Equal(b.InShape(j)[0]) {
		b.Check(shape.Equal, b.InShape(j)[0], n, "segment_ids and indices should have same size.")
	}
}

func sparseSegmentOnGPU(b *Builder) error {
	x, n := b.InShape(0), b.OutShape(0)[0]
	b.sparseRows()
	b.pairChecks(1, 2)
	inner := sym.Product(x[1:])
	rows := b.devGathered(b.DevIn(0), b.DevIn(1), x[0], inner)
	out := b.DevOut(0)
	b.devZero(out)
	b.devRows("Add", out, rows, b.DevIn(2), n, inner, false)
	if s := segmentScale(b.Node.Op); s != segment.Sum {
		b.devDivide(out, b.DevIn(2), n, inner, s == segment.SqrtN)
	}
	return nil
}

func sparseSegmentGradOnGPU(b *Builder) error {
	n, _ := b.Ints(3)
	b.checkLen(3, 1)
	b.bindSize(0, 0, n[0], "output_dim0")
	b.pairChecks(1, 2)
	x := b.InShape(0)
	inner := sym.Product(x[1:])
	grad := b.devSegmentShares(b.DevIn(0), b.DevIn(2), x[0], inner)
	rows := b.devGathered(grad, b.DevIn(2), x[0], inner)
	out := b.DevOut(0)
	b.devZero(out)
	b.devRows("Add", out, rows, b.DevIn(1), b.OutShape(0)[0], inner, false)
	return nil
}
