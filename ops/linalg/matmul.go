package linalg

import (
	"math"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/kernels/layout"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	arrayops "github.com/graphc/graphc/ops/array"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var matmulTypes = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16, tensor.Int8, tensor.Int16, tensor.Int32,
	tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64, tensor.Complex64, tensor.Complex128}

var matmulDefs = []*lower.Def{
	{Name: "MatMul", Flags: lower.Expensive, Traits: lower.LosesZeroSign, Types: map[string][]tensor.DType{"T": matmulTypes}, Shape: MatmulShape, Lower: matmulLower},
	{Name: "_FusedMatMul", Flags: lower.Expensive, Types: map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16}},
		Shape: MatmulShape, Lower: fusedMatmulLower},
	{Name: "SparseMatMul", Flags: lower.Expensive, Types: map[string][]tensor.DType{"Ta": {tensor.Float32, tensor.BFloat16}, "Tb": {tensor.Float32, tensor.BFloat16}},
		Shape: sparseMatmulShape, Lower: sparseMatmulLower},
	{Name: "BatchMatMul", Flags: lower.Expensive, Traits: lower.LosesZeroSign, Types: map[string][]tensor.DType{"T": matmulTypes}, Shape: batchMatmulShape, Lower: batchMatmulLower},
	{Name: "BatchMatMulV2", Flags: lower.Expensive, Traits: lower.LosesZeroSign, Types: map[string][]tensor.DType{"T": matmulTypes}, Shape: batchMatmulShape, Lower: batchMatmulLower},
	{Name: "BatchMatMulV3", Flags: lower.Expensive, Traits: lower.LosesZeroSign, Types: map[string][]tensor.DType{"Ta": matmulTypes, "Tb": matmulTypes},
		Limits: "operands of different types only if they are int8 and uint8 with Tout int32, or one of these with bfloat16", Shape: batchMatmulShape, Lower: batchMatmulLower},
}

// Product describes the matrix product op(a)·op(b). The matrix op(a) has the shape [M,K], and op(b)
// has the shape [K,N]. The other fields say whether a and b are transposed and conjugated.
type Product struct {
	M, N, K      *sym.Expr
	TransA, conA bool
	TransB, conB bool
}

// swapIf returns the rows and columns of a matrix after an optional transposition.
func swapIf(trans bool, rows, cols *sym.Expr) (*sym.Expr, *sym.Expr) {
	if trans {
		return cols, rows
	}
	return rows, cols
}

// MatmulShape infers the result of MatMul. The inputs are two matrices, named a and b.
func MatmulShape(c *lower.Shaper) error {
	d := c.In(0).DType
	a, err := c.WithRank(0, 2)
	if err != nil {
		return err
	}
	b, err := c.WithRank(1, 2)
	if err != nil {
		return err
	}
	if !a.Known || !b.Known {
		c.Set(0, d, ir.Shape{})
		return nil
	}
	m, k := swapIf(c.Node.Bool("transpose_a"), a.Dims[0], a.Dims[1])
	l, n := swapIf(c.Node.Bool("transpose_b"), b.Dims[0], b.Dims[1])
	if lower.Differ(k, l) {
		return tensor.Errorf(tensor.InvalidArgument, "inner dimensions differ: %v against %v", a, b)
	}
	c.Set(0, d, ir.ShapeOf(m, n))
	return nil
}

// MatmulProduct returns the product that a MatMul computes.
func MatmulProduct(b *lower.Builder) (Product, error) {
	p := Product{TransA: b.Node.Bool("transpose_a"), TransB: b.Node.Bool("transpose_b")}
	var l *sym.Expr
	p.M, p.K = swapIf(p.TransA, b.InShape(0)[0], b.InShape(0)[1])
	l, p.N = swapIf(p.TransB, b.InShape(1)[0], b.InShape(1)[1])
	return p, kit.RequireSame(b, p.K, l, "the inner dimensions of a product must be equal")
}

func matmulLower(b *lower.Builder) error {
	p, err := MatmulProduct(b)
	if err != nil {
		return err
	}
	return multiply(b, b.Dest(0), b.Source(0), 1, b.Source(1), p, &kit.Epilogue{})
}

// fusedMatmulLower lowers _FusedMatMul. The inputs from number 2 on are the arguments of the ops in
// the attribute fused_ops.
func fusedMatmulLower(b *lower.Builder) error {
	p, err := MatmulProduct(b)
	if err != nil {
		return err
	}
	e, err := kit.FusedEpilogue(b, 2)
	if err != nil {
		return err
	}
	if e.Bias != nil {
		if err := kit.RequireSame(b, e.Bias.Len, p.N, "the bias must have one value for each column"); err != nil {
			return err
		}
	}
	return multiply(b, b.Dest(0), b.Source(0), 1, b.Source(1), p, &e)
}

// multiply appends a product of two matrices, without a batch, and the product's epilogue. The
// parameter rhs is the number of the input that holds the right matrix. A constant right matrix is
// packed at compile time. A right matrix that is not constant is used without packing if the left
// matrix has few rows.
func multiply(b *lower.Builder, dst, left plan.View, rhs int, right plan.View, p Product, e *kit.Epilogue) error {
	d := b.OutFact(0).DType
	if b.Moves() {
		sum := dst
		if !e.None() {
			sum = b.DevTemp(d, dst.Len)
		}
		if err := batch(b, sum, left, right, d, d, p, nil); err != nil {
			return err
		}
		if !e.None() {
			e.OnDev(b, dst, sum, p.M, p.N, sym.One)
		}
		return nil
	}
	m, known := p.M.IsInt()
	if d == tensor.Float32 && !(known && m <= gemm.FewRows && b.InConst(rhs) == nil) {
		q := plan.Lit(gemm.Params{TransA: p.TransA, Act: e.Clamp()}, "M", p.M, "N", p.N, "K", p.K)
		packed, err := packGemm(b, rhs, right, p)
		if err != nil {
			return err
		}
		GemmCall(b, dst, left, packed, p, q, e)
		return e.Finish(b, dst, d, p.N)
	}
	if err := batch(b, dst, left, right, d, d, p, nil); err != nil {
		return err
	}
	return e.Separate(b, dst, d, p.N)
}

// GemmCall appends a product with packed panels as a loop. The loop is over the columns if most of
// the memory traffic is for reading columns. Otherwise it is over the rows.
func GemmCall(b *lower.Builder, dst, left, packed plan.View, p Product, q plan.Struct, e *kit.Epilogue) {
	left.Mode = plan.Read
	d := tensor.Float32
	bias, res := e.Bias, e.Res
	n, _ := kit.ScratchLen(gemm.ScratchLen, q, "M", "N", "K")
	var l *lower.Loop
	if p.TransA || p.byColumns(b.Usual) {
		// The cost of a column is that of its sums, and of reading its weights once.
		work := p.K.Mul(p.M.MulInt(lower.Flops).AddInt(150))
		total := p.N
		if !kit.IsInt(p.M) { // without rows, there is no work
			total = total.Mul(sym.Min(p.M, sym.One))
		}
		_, grain := gemm.Split(gemm.Params{M: b.Usual(p.M), N: math.MaxInt})
		l = b.Par(total, plan.Split{Grain: grain, Least: leastColumns, Work: work, Strided: true})
		cols := func(v plan.View) plan.View { return v.At(plan.Lo, p.M.AddInt(-1).Mul(p.N).Add(plan.Count)) }
		bias = kit.PartOf(bias, func(v plan.View) plan.View { return v.At(plan.Lo, plan.Count) })
		res = kit.PartOf(res, cols)
		packed = packed.At(plan.Lo.Mul(p.K), plan.Count.CeilDiv(sym.Int(16)).MulInt(16).Mul(p.K))
		q = q.With("N", plan.Count, "Ldc", p.N, "Ldr", p.N)
		dst = cols(dst)
	} else {
		l = b.Par(p.M, plan.Split{Grain: 14, Work: p.K.Mul(p.N).MulInt(lower.Flops), Join: lower.HeavyRows(p.N), Least: lower.HeavyLeast})
		q = q.With("M", plan.Count)
		dst, left = lower.Rows(dst, p.N), lower.Rows(left, p.K)
		res = kit.PartOf(res, func(v plan.View) plan.View { return lower.Rows(v, p.N) })
	}
	l.Add(b.Weigh(lower.Weighing{By: gemmByWeights, Out: dst, In: left, Weights: packed, Scratch: l.Temp(d, sym.Int(n)),
		Params: q.With("Bias", bias, "Res", res), Residual: res}))
}

// gemmByWeights are the kernels of f32 products, by the format of the weights.
var gemmByWeights = &lower.ByWeights{
	Fns:   [...]any{gemm.F32, gemm.F32F16, gemm.F32BF16, gemm.F32I8},
	Depth: gemmDepth,
	Room: func(p plan.Struct, n int) int {
		k := gemmDepth(p)
		return gemm.WideLen(gemm.Params{M: 1, N: n / k, K: k})
	},
}

func gemmDepth(p plan.Struct) int { return lower.StructInt(p, "K") }

// leastColumns is the smallest number of columns in a chunk of a product. Chunks must not be
// smaller, because each chunk reads all of the left side.
const leastColumns = 256

// If the right side has more columns than the left side has rows, a product is usually divided by
// columns. It is still divided by rows if the right side has at most nearFloats elements, which fit
// each thread's cache, and the left side has at least fewRows rows.
const (
	nearFloats = 1 << 18
	fewRows    = 32
)

// byColumns reports whether reading the right side is more work than reading the left one. usual
// estimates sizes known only at run time.
func (p *Product) byColumns(usual func(*sym.Expr) int) bool {
	n, ok := p.N.IsInt()
	if !ok || n < 64 {
		return false
	}
	if m := usual(p.M); n <= m || m >= fewRows && usual(p.K)*n <= nearFloats {
		return false
	}
	return true
}

// packGemm returns the right side packed into panels. If the right side is a constant, so is the
// result.
func packGemm(b *lower.Builder, rhs int, right plan.View, p Product) (plan.View, error) {
	if t := b.InConst(rhs); t != nil {
		k, _ := p.K.IsInt()
		n, _ := p.N.IsInt()
		src := tensor.Data[float32](t)
		if len(src) == k*n {
			dst := make([]float32, gemm.PackedLen(k, n))
			gemm.PackF32(dst, src, k, n, p.TransB)
			return b.Const("panels of 16 columns", &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{len(dst)}, Data: dst}), nil
		}
	}
	size := p.N.CeilDiv(sym.Int(16)).MulInt(16).Mul(p.K)
	t := b.Temp(tensor.Float32, size)
	b.Call(gemm.PackF32, t, right, p.K, p.N, p.TransB)
	t.Mode = plan.Read
	return t, nil
}

// batchDim is one batch dimension of a product: its size in the left operand, in the right operand
// and in the result.
type batchDim struct{ a, b, out *sym.Expr }

// kind says how an operand uses a batch dimension. The argument is the operand's size in this
// dimension. kind returns 0 if the operand has the whole dimension, 1 if the operand is repeated
// along it, and 2 if this is known only at run time.
func (d batchDim) kind(side *sym.Expr) int {
	switch {
	case side.Equal(d.out):
		return 0
	case side.Is(1):
		return 1
	}
	return 2
}

// mergeBatch drops batch dimensions of size 1. It merges neighbouring dimensions if both operands
// use them in the same way.
func mergeBatch(ds []batchDim) []batchDim {
	var r []batchDim
	for _, d := range ds {
		if d.out.Is(1) {
			continue
		}
		if n := len(r); n > 0 {
			l := r[n-1]
			if ka, kb := d.kind(d.a), d.kind(d.b); ka != 2 && kb != 2 && ka == l.kind(l.a) && kb == l.kind(l.b) {
				r[n-1] = batchDim{l.a.Mul(d.a), l.b.Mul(d.b), l.out.Mul(d.out)}
				continue
			}
		}
		r = append(r, d)
	}
	return r
}

// BatchStride returns the stride of an operand along a dimension. The stride is 0 if the operand is
// repeated along the dimension.
func BatchStride(side, out, stride *sym.Expr) *sym.Expr {
	switch {
	case side.Equal(out):
		return stride
	case side.Is(1):
		return sym.Zero
	}
	return sym.Min(side, sym.Int(2)).AddInt(-1).Mul(stride)
}

var batchKernels = []any{gemm.BatchI8, gemm.BatchI16, gemm.BatchI32, gemm.BatchI64,
	gemm.BatchU8, gemm.BatchU16, gemm.BatchU32, gemm.BatchU64, gemm.BatchC64, gemm.BatchC128}

// batch appends the products over the batch dimensions ds.
func batch(b *lower.Builder, dst, left, right plan.View, da, db tensor.DType, p Product, ds []batchDim) error {
	ds = mergeBatch(ds)
	if len(ds) > 6 {
		return b.Errorf(tensor.Unimplemented, "%d batch dimensions that cannot be merged; 6 are supported", len(ds))
	}
	fields := []any{"M", p.M, "N", p.N, "K", p.K}
	sa, sb, sc := p.M.Mul(p.K), p.K.Mul(p.N), p.M.Mul(p.N)
	for i := len(ds) - 1; i >= 0; i-- {
		x := string(rune('0' + i))
		fields = append(fields, "D"+x, ds[i].out,
			"A"+x, BatchStride(ds[i].a, ds[i].out, sa), "B"+x, BatchStride(ds[i].b, ds[i].out, sb), "C"+x, sc)
		sa, sb, sc = sa.Mul(ds[i].a), sb.Mul(ds[i].b), sc.Mul(ds[i].out)
	}
	q := plan.Lit(gemm.BatchParams{TransA: p.TransA, TransB: p.TransB, ConjA: p.conA, ConjB: p.conB, Dims: len(ds)}, fields...)
	return products(b, dst, left, right, da, db, q)
}

// products appends the batch of products that q describes.
func products(b *lower.Builder, dst, left, right plan.View, da, db tensor.DType, q plan.Struct) error {
	if b.Moves() {
		return devProducts(b, dst, left, right, da, q)
	}
	// If an operand is scratch memory, its view may still have the mode for writing.
	left.Mode, right.Mode = plan.Read, plan.Read
	if da != db || dst.Buf.DType != da {
		fn := mixedProduct(da, db, dst.Buf.DType)
		if fn == nil {
			return b.NoKernel("no CPU kernel multiplies %s by %s into %s", da, db, dst.Buf.DType)
		}
		b.Call(fn, dst, left, right, kit.Scratch(b, tensor.Uint8, gemm.Int8BatchScratchLen, q, "M", "Lda", "Ldc"), q)
		return nil
	}
	free := []string{"D0", "D1", "D2", "D3", "D4", "D5", "A0", "A1", "A2", "A3", "A4", "A5",
		"B0", "B1", "B2", "B3", "B4", "B5", "C0", "C1", "C2", "C3", "C4", "C5", "M", "Lda", "Ldb", "Ldc"}
	switch da {
	case tensor.Float32:
		rowProducts(b, dst, left, right, q, append(free, "N", "K"))
		return nil
	case tensor.Float64:
		b.Call(gemm.BatchF64, dst, left, right, kit.Scratch(b, da, gemm.BatchF64ScratchLen, q, append(free, "N", "K")...), q)
		return nil
	case tensor.Half:
		b.Call(gemm.BatchF16, dst, left, right, kit.Scratch(b, tensor.Float32, gemm.BatchHalfScratchLen, q, free...), q)
		return nil
	case tensor.BFloat16:
		b.Call(gemm.BatchBF16, dst, left, right, kit.Scratch(b, tensor.Float32, gemm.BatchHalfScratchLen, q, free...), q)
		return nil
	}
	fn, err := kit.KernelFor(b, da, batchKernels...)
	if err != nil {
		return err
	}
	b.Call(fn, dst, left, right, q)
	return nil
}

// fewProductRows is the number of rows up to which the single products of a batch are not divided
// among threads.
const fewProductRows = 128

// rowProducts appends f32 products as a loop over the rows of all results. If fields of q that are
// named in the parameter free are unknown, the length of the scratch memory must be bounded for all
// values of these fields.
//
// If the results are dense, the loop can be fused with other loops over the same rows. In
// attention, the values between the two products then stay in the cache, even for long sequences.
func rowProducts(b *lower.Builder, dst, left, right plan.View, q plan.Struct, free []string) {
	m, n, k := q.Fields["M"][0], q.Fields["N"][0], q.Fields["K"][0]
	grain, known := m.IsInt()
	if known && grain <= fewProductRows && arrayops.BatchLoop(b, dst, left, right, q, free) {
		return
	}
	// A chunk consists of whole products, or of a block of rows of a large product.
	if !known || grain > gemm.BatchRows {
		grain = gemm.BatchRows
	}
	p := q.V.(gemm.BatchParams)
	total, denseA := denseBatch(q, "A", m, k)
	_, denseC := denseBatch(q, "C", m, n)
	sp := plan.Split{Grain: max(grain, 1), Work: n.Mul(k).MulInt(lower.Flops), Strided: true}
	if denseC && dst.Len.Equal(total.Mul(n)) {
		p.MovedC, dst, sp.Strided, sp.Join = true, lower.Rows(dst, n), false, sym.Int(grain)
	}
	if denseA && !p.TransA && left.Len.Equal(total.Mul(k)) {
		p.MovedA, left, sp.Join = true, lower.Rows(left, k), sym.Int(grain)
	}
	size, _ := kit.ScratchLen(gemm.BatchScratchLen, q, free...)
	q = q.With("First", plan.Lo, "Count", plan.Count)
	q.V = p
	l := b.Par(total, sp)
	l.Call(gemm.BatchF32, dst, left, right, l.Temp(tensor.Float32, sym.Int(size)), q)
}

// denseBatch returns the total number of rows of all matrices of one side of the batch of products
// q. The parameter side is "A" for the left matrices or "C" for the results. Each of these matrices
// has m rows and cols columns. denseBatch also reports whether they are stored one after the other
// without gaps.
func denseBatch(q plan.Struct, side string, m, cols *sym.Expr) (*sym.Expr, bool) {
	total, dense := m, true
	if ld := q.Fields["Ld"+strings.ToLower(side)]; ld != nil && !ld[0].Is(0) && !ld[0].Equal(cols) {
		dense = false
	}
	for i := q.V.(gemm.BatchParams).Dims - 1; i >= 0; i-- {
		x := string(rune('0' + i))
		dense = dense && q.Fields[side+x][0].Equal(total.Mul(cols))
		total = total.Mul(q.Fields["D"+x][0])
	}
	return total, dense
}

func mixedProduct(a, b, out tensor.DType) any {
	if out != tensor.Int32 {
		return nil
	}
	switch [2]tensor.DType{a, b} {
	case [2]tensor.DType{tensor.Int8, tensor.Int8}:
		return gemm.Int8BatchI8I8
	case [2]tensor.DType{tensor.Int8, tensor.Uint8}:
		return gemm.Int8BatchI8U8
	case [2]tensor.DType{tensor.Uint8, tensor.Int8}:
		return gemm.Int8BatchU8I8
	case [2]tensor.DType{tensor.Uint8, tensor.Uint8}:
		return gemm.Int8BatchU8U8
	}
	return nil
}

func batchMatmulShape(c *lower.Shaper) error {
	d := c.In(0).DType
	if t := c.Node.DType("Tout"); t != tensor.Invalid {
		d = t
	}
	a, b := c.Shape(0), c.Shape(1)
	for i, s := range []ir.Shape{a, b} {
		if s.Known && len(s.Dims) < 2 {
			return tensor.Errorf(tensor.InvalidArgument, "input %d has the shape %v; at least rank 2 is required", i, s)
		}
	}
	if !a.Known || !b.Known {
		c.Set(0, d, ir.Shape{})
		return nil
	}
	na, nb := len(a.Dims)-2, len(b.Dims)-2
	m, k := swapIf(c.Node.Bool("adj_x"), a.Dims[na], a.Dims[na+1])
	l, n := swapIf(c.Node.Bool("adj_y"), b.Dims[nb], b.Dims[nb+1])
	if lower.Differ(k, l) {
		return tensor.Errorf(tensor.InvalidArgument, "inner dimensions differ: %v against %v", a, b)
	}
	if c.Node.Op == "BatchMatMul" {
		if na != nb {
			return tensor.Errorf(tensor.InvalidArgument, "the ranks differ: %v against %v", a, b)
		}
		for i := range na {
			if lower.Differ(a.Dims[i], b.Dims[i]) {
				return tensor.Errorf(tensor.InvalidArgument, "batch dimensions differ: %v against %v", a, b)
			}
		}
	}
	batch, err := lower.BroadcastShapes(ir.ShapeOf(a.Dims[:na]...), ir.ShapeOf(b.Dims[:nb]...))
	if err != nil {
		return err
	}
	c.Set(0, d, ir.ShapeOf(append(append([]*sym.Expr{}, batch.Dims...), m, n)...))
	return nil
}

// batchMatmulLower lowers the BatchMatMul ops. If the attribute adj_x is set, the left operand is
// transposed and, if it is complex, conjugated. The attribute adj_y does the same for the right
// operand.
func batchMatmulLower(b *lower.Builder) error {
	x, y, out := b.InShape(0), b.InShape(1), b.OutShape(0)
	na, nb, no := len(x)-2, len(y)-2, len(out)-2
	p := Product{TransA: b.Node.Bool("adj_x"), TransB: b.Node.Bool("adj_y")}
	p.conA, p.conB = p.TransA, p.TransB
	var l *sym.Expr
	p.M, p.K = swapIf(p.TransA, x[na], x[na+1])
	l, p.N = swapIf(p.TransB, y[nb], y[nb+1])
	if err := kit.RequireSame(b, p.K, l, "the inner dimensions of a product must be equal"); err != nil {
		return err
	}
	ds := make([]batchDim, no)
	repeated := true
	for i := range ds {
		ds[i] = batchDim{sym.One, sym.One, out[i]}
		if j := i - (no - na); j >= 0 {
			ds[i].a = x[j]
		}
		if j := i - (no - nb); j >= 0 {
			ds[i].b = y[j]
		}
		repeated = repeated && ds[i].b.Is(1)
		if b.Node.Op == "BatchMatMul" {
			if err := kit.RequireSame(b, ds[i].a, ds[i].b, "batch dimensions must be equal"); err != nil {
				return err
			}
			ds[i].a, ds[i].b = out[i], out[i]
			continue
		}
		if ds[i].kind(ds[i].a) == 2 || ds[i].kind(ds[i].b) == 2 || !ds[i].a.Is(1) && !ds[i].b.Is(1) && !ds[i].a.Equal(ds[i].b) {
			b.Check(shape.Broadcastable, ds[i].a, ds[i].b)
		}
	}
	ta, tb := b.InFact(0).DType, b.InFact(1).DType
	// If all products of the batch have the same right operand, the rows of all left operands form
	// a single matrix.
	if repeated && !p.TransA && ta == tensor.Float32 && tb == ta && b.OutFact(0).DType == ta {
		for _, d := range ds {
			p.M = p.M.Mul(d.a)
		}
		return multiply(b, b.Dest(0), b.Source(0), 1, b.Source(1), p, &kit.Epilogue{})
	}
	left, right := b.Source(0), b.Source(1)
	if b.OutFact(0).DType == tensor.BFloat16 && ta != tb { // bf16 represents all bytes exactly
		left, ta = inBF16(b, left, ta)
		right, tb = inBF16(b, right, tb)
	}
	return batch(b, b.Dest(0), left, right, ta, tb, p, ds)
}

// inBF16 returns v converted to bf16 if its type d is int8 or uint8. Otherwise it returns v itself.
func inBF16(b *lower.Builder, v plan.View, d tensor.DType) (plan.View, tensor.DType) {
	if d != tensor.Int8 && d != tensor.Uint8 {
		return v, d
	}
	t := b.Temp(tensor.BFloat16, v.Len)
	b.Call(bytype.Cast[d][tensor.BFloat16], kit.Writes(t), v)
	return kit.Reads(t), tensor.BFloat16
}

func sparseMatmulShape(c *lower.Shaper) error {
	err := MatmulShape(c)
	c.Node.Outs[0].DType = tensor.Float32
	return err
}

// sparseMatmulLower lowers SparseMatMul to a dense product, because the attributes a_is_sparse and
// b_is_sparse are only hints. The product is computed in f32 for all input types.
func sparseMatmulLower(b *lower.Builder) error {
	p, err := MatmulProduct(b)
	if err != nil {
		return err
	}
	var v [2]plan.View
	for i := range v {
		v[i] = b.In(i)
		if b.InFact(i).DType == tensor.BFloat16 {
			w := b.Temp(tensor.Float32, v[i].Len)
			b.Call(layout.WidenBF16, w, v[i])
			v[i] = w
		}
	}
	if err := batch(b, b.Out(0), v[0], v[1], tensor.Float32, tensor.Float32, p, nil); err != nil {
		return err
	}
	// If one operand has zeros, TensorFlow does not multiply them with the other operand. The
	// results differ where the other operand is infinite or NaN.
	n := b.Node
	left := n.Bool("a_is_sparse")
	if !left && !n.Bool("b_is_sparse") && b.InFact(0).DType == tensor.Float32 && b.InFact(1).DType == tensor.Float32 {
		return nil
	}
	dst := b.Out(0)
	dst.Mode = plan.ReadWrite
	b.Call(gemm.SkipZeros, dst, v[0], v[1], plan.Lit(gemm.SkipParams{TransA: p.TransA, TransB: p.TransB, Left: left}, "M", p.M, "N", p.N, "K", p.K))
	return nil
}
