package linalg

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/linalg"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var linalgTypes = map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Complex64, tensor.Complex128}}

// linalgHalfTypes are the types of ops that also have kernels for f16, which is computed in f32.
var linalgHalfTypes = map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Complex64, tensor.Complex128, tensor.Half}}

var linalgDefs = []*lower.Def{
	{Name: "Cholesky", Flags: lower.Expensive, Types: linalgTypes, Shape: squareShape, Lower: choleskyLower},
	{Name: "MatrixInverse", Flags: lower.Expensive, Types: linalgHalfTypes, Shape: squareShape, Lower: inverseLower},
	{Name: "MatrixDeterminant", Flags: lower.Expensive, Types: linalgTypes, Shape: determinantShape, Lower: determinantLower},
	{Name: "LogMatrixDeterminant", Flags: lower.Expensive, Types: linalgTypes, Shape: determinantShape, Lower: determinantLower},
	{Name: "MatrixSolve", Flags: lower.Expensive, Types: linalgTypes, Shape: solveShape, Lower: solveLower},
	{Name: "MatrixTriangularSolve", Flags: lower.Expensive, Types: linalgTypes, Shape: triangularShape, Lower: triangularLower},
	{Name: "MatrixSolveLs", Flags: lower.Expensive, Types: linalgTypes, Shape: solveLsShape, Lower: solveLsLower},
	{Name: "Qr", Flags: lower.Expensive, Types: linalgHalfTypes, Shape: qrShape, Lower: qrLower},
	{Name: "Svd", Flags: lower.Expensive, Types: linalgTypes, Shape: svdShape, Lower: svdLower},
	{Name: "SelfAdjointEigV2", Flags: lower.Expensive, Types: linalgTypes, Shape: eigShape, Lower: eigLower},
	{Name: "Lu", Flags: lower.Expensive, Types: linalgTypes, Shape: luShape, Lower: luLower},
}

// matrices returns the batch dimensions, the number of rows m and the number of columns n of input
// i. known is false if the input's rank is unknown.
func matrices(c *lower.Shaper, i int) (batch []*sym.Expr, m, n *sym.Expr, known bool, err error) {
	s := c.Shape(i)
	if !s.Known {
		return nil, nil, nil, false, nil
	}
	r := len(s.Dims)
	if r < 2 {
		return nil, nil, nil, false, tensor.Errorf(tensor.InvalidArgument, "input %d has the shape %v; at least rank 2 is required", i, s)
	}
	return s.Dims[:r-2], s.Dims[r-2], s.Dims[r-1], true, nil
}

func square(c *lower.Shaper, i int) (batch []*sym.Expr, n *sym.Expr, known bool, err error) {
	batch, m, n, known, err := matrices(c, i)
	if known && lower.Differ(m, n) {
		return nil, nil, false, tensor.Errorf(tensor.InvalidArgument, "input %d has the shape %v; square matrices are required", i, c.Shape(i))
	}
	if known {
		if _, ok := n.IsInt(); ok {
			m = n
		}
	}
	return batch, m, known, err
}

func join(batch []*sym.Expr, dims ...*sym.Expr) ir.Shape {
	return ir.ShapeOf(append(append([]*sym.Expr{}, batch...), dims...)...)
}

// unknownOuts marks the outputs' shapes as unknown.
func unknownOuts(c *lower.Shaper) error {
	for i := range c.Node.Outs {
		c.Set(i, c.Node.Outs[i].DType, ir.Shape{})
	}
	return nil
}

func squareShape(c *lower.Shaper) error {
	if _, _, _, err := square(c, 0); err != nil {
		return err
	}
	c.Same(0, 0)
	return nil
}

// squareParams returns the parameters for the matrices of input i, which must be square.
func squareParams(b *lower.Builder, i int, p linalg.Params, fields ...any) (plan.Struct, error) {
	s := b.InShape(i)
	r := len(s)
	if err := kit.RequireSame(b, s[r-2], s[r-1], "the matrices must be square"); err != nil {
		return plan.Struct{}, err
	}
	return plan.Lit(p, append(fields, "Batch", sym.Product(s[:r-2]), "M", s[r-2], "N", s[r-1])...), nil
}

func choleskyLower(b *lower.Builder) error {
	p, err := squareParams(b, 0, linalg.Params{})
	if err != nil {
		return err
	}
	return linalgCall(b, []any{b.Out(0), b.In(0), p}, linalg.CholeskyF32, linalg.CholeskyF64, linalg.CholeskyC64, linalg.CholeskyC128)
}

// linalgCall appends a call of the kernel for input 0's type.
func linalgCall(b *lower.Builder, args []any, kernels ...any) error {
	fn, err := kit.KernelFor(b, b.InFact(0).DType, kernels...)
	if err != nil {
		return err
	}
	b.Call(fn, args...)
	return nil
}

func inverseLower(b *lower.Builder) error {
	p, err := squareParams(b, 0, linalg.Params{Adjoint: b.Node.Bool("adjoint")})
	if err != nil {
		return err
	}
	f := kit.Format{Channels: 1}
	in, err := kit.Widened(b, 0, f, false)
	if err != nil {
		return err
	}
	out, done := kit.Narrowed(b, f, false)
	fn, err := kit.KernelFor(b, out.Buf.DType, linalg.InverseF32, linalg.InverseF64, linalg.InverseC64, linalg.InverseC128)
	if err != nil {
		return err
	}
	b.Call(fn, out, in, p)
	return done()
}

func determinantShape(c *lower.Shaper) error {
	batch, _, known, err := square(c, 0)
	if err != nil || !known {
		unknownOuts(c)
		return err
	}
	for i := range c.Node.Outs {
		c.Set(i, c.In(0).DType, ir.ShapeOf(batch...))
	}
	return nil
}

func determinantLower(b *lower.Builder) error {
	p, err := squareParams(b, 0, linalg.Params{})
	if err != nil {
		return err
	}
	if b.Node.Op == "MatrixDeterminant" {
		return linalgCall(b, []any{b.Out(0), b.In(0), p}, linalg.DeterminantF32, linalg.DeterminantF64, linalg.DeterminantC64, linalg.DeterminantC128)
	}
	return linalgCall(b, []any{b.Out(0), b.Out(1), b.In(0), p},
		linalg.LogDeterminantF32, linalg.LogDeterminantF64, linalg.LogDeterminantC64, linalg.LogDeterminantC128)
}

// solveShape infers the result of MatrixSolve. The inputs are matrix [...,M,M] and rhs [...,M,K],
// which have the same batch dimensions.
func solveShape(c *lower.Shaper) error {
	if _, _, _, err := square(c, 0); err != nil {
		return err
	}
	return rhsShape(c, false)
}

// rhsShape infers the result of a solver, and checks that its inputs matrix [...,M,N] and rhs
// [...,M,K] fit each other. The result has M rows. If least is set, the solver computes least
// squares, and the result has N rows.
func rhsShape(c *lower.Shaper, least bool) error {
	batch, m, n, known, err := matrices(c, 0)
	if err != nil {
		return err
	}
	rb, rm, k, rknown, err := matrices(c, 1)
	if err != nil {
		return err
	}
	if !known || !rknown {
		return unknownOuts(c)
	}
	bad := len(batch) != len(rb) || lower.Differ(m, rm) || !least && lower.Differ(n, rm)
	for i := range batch {
		bad = bad || i < len(rb) && lower.Differ(batch[i], rb[i])
	}
	if bad {
		return tensor.Errorf(tensor.InvalidArgument, "matrix has the shape %v, which does not fit rhs %v", c.Shape(0), c.Shape(1))
	}
	if !least {
		n = m
	}
	c.Set(0, c.In(0).DType, join(batch, n, k))
	return nil
}

func solveLower(b *lower.Builder) error {
	if err := rhsChecks(b); err != nil {
		return err
	}
	s := b.InShape(1)
	p, err := squareParams(b, 0, linalg.Params{Adjoint: b.Node.Bool("adjoint")}, "K", s[len(s)-1])
	if err != nil {
		return err
	}
	return linalgCall(b, []any{b.Out(0), b.In(0), b.In(1), p}, linalg.SolveF32, linalg.SolveF64, linalg.SolveC64, linalg.SolveC128)
}

func rhsChecks(b *lower.Builder) error {
	a, r := b.InShape(0), b.InShape(1)
	for i := range len(a) - 1 {
		if err := kit.RequireSame(b, a[i], r[i], "matrix and rhs must agree in batch and rows"); err != nil {
			return err
		}
	}
	return nil
}

func solveLsShape(c *lower.Shaper) error {
	if _, err := c.WithRank(2, 0); err != nil {
		return err
	}
	return rhsShape(c, true)
}

func solveLsLower(b *lower.Builder) error {
	if err := rhsChecks(b); err != nil {
		return err
	}
	a, r := b.InShape(0), b.InShape(1)
	n := len(a)
	p := plan.Lit(linalg.Params{Fast: b.Node.Bool("fast")}, "Batch", sym.Product(a[:n-2]), "M", a[n-2], "N", a[n-1], "K", r[n-1])
	return linalgCall(b, []any{b.Out(0), b.In(0), b.In(1), b.In(2), p},
		linalg.LeastSquaresF32, linalg.LeastSquaresF64, linalg.LeastSquaresC64, linalg.LeastSquaresC128)
}

func triangularShape(c *lower.Shaper) error {
	batch, m, known, err := square(c, 0)
	if err != nil {
		return err
	}
	return broadcastRhsShape(c, batch, m, known)
}

// broadcastRhsShape infers the result of a solver whose input 1 is rhs [...,M,K]. The last three
// arguments describe the solver's systems of equations: the batch dimensions, the number of equations
// of a system, and whether these sizes are known. The batches broadcast, and the result is [...,M,K].
func broadcastRhsShape(c *lower.Shaper, batch []*sym.Expr, m *sym.Expr, known bool) error {
	rb, rm, k, rknown, err := matrices(c, 1)
	if err != nil {
		return err
	}
	if !known || !rknown {
		return unknownOuts(c)
	}
	if lower.Differ(m, rm) {
		return tensor.Errorf(tensor.InvalidArgument, "matrix has the shape %v, which does not fit rhs %v", c.Shape(0), c.Shape(1))
	}
	out, err := lower.BroadcastShapes(ir.ShapeOf(batch...), ir.ShapeOf(rb...))
	if err != nil {
		return err
	}
	c.Set(0, c.In(0).DType, join(out.Dims, m, k))
	return nil
}

func triangularLower(b *lower.Builder) error {
	a, r, out := b.InShape(0), b.InShape(1), b.OutShape(0)
	na, nr := len(a)-2, len(r)-2
	if err := kit.RequireSame(b, a[na], r[nr], "matrix and rhs must have the same rows"); err != nil {
		return err
	}
	p, err := squareParams(b, 0, linalg.Params{Lower: b.Node.Bool("lower"), Adjoint: b.Node.Bool("adjoint")}, "K", r[nr+1])
	if err != nil {
		return err
	}
	p.Fields["Batch"] = []*sym.Expr{sym.Product(out[:len(out)-2])}
	q, err := batchParams(b, a, r)
	if err != nil {
		return err
	}
	return linalgCall(b, []any{b.Out(0), b.In(0), b.In(1), p, q}, linalg.TriangularF32, linalg.TriangularF64, linalg.TriangularC64, linalg.TriangularC128)
}

// batchParams describes the matrices of two tensors of shapes x and y whose batches broadcast.
func batchParams(b *lower.Builder, x, y []*sym.Expr) (plan.Struct, error) {
	m, n := len(x)-2, len(y)-2
	ms := kit.Meet(x[:m], y[:n])
	if len(ms) > linalg.MaxBatchRank {
		return plan.Struct{}, b.Errorf(tensor.Unimplemented, "%d batch dimensions that broadcast differently; %d are supported", len(ms), linalg.MaxBatchRank)
	}
	var d, sx, sy [linalg.MaxBatchRank]*sym.Expr
	for k := range d {
		d[k], sx[k], sy[k] = sym.One, sym.Zero, sym.Zero
	}
	stepX, stepY := x[m].Mul(x[m+1]), y[n].Mul(y[n+1])
	for k := len(ms) - 1; k >= 0; k-- {
		at := linalg.MaxBatchRank - len(ms) + k
		if ms[k].How == kit.MeetUnknown {
			b.Check(shape.Broadcastable, ms[k].A, ms[k].B)
		}
		d[at] = sym.Broadcast(ms[k].A, ms[k].B)
		sx[at], sy[at] = BatchStride(ms[k].A, d[at], stepX), BatchStride(ms[k].B, d[at], stepY)
		stepX, stepY = stepX.Mul(ms[k].A), stepY.Mul(ms[k].B)
	}
	return plan.Lit(linalg.BatchParams{}, "D", d[:], "A", sx[:], "B", sy[:]), nil
}

func qrShape(c *lower.Shaper) error {
	batch, m, n, known, err := matrices(c, 0)
	if err != nil || !known {
		unknownOuts(c)
		return err
	}
	k := m
	if !c.Node.Bool("full_matrices") {
		k = sym.Min(m, n)
	}
	c.Set(0, c.In(0).DType, join(batch, m, k))
	c.Set(1, c.In(0).DType, join(batch, k, n))
	return nil
}

// rectParams describes the matrices of input 0.
func rectParams(b *lower.Builder, p linalg.Params) plan.Struct {
	s := b.InShape(0)
	r := len(s)
	return plan.Lit(p, "Batch", sym.Product(s[:r-2]), "M", s[r-2], "N", s[r-1])
}

func qrLower(b *lower.Builder) error {
	p := rectParams(b, linalg.Params{Full: b.Node.Bool("full_matrices")})
	if b.InFact(0).DType != tensor.Half {
		return linalgCall(b, []any{b.Out(0), b.Out(1), b.In(0), p}, linalg.QrF32, linalg.QrF64, linalg.QrC64, linalg.QrC128)
	}
	in, err := kit.InF32(b, 0)
	if err != nil {
		return err
	}
	q, doneQ := kit.OutF32(b, 0)
	r, doneR := kit.OutF32(b, 1)
	b.Call(linalg.QrF32, q, r, in, p)
	if err := doneQ(); err != nil {
		return err
	}
	return doneR()
}

// svdShape infers the results of Svd, which are s, u and v. If the attribute compute_uv is false, u
// and v are empty vectors.
func svdShape(c *lower.Shaper) error {
	batch, m, n, known, err := matrices(c, 0)
	if err != nil || !known {
		unknownOuts(c)
		return err
	}
	d := c.In(0).DType
	k := sym.Min(m, n)
	c.Set(0, d, join(batch, k))
	switch {
	case !c.Node.Bool("compute_uv"):
		c.Set(1, d, ir.StaticShape(0))
		c.Set(2, d, ir.StaticShape(0))
	case c.Node.Bool("full_matrices"):
		c.Set(1, d, join(batch, m, m))
		c.Set(2, d, join(batch, n, n))
	default:
		c.Set(1, d, join(batch, m, k))
		c.Set(2, d, join(batch, n, k))
	}
	return nil
}

func svdLower(b *lower.Builder) error {
	p := rectParams(b, linalg.Params{Full: b.Node.Bool("full_matrices"), Vectors: b.Node.Bool("compute_uv")})
	return linalgCall(b, []any{b.Out(0), b.Out(1), b.Out(2), b.In(0), p}, linalg.SvdF32, linalg.SvdF64, linalg.SvdC64, linalg.SvdC128)
}

func eigShape(c *lower.Shaper) error {
	batch, n, known, err := square(c, 0)
	if err != nil || !known {
		unknownOuts(c)
		return err
	}
	d := c.In(0).DType
	c.Set(0, d, join(batch, n))
	if c.Node.Bool("compute_v") {
		c.Set(1, d, join(batch, n, n))
	} else {
		c.Set(1, d, ir.StaticShape(0))
	}
	return nil
}

func eigLower(b *lower.Builder) error {
	p, err := squareParams(b, 0, linalg.Params{Vectors: b.Node.Bool("compute_v")})
	if err != nil {
		return err
	}
	if err := linalgCall(b, []any{b.In(0), p}, linalg.EigInputF32, linalg.EigInputF64, linalg.EigInputC64, linalg.EigInputC128); err != nil {
		return err
	}
	return linalgCall(b, []any{b.Out(0), b.Out(1), b.In(0), p}, linalg.EigF32, linalg.EigF64, linalg.EigC64, linalg.EigC128)
}

func luShape(c *lower.Shaper) error {
	batch, n, known, err := square(c, 0)
	if err != nil || !known {
		unknownOuts(c)
		return err
	}
	c.Same(0, 0)
	c.Set(1, c.Node.DType("output_idx_type"), join(batch, n))
	return nil
}

func luLower(b *lower.Builder) error {
	p, err := squareParams(b, 0, linalg.Params{})
	if err != nil {
		return err
	}
	args := []any{b.Out(0), b.Out(1), b.In(0), p}
	if b.OutFact(1).DType == tensor.Int64 {
		return linalgCall(b, args, linalg.Lu64F32, linalg.Lu64F64, linalg.Lu64C64, linalg.Lu64C128)
	}
	return linalgCall(b, args, linalg.Lu32F32, linalg.Lu32F64, linalg.Lu32C64, linalg.Lu32C128)
}
