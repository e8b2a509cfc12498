package math

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// chooseDefs select elements of two tensors by a condition, or clamp elements.
var chooseDefs = []*lower.Def{
	{Name: "Select", Traits: lower.Exact | lower.KeepsDigits | lower.HandsConstant, Types: TypesT("SelectV2"), Shape: selectShape, Lower: selectLower},
	{Name: "SelectV2", Traits: lower.Exact | lower.KeepsDigits | lower.HandsConstant, Types: TypesT("SelectV2"), Shape: selectV2Shape, Lower: selectV2Lower},
	{Name: "ClipByValue", Traits: lower.KeepsDigits, Types: TypesT("ClipByValue"), Shape: clipShape, Lower: clipLower},
}

// selectShape infers the result of Select. The two branches have the same shape. The condition also
// has this shape, or is a scalar, or is a vector that selects rows of the branches.
func selectShape(c *lower.Shaper) error {
	s, err := kit.SameShapes(c, 1, 2)
	if err != nil {
		return err
	}
	cond := c.Shape(0)
	if s.Known && cond.Known && cond.Rank() != 0 {
		if cond.Rank() == 1 && len(s.Dims) > 1 {
			_, err = kit.MergeShapes(cond, ir.ShapeOf(s.Dims[0]))
		} else {
			s, err = kit.MergeShapes(s, cond)
		}
		if err != nil {
			return err
		}
	}
	c.Set(0, c.In(1).DType, s)
	selectInts(c)
	return nil
}

// selectInts copies the known elements of the branch that a known scalar condition selects.
func selectInts(c *lower.Shaper) {
	t := c.Const(0)
	if t == nil || t.Len() != 1 {
		return
	}
	branch := 2
	if v := tensor.Data[bool](t); len(v) == 1 && v[0] {
		branch = 1
	}
	if es := c.In(branch).Ints; es != nil && c.Shape(branch).Equal(c.Node.Outs[0].Shape) {
		c.SetInts(0, es)
	}
}

func selectLower(b *lower.Builder) error {
	cond, x, y := b.InShape(0), b.InShape(1), b.InShape(2)
	if err := kit.CheckSame(b, x, y); err != nil {
		return err
	}
	switch {
	case len(cond) == 1 && len(x) > 1:
		if err := kit.CheckSame(b, cond, x[:1]); err != nil {
			return err
		}
		for range x[1:] {
			cond = append(cond[:len(cond):len(cond)], sym.One)
		}
	case len(cond) > 0:
		if err := kit.CheckSame(b, cond, x); err != nil {
			return err
		}
		cond = x
	}
	return lowerSelect(b, cond, x, x)
}

func selectV2Shape(c *lower.Shaper) error {
	s, err := lower.BroadcastShapes(c.Shape(1), c.Shape(2))
	if err == nil {
		s, err = lower.BroadcastShapes(c.Shape(0), s)
	}
	if err != nil {
		return err
	}
	c.Set(0, c.In(1).DType, s)
	selectInts(c)
	return nil
}

func selectV2Lower(b *lower.Builder) error {
	return lowerSelect(b, b.InShape(0), b.InShape(1), b.InShape(2))
}

// lowerSelect appends the kernel for a condition and two branches, which have the given shapes and
// broadcast. Dimensions that broadcast alike are merged.
func lowerSelect(b *lower.Builder, shapes ...[]*sym.Expr) error {
	fn, err := ElemKernel("SelectV2", b.InFact(1).DType)
	if err != nil {
		return err
	}
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	var dims [3][]*sym.Expr
	known := true
	// This variable is a bit mask: bit j says whether operand j has size 1 in the previous dimension.
	// It is -1 if this is unknown or if there is no previous dimension.
	before := -1
	for i := range rank {
		var d [3]*sym.Expr
		ones, joint, sure := 0, sym.One, true
		for j, s := range shapes {
			d[j] = sym.One
			if k := i - (rank - len(s)); k >= 0 {
				d[j] = s[k]
			}
			if d[j].Is(1) {
				ones |= 1 << j
			} else if joint.Is(1) {
				joint = d[j]
			} else if !joint.Equal(d[j]) {
				b.Check(shape.Broadcastable, joint, d[j])
				sure, known = false, false
				joint = sym.Broadcast(joint, d[j])
			}
		}
		if ones == 7 {
			continue
		}
		if sure && ones == before {
			for j := range d {
				last := len(dims[j]) - 1
				dims[j][last] = dims[j][last].Mul(d[j])
			}
			continue
		}
		for j := range d {
			dims[j] = append(dims[j], d[j])
		}
		if before = ones; !sure {
			before = -1
		}
	}
	n := len(dims[0])
	if n > 0 && n <= elem.MaxRank && known && selectLoop(b, fn, dims) {
		return nil
	}
	if n > elem.MaxRank {
		return tensor.Errorf(tensor.Unimplemented, "selecting over %d dimensions that broadcast differently; %d are supported", n, elem.MaxRank)
	}
	p := plan.Lit(elem.Dims3{})
	if n > 0 {
		p = plan.Lit(elem.Dims3{N: n}, "C", dims[0], "A", dims[1], "B", dims[2])
	}
	b.Call(fn, b.Out(0), b.In(0), b.In(1), b.In(2), p)
	return nil
}

// clipShape infers the result of ClipByValue. Each bound is a scalar or has the shape of the value.
func clipShape(c *lower.Shaper) error {
	s := c.Shape(0)
	for i := 1; i <= 2; i++ {
		if b := c.Shape(i); b.Known && len(b.Dims) > 0 {
			m, err := kit.MergeShapes(s, b)
			if err != nil {
				return tensor.Errorf(tensor.InvalidArgument, "the bounds must be scalars or have the value's shape: got %v and %v", b, s)
			}
			s = m
		}
	}
	c.Set(0, c.In(0).DType, s)
	return nil
}

func clipLower(b *lower.Builder) error {
	fn, err := ElemKernel("ClipByValue", b.InFact(0).DType)
	if err != nil {
		return err
	}
	for i := 1; i <= 2; i++ {
		if s := b.InShape(i); len(s) > 0 {
			if err := kit.CheckSame(b, s, b.InShape(0)); err != nil {
				return err
			}
		}
	}
	b.CallInPlace(0, 0, fn, b.Out(0), b.In(0), b.In(1), b.In(2))
	return nil
}

// selectLoop appends a select as a loop over the outermost dimension. Callers must call it only if
// it is known how all dimensions broadcast. selectLoop returns false if the select cannot be such a
// loop.
func selectLoop(b *lower.Builder, fn any, dims [3][]*sym.Expr) bool {
	if !lower.Loopable(fn, b.OutFact(0).DType) {
		return false
	}
	total, item := sym.One, b.OutLen(0)
	for j := range dims {
		if !dims[j][0].Is(1) {
			total = dims[j][0]
		}
	}
	if total.Is(0) {
		return false
	}
	item = item.Div(total)
	l := b.Par(total, lower.RowSplit(item, lower.CostCheap))
	var part [3]plan.View
	var chunk [3][]*sym.Expr
	for j := range dims {
		part[j] = b.In(j)
		chunk[j] = append([]*sym.Expr{sym.One}, dims[j][1:]...)
		if !dims[j][0].Is(1) {
			part[j] = lower.Rows(part[j], sym.Product(dims[j][1:]))
			chunk[j][0] = plan.Count
		}
	}
	l.Call(fn, lower.Rows(b.Out(0), item), part[0], part[1], part[2],
		plan.Lit(elem.Dims3{N: len(dims[0])}, "C", chunk[0], "A", chunk[1], "B", chunk[2]))
	return true
}
