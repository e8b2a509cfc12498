package array

import (
	"slices"
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// diagDefs read and write diagonals of matrices.
var diagDefs = []*lower.Def{
	{Name: "Diag", Types: kit.Moves, Shape: diagShape, Lower: diagLower},
	{Name: "DiagPart", Types: kit.Moves, Shape: diagPartShape, Lower: diagPartLower},
	{Name: "MatrixBandPart", Types: kit.Moves, Shape: BandShape, Lower: BandLower},
	{Name: "MatrixDiag", Types: kit.Moves, Shape: MatrixDiagShape, Lower: MatrixDiagLower},
	{Name: "MatrixDiagV2", Types: kit.Moves, Shape: MatrixDiagShape, Lower: MatrixDiagLower, Limits: "two bounds k must be known when compiling"},
	{Name: "MatrixDiagV3", Types: kit.Moves, Shape: MatrixDiagShape, Lower: MatrixDiagLower, Limits: "two bounds k must be known when compiling"},
	{Name: "MatrixDiagPart", Types: kit.Moves, Shape: MatrixDiagPartShape, Lower: MatrixDiagPartLower},
	{Name: "MatrixDiagPartV2", Types: kit.Moves, Shape: MatrixDiagPartShape, Lower: MatrixDiagPartLower, Limits: "two bounds k must be known when compiling"},
	{Name: "MatrixDiagPartV3", Types: kit.Moves, Shape: MatrixDiagPartShape, Lower: MatrixDiagPartLower, Limits: "two bounds k must be known when compiling"},
	{Name: "MatrixSetDiag", Types: kit.Moves, Shape: MatrixSetDiagShape, Lower: MatrixSetDiagLower},
	{Name: "MatrixSetDiagV2", Types: kit.Moves, Shape: MatrixSetDiagShape, Lower: MatrixSetDiagLower, Limits: "two bounds k must be known when compiling"},
	{Name: "MatrixSetDiagV3", Types: kit.Moves, Shape: MatrixSetDiagShape, Lower: MatrixSetDiagLower, Limits: "two bounds k must be known when compiling"},
}

// diagShape infers the result of Diag. For an input of the shape [d…], the result has the shape
// [d…, d…]. The element at [i…] of the input is at [i…, i…] in the result. The result is 0 everywhere
// else.
func diagShape(c *lower.Shaper) error {
	x := c.Shape(0)
	if !x.Known {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	if len(x.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "Input must be at least rank 1, got 0")
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(append(append([]*sym.Expr{}, x.Dims...), x.Dims...)...))
	return nil
}

func diagLower(b *lower.Builder) error {
	if err := kit.FillZero(b, b.Out(0)); err != nil {
		return err
	}
	n := b.InLen(0)
	x := kit.NewBox()
	x.Add(n, n.AddInt(1), sym.One)
	return kit.Move(b, kit.Part(b.Out(0), false), b.In(0), x)
}

// diagPartShape infers the result of DiagPart, which is the inverse of Diag. For an input of the
// shape [d…, d…], the result has the shape [d…].
func diagPartShape(c *lower.Shaper) error {
	x := c.Shape(0)
	if !x.Known {
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	n := len(x.Dims)
	if n == 0 || n%2 != 0 {
		return tensor.Errorf(tensor.InvalidArgument, "The rank of the tensor should be even and positive, got shape %v", x)
	}
	for k := range n / 2 {
		if _, err := kit.JoinDim(x.Dims[k], x.Dims[n/2+k], "the two halves of the shape of a diagonal"); err != nil {
			return err
		}
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(x.Dims[:n/2]...))
	return nil
}

func diagPartLower(b *lower.Builder) error {
	dims := b.InShape(0)
	for k, d := range b.OutShape(0) {
		if e := dims[len(dims)/2+k]; !e.Equal(d) {
			b.Check(array.SameDim, d, e)
		}
	}
	n := b.OutLen(0)
	x := kit.NewBox()
	x.Add(n, sym.One, n.AddInt(1))
	return kit.Move(b, b.Out(0), b.In(0), x)
}

// BandShape infers the result of MatrixBandPart. The inputs are named input, num_lower and num_upper.
func BandShape(c *lower.Shaper) error {
	c.Same(0, 0)
	if x := c.Shape(0); x.Known && len(x.Dims) < 2 {
		return tensor.Errorf(tensor.InvalidArgument, "input must be at least 2-dim, received shape: %v", x)
	}
	for i := 1; i <= 2; i++ {
		if err := c.ScalarOr(i, "num_lower and num_upper"); err != nil {
			return err
		}
		if _, _, err := kit.OneInt(c, i, "num_lower and num_upper"); err != nil {
			return err
		}
	}
	return nil
}

// BandLower lowers MatrixBandPart. The inputs are named input, num_lower and num_upper.
func BandLower(b *lower.Builder) error {
	dims := b.InShape(0)
	rows, cols := dims[len(dims)-2], dims[len(dims)-1]
	lower, ok1 := b.Ints(1)
	upper, ok2 := b.Ints(2)
	if !ok1 || !ok2 || len(lower) != 1 || len(upper) != 1 {
		return b.Errorf(tensor.InvalidArgument, "num_lower and num_upper must be scalars")
	}
	fn, err := bytype.ArrayBandPart.Get(b.InFact(0).DType)
	if err != nil {
		return err
	}
	kit.CheckLen(b, 1, 1)
	kit.CheckLen(b, 2, 1)
	b.Check(array.BandFits, lower[0], upper[0], rows, cols)
	b.CallInPlace(0, 0, fn, b.Out(0), b.In(0), rows, cols, lower[0], upper[0])
	return nil
}

// diagBounds returns the numbers of the lowest and the highest diagonal, from input i. An op
// version without this input uses the main diagonal only. many reports whether the bounds differ;
// the packed diagonals then have a separate axis for the diagonals.
func diagBounds(c *lower.Shaper, i int) (lo, hi *sym.Expr, many bool, err error) {
	if c.NumIn() <= i {
		return sym.Zero, sym.Zero, false, nil
	}
	es, ok := c.Ints(i)
	switch {
	case c.Shape(i).Rank() > 1:
		return nil, nil, false, tensor.Errorf(tensor.InvalidArgument, "diag_index must be a scalar or a vector with one or two elements, not of the shape %v", c.Shape(i))
	case !ok:
		return nil, nil, false, tensor.Errorf(tensor.Unimplemented, "the number of elements of k must be known when compiling")
	case len(es) == 1:
		return es[0], es[0], false, nil
	case len(es) != 2:
		return nil, nil, false, tensor.Errorf(tensor.InvalidArgument, "diag_index must be a scalar or a vector with one or two elements, not %d", len(es))
	}
	l, ok1 := es[0].IsInt()
	h, ok2 := es[1].IsInt()
	if !ok1 || !ok2 {
		return nil, nil, false, tensor.Errorf(tensor.Unimplemented, "two bounds k must be known when compiling: they decide the rank")
	}
	if l > h {
		return nil, nil, false, tensor.Errorf(tensor.InvalidArgument, "lower_diag_index must not be larger than upper_diag_index: %d > %d", l, h)
	}
	return es[0], es[1], l != h, nil
}

// diagParams returns the parameters of the kernels for packed diagonals.
func diagParams(n *ir.Node, batch, rows, cols, lo, hi, size *sym.Expr) plan.Struct {
	super, sub := diagAlign(n)
	return plan.Lit(array.DiagParams{SuperRight: super, SubRight: sub}, "Batch", batch, "Rows", rows, "Cols", cols, "Lo", lo, "Hi", hi, "Len", size)
}

// diagAlign evaluates the attribute align. super reports whether diagonals above the main diagonal
// are right-aligned in their rows. sub reports the same for the diagonals below it.
func diagAlign(n *ir.Node) (super, sub bool) {
	align := n.Str("align")
	if align == "" && strings.HasSuffix(n.Op, "V3") {
		align = "RIGHT_LEFT"
	}
	return strings.HasPrefix(align, "RIGHT"), strings.HasSuffix(align, "RIGHT")
}

// packedTail returns how many axes packed diagonals have after the batch axes.
func packedTail(many bool) int {
	if many {
		return 2
	}
	return 1
}

// MatrixDiagShape infers the result of MatrixDiag and its newer versions. The first input is named
// diagonal. The newer versions also have inputs named k, num_rows, num_cols and padding_value.
func MatrixDiagShape(c *lower.Shaper) error {
	d, x := c.In(0).DType, c.Shape(0)
	for i := 2; i < c.NumIn(); i++ {
		if _, err := c.WithRank(i, 0); err != nil {
			return err
		}
	}
	if !x.Known {
		c.UnknownShape(0, d)
		return nil
	}
	lo, hi, many, err := diagBounds(c, 1)
	if err != nil {
		return err
	}
	tail := packedTail(many)
	if len(x.Dims) < tail {
		return tensor.Errorf(tensor.InvalidArgument, "diagonal must be at least %d-dim, received shape: %v", tail, x)
	}
	rows, cols, err := diagSize(c, lo, hi, x.Dims[len(x.Dims)-1])
	if err != nil {
		return err
	}
	if many {
		l, _ := lo.IsInt()
		h, _ := hi.IsInt()
		if v, ok := x.Dims[len(x.Dims)-2].IsInt(); ok && v != h-l+1 {
			return tensor.Errorf(tensor.InvalidArgument, "The number of diagonals provided in the input does not match the lower_diag_index and upper_diag_index range: %v", x)
		}
	}
	c.Set(0, d, ir.ShapeOf(append(append([]*sym.Expr{}, x.Dims[:len(x.Dims)-tail]...), rows, cols)...))
	return nil
}

// diagGiven returns the inputs num_rows and num_cols, or -1 for an input that the node does not
// have.
func diagGiven(c *lower.Shaper) (rows, cols *sym.Expr, err error) {
	rows, cols = sym.Int(-1), sym.Int(-1)
	for i, e := range []**sym.Expr{&rows, &cols} {
		if c.NumIn() <= 2+i {
			continue
		}
		v, ok, err := kit.OneInt(c, 2+i, "num_rows and num_cols")
		if err != nil {
			return nil, nil, tensor.Errorf(tensor.InvalidArgument, "num_rows and num_cols must be scalars")
		}
		if !ok {
			return nil, nil, tensor.Errorf(tensor.Unimplemented, "the rank of num_rows or num_cols is unknown when compiling")
		}
		*e = v
	}
	return rows, cols, nil
}

// diagSize returns the matrices' dimensions. If they depend on inputs that are unknown at compile
// time, they are symbols whose values are set at run time.
func diagSize(c *lower.Shaper, lo, hi, n *sym.Expr) (rows, cols *sym.Expr, err error) {
	if rows, cols, err = diagGiven(c); err != nil {
		return nil, nil, err
	}
	all := true
	var v [5]int
	for i, e := range []*sym.Expr{lo, hi, n, rows, cols} {
		var ok bool
		v[i], ok = e.IsInt()
		all = all && ok
	}
	if all {
		r, s, err := array.DiagSize(v[0], v[1], v[2], v[3], v[4])
		return sym.Int(r), sym.Int(s), err
	}
	if kit.IsInt(lo) && kit.IsInt(hi) && kit.IsInt(n) {
		if r, ok := rows.IsInt(); ok && r != -1 && r < v[2]-min(v[1], 0) {
			return nil, nil, tensor.Errorf(tensor.InvalidArgument, "num_rows %d is too small", r)
		}
		if s, ok := cols.IsInt(); ok && s != -1 && s < v[2]+max(v[0], 0) {
			return nil, nil, tensor.Errorf(tensor.InvalidArgument, "num_cols %d is too small", s)
		}
	}
	if kit.IsInt(lo) && kit.IsInt(hi) && rows.Is(-1) && cols.Is(-1) {
		r := sym.Max(n.AddInt(-min(v[1], 0)), n.AddInt(max(v[0], 0)))
		return r, r, nil
	}
	return c.NewSizeK(0, lower.ExtraSize), c.NewSizeK(0, lower.ExtraSize+1), nil
}

// MatrixDiagLower lowers MatrixDiag, which builds matrices from their diagonals.
func MatrixDiagLower(b *lower.Builder) error {
	lo, hi, rows, cols, n, err := bindMatrixDiag(b)
	if err != nil {
		return err
	}
	fn, err := bytype.ArrayDiag.Get(b.InFact(0).DType)
	if err != nil {
		return err
	}
	padding, err := padding(b, 4)
	if err != nil {
		return err
	}
	out := b.OutShape(0)
	b.Call(fn, b.Out(0), b.In(0), padding, diagParams(b.Node, sym.Product(out[:len(out)-2]), rows, cols, lo, hi, n))
	return nil
}

// bindMatrixDiag returns the numbers lo and hi of the lowest and the highest diagonal, the numbers
// of rows and columns of the matrices, and the length n of a packed diagonal. It appends the steps
// that bind and check values known only at run time.
func bindMatrixDiag(b *lower.Builder) (lo, hi, rows, cols, n *sym.Expr, err error) {
	c := b.Shaper()
	lo, hi, many, err := diagBounds(c, 1)
	if err != nil {
		return
	}
	in, out := b.InShape(0), b.OutShape(0)
	if many {
		l, _ := lo.IsInt()
		h, _ := hi.IsInt()
		if err = kit.RequireSame(b, in[len(in)-2], sym.Int(h-l+1), "the number of diagonals of the input, and of k"); err != nil {
			return
		}
	}
	n, rows, cols = in[len(in)-1], out[len(out)-2], out[len(out)-1]
	if r := b.NewSizeK(0, lower.ExtraSize); rows.Equal(r) {
		r0, c0, err := diagGiven(c)
		if err != nil {
			return nil, nil, nil, nil, nil, err
		}
		b.CallSizes(array.DiagSize, []*sym.Expr{rows, cols}, lo, hi, n, r0, c0)
	} else {
		b.Check(array.DiagHolds, rows, cols, lo, hi, n)
	}
	return
}

// padding returns the padding value, one element that is input i. If the node has no input i, the
// value is zero.
func padding(b *lower.Builder, i int) (plan.View, error) {
	if b.NumIn() > i {
		return b.In(i), kit.RequireSame(b, b.InLen(i), sym.One, "the padding must be a scalar")
	}
	d := b.InFact(0).DType
	return b.Const("", &tensor.Tensor{DType: d, Shape: tensor.Shape{1}, Data: tensor.MakeSlice(d, 1)}), nil
}

// MatrixDiagPartShape infers the result of MatrixDiagPart and its newer versions. The first input is
// named input. The newer versions also have inputs named k and padding_value.
func MatrixDiagPartShape(c *lower.Shaper) error {
	d, x := c.In(0).DType, c.Shape(0)
	if c.NumIn() > 2 {
		if _, err := c.WithRank(2, 0); err != nil {
			return err
		}
	}
	if !x.Known {
		c.UnknownShape(0, d)
		return nil
	}
	r := len(x.Dims)
	if r < 2 {
		return tensor.Errorf(tensor.InvalidArgument, "input must be at least 2-dim, received shape: %v", x)
	}
	lo, hi, many, err := diagBounds(c, 1)
	if err != nil {
		return err
	}
	l, lok := lo.IsInt()
	h, hok := hi.IsInt()
	rows, cols := x.Dims[r-2], x.Dims[r-1]
	var n *sym.Expr
	if lok && hok {
		if rv, ok := rows.IsInt(); ok {
			if cv, ok := cols.IsInt(); ok {
				if _, err := array.DiagLen(rv, cv, l, h); err != nil {
					return err
				}
			}
		}
		n = sym.Min(rows.AddInt(min(h, 0)), cols.AddInt(-max(l, 0)))
		if !n.NonNegative() {
			n = sym.Max(n, sym.Zero)
		}
	} else {
		n = c.NewSize(0)
	}
	dims := append([]*sym.Expr{}, x.Dims[:r-2]...)
	if many {
		dims = append(dims, sym.Int(h-l+1))
	}
	c.Set(0, d, ir.ShapeOf(append(dims, n)...))
	return nil
}

// bindDiagPart returns the numbers lo and hi of the lowest and the highest diagonal, and whether
// they differ. It appends the steps that bind and check values known only at run time.
func bindDiagPart(b *lower.Builder) (lo, hi *sym.Expr, many bool, err error) {
	if lo, hi, many, err = diagBounds(b.Shaper(), 1); err != nil {
		return
	}
	in, out := b.InShape(0), b.OutShape(0)
	rows, cols, n := in[len(in)-2], in[len(in)-1], out[len(out)-1]
	if kit.IsInt(lo) && kit.IsInt(hi) {
		b.Check(array.DiagFits, rows, cols, lo, hi, n)
	} else {
		b.CallSizes(array.DiagLen, []*sym.Expr{n}, rows, cols, lo, hi)
	}
	return
}

// MatrixDiagPartLower lowers MatrixDiagPart, which reads diagonals of matrices.
func MatrixDiagPartLower(b *lower.Builder) error {
	lo, hi, many, err := bindDiagPart(b)
	if err != nil {
		return err
	}
	in, out := b.InShape(0), b.OutShape(0)
	rows, cols, n := in[len(in)-2], in[len(in)-1], out[len(out)-1]
	fn, err := bytype.ArrayDiagPart.Get(b.InFact(0).DType)
	if err != nil {
		return err
	}
	padding, err := padding(b, 2)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), padding, diagParams(b.Node, sym.Product(out[:len(out)-packedTail(many)]), rows, cols, lo, hi, n))
	return nil
}

// MatrixSetDiagShape infers the result of MatrixSetDiag and its newer versions. The first two inputs
// are named input and diagonal. The newer versions also have an input named k.
func MatrixSetDiagShape(c *lower.Shaper) error {
	c.Same(0, 0)
	x, d := c.Shape(0), c.Shape(1)
	if !x.Known {
		return nil
	}
	if len(x.Dims) < 2 {
		return tensor.Errorf(tensor.InvalidArgument, "input must be at least 2-dim, received shape: %v", x)
	}
	lo, hi, many, err := diagBounds(c, 2)
	if err != nil {
		return err
	}
	if size, ok := ir.ShapeOf(append(slices.Clone(x.Dims[len(x.Dims)-2:]), lo, hi)...).Static(); ok {
		if _, err := array.DiagLen(size[0], size[1], size[2], size[3]); err != nil {
			return err
		}
	}
	if !d.Known {
		return nil
	}
	if want := len(x.Dims) - 2 + packedTail(many); len(d.Dims) != want {
		return tensor.Errorf(tensor.InvalidArgument, "diagonal must have rank %d, not the shape %v", want, d)
	}
	for k := range len(x.Dims) - 2 {
		if _, err := kit.JoinDim(x.Dims[k], d.Dims[k], "the batch of input and diagonal"); err != nil {
			return err
		}
	}
	return nil
}

// MatrixSetDiagLower lowers MatrixSetDiag, which replaces diagonals of matrices.
func MatrixSetDiagLower(b *lower.Builder) error {
	lo, hi, err := checkSetDiag(b)
	if err != nil {
		return err
	}
	in, d := b.InShape(0), b.InShape(1)
	r := len(in)
	fn, err := bytype.ArraySetDiag.Get(b.InFact(0).DType)
	if err != nil {
		return err
	}
	b.CallInPlace(0, 0, fn, b.Out(0), b.In(0), b.In(1), diagParams(b.Node, sym.Product(in[:r-2]), in[r-2], in[r-1], lo, hi, d[len(d)-1]))
	return nil
}

// checkSetDiag returns the numbers lo and hi of the lowest and the highest diagonal. It appends
// checks that the given diagonals fit the matrices.
func checkSetDiag(b *lower.Builder) (lo, hi *sym.Expr, err error) {
	lo, hi, many, err := diagBounds(b.Shaper(), 2)
	if err != nil {
		return nil, nil, err
	}
	in, d := b.InShape(0), b.InShape(1)
	r := len(in)
	rows, cols, n := in[r-2], in[r-1], d[len(d)-1]
	for k := range r - 2 {
		if !in[k].Equal(d[k]) {
			b.Check(array.SameDim, in[k], d[k])
		}
	}
	if many {
		if e := d[len(d)-2]; !e.Equal(hi.Sub(lo).AddInt(1)) {
			b.Check(array.SameDim, e, hi.Sub(lo).AddInt(1))
		}
	}
	b.Check(array.DiagFits, rows, cols, lo, hi, n)
	return lo, hi, nil
}
