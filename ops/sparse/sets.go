package sparse

import (
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/sets"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

var setTypes = map[string][]tensor.DType{"T": {tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.String}}

// setDefs are ops on sets. Each row along the last dimension of a tensor is a set.
var setDefs = []*lower.Def{
	{Name: "SetSize", Types: setTypes, Shape: setSizeShape, Lower: setSizeLower},
	{Name: "DenseToDenseSetOperation", Types: setTypes, Shape: setOpShape, Lower: setOpLower},
	{Name: "DenseToSparseSetOperation", Types: setTypes, Shape: setOpShape, Lower: setOpLower},
	{Name: "SparseToSparseSetOperation", Types: setTypes, Shape: setOpShape, Lower: setOpLower},
}

// SparseInput checks the ranks of the three inputs that describe a sparse tensor; the first of
// these is input i. SparseInput returns the rank of the sparse tensor, or nil if the rank is
// unknown.
func SparseInput(c *lower.Shaper, i int) (*sym.Expr, error) {
	ix, err := c.WithRank(i, 2)
	if err != nil {
		return nil, err
	}
	v, err := c.WithRank(i+1, 1)
	if err != nil {
		return nil, err
	}
	s, err := c.WithRank(i+2, 1)
	if err != nil {
		return nil, err
	}
	if ix.Known && v.Known {
		if _, err := kit.JoinDim(ix.Dims[0], v.Dims[0], "the number of indices and of values of a sparse tensor"); err != nil {
			return nil, err
		}
	}
	switch {
	case ix.Known && s.Known:
		return kit.JoinDim(ix.Dims[1], s.Dims[0], "the length of indices and of the shape of a sparse tensor")
	case ix.Known:
		return ix.Dims[1], nil
	case s.Known:
		return s.Dims[0], nil
	}
	return nil, nil
}

// setSizeShape infers the shape of the output of SetSize(indices, values, shape), which returns the
// number of distinct values of each set. The dimensions of the result are the elements of the input
// shape, except for the last element.
func setSizeShape(c *lower.Shaper) error {
	rank, err := SparseInput(c, 0)
	if err != nil {
		return err
	}
	if rank != nil {
		if n, ok := rank.IsInt(); ok {
			if n < 2 {
				return tensor.Errorf(tensor.InvalidArgument, "Invalid rank %d: at least 2 is required.", n)
			}
			if es, ok := kit.IntsN(c, 2, n); ok && len(es) == n {
				dims := make([]*sym.Expr, n-1)
				for k := range dims {
					if dims[k], err = kit.SizeOf(c, 0, k, es[k]); err != nil {
						return err
					}
				}
				c.Set(0, tensor.Int32, ir.ShapeOf(dims...))
				return nil
			}
		}
	}
	c.UnknownShape(0, tensor.Int32)
	return nil
}

// validated reads attribute validate_indices.
func validated(n *ir.Node) bool {
	v, ok := n.Attrs["validate_indices"].(bool)
	return v || !ok
}

func setSizeLower(b *lower.Builder) error {
	if err := kit.Ranked(b, 0, 1, 2); err != nil {
		return err
	}
	fn, err := kit.KernelThird(b, b.InFact(1).DType, sets.SizeI8, sets.SizeI16, sets.SizeI32, sets.SizeI64, sets.SizeU8, sets.SizeU16, sets.SizeStr)
	if err != nil {
		return err
	}
	ix := b.InShape(0)
	kit.CheckLen(b, 2, len(b.OutShape(0))+1)
	b.Call(sets.Check, b.In(0), b.In(2), ix[0], ix[1], b.InLen(1), validated(b.Node))
	es, _ := b.Ints(2)
	for k := range b.OutShape(0) {
		kit.BindSize(b, 0, k, es[k], "a dimension of the set's shape")
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1), b.In(2), b.Temp(b.InFact(1).DType, b.InLen(1)))
	return nil
}

// setKind reads attribute set_operation.
func setKind(n *ir.Node) (int, error) {
	switch s := n.Str("set_operation"); strings.ToLower(s) {
	case "a-b":
		return sets.AMinusB, nil
	case "b-a":
		return sets.BMinusA, nil
	case "intersection":
		return sets.Intersection, nil
	case "union":
		return sets.Union, nil
	default:
		return 0, tensor.Errorf(tensor.InvalidArgument, "Invalid set_operation %s.", s)
	}
}

// setInputs returns which operands are dense, and the number of the first input of operand b.
func setInputs(op string) (denseA, denseB bool, second int) {
	switch op {
	case "DenseToDenseSetOperation":
		return true, true, 1
	case "DenseToSparseSetOperation":
		return true, false, 1
	}
	return false, false, 3
}

// setOpShape infers the shapes of the outputs of set operations such as DenseToDenseSetOperation.
// The outputs are a sparse tensor. Each of its rows is a set: the operation in attribute
// set_operation, applied to the two rows of the operands at the same position.
func setOpShape(c *lower.Shaper) error {
	if _, err := setKind(c.Node); err != nil {
		return err
	}
	denseA, denseB, second := setInputs(c.Node.Op)
	var rank *sym.Expr
	var dense []ir.Shape
	for _, in := range []struct {
		at    int
		dense bool
	}{{0, denseA}, {second, denseB}} {
		var r *sym.Expr
		var err error
		if s := c.Shape(in.at); !in.dense {
			r, err = SparseInput(c, in.at)
		} else if s.Known {
			r = sym.Int(len(s.Dims))
			dense = append(dense, s)
		}
		if err != nil {
			return err
		}
		if r == nil {
			continue
		}
		if n, ok := r.IsInt(); ok && n < 2 {
			return tensor.Errorf(tensor.InvalidArgument, "the rank is %d; at least 2 is required", n)
		}
		if rank == nil {
			rank = r
		} else if rank, err = kit.JoinDim(rank, r, "the ranks of the sets"); err != nil {
			return err
		}
	}
	if len(dense) == 2 {
		for k, d := range dense[0].Dims[:len(dense[0].Dims)-1] {
			if _, err := kit.JoinDim(d, dense[1].Dims[k], "the groups of the sets"); err != nil {
				return err
			}
		}
	}
	d := c.Node.DType("T")
	if rank == nil {
		for i, t := range []tensor.DType{tensor.Int64, d, tensor.Int64} {
			c.UnknownShape(i, t)
		}
		return nil
	}
	n := c.NewSize(0)
	c.Set(0, tensor.Int64, ir.ShapeOf(n, rank))
	c.Set(1, d, ir.ShapeOf(n))
	c.Set(2, tensor.Int64, ir.ShapeOf(rank))
	return nil
}

// sizesView returns dims as an int64 vector.
func sizesView(b *lower.Builder, dims []*sym.Expr) plan.View {
	t := b.Temp(tensor.Int64, sym.Int(len(dims)))
	b.Call(shape.SetI64, kit.Writes(t), append([]*sym.Expr{}, dims...))
	t.Mode = plan.Read
	return t
}

func setOpLower(b *lower.Builder) error {
	kind, err := setKind(b.Node)
	if err != nil {
		return err
	}
	d := b.OutFact(1).DType
	fn, err := kit.KernelFrom(b, d, sets.OpI8, sets.OpI16, sets.OpI32, sets.OpI64, sets.OpU8, sets.OpU16, sets.OpStr)
	if err != nil {
		return err
	}
	denseA, denseB, second := setInputs(b.Node.Op)
	p := sets.Params{Kind: kind, Validate: validated(b.Node), DenseA: denseA, DenseB: denseB}
	var fields []any
	args := []any{nil, nil, b.Out(2)}
	room := make([]*sym.Expr, 2)
	rank := b.OutLen(2)
	for k, at := range []int{0, second} {
		if dense := []bool{denseA, denseB}[k]; !dense {
			if err := kit.Ranked(b, at, at+1, at+2); err != nil {
				return err
			}
			if err := kit.RequireSame(b, rank, b.InLen(at+2), "the ranks of the sets"); err != nil {
				return err
			}
			ix := b.InShape(at)
			name := []string{"A", "B"}[k]
			fields = append(fields, "Rows"+name, ix[0], "Cols"+name, ix[1])
			fields = append(fields, "Indices"+name, b.In(at))
			args = append(args, b.In(at+1), b.In(at+2))
			room[k] = b.InLen(at + 1)
			continue
		}
		if err := kit.Ranked(b, at); err != nil {
			return err
		}
		if err := kit.RequireSame(b, rank, sym.Int(len(b.InShape(at))), "the ranks of the sets"); err != nil {
			return err
		}
		args = append(args, b.In(at), sizesView(b, b.InShape(at)))
		room[k] = b.InLen(at)
	}
	most := room[0].Add(room[1])
	args[0], args[1] = b.OutCap(0, most.Mul(rank)), b.OutCap(1, most)
	b.CallSizes(fn, []*sym.Expr{b.NewSize(0)}, append(args, b.Temp(d, most), plan.Lit(p, fields...))...)
	return nil
}
