package sparse

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/sparse/csr"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// sparseMatrixDefs are ops on sparse matrices. A matrix is a variant in the compressed sparse row
// format. If its rank is 3, it is a batch of matrices. As TensorFlow requires, the rank is known at
// compile time. Errors are InvalidArgument.
var sparseMatrixDefs = []*lower.Def{
	{Name: "SparseTensorToCSRSparseMatrix", Flags: csrMakes, Makes: lower.CSR, Types: csrTypes("T"), Limits: "a batch's indices must be in the order of the batch", Shape: csrFromSparseShape, Lower: csrFromSparseLower},
	{Name: "DenseToCSRSparseMatrix", Flags: csrMakes, Makes: lower.CSR, Types: csrTypes("T"), Limits: "a batch's indices must be in the order of the batch", Shape: csrFromDenseShape, Lower: csrFromDenseLower},
	{Name: "CSRSparseMatrixToDense", Flags: lower.NoFold, Wants: lower.CSR, Types: csrTypes("type"), Shape: csrToDenseShape, Lower: csrToDenseLower},
	{Name: "CSRSparseMatrixToSparseTensor", Flags: lower.NoFold, Wants: lower.CSR, Types: csrTypes("type"), Shape: csrToSparseShape, Lower: csrToSparseLower},
	{Name: "CSRSparseMatrixComponents", Flags: lower.NoFold, Wants: lower.CSR, Types: csrTypes("type"), Shape: csrComponentsShape, Lower: csrComponentsLower},
	{Name: "SparseMatrixNNZ", Flags: lower.NoFold, Wants: lower.CSR, Shape: csrNNZShape, Lower: csrNNZLower},
	{Name: "SparseMatrixMatMul", Flags: lower.NoFold, Wants: lower.CSR, Types: csrTypes("T"), Shape: csrMatMulShape, Lower: csrMatMulLower},
	{Name: "SparseMatrixSparseMatMul", Flags: csrMakes, Wants: lower.CSR, Types: csrTypes("type"), Shape: csrSparseMatMulShape, Lower: csrSparseMatMulLower},
	{Name: "SparseMatrixTranspose", Flags: csrMakes, Wants: lower.CSR, Types: csrTypes("type"), Shape: csrTransposeShape, Lower: csrTransposeLower},
	{Name: "SparseMatrixOrderingAMD", Flags: lower.NoFold, Wants: lower.CSR, Shape: csrOrderShape, Lower: csrOrderLower},
	{Name: "SparseMatrixSparseCholesky", Flags: csrMakes, Wants: lower.CSR, Types: csrTypes("type"), Shape: csrCholeskyShape, Lower: csrCholeskyLower},
}

// csrMakes are the flags of ops whose only output is a sparse matrix. A node of such an op runs
// even if its matrix is not used, because it may be a target of the run and may fail.
const csrMakes = lower.Effect | lower.NoFold

func csrTypes(attr string) map[string][]tensor.DType {
	return map[string][]tensor.DType{attr: {tensor.Float32, tensor.Float64, tensor.Complex64, tensor.Complex128}}
}

// matricesAttr is the name of an attribute that is added to nodes when the graph is divided into
// partitions, since the node that made a matrix may be in another partition. The attribute holds
// one text for each input of the node. For an input that is a sparse matrix, the text is the shape,
// such as "[-1,3]", where -1 means a dimension that is known only at run time. For other inputs,
// and for a matrix of unknown rank, the text is "".
const matricesAttr = "_matrices"

// StateMatrices writes the known dimensions of a node's sparse matrix inputs into its attributes.
func StateMatrices(n *ir.Node) {
	texts, any := make([]string, len(n.Ins)), false
	for i, o := range n.Ins {
		if o.Fact().DType != tensor.Variant {
			continue
		}
		if dims, ok := csrDims(n, i); ok {
			texts[i], any = ir.ShapeOf(lower.OrMinusOne(dims)...).String(), true
		}
	}
	if any {
		n.Attrs[matricesAttr] = texts
	}
}

// statedMatrix reads the attribute that StateMatrices wrote.
func statedMatrix(n *ir.Node, i int) (dims []*sym.Expr, ok bool) {
	texts, _ := n.Attrs[matricesAttr].([]string)
	if i >= len(texts) || texts[i] == "" {
		return nil, false
	}
	dims, err := lower.ParseDims(texts[i])
	for k, d := range dims {
		if v, known := d.IsInt(); !known || v < 0 {
			dims[k] = nil
		}
	}
	return dims, err == nil
}

// csrDims returns the dimensions of the matrix that is input i of a node. A dimension known only at
// run time is nil. ok is false if not even the rank is known.
func csrDims(to *ir.Node, i int) (dims []*sym.Expr, ok bool) {
	if dims, ok := statedMatrix(to, i); ok {
		return dims, true
	}
	o := to.Ins[i]
	n := o.Node
	for n != nil && n.Op == "Identity" {
		n = n.Ins[0].Node
	}
	sure := n == kit.HandleMaker(o)
	if n = kit.HandleMaker(o); n == nil {
		return nil, false
	}
	switch n.Op {
	case "SparseTensorToCSRSparseMatrix":
		rank := -1
		if s := n.Ins[0].Fact().Shape; s.Rank() == 2 {
			rank = intOr(s.Dims[1], -1)
		}
		if s := n.Ins[2].Fact().Shape; s.Rank() == 1 && rank < 0 {
			rank = intOr(s.Dims[0], -1)
		}
		if rank < 0 {
			return nil, false
		}
		dims = make([]*sym.Expr, rank)
		if vs, known := (&lower.Shaper{Node: n}).StaticInts(2); known && len(vs) == rank {
			for k, v := range vs {
				dims[k] = sym.Int(v)
			}
		}
	case "DenseToCSRSparseMatrix":
		s := n.Ins[0].Fact().Shape
		if !s.Known {
			return nil, false
		}
		dims = append([]*sym.Expr{}, s.Dims...)
	case "SparseMatrixTranspose", "SparseMatrixSparseCholesky":
		if dims, ok = csrDims(n, 0); !ok {
			return nil, false
		}
		if n.Op == "SparseMatrixTranspose" {
			turnDims(dims, true)
		}
	case "SparseMatrixSparseMatMul":
		a, known := csrDims(n, 0)
		b, both := csrDims(n, 1)
		if !known || !both || len(a) != len(b) {
			return nil, false
		}
		turnDims(a, csrForm(n, "a").Transpose)
		turnDims(b, csrForm(n, "b").Transpose)
		dims = append(a[:len(a)-1:len(a)-1], b[len(b)-1])
	default:
		return nil, false
	}
	for k, d := range dims {
		if !sure || d == nil || !kit.IsInt(d) {
			dims[k] = nil
		}
	}
	return dims, len(dims) == 2 || len(dims) == 3
}

func intOr(e *sym.Expr, other int) int {
	if v, ok := e.IsInt(); ok {
		return v
	}
	return other
}

// turnDims exchanges the last two elements of dims if the parameter turn is true.
func turnDims(dims []*sym.Expr, turn bool) {
	if n := len(dims); turn && n >= 2 {
		dims[n-2], dims[n-1] = dims[n-1], dims[n-2]
	}
}

// csrForm returns whether a node transposes an operand, and whether it conjugates the operand. The
// parameter operand is "a" or "b"; the result depends on the attributes transpose_a and adjoint_a,
// or transpose_b and adjoint_b.
func csrForm(n *ir.Node, operand string) csr.Form {
	t, h := n.Bool("transpose_"+operand), n.Bool("adjoint_"+operand)
	return csr.Form{Transpose: t || h, Conj: h}
}

// checkForms rejects a node that has both transpose and adjoint set for an operand.
func checkForms(n *ir.Node) error {
	for _, o := range []string{"a", "b"} {
		if n.Bool("transpose_"+o) && n.Bool("adjoint_"+o) {
			return tensor.Errorf(tensor.InvalidArgument, "Only one of adjoint_%s and transpose_%s may be true.", o, o)
		}
	}
	return nil
}

// csrShape returns the dimensions of the matrix in input i, as csrDims does. It returns an error if
// the rank is unknown.
func csrShape(c *lower.Shaper, i int) ([]*sym.Expr, error) {
	if s := c.Shape(i); s.Rank() > 0 {
		return nil, tensor.Errorf(tensor.InvalidArgument, "input %d should be a scalar, not of the shape %v", i, s)
	}
	dims, ok := csrDims(c.Node, i)
	if !ok && csrOpen(c.Node.Ins[i]) {
		return nil, tensor.Errorf(tensor.Unimplemented, "the rank of the sparse matrix in input %d is not known when compiling: give the feeds' shapes, for example --shape x=1,?,3", i)
	}
	if !ok {
		return nil, tensor.Errorf(tensor.InvalidArgument, "unable to access the shape of variant input %d: it is not known to be a sparse matrix of rank 2 or 3", i)
	}
	return dims, nil
}

// csrSquare returns the dimensions of the matrix in input i. It returns an error if the rank is
// unknown or the matrix is not square.
func csrSquare(c *lower.Shaper, i int) ([]*sym.Expr, error) {
	dims, err := csrShape(c, i)
	if err != nil {
		return nil, err
	}
	if m, n := dims[len(dims)-2], dims[len(dims)-1]; m != nil && n != nil {
		if _, err := kit.JoinDim(m, n, "sparse matrix must be square"); err != nil {
			return nil, err
		}
	}
	return dims, nil
}

// csrOpen reports whether the rank of a sparse matrix is unknown, but would be known if the shapes
// of the feeds were known.
func csrOpen(o ir.Out) bool {
	n := kit.HandleMaker(o)
	if n == nil {
		return false
	}
	switch n.Op {
	case "SparseTensorToCSRSparseMatrix":
		at, shape := n.Ins[0].Fact().Shape, n.Ins[2].Fact().Shape
		return (at.Rank() != 2 || intOr(at.Dims[1], -1) < 0) && (shape.Rank() != 1 || intOr(shape.Dims[0], -1) < 0)
	case "DenseToCSRSparseMatrix":
		return !n.Ins[0].Fact().Shape.Known
	case "SparseMatrixTranspose", "SparseMatrixSparseCholesky":
		return csrOpen(n.Ins[0])
	case "SparseMatrixSparseMatMul":
		return csrOpen(n.Ins[0]) || csrOpen(n.Ins[1])
	}
	return false
}

// csrCheck returns the dimensions of the matrix in input i. It appends a run-time check that the
// dimensions known at compile time are those of the matrix.
func csrCheck(b *lower.Builder, i int) ([]*sym.Expr, error) {
	dims, err := csrShape(b.Shaper(), i)
	if err != nil {
		return nil, err
	}
	b.Call(csr.IsShape, b.In(i), lower.OrMinusOne(dims))
	return dims, nil
}

// csrSize returns dimension k of a matrix. If the dimension is known only at run time, csrSize
// returns a symbolic size of output i. The parameter at is a number that distinguishes this size
// from the other symbolic sizes of the output.
func csrSize(c *lower.Shaper, dims []*sym.Expr, k, i, at int) *sym.Expr {
	if dims[k] != nil {
		return dims[k]
	}
	return c.NewSizeK(i, at)
}

// csrBind appends a call that computes the symbolic size that csrSize returned for dimension k of
// the matrix in input j. If the dimension is known at compile time, csrBind does nothing.
func csrBind(b *lower.Builder, dims []*sym.Expr, k, i, at, j int) {
	if dims[k] == nil {
		b.CallSizes(csr.Dim, []*sym.Expr{b.NewSizeK(i, at)}, b.In(j), k, len(dims))
	}
}

// reserve adds n bytes of scratch memory to the plan. No kernel uses these bytes. They represent
// memory that the next kernel allocates itself, so that the memory limit of the run includes this
// memory.
func reserve(b *lower.Builder, n *sym.Expr) {
	b.Call(csr.Reserve, kit.Writes(b.Temp(tensor.Uint8, n)))
}

// csrOut sets output 0 to a variant.
func csrOut(c *lower.Shaper) { c.Set(0, tensor.Variant, ir.ShapeOf()) }

func csrFromSparseShape(c *lower.Shaper) error {
	csrOut(c)
	_, rank, err := sparseShapes(c, 0, 1, 2)
	if err != nil {
		return err
	}
	if r := -1; rank != nil {
		if r = intOr(rank, -1); r >= 0 && r != 2 && r != 3 {
			return tensor.Errorf(tensor.InvalidArgument, "Invalid rank: %d.  Expected a known rank of either 2 or 3.", r)
		}
	}
	if vs, ok := c.StaticInts(2); ok {
		for _, v := range vs {
			if v < 0 {
				return tensor.Errorf(tensor.InvalidArgument, "a dimension of the sparse matrix is %d", v)
			}
		}
	}
	return nil
}

func csrFromSparseLower(b *lower.Builder) error {
	n, _, err := sparseParts(b, 0, 1, 2)
	if err != nil {
		return err
	}
	fn, err := bytype.CsrFromSparse.Get(b.InFact(1).DType)
	if err != nil {
		return err
	}
	room := b.NewSizeK(0, lower.ExtraSize)
	b.CallSizes(csr.RoomOf, []*sym.Expr{room}, b.In(2), n)
	reserve(b, room.MulInt(4))
	b.Call(fn, b.Out(0), b.In(0), b.In(1), b.In(2))
	return nil
}

func csrFromDenseShape(c *lower.Shaper) error {
	csrOut(c)
	x := c.Shape(0)
	if x.Known && len(x.Dims) != 2 && len(x.Dims) != 3 {
		return tensor.Errorf(tensor.InvalidArgument, "Invalid rank of dense: %d.  Expected a known rank of either 2 or 3.", len(x.Dims))
	}
	ix, err := c.WithRank(1, 2)
	if err != nil || !ix.Known || !x.Known {
		return err
	}
	_, err = kit.JoinDim(ix.Dims[1], sym.Int(len(x.Dims)), "columns of the indices and rank of dense")
	return err
}

func csrFromDenseLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0, 1); err != nil {
		return err
	}
	x, ix := b.InShape(0), b.InShape(1)
	if err := kit.RequireSame(b, ix[1], sym.Int(len(x)), "columns of the indices and rank of dense"); err != nil {
		return err
	}
	d := b.InFact(0).DType
	fn, err := bytype.CsrFromDense.Get(d)
	if err != nil {
		return err
	}
	room := b.NewSizeK(0, lower.ExtraSize)
	b.CallSizes(csr.RoomOfDims, []*sym.Expr{room}, x, ix[0])
	reserve(b, room.MulInt(4).Add(ix[0].MulInt(4+d.Size())))
	b.Call(fn, b.Out(0), b.In(0), b.In(1), x)
	return nil
}

func csrToDenseShape(c *lower.Shaper) error {
	dims, err := csrShape(c, 0)
	if err != nil {
		return err
	}
	out := make([]*sym.Expr, len(dims))
	for k := range dims {
		out[k] = csrSize(c, dims, k, 0, k)
	}
	c.Set(0, c.Node.DType("type"), ir.ShapeOf(out...))
	return nil
}

func csrToDenseLower(b *lower.Builder) error {
	dims, err := csrCheck(b, 0)
	if err != nil {
		return err
	}
	for k := range dims {
		csrBind(b, dims, k, 0, k, 0)
	}
	fn, err := bytype.CsrToDense.Get(b.OutFact(0).DType)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0))
	return nil
}

func csrToSparseShape(c *lower.Shaper) error {
	dims, err := csrShape(c, 0)
	if err != nil {
		return err
	}
	n := c.NewSize(0)
	c.Set(0, tensor.Int64, ir.ShapeOf(n, sym.Int(len(dims))))
	c.Set(1, c.Node.DType("type"), ir.ShapeOf(n))
	c.Set(2, tensor.Int64, ir.StaticShape(len(dims)))
	return nil
}

func csrToSparseLower(b *lower.Builder) error {
	if _, err := csrCheck(b, 0); err != nil {
		return err
	}
	fn, err := bytype.CsrToSparse.Get(b.OutFact(1).DType)
	if err != nil {
		return err
	}
	b.CallSizes(csr.Count, []*sym.Expr{b.NewSize(0)}, b.In(0), -1)
	b.Call(fn, b.Out(0), b.Out(1), b.Out(2), b.In(0))
	return nil
}

// csrComponentsShape infers the shapes of the outputs of
// CSRSparseMatrixComponents(csr_sparse_matrix, index): the row pointers, columns and values of one
// matrix of a batch.
func csrComponentsShape(c *lower.Shaper) error {
	dims, err := csrShape(c, 0)
	if err != nil {
		return err
	}
	if err := c.ScalarOr(1, "index"); err != nil {
		return err
	}
	n := c.NewSize(1)
	c.Set(0, tensor.Int32, ir.ShapeOf(csrSize(c, dims, len(dims)-2, 0, 0).AddInt(1)))
	c.Set(1, tensor.Int32, ir.ShapeOf(n))
	c.Set(2, c.Node.DType("type"), ir.ShapeOf(n))
	return nil
}

func csrComponentsLower(b *lower.Builder) error {
	dims, err := csrCheck(b, 0)
	if err != nil {
		return err
	}
	fn, err := bytype.CsrComponents.Get(b.OutFact(2).DType)
	if err != nil {
		return err
	}
	csrBind(b, dims, len(dims)-2, 0, 0, 0)
	b.CallSizes(csr.CountOf, []*sym.Expr{b.NewSize(1)}, b.In(0), b.In(1))
	b.Call(fn, b.Out(0), b.Out(1), b.Out(2), b.In(0), b.In(1))
	return nil
}

func csrNNZShape(c *lower.Shaper) error {
	dims, err := csrShape(c, 0)
	if err != nil {
		return err
	}
	if len(dims) == 2 {
		c.Set(0, tensor.Int32, ir.ShapeOf())
		return nil
	}
	c.Set(0, tensor.Int32, ir.ShapeOf(csrSize(c, dims, 0, 0, 0)))
	return nil
}

func csrNNZLower(b *lower.Builder) error {
	dims, err := csrCheck(b, 0)
	if err != nil {
		return err
	}
	if len(dims) == 3 {
		csrBind(b, dims, 0, 0, 0, 0)
	}
	b.Call(csr.NNZ, b.Out(0), b.In(0))
	return nil
}

// csrMatMulShape infers the shape of the output of SparseMatrixMatMul(a, b), the product of a
// sparse matrix and a dense matrix. Attributes say whether a, b and the result are transposed, and
// whether the result is conjugated.
func csrMatMulShape(c *lower.Shaper) error {
	if err := checkForms(c.Node); err != nil {
		return err
	}
	a, err := csrShape(c, 0)
	if err != nil {
		return err
	}
	x := c.Shape(1)
	if !x.Known {
		c.UnknownShape(0, c.In(1).DType)
		return nil
	}
	if len(x.Dims) != len(a) {
		return tensor.Errorf(tensor.InvalidArgument, "Ranks of a and b must match, saw: %d vs. %d.", len(a), len(x.Dims))
	}
	turnDims(a, csrForm(c.Node, "a").Transpose)
	b := append([]*sym.Expr{}, x.Dims...)
	turnDims(b, csrForm(c.Node, "b").Transpose)
	n := len(a)
	if a[n-1] != nil {
		if _, err := kit.JoinDim(a[n-1], b[n-2], "Inner product dimensions of A and B do not agree."); err != nil {
			return err
		}
	}
	if n == 3 && a[0] != nil {
		if _, err := kit.JoinDim(a[0], b[0], "Batch sizes of a and b must match."); err != nil {
			return err
		}
	}
	b[n-2] = csrSize(c, a, n-2, 0, 0)
	turnDims(b, c.Node.Bool("transpose_output"))
	c.Set(0, c.In(1).DType, ir.ShapeOf(b...))
	return nil
}

func csrMatMulLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 1); err != nil {
		return err
	}
	dims, err := csrCheck(b, 0)
	if err != nil {
		return err
	}
	fn, err := bytype.CsrProduct.Get(b.OutFact(0).DType)
	if err != nil {
		return err
	}
	n, fa, x := len(dims), csrForm(b.Node, "a"), b.InShape(1)
	rows := n - 2
	if fa.Transpose {
		rows = n - 1
	}
	csrBind(b, dims, rows, 0, 0, 0)
	b.Call(fn, b.Out(0), b.In(0), b.In(1), plan.Lit(csr.Product{A: fa, B: csrForm(b.Node, "b"),
		Out: csr.Form{Transpose: b.Node.Bool("transpose_output"), Conj: b.Node.Bool("conjugate_output")}}, "BRows", x[n-2], "BCols", x[n-1]))
	return nil
}

// csrSparseMatMulShape infers the shape of the output of SparseMatrixSparseMatMul(a, b), the
// product of two sparse matrices. The result also stores elements that happen to be 0.
func csrSparseMatMulShape(c *lower.Shaper) error {
	csrOut(c)
	if err := checkForms(c.Node); err != nil {
		return err
	}
	a, err := csrShape(c, 0)
	if err != nil {
		return err
	}
	b, err := csrShape(c, 1)
	if err != nil {
		return err
	}
	if len(a) != len(b) {
		return tensor.Errorf(tensor.InvalidArgument, "Ranks of a and b must match, saw: %d vs. %d.", len(a), len(b))
	}
	return nil
}

func csrSparseMatMulLower(b *lower.Builder) error {
	d := b.Node.DType("type")
	room, err := bytype.CsrSparseRoom.Get(d)
	if err != nil {
		return err
	}
	fn, err := bytype.CsrSparseProduct.Get(d)
	if err != nil {
		return err
	}
	forms := []csr.Form{csrForm(b.Node, "a"), csrForm(b.Node, "b")}
	for i, f := range forms {
		if f.Transpose {
			csrTurned(b, i, b.NewSizeK(0, lower.ExtraSize+i))
		}
	}
	n := b.NewSizeK(0, lower.ExtraSize+2)
	b.CallSizes(room, []*sym.Expr{n}, b.In(0), b.In(1), forms[0], forms[1])
	reserve(b, n.MulInt(4+d.Size()))
	b.Call(fn, b.Out(0), b.In(0), b.In(1), forms[0], forms[1], n)
	return nil
}

// csrTurned reserves memory, as reserve does, for the transposed copy of the matrix in input i. The
// parameter size is the symbolic size that the appended call sets.
func csrTurned(b *lower.Builder, i int, size *sym.Expr) {
	b.CallSizes(csr.TransposedRoom, []*sym.Expr{size}, b.In(i))
	reserve(b, size.MulInt(4))
}

func csrTransposeShape(c *lower.Shaper) error {
	csrOut(c)
	_, err := csrShape(c, 0)
	return err
}

// csrTransposeLower: attribute conjugate.
func csrTransposeLower(b *lower.Builder) error {
	fn, err := bytype.CsrTranspose.Get(b.Node.DType("type"))
	if err != nil {
		return err
	}
	csrTurned(b, 0, b.NewSizeK(0, lower.ExtraSize))
	b.Call(fn, b.Out(0), b.In(0), csr.Form{Transpose: true, Conj: b.Node.Bool("conjugate")})
	return nil
}

// csrCholeskyShape infers the shape of the output of SparseMatrixSparseCholesky(input,
// permutation). The op permutes the rows and columns of each matrix, and returns the lower Cholesky
// factor of the permuted matrix.
func csrCholeskyShape(c *lower.Shaper) error {
	csrOut(c)
	dims, err := csrSquare(c, 0)
	if err != nil {
		return err
	}
	n := len(dims)
	p, err := c.WithRank(1, n-1)
	if err != nil || !p.Known {
		return err
	}
	for k, d := range p.Dims {
		if dims[k] != nil {
			if _, err := kit.JoinDim(d, dims[k], "permutation must have the batch size and the rows of the sparse matrix"); err != nil {
				return err
			}
		}
	}
	return nil
}

func csrCholeskyLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 1); err != nil {
		return err
	}
	if _, err := csrCheck(b, 0); err != nil {
		return err
	}
	d := b.Node.DType("type")
	fn, err := bytype.CsrCholesky.Get(d)
	if err != nil {
		return err
	}
	p := b.InShape(1)
	want := make([]*sym.Expr, 0, 3)
	want = append(append(want, p...), p[len(p)-1])
	b.Call(csr.IsShape, b.In(0), want)
	n := b.NewSizeK(0, lower.ExtraSize)
	b.CallSizes(csr.CholeskyRoom, []*sym.Expr{n}, b.In(0), b.In(1))
	reserve(b, n.MulInt(4+d.Size()))
	b.Call(fn, b.Out(0), b.In(0), b.In(1), n)
	return nil
}

// csrOrderShape infers the shape of the output of SparseMatrixOrderingAMD(input). For each matrix,
// the op returns an order of rows and columns that keeps the Cholesky factor sparse. It reads only
// the lower triangle of the matrix.
func csrOrderShape(c *lower.Shaper) error {
	dims, err := csrSquare(c, 0)
	if err != nil {
		return err
	}
	n := len(dims)
	out := make([]*sym.Expr, n-1)
	for k := range out {
		out[k] = csrSize(c, dims, k, 0, k)
	}
	c.Set(0, tensor.Int32, ir.ShapeOf(out...))
	return nil
}

func csrOrderLower(b *lower.Builder) error {
	dims, err := csrCheck(b, 0)
	if err != nil {
		return err
	}
	for k := range len(dims) - 1 {
		csrBind(b, dims, k, 0, k, 0)
	}
	room := b.NewSizeK(0, lower.ExtraSize)
	b.CallSizes(csr.OrderRoom, []*sym.Expr{room}, b.In(0))
	b.Call(csr.Order, b.Out(0), b.Temp(tensor.Int32, room), b.In(0))
	return nil
}
