package array

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// transposeDefs reorder axes.
var transposeDefs = []*lower.Def{
	{Name: "Transpose", Traits: lower.Permutes | lower.Picks | lower.KeepsDigits | lower.Fills, Types: kit.Moves, Shape: transposeShape, Lower: transposeLower},
	{Name: "ConjugateTranspose", Types: kit.Moves, Shape: transposeShape, Lower: conjTransposeLower},
}

// permutation returns the permutation that is the value of input 1, or false if it is unknown at
// compile time. It returns InvalidArgument unless the value is a permutation of the axes of a tensor
// of the given rank. Negative entries count from the end.
func permutation(c *lower.Shaper, rank int) ([]int, bool, error) {
	if _, err := c.WithRank(1, 1); err != nil {
		return nil, false, err
	}
	if es, ok := kit.IntsN(c, 1, rank); ok && len(es) != rank {
		return nil, false, tensor.Errorf(tensor.InvalidArgument, "perm has %d elements for a tensor of rank %d", len(es), rank)
	}
	perm, ok := c.StaticInts(1)
	if !ok {
		return nil, false, nil
	}
	seen := make([]bool, rank)
	r := make([]int, rank)
	for i, p := range perm {
		a, err := lower.Axis(p, rank)
		if err != nil {
			return nil, false, err
		}
		if seen[a] {
			return nil, false, tensor.Errorf(tensor.InvalidArgument, "perm %v names axis %d twice", perm, a)
		}
		seen[a] = true
		r[i] = a
	}
	return r, true, nil
}

func transposeShape(c *lower.Shaper) error {
	x := c.Shape(0)
	if !x.Known {
		if es, ok := c.Ints(1); ok {
			dims := make([]*sym.Expr, len(es))
			for k := range dims {
				dims[k] = c.NewSizeK(0, 2*k)
			}
			c.Set(0, c.In(0).DType, ir.ShapeOf(dims...))
			return nil
		}
		c.UnknownShape(0, c.In(0).DType)
		return nil
	}
	perm, ok, err := permutation(c, len(x.Dims))
	if err != nil {
		return err
	}
	dims := make([]*sym.Expr, len(x.Dims))
	for k := range dims {
		if ok {
			dims[k] = x.Dims[perm[k]]
		} else {
			dims[k] = c.NewSizeK(0, 2*k)
		}
	}
	c.Set(0, c.In(0).DType, ir.ShapeOf(dims...))
	if ok && len(dims) <= 1 && (c.Node.Op == "Transpose" || !c.In(0).DType.IsComplex()) {
		kit.Keep(c, 0, 0)
	}
	return nil
}

// transposeBox returns the transposition as a strided copy (a kit.Box). It binds values known only
// at run time.
func transposeBox(b *lower.Builder) (*kit.Box, error) {
	dims := b.InShape(0)
	perm, ok, err := permutation(b.Shaper(), len(dims))
	if err != nil {
		return nil, err
	}
	x := kit.NewBox()
	out := b.OutShape(0)
	dst, src := kit.Strides(out), kit.Strides(dims)
	given, known := b.Ints(1)
	if !ok && !known {
		return nil, b.Errorf(tensor.Unimplemented, "the length of perm must be known when compiling")
	}
	kit.CheckLen(b, 1, len(dims))
	for k := range dims {
		if ok {
			x.Add(out[k], dst[k], src[perm[k]])
			continue
		}
		stride := b.NewSizeK(0, 2*k+1)
		b.CallSizes(array.PermDim, []*sym.Expr{out[k], stride}, given, dims, k)
		x.Add(out[k], dst[k], stride)
	}
	return x, nil
}

func transposeLower(b *lower.Builder) error {
	x, err := transposeBox(b)
	if err != nil {
		return err
	}
	return cutBox(b, 0, 0, x)
}

// conjTransposeLower lowers ConjugateTranspose, which also conjugates complex elements.
func conjTransposeLower(b *lower.Builder) error {
	x, err := transposeBox(b)
	if err != nil {
		return err
	}
	if !b.InFact(0).DType.IsComplex() {
		return cutBox(b, 0, 0, x)
	}
	if err := kit.Move(b, b.Out(0), b.In(0), x); err != nil {
		return err
	}
	out := b.Out(0)
	out.Mode = plan.ReadWrite
	if b.InFact(0).DType == tensor.Complex64 {
		b.Call(array.ConjC64, out)
	} else {
		b.Call(array.ConjC128, out)
	}
	return nil
}
