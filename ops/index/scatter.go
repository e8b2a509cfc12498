package index

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gather"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var RealTypes = kit.NumberTypes[:len(kit.NumberTypes)-2]

// scatterDefs write slices at given indices: the last axis of indices holds positions in the
// result's first axes. With attribute bad_indices_policy IGNORE, positions out of range are
// skipped; otherwise they are InvalidArgument.
var scatterDefs = []*lower.Def{
	{Name: "ScatterNd", Types: map[string][]tensor.DType{"T": append([]tensor.DType{tensor.Bool, tensor.String}, kit.NumberTypes...), "Tindices": IndexTypes},
		Shape: scatterNdShape, Lower: scatterNdLower},
	{Name: "ScatterNdNonAliasingAdd", Types: map[string][]tensor.DType{"T": append([]tensor.DType{tensor.Bool}, kit.NumberTypes...), "Tindices": IndexTypes},
		Shape: tensorScatterShape, Lower: tensorScatter(bytype.GatherScatterAdd, 1, 2)},
	{Name: "TensorScatterUpdate", Types: map[string][]tensor.DType{"T": kit.DataTypes, "Tindices": IndexTypes},
		Shape: tensorScatterShape, Lower: tensorScatter(bytype.GatherScatterUpdate, 1, 2)},
	{Name: "TensorScatterAdd", Types: map[string][]tensor.DType{"T": kit.NumberTypes, "Tindices": IndexTypes},
		Shape: tensorScatterShape, Lower: tensorScatter(bytype.GatherScatterAdd, 1, 2)},
	{Name: "TensorScatterSub", Types: map[string][]tensor.DType{"T": kit.NumberTypes, "Tindices": IndexTypes},
		Shape: tensorScatterShape, Lower: tensorScatter(bytype.GatherScatterSub, 1, 2)},
	{Name: "TensorScatterMin", Types: map[string][]tensor.DType{"T": RealTypes, "Tindices": IndexTypes},
		Shape: tensorScatterShape, Lower: tensorScatter(bytype.GatherScatterMin, 1, 2)},
	{Name: "TensorScatterMax", Types: map[string][]tensor.DType{"T": RealTypes, "Tindices": IndexTypes},
		Shape: tensorScatterShape, Lower: tensorScatter(bytype.GatherScatterMax, 1, 2)},
	{Name: "InplaceUpdate", Types: map[string][]tensor.DType{"T": kit.DataTypes}, Shape: inplaceShape, Lower: inplace(bytype.GatherScatterUpdate)},
	{Name: "InplaceAdd", Types: map[string][]tensor.DType{"T": kit.NumberTypes}, Shape: inplaceShape, Lower: inplace(bytype.GatherScatterAdd)},
	{Name: "InplaceSub", Types: map[string][]tensor.DType{"T": kit.NumberTypes}, Shape: inplaceShape, Lower: inplace(bytype.GatherScatterSub)},
}

// scatterFits checks that updates of the shape u fit a scatter of slices to a tensor of the shape
// out. The parameter ix is the shape of the indices, whose last axis holds positions in the tensor.
// The result depth is the number of elements of a position, or -1 if it is unknown.
func scatterFits(out, ix, u ir.Shape) (depth int, err error) {
	if !out.Known || !ix.Known || !u.Known {
		return -1, nil
	}
	if n, ok := ix.Len().IsInt(); len(ix.Dims) == 0 || len(out.Dims) == 0 || len(ix.Dims) == 1 && ok && n > 0 {
		if len(ix.Dims) == 1 && len(out.Dims) > 0 {
			return -1, tensor.Errorf(tensor.InvalidArgument, "indices must be rows of positions, not of the shape %v", ix)
		}
		return -1, tensor.Errorf(tensor.InvalidArgument, "output and indices must be at least vectors, not of the shapes %v and %v", out, ix)
	}
	last := len(ix.Dims) - 1
	depth, ok := ix.Dims[last].IsInt()
	if !ok {
		// The length of a position is the rank of the tensor minus the rank of a slice.
		depth = last + len(out.Dims) - len(u.Dims)
	}
	if depth < 0 || depth > len(out.Dims) || len(u.Dims) != last+len(out.Dims)-depth {
		return -1, tensor.Errorf(tensor.InvalidArgument, "updates %v do not fit indices %v and output %v", u, ix, out)
	}
	for k, d := range u.Dims {
		want := ix.Dims[min(k, last)]
		if k >= last {
			want = out.Dims[depth+k-last]
		}
		if _, err := kit.JoinDim(d, want, "updates against indices and output"); err != nil {
			return -1, err
		}
	}
	return depth, nil
}

// checkScatter is like scatterFits, and also appends the checks left for run time.
func checkScatter(b *lower.Builder, out []*sym.Expr, ix, u int) (int, error) {
	is, us := b.InShape(ix), b.InShape(u)
	depth, err := scatterFits(ir.ShapeOf(out...), ir.ShapeOf(is...), ir.ShapeOf(us...))
	if err != nil {
		return 0, err
	}
	last := len(is) - 1
	if !is[last].Is(depth) {
		b.Check(shape.Equal, is[last], depth, "the last dimension of indices")
	}
	for k, d := range us {
		want := is[min(k, last)]
		if k >= last {
			want = out[depth+k-last]
		}
		if !d.Equal(want) {
			b.Check(shape.Equal, d, want, "updates against indices and output")
		}
	}
	// If one of output, indices and updates is empty, indices and updates must both be empty.
	// Shapes that fit guarantee this, unless positions index no axis or slices are empty.
	sure := depth > 0 || b.Node.Bool(lower.MayBeEmpty)
	for _, d := range out {
		n, static := d.IsInt()
		sure = sure && (static && n > 0 || b.Node.Bool(lower.MayBeEmpty))
	}
	if !sure {
		b.Check(shape.Updates, sym.Product(out), sym.Product(is), sym.Product(us))
	}
	return depth, nil
}

// Lenient reports whether attribute bad_indices_policy ignores indices out of range instead of
// rejecting them.
func Lenient(n *ir.Node) (bool, error) {
	switch p := n.Str("bad_indices_policy"); p {
	case "", "DEFAULT", "ERROR":
		return false, nil
	case "IGNORE":
		return true, nil
	default:
		return false, tensor.Errorf(tensor.InvalidArgument, "bad_indices_policy %q", p)
	}
}

// scatterParams returns the parameters of a kernel that scatters slices to a tensor of the shape
// out. The parameter count is the number of slices. A position is an index into the tensor's axes 0
// to depth-1. The other axes form a slice.
func scatterParams(n *ir.Node, out []*sym.Expr, depth int, count *sym.Expr) (plan.Struct, error) {
	skip, err := Lenient(n)
	return plan.Lit(gather.ScatterParams{Lenient: skip}, "N", count, "Inner", sym.Product(out[depth:])), err
}

// scatterNdShape infers the result of ScatterNd, whose inputs are indices, updates and shape. If an
// index occurs several times, its updates are added.
func scatterNdShape(c *lower.Shaper) error {
	dims, err := kit.DimsOf(c, 2)
	if err != nil {
		return err
	}
	if dims == nil {
		c.UnknownShape(0, c.In(1).DType)
		return nil
	}
	out := ir.ShapeOf(dims...)
	if err := scatterEmpty(c, out, c.Shape(0), c.Shape(1)); err != nil {
		return err
	}
	if _, err := scatterFits(out, c.Shape(0), c.Shape(1)); err != nil {
		return err
	}
	c.Set(0, c.In(1).DType, out)
	return nil
}

func scatterNdLower(b *lower.Builder) error {
	kit.BindDims(b, 2)
	out := b.OutShape(0)
	depth, err := checkScatter(b, out, 0, 1)
	if err != nil {
		return err
	}
	idx, it := kit.Indices(b, 0)
	fn, err := bytype.GatherScatterNew.Get(b.OutFact(0).DType, it)
	if err != nil {
		return err
	}
	is := b.InShape(0)
	p, err := scatterParams(b.Node, out, depth, sym.Product(is[:len(is)-1]))
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(1), idx, out[:depth], p)
	return nil
}

// scatterEmpty rejects updates of a result that is known to be empty.
func scatterEmpty(c *lower.Shaper, out, ix, u ir.Shape) error {
	positive := func(s ir.Shape) bool {
		if !s.Known {
			return false
		}
		n, ok := s.Len().IsInt()
		return ok && n > 0
	}
	if out.Known && out.Len().Is(0) && !c.Node.Bool(lower.MayBeEmpty) && (positive(ix) || positive(u)) {
		return tensor.Errorf(tensor.InvalidArgument, "indices %v and updates %v specified for the empty output %v", ix, u, out)
	}
	return nil
}

func tensorScatterShape(c *lower.Shaper) error {
	c.Same(0, 0)
	if err := scatterEmpty(c, c.Shape(0), c.Shape(1), c.Shape(2)); err != nil {
		return err
	}
	_, err := scatterFits(c.Shape(0), c.Shape(1), c.Shape(2))
	return err
}

func tensorScatter(t bytype.Table, ix, u int) func(b *lower.Builder) error {
	return func(b *lower.Builder) error {
		out := b.OutShape(0)
		depth, err := checkScatter(b, out, ix, u)
		if err != nil {
			return err
		}
		idx, it := kit.Indices(b, ix)
		fn, err := t.Get(b.OutFact(0).DType, it)
		if err != nil {
			return err
		}
		is := b.InShape(ix)
		p, err := scatterParams(b.Node, out, depth, sym.Product(is[:len(is)-1]))
		if err != nil {
			return err
		}
		b.CallInPlace(0, 0, fn, b.Out(0), b.In(0), b.In(u), idx, out[:depth], p)
		return nil
	}
}

// inplaceShape infers the result of InplaceUpdate and related ops, whose inputs are x, i and v.
// InplaceUpdate replaces the rows of x whose numbers are in i by the rows of v. Row numbers are
// taken modulo the number of rows.
func inplaceShape(c *lower.Shaper) error {
	c.Same(0, 0)
	if x := c.Shape(0); x.Known && len(x.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "x must be at least a vector")
	}
	if _, err := c.WithRank(1, 1); err != nil {
		return err
	}
	if x, v := c.Shape(0), c.Shape(2); x.Known && v.Known && len(x.Dims) != len(v.Dims) {
		return tensor.Errorf(tensor.InvalidArgument, "x and v shape doesn't match (ranks differ): %v vs. %v", x, v)
	}
	return nil
}

// inplaceChecks checks that the shapes of the inputs x, i and v fit each other.
func inplaceChecks(b *lower.Builder) error {
	out, v := b.OutShape(0), b.InShape(2)
	for k := 1; k < len(out); k++ {
		if err := kit.RequireSame(b, v[k], out[k], "x and v must agree after the first dimension"); err != nil {
			return err
		}
	}
	return kit.RequireSame(b, v[0], b.InShape(1)[0], "v must have a row for each element of i")
}

func inplace(t bytype.Table) func(b *lower.Builder) error {
	return func(b *lower.Builder) error {
		if err := inplaceChecks(b); err != nil {
			return err
		}
		out := b.OutShape(0)
		fn, err := t.Get(b.OutFact(0).DType, b.InFact(1).DType)
		if err != nil {
			return err
		}
		b.CallInPlace(0, 0, fn, b.Out(0), b.In(0), b.In(2), b.In(1), out[:1],
			plan.Lit(gather.ScatterParams{Wrap: true}, "N", b.InLen(1), "Inner", sym.Product(out[1:])))
		return nil
	}
}
