package linalg

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/linalg"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// tridiagonalDefs are ops on banded and tridiagonal matrices.
var tridiagonalDefs = []*lower.Def{
	{Name: "BandedTriangularSolve", Flags: lower.Expensive, Types: linalgTypes, Shape: bandedShape, Lower: bandedLower},
	{Name: "TridiagonalSolve", Flags: lower.Expensive, Types: linalgTypes, Shape: tridiagonalShape, Lower: tridiagonalLower},
	{Name: "TridiagonalMatMul", Flags: lower.Expensive, Types: linalgTypes, Shape: tridiagonalProductShape, Lower: tridiagonalProductLower},
}

// bandedShape infers the result of BandedTriangularSolve. The inputs are matrix [...,bands,M] and
// rhs [...,M,K]. Their batches broadcast. Neither input may be empty.
func bandedShape(c *lower.Shaper) error {
	batch, bands, m, known, err := matrices(c, 0)
	if err != nil {
		return err
	}
	for i := range 2 {
		for _, d := range c.Shape(i).Dims {
			if d.Is(0) {
				return tensor.Errorf(tensor.InvalidArgument, "input %d must not be empty, but has the shape %v", i, c.Shape(i))
			}
		}
	}
	if known && kit.KnownLess(bands, 1) {
		return tensor.Errorf(tensor.InvalidArgument, "matrix has the shape %v; at least one band is required", c.Shape(0))
	}
	if l, ok := staticInt(bands); known && ok && kit.KnownLess(m, l) {
		return tensor.Errorf(tensor.InvalidArgument, "number of bands %d cannot exceed the size of the matrix %v", l, m)
	}
	return broadcastRhsShape(c, batch, m, known)
}

func bandedLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0, 1); err != nil {
		return err
	}
	a, r, out := b.InShape(0), b.InShape(1), b.OutShape(0)
	na, nr := len(a)-2, len(r)-2
	if err := kit.RequireSame(b, a[na+1], r[nr], "matrix and rhs must have the same rows"); err != nil {
		return err
	}
	for _, s := range [][]*sym.Expr{a, r} {
		if err := kit.AtLeast(b, sym.Product(s), 1, "the number of elements of matrix and of rhs"); err != nil {
			return err
		}
	}
	q, err := batchParams(b, a, r)
	if err != nil {
		return err
	}
	p := plan.Lit(linalg.BandedParams{Lower: b.Node.Bool("lower"), Adjoint: b.Node.Bool("adjoint")},
		"Batch", sym.Product(out[:len(out)-2]), "Bands", a[na], "M", a[na+1], "K", r[nr+1])
	return linalgCall(b, []any{b.Out(0), b.In(0), b.In(1), p, q}, linalg.BandedF32, linalg.BandedF64, linalg.BandedC64, linalg.BandedC128)
}

// sameBatch requires the batches of inputs 0 and i to be equal.
func sameBatch(c *lower.Shaper, i int) error {
	x, _, _, known, err := matrices(c, 0)
	if err != nil {
		return err
	}
	y, _, _, yknown, err := matrices(c, i)
	if err != nil || !known || !yknown {
		return err
	}
	if len(x) != len(y) {
		return tensor.Errorf(tensor.InvalidArgument, "inputs 0 and %d must have the same batch dimensions: %v and %v", i, c.Shape(0), c.Shape(i))
	}
	for k := range x {
		if lower.Differ(x[k], y[k]) {
			return tensor.Errorf(tensor.InvalidArgument, "inputs 0 and %d must have the same batch dimensions: %v and %v", i, c.Shape(0), c.Shape(i))
		}
	}
	return nil
}

// batchChecks is like sameBatch, for sizes known only at run time.
func batchChecks(b *lower.Builder, last int) error {
	x := b.InShape(0)
	for i := 1; i <= last; i++ {
		for k, e := range b.InShape(i)[:len(x)-2] {
			if err := kit.RequireSame(b, x[k], e, "the inputs must have the same batch dimensions"); err != nil {
				return err
			}
		}
	}
	return nil
}

// tridiagonalShape infers the result of TridiagonalSolve. The inputs are diagonals [...,3,M] and
// rhs [...,M,K].
func tridiagonalShape(c *lower.Shaper) error {
	if c.Node.Bool("perturb_singular") && !c.Node.Bool("partial_pivoting") {
		return tensor.Errorf(tensor.InvalidArgument, "Setting perturb_singular requires also setting partial_pivoting.")
	}
	if err := sameBatch(c, 1); err != nil {
		return err
	}
	_, three, m, known, _ := matrices(c, 0)
	_, rm, _, rknown, _ := matrices(c, 1)
	if known && lower.Differ(three, sym.Int(3)) {
		return tensor.Errorf(tensor.InvalidArgument, "diagonals has the shape %v; 3 rows are required", c.Shape(0))
	}
	if known && rknown && lower.Differ(m, rm) {
		return tensor.Errorf(tensor.InvalidArgument, "diagonals has the shape %v, which does not fit rhs %v", c.Shape(0), c.Shape(1))
	}
	c.Set(0, c.In(0).DType, c.Shape(1))
	return nil
}

// tridiagonalParams returns the parameters of the systems whose right-hand sides are input i.
func tridiagonalParams(b *lower.Builder, i int, p linalg.TridiagonalParams) plan.Struct {
	s := b.InShape(i)
	n := len(s)
	return plan.Lit(p, "Batch", sym.Product(s[:n-2]), "M", s[n-2], "K", s[n-1])
}

// tridiagonalChecks appends the checks of a TridiagonalSolve left for run time.
func tridiagonalChecks(b *lower.Builder) error {
	if err := kit.Ranked(b, 0, 1); err != nil {
		return err
	}
	if err := batchChecks(b, 1); err != nil {
		return err
	}
	d, r := b.InShape(0), b.InShape(1)
	n := len(d)
	if err := kit.RequireSame(b, d[n-2], sym.Int(3), "diagonals must have 3 rows"); err != nil {
		return err
	}
	return kit.RequireSame(b, d[n-1], r[n-2], "diagonals must have as many columns as rhs has rows")
}

func tridiagonalLower(b *lower.Builder) error {
	if err := tridiagonalChecks(b); err != nil {
		return err
	}
	p := tridiagonalParams(b, 1, linalg.TridiagonalParams{Pivot: b.Node.Bool("partial_pivoting"), Perturb: b.Node.Bool("perturb_singular")})
	return linalgCall(b, []any{b.Out(0), b.In(0), b.In(1), p}, linalg.TridiagonalF32, linalg.TridiagonalF64, linalg.TridiagonalC64, linalg.TridiagonalC128)
}

// tridiagonalProductShape infers the result of TridiagonalMatMul. The inputs are superdiag,
// maindiag and subdiag, each of the shape [...,1,M], and rhs [...,M,K].
func tridiagonalProductShape(c *lower.Shaper) error {
	_, rm, _, rknown, err := matrices(c, 3)
	if err != nil {
		return err
	}
	for i := range 3 {
		_, one, m, known, err := matrices(c, i)
		if err != nil {
			return err
		}
		if known && lower.Differ(one, sym.One) || known && rknown && lower.Differ(m, rm) {
			return tensor.Errorf(tensor.InvalidArgument, "diagonal %d has the shape %v, which must be one row with an element for each row of rhs %v", i, c.Shape(i), c.Shape(3))
		}
		if err := sameBatch(c, i+1); err != nil {
			return err
		}
	}
	c.Set(0, c.In(0).DType, c.Shape(3))
	return nil
}

// tridiagonalProductChecks appends the checks of a TridiagonalMatMul left for run time.
func tridiagonalProductChecks(b *lower.Builder) error {
	if err := kit.Ranked(b, 0, 1, 2, 3); err != nil {
		return err
	}
	if err := batchChecks(b, 3); err != nil {
		return err
	}
	r := b.InShape(3)
	n := len(r)
	for i := range 3 {
		s := b.InShape(i)
		if err := kit.RequireSame(b, s[n-2], sym.One, "a diagonal must have 1 row"); err != nil {
			return err
		}
		if err := kit.RequireSame(b, s[n-1], r[n-2], "a diagonal must have as many columns as rhs has rows"); err != nil {
			return err
		}
	}
	return nil
}

func tridiagonalProductLower(b *lower.Builder) error {
	if err := tridiagonalProductChecks(b); err != nil {
		return err
	}
	p := tridiagonalParams(b, 3, linalg.TridiagonalParams{})
	return linalgCall(b, []any{b.Out(0), b.In(0), b.In(1), b.In(2), b.In(3), p},
		linalg.TridiagonalProductF32, linalg.TridiagonalProductF64, linalg.TridiagonalProductC64, linalg.TridiagonalProductC128)
}

// staticInt returns the value of e. It returns false if e is nil or not a constant.
func staticInt(e *sym.Expr) (int, bool) {
	if e == nil {
		return 0, false
	}
	return e.IsInt()
}
