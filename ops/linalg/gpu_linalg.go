package linalg

import (
	"slices"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	gpulinalg "github.com/graphc/graphc/kernels/gpu/linalg"
	"github.com/graphc/graphc/kernels/linalg"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuMatrices are matrix decompositions and solvers. If a matrix is singular, the run fails as on a
// CPU. To detect this, the host waits for the kernels.
func gpuMatrices() []*lower.GPU {
	var list []*lower.GPU
	for op, lowering := range map[string]func(*lower.Builder) error{"Cholesky": choleskyOnGPU, "MatrixInverse": solveOnGPU, "MatrixSolve": solveOnGPU,
		"MatrixTriangularSolve": triangularOnGPU, "BatchMatrixTriangularSolve": triangularOnGPU, "MatrixDeterminant": determinantOnGPU,
		"LogMatrixDeterminant": determinantOnGPU, "Lu": luOnGPU, "TridiagonalMatMul": tridiagonalProductOnGPU} {
		list = append(list, &lower.GPU{Op: op, Types: linalgTypes, Lower: lowering})
	}
	return append(list, &lower.GPU{Op: "TridiagonalSolve", Types: linalgTypes, Lower: tridiagonalOnGPU,
		Fits: func(n *ir.Node) bool { return !n.Bool("perturb_singular") }})
}

// squareOnGPU returns the parameters for the square matrices in input i with k right-hand columns.
func squareOnGPU(b *lower.Builder, i int, k *sym.Expr, p gpulinalg.Params) (plan.Struct, error) {
	q, err := squareParams(b, i, linalg.Params{})
	if err != nil {
		return q, err
	}
	return plan.Struct{V: p, Fields: map[string][]*sym.Expr{"Batch": q.Fields["Batch"], "N": q.Fields["N"], "K": {k}}}, nil
}

// devWide returns device memory for n numbers of type f64 or c128, which are the types in which
// GPUs compute linear algebra. If narrow is set, the kernel needs the memory only if input 0 has a
// narrower type. If the memory is not needed, its length is one number.
func devWide(b *lower.Builder, n *sym.Expr, narrow bool) plan.View {
	d := b.InFact(0).DType
	if narrow && (d == tensor.Float64 || d == tensor.Complex128) {
		n = sym.One
	}
	if d.IsComplex() {
		return b.DevTemp(tensor.Complex128, n)
	}
	return b.DevTemp(tensor.Float64, n)
}

// devFactors returns the memory for a decomposition's integers, and for the flag that a matrix is
// singular.
func devFactors(b *lower.Builder, q plan.Struct) (ints, singular plan.View) {
	n := q.Fields["N"][0].MulInt(2).AddInt(1)
	return b.DevTemp(tensor.Int32, q.Fields["Batch"][0].Mul(n)), b.DevTemp(tensor.Int32, sym.One)
}

// invertible makes the host wait for the device. The run then fails if a matrix was singular.
func invertible(b *lower.Builder, singular plan.View) {
	host := b.Temp(tensor.Int32, sym.One)
	b.Get(kit.Writes(host), kit.Reads(singular))
	b.Call(linalg.Invertible, kit.Reads(host))
}

func choleskyOnGPU(b *lower.Builder) error {
	q, err := squareOnGPU(b, 0, sym.Zero, gpulinalg.Params{})
	if err != nil {
		return err
	}
	b.Call(kit.GPUKernel("linalg.Cholesky", b.InFact(0).DType), b.Queue(), b.DevOut(0), b.DevIn(0), devWide(b, b.InLen(0), true), b.DevTemp(tensor.Int32, q.Fields["Batch"][0]), q)
	return nil
}

// solveOnGPU lowers MatrixSolve and MatrixInverse for GPUs. MatrixInverse has no right-hand side.
func solveOnGPU(b *lower.Builder) error {
	name, k := "linalg.Inverse", sym.Zero
	if b.Node.Op == "MatrixSolve" {
		if err := rhsChecks(b); err != nil {
			return err
		}
		r := b.InShape(1)
		name, k = "linalg.Solve", r[len(r)-1]
	}
	q, err := squareOnGPU(b, 0, k, gpulinalg.Params{Adjoint: b.Node.Bool("adjoint")})
	if err != nil {
		return err
	}
	args := []any{b.Queue(), b.DevOut(0), b.DevIn(0)}
	if b.Node.Op == "MatrixSolve" {
		args = append(args, b.DevIn(1))
	}
	ints, singular := devFactors(b, q)
	args = append(args, devWide(b, b.InLen(0), false), devWide(b, b.OutLen(0), true), ints, singular, q)
	b.Call(kit.GPUKernel(name, b.InFact(0).DType), args...)
	invertible(b, singular)
	return nil
}

// maxSpread is the maximum number of dimensions of batches that broadcast on a GPU.
const maxSpread = 5

// spreadBatch returns input i with its batch broadcast to the dimensions d. The parameter strides
// holds the strides of the input along these dimensions.
func spreadBatch(b *lower.Builder, i int, d, strides []*sym.Expr) plan.View {
	s := b.InShape(i)
	size := s[len(s)-2].Mul(s[len(s)-1])
	x, n := kit.NewBox(), size
	x.Add(size, sym.One, sym.One)
	for k := len(d) - 1; k >= 0; k-- {
		if !d[k].Is(1) {
			x.Add(d[k], n, strides[k])
			n = n.Mul(d[k])
		}
	}
	slices.Reverse(x.Dims)
	slices.Reverse(x.Dst)
	slices.Reverse(x.Src)
	t := b.DevTemp(b.InFact(i).DType, n)
	kit.DevBox(b, kit.Writes(t), b.DevIn(i), x)
	return kit.Reads(t)
}

// triangularOnGPU lowers MatrixTriangularSolve for GPUs. It computes the same as triangularLower.
// An operand that is repeated along the batch is first copied to the full batch. A single matrix
// that is used for all right-hand sides is not copied.
func triangularOnGPU(b *lower.Builder) error {
	a, r, out := b.InShape(0), b.InShape(1), b.OutShape(0)
	na, nr, no := len(a)-2, len(r)-2, len(out)-2
	if len(kit.Meet(a[:na], r[:nr])) > maxSpread {
		return lower.ErrOnHost
	}
	if err := kit.RequireSame(b, a[na], r[nr], "matrix and rhs must have the same rows"); err != nil {
		return err
	}
	one := sym.Product(a[:na]).Is(1)
	q, err := squareOnGPU(b, 0, r[nr+1], gpulinalg.Params{Lower: b.Node.Bool("lower"), Adjoint: b.Node.Bool("adjoint"), One: one})
	if err != nil {
		return err
	}
	batch := sym.Product(out[:no])
	q.Fields["Batch"] = []*sym.Expr{batch}
	p, err := batchParams(b, a, r)
	if err != nil {
		return err
	}
	same := func(x []*sym.Expr) bool {
		return slices.EqualFunc(x, out[:no], func(p, q *sym.Expr) bool { return p.Equal(q) })
	}
	matrix, right := b.DevIn(0), b.DevIn(1)
	if !one && !same(a[:na]) {
		matrix = spreadBatch(b, 0, p.Fields["D"], p.Fields["A"])
	}
	if !same(r[:nr]) {
		right = spreadBatch(b, 1, p.Fields["D"], p.Fields["B"])
	}
	b.Call(kit.GPUKernel("linalg.Triangular", b.InFact(0).DType), b.Queue(), b.DevOut(0), matrix, right, devWide(b, matrix.Len, true), devWide(b, b.OutLen(0), true), q)
	return nil
}

func determinantOnGPU(b *lower.Builder) error {
	q, err := squareOnGPU(b, 0, sym.Zero, gpulinalg.Params{})
	if err != nil {
		return err
	}
	args := append([]any{b.Queue()}, kit.DevOuts(b, 0, len(b.Node.Outs))...)
	ints, singular := devFactors(b, q)
	args = append(args, b.DevIn(0), devWide(b, b.InLen(0), false), devWide(b, q.Fields["Batch"][0].MulInt(2), true), ints, singular, q)
	name := "linalg.Determinant"
	if b.Node.Op == "LogMatrixDeterminant" {
		name = "linalg.LogDeterminant"
	}
	b.Call(kit.GPUKernel(name, b.InFact(0).DType), args...)
	return nil
}

func luOnGPU(b *lower.Builder) error {
	q, err := squareOnGPU(b, 0, sym.Zero, gpulinalg.Params{})
	if err != nil {
		return err
	}
	name := "linalg.Lu32"
	if b.OutFact(1).DType == tensor.Int64 {
		name = "linalg.Lu64"
	}
	ints, singular := devFactors(b, q)
	b.Call(kit.GPUKernel(name, b.InFact(0).DType), b.Queue(), kit.DevOutOrTemp(b, 0), kit.DevOutOrTemp(b, 1), b.DevIn(0), devWide(b, b.InLen(0), true), ints, singular, q)
	invertible(b, singular)
	return nil
}

func tridiagonalOnGPU(b *lower.Builder) error {
	if err := tridiagonalChecks(b); err != nil {
		return err
	}
	p := tridiagonalParams(b, 1, linalg.TridiagonalParams{})
	p.V = gpulinalg.TridiagonalParams{Pivot: b.Node.Bool("partial_pivoting")}
	b.Call(kit.GPUKernel("linalg.Tridiagonal", b.InFact(0).DType), b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1), devWide(b, b.InLen(1).MulInt(4), false), p)
	return nil
}

func tridiagonalProductOnGPU(b *lower.Builder) error {
	if err := tridiagonalProductChecks(b); err != nil {
		return err
	}
	p := tridiagonalParams(b, 3, linalg.TridiagonalParams{})
	p.V = gpulinalg.TridiagonalParams{}
	args := append([]any{b.Queue(), b.DevOut(0)}, kit.DevIns(b, 0, 4)...)
	b.Call(kit.GPUKernel("linalg.TridiagonalProduct", b.InFact(0).DType), append(args, p)...)
	return nil
}
