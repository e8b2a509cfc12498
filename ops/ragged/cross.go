package ragged

import (
	"math"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/ragged"
	"github.com/graphc/graphc/kernels/strs"
	"github.com/graphc/graphc/lower"
	arrayops "github.com/graphc/graphc/ops/array"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// crossDefs are crosses of features from several columns.
var crossDefs = []*lower.Def{
	{Name: "SparseCross", Shape: sparseCrossShape, Lower: sparseCrossLower},
	{Name: "SparseCrossV2", Shape: sparseCrossShape, Lower: sparseCrossLower},
	{Name: "SparseCrossHashed", Shape: sparseCrossShape, Lower: sparseCrossLower},
	{Name: "RaggedCross", Shape: raggedCrossShape, Lower: raggedCrossLower},
}

// column describes a column of a cross. The fields values, splits, indices and shape are numbers of
// inputs; -1 means that the column does not have this input.
type column struct {
	kind                           byte // 'R' for a ragged column, 'S' for a sparse one, 'D' for a dense one
	values, splits, indices, shape int
	dtype                          tensor.DType
}

// crossColumns returns the columns of a cross in their order.
func crossColumns(n *ir.Node) ([]column, error) {
	var ragged, sparse, dense []column
	at := 0
	take := func(d tensor.DType, list *[]column, kind byte) {
		*list = append(*list, column{kind, at, -1, -1, -1, d})
		at++
	}
	order := ""
	if n.Op == "RaggedCross" {
		order = n.Str("input_order")
		for _, d := range n.DTypes("ragged_values_types") {
			take(d, &ragged, 'R')
		}
		if len(n.DTypes("ragged_splits_types")) != len(ragged) {
			return nil, tensor.Errorf(tensor.InvalidArgument, "ragged values and splits must have the same length")
		}
		for k := range ragged {
			ragged[k].splits = at
			at++
		}
	}
	num, types := n.Int("N"), n.DTypes("sparse_types")
	if n.Op == "RaggedCross" {
		num, types = n.Int("Nsparse"), n.DTypes("sparse_values_types")
	}
	if num != len(types) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "%d sparse indices, but %d values", num, len(types))
	}
	first := at
	at += num
	for _, d := range types {
		take(d, &sparse, 'S')
	}
	for k := range sparse {
		sparse[k].indices, sparse[k].shape = first+k, at
		at++
	}
	for _, d := range n.DTypes("dense_types") {
		take(d, &dense, 'D')
	}
	if at > len(n.Ins) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "the node has %d inputs; %d are required", len(n.Ins), at)
	}
	if n.Op != "RaggedCross" {
		return append(sparse, dense...), nil
	}
	if len(order) != len(ragged)+len(sparse)+len(dense) {
		return nil, tensor.Errorf(tensor.InvalidArgument, "Invalid length for input_order")
	}
	var out []column
	for _, c := range []byte(order) {
		var from *[]column
		switch c {
		case 'R':
			from = &ragged
		case 'S':
			from = &sparse
		case 'D':
			from = &dense
		default:
			return nil, tensor.Errorf(tensor.InvalidArgument, "Unexpected input_order value.")
		}
		if len(*from) == 0 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "input_order %q names more columns than the node has", order)
		}
		out, *from = append(out, (*from)[0]), (*from)[1:]
	}
	return out, nil
}

// check checks the ranks of a column. It returns the number of rows, or nil if that is known only
// at run time.
func (col *column) check(c *lower.Shaper) (*sym.Expr, error) {
	switch col.kind {
	case 'D':
		s, err := c.WithRank(col.values, 2)
		if err != nil || !s.Known {
			return nil, err
		}
		return s.Dims[0], nil
	case 'R':
		if _, err := c.WithRank(col.values, 1); err != nil {
			return nil, err
		}
		s, err := c.WithRank(col.splits, 1)
		if err != nil || !s.Known {
			return nil, err
		}
		if s.Dims[0].Is(0) {
			return nil, tensor.Errorf(tensor.InvalidArgument, "Invalid ragged splits: they are empty")
		}
		return s.Dims[0].AddInt(-1), nil
	}
	ix, err := c.WithRank(col.indices, 2)
	if err != nil {
		return nil, err
	}
	v, err := c.WithRank(col.values, 1)
	if err != nil {
		return nil, err
	}
	s, err := c.WithRank(col.shape, 1)
	if err != nil {
		return nil, err
	}
	if s.Known {
		if n, ok := s.Dims[0].IsInt(); ok && n != 2 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "shape should imply a 2D tensor, but got %d elements", n)
		}
	}
	if ix.Known {
		if n, ok := ix.Dims[1].IsInt(); ok && n != 2 {
			return nil, tensor.Errorf(tensor.InvalidArgument, "Expected D2 of index to be 2 got %d", n)
		}
		if v.Known {
			if _, err := kit.JoinDim(ix.Dims[0], v.Dims[0], "the number of indices and values"); err != nil {
				return nil, err
			}
		}
	}
	if es := c.In(col.shape).Ints; len(es) == 2 && es[0].NonNegative() {
		return es[0], nil
	}
	return nil, nil
}

// crossBatch identifies one of the symbolic sizes of output 0. This symbolic size is the number of
// rows. It is used only if the inputs do not determine the number of rows at compile time.
const crossBatch = 7

// crossRows checks the columns and returns the number of rows.
func crossRows(c *lower.Shaper) (*sym.Expr, []column, error) {
	cols, err := crossColumns(c.Node)
	if err != nil {
		return nil, nil, err
	}
	var rows *sym.Expr
	for k := range cols {
		n, err := cols[k].check(c)
		switch {
		case err != nil:
			return nil, nil, err
		case n == nil:
		case rows == nil:
			rows = n
		default:
			if rows, err = kit.JoinDim(rows, n, "inputs must all have the same batch dimension size."); err != nil {
				return nil, nil, err
			}
		}
	}
	switch {
	case len(cols) == 0:
		rows = sym.Zero
	case rows == nil:
		rows = c.NewSizeK(0, crossBatch)
	}
	return rows, cols, nil
}

// sparseCrossShape infers the shapes of the outputs of SparseCross and its variants. The inputs are
// indices…, values…, shapes… and dense…; the outputs are a sparse tensor. A row of the result
// contains all crosses of the features in the same row of the columns. SparseCross joins the
// features of a cross with the separator _X_. SparseCrossV2 has the separator as an input.
// SparseCrossHashed computes a hash of the features; it has inputs for the number of buckets, for
// whether the hash is strong, and for the salt of the hash.
func sparseCrossShape(c *lower.Shaper) error {
	_, cols, err := crossRows(c)
	if err != nil {
		return err
	}
	d, last := tensor.String, c.NumIn()
	switch c.Node.Op {
	case "SparseCrossV2":
		if err := c.ScalarOr(last-1, "the separator"); err != nil {
			return err
		}
	case "SparseCrossHashed":
		d = tensor.Int64
	case "SparseCross":
		d = c.Node.DType("out_type")
		internal := c.Node.DType("internal_type")
		for _, col := range cols {
			if internal == tensor.String && col.dtype == tensor.Int64 {
				return tensor.Errorf(tensor.InvalidArgument, "Input values should be of internal type string but received int64")
			}
		}
	}
	n := c.NewSize(0)
	c.Set(0, tensor.Int64, ir.ShapeOf(n, sym.Int(2)))
	c.Set(1, d, ir.ShapeOf(n))
	c.Set(2, tensor.Int64, ir.StaticShape(2))
	return nil
}

// crossing holds the arguments of a cross's kernels.
type crossing struct {
	splits, ints, texts, place plan.View
	offs                       []*sym.Expr
	p                          plan.Struct
	rows                       *sym.Expr
}

// columns converts the columns of a cross to a common form.
func columns(b *lower.Builder, c *lower.Shaper) (*crossing, error) {
	rows, cols, err := crossRows(c)
	if err != nil {
		return nil, err
	}
	if e, ok := rows.IsVar(); ok && len(cols) > 0 {
		if s := b.Graph.Symbols[e]; s.Out.Node == b.Node {
			for _, col := range cols {
				if col.kind == 'S' {
					b.CallSizes(strs.CrossBatch, []*sym.Expr{rows}, b.In(col.shape))
					break
				}
			}
		}
	}
	// The size of x.splits would overflow.
	if n, ok := rows.IsInt(); ok && n > math.MaxInt>>16/max(1, len(cols)) {
		return nil, tensor.Errorf(tensor.ResourceExhausted, "a batch of %d is too large", n)
	}
	step := rows.AddInt(1)
	x := &crossing{rows: rows, place: b.Temp(tensor.Int64, sym.Int(len(cols)))}
	x.splits = Room(b, tensor.Int64, step.MulInt(len(cols)))
	kinds := ""
	ints, texts := sym.Zero, sym.Zero
	for k, col := range cols {
		for _, i := range []int{col.values, col.splits, col.indices, col.shape} {
			if i >= 0 {
				if err := kit.Ranked(b, i); err != nil {
					return nil, err
				}
			}
		}
		dst := kit.Writes(x.splits.At(step.MulInt(k), step))
		switch col.kind {
		case 'D':
			s := b.InShape(col.values)
			if err := kit.RequireSame(b, s[0], rows, "inputs must all have the same batch dimension size."); err != nil {
				return nil, err
			}
			b.Call(ragged.RegularSplits, dst, s[1])
		case 'R':
			if err := kit.RequireSame(b, b.InLen(col.splits), step, "inputs must all have the same batch dimension size."); err != nil {
				return nil, err
			}
			v := kit.AsInt64(b, b.In(col.splits))
			b.Call(strs.CrossSplits, v, b.InLen(col.values))
			b.Copy(dst, v)
		default:
			if err := kit.RequireSame(b, b.InShape(col.indices)[1], sym.Int(2), "the length of indices"); err != nil {
				return nil, err
			}
			b.Call(strs.CrossRows, dst, b.In(col.indices), b.In(col.shape), b.InLen(col.values), b.Node.Op == "RaggedCross")
		}
		how := map[bool]string{true: "D", false: "E"}[col.kind == 'D']
		if n := b.InLen(col.values); col.dtype == tensor.String {
			kinds += "S" + how
			x.offs = append(x.offs, texts)
			texts = texts.Add(n)
		} else {
			kinds += "I" + how
			x.offs = append(x.offs, ints)
			ints = ints.Add(n)
		}
	}
	x.ints, x.texts = Room(b, tensor.Int64, ints), Room(b, tensor.String, texts)
	for k, col := range cols {
		if b.InLen(col.values).Is(0) {
			continue
		}
		dst := x.ints
		if col.dtype == tensor.String {
			dst = x.texts
		}
		b.Copy(kit.Writes(dst.At(x.offs[k], b.InLen(col.values))), b.In(col.values))
	}
	x.splits.Mode, x.ints.Mode, x.texts.Mode = plan.Read, plan.Read, plan.Read
	x.p = plan.Lit(strs.CrossParams{Kinds: kinds}, "Batch", rows)
	return x, nil
}

// Room returns scratch memory for n elements, which calls appended later can fill. If n is 0, Room
// returns an empty view.
func Room(b *lower.Builder, d tensor.DType, n *sym.Expr) plan.View {
	if n.Is(0) {
		return arrayops.None(b, d)
	}
	return b.Temp(d, n)
}

// separator returns a constant with one string.
func separator(b *lower.Builder, s string) plan.View {
	return b.Const("", &tensor.Tensor{DType: tensor.String, Shape: tensor.Shape{1}, Data: []string{s}})
}

// cross appends the call that computes the crosses, which are strings or hashes, in output i.
func cross(b *lower.Builder, i int, x *crossing) {
	out := b.Out(i)
	if b.OutFact(i).DType == tensor.String {
		b.Call(strs.CrossStr, out, x.splits, x.ints, x.texts, x.offs, separator(b, "_X_"), x.place, x.p)
		return
	}
	b.Call(strs.CrossHash, out, x.splits, x.ints, x.texts, x.offs, int64(b.Node.Int("num_buckets")), int64(b.Node.Int("hash_key")), x.place, x.p)
}

func sparseCrossLower(b *lower.Builder) error {
	x, err := columns(b, b.Shaper())
	if err != nil {
		return err
	}
	widest := b.NewSizeK(0, crossBatch+1)
	splits := b.Temp(tensor.Int64, x.rows.AddInt(1))
	b.CallSizes(strs.CrossCount, []*sym.Expr{b.NewSize(0), widest}, kit.Writes(splits), x.splits, x.p)
	splits.Mode = plan.Read
	b.Call(strs.CrossIndices, b.Out(0), b.Out(2), splits, widest)
	n := b.NumIn()
	switch b.Node.Op {
	case "SparseCrossV2":
		b.Call(strs.CrossStr, b.Out(1), x.splits, x.ints, x.texts, x.offs, b.In(n-1), x.place, x.p)
	case "SparseCrossHashed":
		b.Call(strs.CrossHashKeyed, b.Out(1), x.splits, x.ints, x.texts, x.offs, b.In(n-3), b.In(n-2), b.In(n-1), x.place, x.p)
	default:
		cross(b, 1, x)
	}
	return nil
}

// raggedCrossShape infers the shapes of the outputs of RaggedCross. The inputs are values…,
// splits…, sparse… and dense…; the outputs are the crosses as a ragged tensor. Attribute
// input_order gives the order of the columns.
func raggedCrossShape(c *lower.Shaper) error {
	rows, _, err := crossRows(c)
	if err != nil {
		return err
	}
	c.Set(0, c.Node.DType("out_values_type"), ir.ShapeOf(c.NewSize(0)))
	c.Set(1, c.Node.DType("out_row_splits_type"), ir.ShapeOf(rows.AddInt(1)))
	return nil
}

func raggedCrossLower(b *lower.Builder) error {
	x, err := columns(b, b.Shaper())
	if err != nil {
		return err
	}
	dst, done := SplitsOut(b, 1)
	b.CallSizes(strs.CrossCount, []*sym.Expr{b.NewSize(0), b.NewSizeK(0, crossBatch+1)}, kit.Writes(dst), x.splits, x.p)
	done()
	cross(b, 0, x)
	return nil
}
