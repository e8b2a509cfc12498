package math

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gpu/reduce"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuReductions returns the GPU lowerings of the reductions over axes, and of other ops that can be
// computed as reductions.
func gpuReductions() []*lower.GPU {
	var list []*lower.GPU
	for _, op := range []string{"Sum", "Mean", "Prod", "Max", "Min", "EuclideanNorm", "All", "Any", "L2Loss", "_SumTo", "BiasAddGrad"} {
		g := &lower.GPU{Op: op, Lower: reduceOnGPU}
		switch op {
		case "All", "Any":
		default:
			g.Types = map[string][]tensor.DType{"T": kit.GPUTypes(func(d tensor.DType) any { return ReduceGPU(op, d) })}
		}
		switch op {
		case "L2Loss":
			g.Lower = l2OnGPU
		case "_SumTo":
			g.Lower = sumToOnGPU
		case "BiasAddGrad":
			g.Lower = biasGradOnGPU
		}
		list = append(list, g)
	}
	for _, op := range []string{"ArgMax", "ArgMin"} {
		list = append(list, &lower.GPU{Op: op, Lower: argOnGPU, Types: map[string][]tensor.DType{"T": kit.GPUTypesOf("reduce." + op), "output_type": {tensor.Int32, tensor.Int64}}})
	}
	return list
}

// ReduceGPU returns the kernel of a reduction, or nil.
func ReduceGPU(op string, d tensor.DType) any {
	switch op {
	case "_SumTo", "BiasAddGrad":
		op = "Sum"
	case "All", "Any":
		d = tensor.Bool
	}
	return kit.GPUWrapping("reduce."+op, d)
}

func reduceOnGPU(b *lower.Builder) error {
	dims := b.InShape(0)
	drop, ok, err := reduceAxes(b.Shaper(), len(dims))
	if err != nil {
		return err
	}
	if !ok {
		es, err := openGroups(b, dims)
		if err != nil {
			return err
		}
		devReduce(b, b.Node.Op, es)
		return nil
	}
	es := reduceGroups(dims, drop)
	if len(es) == 1 && b.Node.Op != "EuclideanNorm" {
		b.Alias(0, 0)
		return nil
	}
	devReduce(b, b.Node.Op, es)
	return nil
}

// devReduce appends a reduction of input 0. The result is output 0. es holds the dimensions of
// input 0: the reduction is over es[1], es[3] and so on; es[0], es[2] and so on are kept.
func devReduce(b *lower.Builder, op string, es []*sym.Expr) {
	d := b.InFact(0).DType
	fn := ReduceGPU(op, d)
	src := b.DevIn(0)
	half := d == tensor.Half || d == tensor.BFloat16
	if len(es)/2 > 2 || len(es)/2 == 2 && half {
		src, es = devReducedLast(b, src, es)
	}
	for len(es)/2 == 2 { // if two dimensions are reduced, reduce the inner one, es[3], first
		dst := b.DevTemp(d, sym.Product(es[:3]).Mul(sym.Product(es[4:])))
		DevReduction(b, fn, kit.Writes(dst), src, sym.Product(es[:3]), es[3], sym.Product(es[4:]))
		src, es = kit.Reads(dst), []*sym.Expr{es[0], es[1], es[2].Mul(sym.Product(es[4:]))}
	}
	n := sym.One
	if len(es) > 1 {
		n = es[1]
	}
	DevReduction(b, fn, b.DevOut(0), src, es[0], n, sym.Product(es[min(2, len(es)):]))
}

// DevReduction appends a call that reduces src, which has the shape [outer, n, inner], along its
// second axis. If n may be so large that the kernel is faster when it reduces parts of the axis
// separately, the kernel also gets scratch memory for the results of the parts.
func DevReduction(b *lower.Builder, fn any, dst, src plan.View, outer, n, inner *sym.Expr) {
	const short = 1024
	q := plan.Lit(reduce.Params{}, "Outer", outer, "N", n, "Inner", inner)
	if v, ok := n.IsInt(); !ok || v >= short {
		q = q.With("Scratch", b.DevTemp(tensor.Uint8, sym.Int(reduce.Scratch)))
	}
	b.Call(fn, b.Queue(), dst, src, q)
}

// devReducedLast appends a transposition of src, in which all kept dimensions precede the reduced
// dimensions. It returns the transposed copy, and two sizes: the product of the kept dimensions and
// the product of the reduced dimensions. es holds the dimensions of src, of which es[1], es[3] and
// so on are reduced.
func devReducedLast(b *lower.Builder, src plan.View, es []*sym.Expr) (plan.View, []*sym.Expr) {
	st := kit.Strides(es)
	x := kit.NewBox()
	kept, reduced := sym.One, sym.One
	for k := 0; k < len(es); k += 2 {
		x.Add(es[k], nil, st[k])
		kept = kept.Mul(es[k])
	}
	for k := 1; k < len(es); k += 2 {
		x.Add(es[k], nil, st[k])
		reduced = reduced.Mul(es[k])
	}
	x.Dst = kit.Strides(x.Dims)
	dst := b.DevTemp(src.Buf.DType, src.Len)
	kit.DevBox(b, kit.Writes(dst), src, x)
	return kit.Reads(dst), []*sym.Expr{kept, reduced}
}

func l2OnGPU(b *lower.Builder) error {
	DevReduction(b, ReduceGPU("L2Loss", b.InFact(0).DType), b.DevOut(0), b.DevIn(0), sym.One, b.InLen(0), sym.One)
	return nil
}

func biasGradOnGPU(b *lower.Builder) error {
	outer, n, inner := around(b.InShape(0), channelAxis(b.Node.Str("data_format"), len(b.InShape(0))))
	es := []*sym.Expr{sym.One, outer, n}
	if !inner.Is(1) {
		es = append(es, inner)
	}
	devReduce(b, "Sum", es)
	return nil
}

func sumToOnGPU(b *lower.Builder) error {
	es, same, err := sumToGroups(b)
	if err != nil {
		return err
	}
	if same {
		b.Alias(0, 0)
		return nil
	}
	devReduce(b, "Sum", es)
	return nil
}

// argOnGPU lowers ArgMax and ArgMin for a GPU, as argLower does for the CPU.
func argOnGPU(b *lower.Builder) error {
	d, end := b.InFact(0).DType, ""
	if b.OutFact(0).DType == tensor.Int32 {
		end = "To32"
	}
	fn := bytype.GPU["reduce."+b.Node.Op+kit.GPUSuffix[d]+end]
	outer, n, inner, open, err := splitAxis(b)
	if err != nil {
		return err
	}
	if open {
		bindLeft(b)
	}
	b.Check(shape.AtLeast, n, 1, "the length of the reduced axis")
	b.Call(fn, b.Queue(), b.DevOut(0), b.DevIn(0), plan.Lit(reduce.Dims{}, "Outer", outer, "N", n, "Inner", inner))
	return nil
}
