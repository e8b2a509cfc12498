package index

import (
	"math"
	"strings"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gpu/gather"
	"github.com/graphc/graphc/kernels/segment"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuSegments combine rows by segment: they scatter the rows and then divide sums if needed. As on
// TensorFlow's GPUs, an id out of range is not an error.
func gpuSegments() []*lower.GPU {
	ids := []tensor.DType{tensor.Int32, tensor.Int64}
	var list []*lower.GPU
	for _, op := range []string{"SegmentSum", "SegmentProd", "SegmentMean", "SegmentMin", "SegmentMax", "UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMin", "UnsortedSegmentMax"} {
		list = append(list, &lower.GPU{Op: op, Types: map[string][]tensor.DType{"T": segmentGPUTypes(op), "Tindices": ids}, Lower: segmentOnGPU})
	}
	for _, op := range []string{"SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"} {
		types := map[string][]tensor.DType{"T": kit.GPUTypesOf("gather.Divide"), "Tidx": ids, "Tsegmentids": ids}
		list = append(list, &lower.GPU{Op: op, Types: types, Lower: sparseSegmentOnGPU}, &lower.GPU{Op: op + "WithNumSegments", Types: types, Lower: sparseSegmentOnGPU},
			&lower.GPU{Op: op + "Grad", Types: types, Lower: sparseSegmentGradOnGPU})
	}
	return list
}

// segmentScatter returns the scatter operation that combines a segment's rows.
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
		return kit.GPUTypesOf("gather.Divide")
	}
	return scatterTypes(segmentScatter(op))
}

// extremeBits returns the bits of the highest or lowest finite number of type d.
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

// DevRows appends a scatter of the rows of u to those rows of dst whose numbers are in ids. dst has
// the shape [n, inner]. If the last argument is true, u is a scalar that is used for all elements.
func DevRows(b *lower.Builder, op string, dst, u, ids plan.View, n, inner *sym.Expr, one bool) {
	dst.Mode = plan.ReadWrite
	b.Call(ScatterGPU(op, dst.Buf.DType, ids.Buf.DType), b.Queue(), dst, u, ids, plan.Lit(gather.ScatterParams{Depth: 1, Scalar: one}, "N", ids.Len, "Inner", inner, "D0", n))
}

// devDivide divides each row of sums, which is the sum of a segment, by the number of the segment's
// ids or, if root is set, by the root of that number.
func devDivide(b *lower.Builder, sums, ids plan.View, n, inner *sym.Expr, root bool) {
	counts := devCounts(b, ids, n)
	sums.Mode = plan.ReadWrite
	b.Call(kit.GPUKernel("gather.Divide", sums.Buf.DType), b.Queue(), sums, counts, n, inner, root)
}

// devCounts returns the number of ids for each of n segments.
func devCounts(b *lower.Builder, ids plan.View, n *sym.Expr) plan.View {
	counts := b.DevTemp(tensor.Int32, n)
	kit.DevZero(b, counts)
	one := b.DevConst("one", &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{1}, Data: []int32{1}})
	DevRows(b, "Add", counts, one, ids, n, sym.One, true)
	return kit.Reads(counts)
}

// segmentOnGPU lowers the segment ops for GPUs. It computes the same as segmentLower and
// unsortedLower.
func segmentOnGPU(b *lower.Builder) error {
	op, d := b.Node.Op, b.InFact(0).DType
	x, ids := b.InShape(0), b.InShape(1)
	if strings.HasPrefix(op, "Unsorted") {
		unsortedChecks(b)
	} else {
		if !ids[0].Equal(x[0]) {
			b.Check(shape.Equal, ids[0], x[0], "segment_ids should be the same size as dimension 0 of input.")
		}
		bindSegmentRows(b, 1, b.OutShape(0)[0])
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
	kit.DevFill(b, out, first)
	DevRows(b, scatter, out, b.DevIn(0), b.DevIn(1), n, inner, false)
	switch op {
	case "SegmentMean":
		devDivide(b, out, b.DevIn(1), n, inner, false)
	case "SegmentMin", "SegmentMax": // the result for an empty segment is 0
		m := kit.DevWork(b, n, inner)
		none := m.Bin(scalar.Eq, m.Along(devCounts(b, b.DevIn(1), n), sym.One, sym.Zero), m.Const(tensor.Int32, 0))
		m.Out(out, m.Select(none, m.Const(d, 0), m.ItemOf(out)))
		return m.Append()
	}
	return nil
}

// DevGathered gathers the rows of src whose indices are in ix. The parameter limit is the number of
// rows in src, and inner is the number of elements of a row.
func DevGathered(b *lower.Builder, src, ix plan.View, limit, inner *sym.Expr) plan.View {
	d := src.Buf.DType
	t := b.DevTemp(d, ix.Len.Mul(inner))
	b.Call(kit.GPUBytes("gather.Gather", d, kit.GPUSuffix[ix.Buf.DType]), b.Queue(), kit.Writes(t), kit.Reads(src), ix,
		plan.Lit(gather.Params{}, "Batch", sym.One, "Outer", sym.One, "Limit", limit, "N", ix.Len, "Inner", inner))
	return kit.Reads(t)
}

// pairChecks checks that input i, the indices, and input j, the segment ids, have the same number
// of elements.
func pairChecks(b *lower.Builder, i, j int) {
	if n := b.InShape(i)[0]; !n.Equal(b.InShape(j)[0]) {
		b.Check(shape.Equal, b.InShape(j)[0], n, "segment_ids and indices should have same size.")
	}
}

func sparseSegmentOnGPU(b *lower.Builder) error {
	x, n := b.InShape(0), b.OutShape(0)[0]
	sparseRows(b)
	pairChecks(b, 1, 2)
	inner := sym.Product(x[1:])
	rows := DevGathered(b, b.DevIn(0), b.DevIn(1), x[0], inner)
	out := b.DevOut(0)
	kit.DevZero(b, out)
	DevRows(b, "Add", out, rows, b.DevIn(2), n, inner, false)
	if s := SegmentScale(b.Node.Op); s != segment.Sum {
		devDivide(b, out, b.DevIn(2), n, inner, s == segment.SqrtN)
	}
	return nil
}

func sparseSegmentGradOnGPU(b *lower.Builder) error {
	n, _ := b.Ints(3)
	kit.CheckLen(b, 3, 1)
	kit.BindSize(b, 0, 0, n[0], "output_dim0")
	pairChecks(b, 1, 2)
	x := b.InShape(0)
	inner := sym.Product(x[1:])
	grad := DevSegmentShares(b, b.DevIn(0), b.DevIn(2), x[0], inner)
	rows := DevGathered(b, grad, b.DevIn(2), x[0], inner)
	out := b.DevOut(0)
	kit.DevZero(b, out)
	DevRows(b, "Add", out, rows, b.DevIn(1), b.OutShape(0)[0], inner, false)
	return nil
}

// DevSegmentShares computes the gradient of the rows of each of n segments. All rows of a segment
// have the same gradient: the segment's row of grad, scaled as SegmentScale says. DevSegmentShares
// returns one row for each segment.
func DevSegmentShares(b *lower.Builder, grad, ids plan.View, n, inner *sym.Expr) plan.View {
	s := SegmentScale(b.Node.Op)
	if s == segment.Sum {
		return grad
	}
	t := b.DevTemp(grad.Buf.DType, grad.Len)
	devCopy(b, kit.Writes(t), grad)
	devDivide(b, t, ids, n, inner, s == segment.SqrtN)
	return kit.Reads(t)
}
