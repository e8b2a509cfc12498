package linalg

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/linalg"
	"github.com/graphc/graphc/lower"
	arrayops "github.com/graphc/graphc/ops/array"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

var (
	complexMatrices = kit.AttrTypes("T", []tensor.DType{tensor.Complex64, tensor.Complex128})
	realLinalg      = kit.AttrTypes("T", kit.DoubleTypes)
	diagMoves       = kit.AttrTypes("T", []tensor.DType{tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16, tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64,
		tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64, tensor.Bool, tensor.Complex64, tensor.Complex128})
)

// matrixFuncDefs are functions of matrices, and the old names of ops on batches of matrices.
var matrixFuncDefs = []*lower.Def{
	{Name: "MatrixSquareRoot", Flags: lower.Expensive, Types: linalgTypes, Shape: squareShape, Lower: squareRootLower},
	{Name: "MatrixExponential", Flags: lower.Expensive, Types: linalgTypes, Shape: squareShape, Lower: exponentialLower},
	{Name: "MatrixLogarithm", Flags: lower.Expensive, Types: complexMatrices, Shape: squareShape, Lower: logarithmLower},
	{Name: "CholeskyGrad", Flags: lower.Expensive, Types: realLinalg, Shape: choleskyGradShape, Lower: choleskyGradLower},
	{Name: "Eig", Flags: lower.Expensive, Types: linalgTypes, Shape: eigenShape, Lower: eigenLower},
	{Name: "SelfAdjointEig", Flags: lower.Expensive, Types: realLinalg, Shape: stackedEigShape, Lower: stackedEigLower},
	{Name: "BatchCholesky", Flags: lower.Expensive, Types: realLinalg, Shape: squareShape, Lower: choleskyLower},
	{Name: "BatchCholeskyGrad", Flags: lower.Expensive, Types: realLinalg, Shape: choleskyGradShape, Lower: choleskyGradLower},
	{Name: "BatchMatrixBandPart", Types: diagMoves, Shape: arrayops.BandShape, Lower: arrayops.BandLower},
	{Name: "BatchMatrixDeterminant", Flags: lower.Expensive, Types: linalgTypes, Shape: determinantShape, Lower: batchDeterminantLower},
	{Name: "BatchMatrixDiag", Types: diagMoves, Shape: arrayops.MatrixDiagShape, Lower: arrayops.MatrixDiagLower},
	{Name: "BatchMatrixDiagPart", Types: diagMoves, Shape: arrayops.MatrixDiagPartShape, Lower: arrayops.MatrixDiagPartLower},
	{Name: "BatchMatrixInverse", Flags: lower.Expensive, Types: realLinalg, Shape: squareShape, Lower: inverseLower},
	{Name: "BatchMatrixSetDiag", Types: diagMoves, Shape: arrayops.MatrixSetDiagShape, Lower: arrayops.MatrixSetDiagLower},
	{Name: "BatchMatrixSolve", Flags: lower.Expensive, Types: linalgTypes, Shape: solveShape, Lower: solveLower},
	{Name: "BatchMatrixSolveLs", Flags: lower.Expensive, Types: realLinalg, Shape: solveLsShape, Lower: solveLsLower},
	{Name: "BatchMatrixTriangularSolve", Flags: lower.Expensive, Types: linalgTypes, Shape: triangularShape, Lower: triangularLower},
	{Name: "BatchSelfAdjointEig", Flags: lower.Expensive, Types: realLinalg, Shape: stackedEigShape, Lower: stackedEigLower},
	{Name: "BatchSelfAdjointEigV2", Flags: lower.Expensive, Types: linalgTypes, Shape: eigShape, Lower: eigLower},
	{Name: "BatchSvd", Flags: lower.Expensive, Types: linalgTypes, Shape: svdShape, Lower: svdLower},
}

// squareCall appends the call of a kernel on the square matrices of input 0.
func squareCall(b *lower.Builder, kernels ...any) error {
	p, err := squareParams(b, 0, linalg.Params{})
	if err != nil {
		return err
	}
	return linalgCall(b, []any{b.Out(0), b.In(0), p}, kernels...)
}

func squareRootLower(b *lower.Builder) error {
	return squareCall(b, linalg.SquareRootF32, linalg.SquareRootF64, linalg.SquareRootC64, linalg.SquareRootC128)
}

func exponentialLower(b *lower.Builder) error {
	return squareCall(b, linalg.ExponentialF32, linalg.ExponentialF64, linalg.ExponentialC64, linalg.ExponentialC128)
}

func logarithmLower(b *lower.Builder) error {
	return squareCall(b, linalg.LogarithmC64, linalg.LogarithmC128)
}

func batchDeterminantLower(b *lower.Builder) error {
	return squareCall(b, linalg.DeterminantF32, linalg.DeterminantF64, linalg.DeterminantC64, linalg.DeterminantC128)
}

// choleskyGradShape infers the result of CholeskyGrad. The inputs l and grad have the same shape.
func choleskyGradShape(c *lower.Shaper) error {
	for i := range 2 {
		if _, _, _, err := square(c, i); err != nil {
			return err
		}
	}
	s, err := kit.SameShapes(c, 0, 1)
	if err != nil {
		return err
	}
	c.Set(0, c.In(0).DType, s)
	return nil
}

func choleskyGradLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0, 1); err != nil {
		return err
	}
	if err := kit.CheckSame(b, b.InShape(0), b.InShape(1)); err != nil {
		return err
	}
	p, err := squareParams(b, 0, linalg.Params{})
	if err != nil {
		return err
	}
	return linalgCall(b, []any{b.Out(0), b.In(0), b.In(1), p}, linalg.CholeskyGradF32, linalg.CholeskyGradF64)
}

// eigenShape infers the results of Eig. The attribute compute_v says whether eigenvectors are
// computed. The attribute Tout must be the complex type that has the precision of the input.
func eigenShape(c *lower.Shaper) error {
	d := c.Node.DType("Tout")
	want := tensor.Complex64
	if t := c.In(0).DType; t == tensor.Float64 || t == tensor.Complex128 {
		want = tensor.Complex128
	}
	if d != want {
		return tensor.Errorf(tensor.InvalidArgument, "eigenvalues of %v are %v, not %v", c.In(0).DType, want, d)
	}
	batch, n, known, err := square(c, 0)
	if err != nil {
		return err
	}
	c.Set(1, d, ir.StaticShape(0))
	if !known {
		c.UnknownShape(0, d)
		if c.Node.Bool("compute_v") {
			c.UnknownShape(1, d)
		}
		return nil
	}
	c.Set(0, d, join(batch, n))
	if c.Node.Bool("compute_v") {
		c.Set(1, d, join(batch, n, n))
	}
	return nil
}

func eigenLower(b *lower.Builder) error {
	p, err := squareParams(b, 0, linalg.Params{Vectors: b.Node.Bool("compute_v")})
	if err != nil {
		return err
	}
	fn, err := kit.KernelThird(b, b.InFact(0).DType, linalg.EigenF32, linalg.EigenF64, linalg.EigenC64, linalg.EigenC128)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.Out(1), b.In(0), p)
	return nil
}

// stackedEigShape infers the result of SelfAdjointEig. For matrices of n rows, the result has n+1
// rows: the first row holds the eigenvalues, and the columns below it hold the eigenvectors.
func stackedEigShape(c *lower.Shaper) error {
	batch, n, known, err := square(c, 0)
	if err != nil || !known {
		unknownOuts(c)
		return err
	}
	c.Set(0, c.In(0).DType, join(batch, n.AddInt(1), n))
	return nil
}

func stackedEigLower(b *lower.Builder) error {
	p, err := squareParams(b, 0, linalg.Params{Vectors: true})
	if err != nil {
		return err
	}
	s, d := b.InShape(0), b.InFact(0).DType
	n, batch := s[len(s)-1], sym.Product(s[:len(s)-2])
	if err := linalgCall(b, []any{b.In(0), p}, linalg.EigInputF32, linalg.EigInputF64); err != nil {
		return err
	}
	e, v := b.Temp(d, batch.Mul(n)), b.Temp(d, b.InLen(0))
	if err := linalgCall(b, []any{kit.Writes(e), kit.Writes(v), b.In(0), p}, linalg.EigF32, linalg.EigF64); err != nil {
		return err
	}
	row, block := n.Mul(n), n.AddInt(1).Mul(n)
	x := kit.NewBox()
	x.Add(batch, block, n)
	x.Add(n, sym.One, sym.One)
	if err := kit.Move(b, b.Out(0), kit.Reads(e), x); err != nil {
		return err
	}
	x = kit.NewBox()
	x.DstOff = n
	x.Add(batch, block, row)
	x.Add(row, sym.One, sym.One)
	return kit.Move(b, kit.Part(b.Out(0), false), kit.Reads(v), x)
}
