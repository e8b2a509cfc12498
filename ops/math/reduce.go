package math

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/reduce"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// reduceDefs are reductions over axes. Input 1 holds the axes, which may be negative; no axis may
// occur twice. If the axes are known only at run time, their number must be known, or keep_dims
// set. Float sums are accumulated in float64. Integer sums wrap around; integer means truncate
// toward zero.
var reduceDefs = []*lower.Def{
	reduceDef("Sum").With(lower.KeepsDigits), reduceDef("Mean").With(lower.KeepsDigits), reduceDef("Prod"), reduceDef("Max").With(lower.KeepsDigits), reduceDef("Min").With(lower.KeepsDigits), reduceDef("EuclideanNorm"),
	{Name: "All", Limits: axesLimit, Shape: reduceShape, Lower: reduceLower},
	{Name: "Any", Limits: axesLimit, Shape: reduceShape, Lower: reduceLower},
	{Name: "L2Loss", Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.BFloat16, tensor.Half}}, Shape: l2Shape, Lower: l2Lower},
}

const axesLimit = "an unknown number of axes when compiling, without keep_dims"

func reduceDef(name string) *lower.Def {
	var ds []tensor.DType
	for d := tensor.DType(1); d.Valid(); d++ {
		if bytype.Reduce[name][d].Fn != nil {
			ds = append(ds, d)
		}
	}
	return &lower.Def{Name: name, Types: map[string][]tensor.DType{"T": ds}, Limits: axesLimit, Shape: reduceShape, Lower: reduceLower}
}

// reduceAxes returns which dimensions of input 0 are reduced, or false if input 1 is unknown.
func reduceAxes(c *lower.Shaper, rank int) ([]bool, bool, error) {
	axes, ok := c.StaticInts(1)
	if !ok {
		return nil, false, nil
	}
	drop := make([]bool, rank)
	for _, a := range axes {
		k, err := lower.Axis(a, rank)
		if err != nil {
			return nil, false, tensor.Errorf(tensor.InvalidArgument, "invalid reduction dimension %d for a tensor of rank %d", a, rank)
		}
		if drop[k] {
			return nil, false, tensor.Errorf(tensor.InvalidArgument, "dimension %d is to be reduced twice", k)
		}
		drop[k] = true
	}
	return drop, true, nil
}

func keepDims(n *ir.Node) bool { return n.Bool("keep_dims") }

func reduceShape(c *lower.Shaper) error {
	if s := c.Shape(1); s.Rank() > 1 {
		return tensor.Errorf(tensor.InvalidArgument, "the axes must be a scalar or a vector, not of shape %v", s)
	}
	d := c.In(0).DType
	in := c.Shape(0)
	if !in.Known {
		c.Set(0, d, ir.Shape{})
		return nil
	}
	drop, ok, err := reduceAxes(c, len(in.Dims))
	if err != nil {
		return err
	}
	if !ok {
		return openReduceShape(c, d, in.Dims)
	}
	out := []*sym.Expr{}
	for k, e := range in.Dims {
		switch {
		case !drop[k]:
			out = append(out, e)
		case keepDims(c.Node):
			out = append(out, sym.One)
		}
	}
	c.Set(0, d, ir.ShapeOf(out...))
	if es := c.In(0).Ints; es != nil && len(in.Dims) == 1 && drop[0] && IsIndex(d) {
		if e := reduceInts(c.Node.Op, es); e != nil {
			c.SetInts(0, wrapInts(d, []*sym.Expr{e}))
		}
	}
	return nil
}

// maxOpenRank is the highest rank of a tensor that can be reduced over axes known only at run time.
const maxOpenRank = reduce.MaxDims / 2

// openReduceShape infers the shape of the result of a reduction over axes that are known only at
// run time. The dimensions of the result are new symbolic sizes of output 0. openGroups appends the
// calls that compute these sizes at run time. For a tensor of rank r, the sizes are:
//   - Sizes 2i and 2i+1, for each dimension i: if the dimension is kept, its length and 1; if it is
//     reduced, 1 and its length.
//   - Sizes 2r and following: the dimensions of the result if keep_dims is false. In this case, the
//     number of the axes must be known at compile time.
func openReduceShape(c *lower.Shaper, d tensor.DType, dims []*sym.Expr) error {
	r := len(dims)
	n, ok := 0, false
	if s := c.Shape(1); s.Known {
		n, ok = s.Len().IsInt()
	}
	switch {
	case ok && n > r:
		return tensor.Errorf(tensor.InvalidArgument, "a reduction over %d axes of a tensor of rank %d", n, r)
	case keepDims(c.Node) && r <= maxOpenRank:
		out := make([]*sym.Expr, r)
		for i := range out {
			out[i] = c.NewSizeK(0, 2*i)
		}
		c.Set(0, d, ir.ShapeOf(out...))
	case !ok || r > maxOpenRank:
		c.Set(0, d, ir.Shape{})
	default:
		out := make([]*sym.Expr, r-n)
		for i := range out {
			out[i] = c.NewSizeK(0, 2*r+i)
		}
		c.Set(0, d, ir.ShapeOf(out...))
	}
	return nil
}

// openGroups appends the calls that compute the sizes described at openReduceShape. It returns two
// sizes for each dimension: the length and 1 if the dimension is kept, 1 and the length if it is
// reduced.
func openGroups(b *lower.Builder, dims []*sym.Expr) ([]*sym.Expr, error) {
	split, left := any(reduce.SplitI32), any(reduce.KeptI32)
	if b.InFact(1).DType == tensor.Int64 {
		split, left = reduce.SplitI64, reduce.KeptI64
	}
	var es []*sym.Expr
	for i := range dims {
		kept, gone := b.NewSizeK(0, 2*i), b.NewSizeK(0, 2*i+1)
		b.CallSizes(split, []*sym.Expr{kept, gone}, b.In(1), dims, sym.Int(i))
		es = append(es, kept, gone)
	}
	if !keepDims(b.Node) {
		for i, e := range b.OutShape(0) {
			b.CallSizes(left, []*sym.Expr{e}, b.In(1), dims, sym.Int(i))
		}
	}
	if len(es) == 0 { // a scalar
		if err := kit.RequireSame(b, b.InLen(1), sym.Zero, "the number of axes of a scalar"); err != nil {
			return nil, err
		}
		es = []*sym.Expr{sym.One}
	}
	return es, nil
}

// openReduce appends a reduction over axes known only at run time.
func openReduce(b *lower.Builder, r bytype.Reduction, dims []*sym.Expr) error {
	es, err := openGroups(b, dims)
	if err != nil {
		return err
	}
	b.Call(r.Fn, b.Out(0), b.In(0), plan.Lit(reduce.Dims{N: len(es)}, "D", es), b.Temp(r.Acc, sym.Int(reduce.MaxColumns)))
	return nil
}

// reduceInts returns the reduction of the integers es by an op such as Sum or Max. It returns nil
// if the result cannot be written as a symbolic expression.
func reduceInts(op string, es []*sym.Expr) *sym.Expr {
	if len(es) == 0 && op != "Sum" && op != "Prod" {
		return nil
	}
	var a *sym.Expr
	f := (*sym.Expr).Add
	switch op {
	case "Sum":
		a = sym.Zero
	case "Prod":
		a, f = sym.One, (*sym.Expr).Mul
	case "Max":
		a, f = es[0], sym.Max
	case "Min":
		a, f = es[0], sym.Min
	default:
		return nil
	}
	for _, e := range es {
		a = f(a, e)
	}
	return a
}

// reduceGroups merges adjacent dimensions that are all kept or all reduced, and returns the lengths
// of the merged dimensions. The first of these is kept, the second is reduced, and so on in turn.
// Where necessary, the first has the length 1.
func reduceGroups(dims []*sym.Expr, drop []bool) []*sym.Expr {
	es := []*sym.Expr{sym.One}
	for k, e := range dims {
		if e.Is(1) {
			continue
		}
		if drop[k] != (len(es)%2 == 0) {
			es = append(es, e)
		} else {
			es[len(es)-1] = es[len(es)-1].Mul(e)
		}
	}
	return es
}

// reduceDims returns the merged dimensions of reduceGroups as a parameter of a reduction kernel.
// kept is the length of the last merged dimension if this dimension is kept, or nil if it is
// reduced.
func reduceDims(dims []*sym.Expr, drop []bool) (d plan.Struct, kept *sym.Expr, err error) {
	es := reduceGroups(dims, drop)
	if len(es) > reduce.MaxDims {
		return d, nil, tensor.Errorf(tensor.Unimplemented, "a reduction over %d groups of dimensions; %d are supported", len(es), reduce.MaxDims)
	}
	if len(es)%2 == 1 {
		kept = es[len(es)-1]
	}
	return plan.Lit(reduce.Dims{N: len(es)}, "D", es), kept, nil
}

func reduceLower(b *lower.Builder) error {
	c := b.Shaper()
	op, t := b.Node.Op, b.InFact(0).DType
	r := bytype.Reduce[op][t]
	switch op {
	case "All":
		r = bytype.Reduction{Fn: reduce.AllBool, Acc: tensor.Bool}
	case "Any":
		r = bytype.Reduction{Fn: reduce.AnyBool, Acc: tensor.Bool}
	}
	if r.Fn == nil {
		return NoKernel(op, t)
	}
	dims := b.InShape(0)
	drop, ok, err := reduceAxes(c, len(dims))
	if err != nil {
		return err
	}
	if !ok {
		return openReduce(b, r, dims)
	}
	nothing := true
	for k := range dims {
		nothing = nothing && (!drop[k] || dims[k].Is(1))
	}
	if nothing && op != "EuclideanNorm" {
		b.Alias(0, 0)
		return nil
	}
	return lowerReduction(b, r, b.Out(0), b.In(0), dims, drop)
}

// lowerReduction appends a reduction of src, which has the dimensions dims, to dst.
func lowerReduction(b *lower.Builder, r bytype.Reduction, dst, src plan.View, dims []*sym.Expr, drop []bool) error {
	d, kept, err := reduceDims(dims, drop)
	if err != nil {
		return err
	}
	n := sym.One
	if kept != nil {
		n = sym.Min(kept, sym.Int(reduce.MaxColumns))
	}
	if ds := d.Fields["D"]; len(ds) > 1 && !ds[0].Is(1) && b.BeforeSteps(n) && lower.Loopable(r.Fn, src.Buf.DType, r.Acc) {
		total, item, from := ds[0], sym.One, sym.Product(ds[1:])
		for k := 2; k < len(ds); k += 2 {
			item = item.Mul(ds[k])
		}
		l := b.Par(total, lower.RowSplit(from, lower.CostCheap))
		l.Call(r.Fn, lower.Rows(dst, item), lower.Rows(src, from), d.With("D", append([]*sym.Expr{plan.Count}, ds[1:]...)), l.Temp(r.Acc, n))
		return nil
	}
	b.Call(r.Fn, dst, src, d, b.Temp(r.Acc, n))
	return nil
}

func l2Shape(c *lower.Shaper) error {
	c.Set(0, c.In(0).DType, ir.ShapeOf())
	return nil
}

func l2Lower(b *lower.Builder) error {
	fn, err := KernelByType(b, map[tensor.DType]any{tensor.Float32: reduce.L2LossF32, tensor.Float64: reduce.L2LossF64,
		tensor.Half: reduce.L2LossF16, tensor.BFloat16: reduce.L2LossBF16})
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0))
	return nil
}

// KernelByType returns the kernel for input 0's element type, or InvalidArgument.
func KernelByType(b *lower.Builder, ks map[tensor.DType]any) (any, error) {
	d := b.InFact(0).DType
	if fn := ks[d]; fn != nil {
		return fn, nil
	}
	return nil, tensor.Errorf(tensor.InvalidArgument, "%s has no kernel for %s", b.Node.Op, d)
}
