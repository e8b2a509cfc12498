package array

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// reverseDefs reverse or rotate axes.
var reverseDefs = []*lower.Def{
	{Name: "ReverseV2", Traits: lower.Permutes | lower.Picks | lower.KeepsDigits | lower.Fills, Types: kit.Moves, Shape: reverseShape, Lower: reverseLower},
	{Name: "Reverse", Types: kit.Moves, Shape: reverseShape, Lower: reverseLower},
	{Name: "ReverseSequence", Types: kit.Moves, Shape: reverseSequenceShape, Lower: reverseSequenceLower},
	{Name: "Roll", Traits: lower.Permutes | lower.Picks | lower.KeepsDigits, Types: kit.Moves, Shape: rollShape, Lower: rollLower},
}

// reversedAxes returns which axes are reversed. Input 1 holds their indices (ReverseV2), or a bool
// for each axis (Reverse). ok is false if the input's values are known only at run time.
func reversedAxes(c *lower.Shaper, rank int) (turn []bool, ok bool, err error) {
	turn = make([]bool, rank)
	if c.Node.Op == "Reverse" {
		if s, static := c.Shape(1).Static(); static && (len(s) != 1 || s[0] != rank) {
			return nil, false, tensor.Errorf(tensor.InvalidArgument, "dims has the shape %v for a tensor of rank %d", c.Shape(1), rank)
		}
		if t := c.Const(1); t != nil {
			copy(turn, tensor.Data[bool](t))
			return turn, true, nil
		}
		return nil, false, nil
	}
	axes, ok := c.StaticInts(1)
	if !ok {
		return nil, false, nil
	}
	for _, a := range axes {
		k, err := lower.Axis(a, rank)
		if err != nil {
			return nil, false, err
		}
		if turn[k] {
			return nil, false, tensor.Errorf(tensor.InvalidArgument, "axis %d specified more than once", k)
		}
		turn[k] = true
	}
	return turn, true, nil
}

func reverseShape(c *lower.Shaper) error {
	c.Same(0, 0)
	if _, err := c.WithRank(1, 1); err != nil {
		return err
	}
	x := c.Shape(0)
	if !x.Known {
		return nil
	}
	turn, ok, err := reversedAxes(c, len(x.Dims))
	if err != nil || !ok {
		return err
	}
	if es := c.In(0).Ints; es != nil && len(x.Dims) == 1 {
		out := append([]*sym.Expr{}, es...)
		if turn[0] {
			for i := range es {
				out[len(es)-1-i] = es[i]
			}
		}
		c.SetInts(0, out)
	}
	return nil
}

func reverseLower(b *lower.Builder) error {
	x, err := reverseBox(b)
	if err != nil {
		return err
	}
	return cutBox(b, 0, 0, x)
}

// reverseBox returns the reversal as a strided copy (a kit.Box). It binds values known only at run
// time.
func reverseBox(b *lower.Builder) (*kit.Box, error) {
	dims := b.InShape(0)
	turn, ok, err := reversedAxes(b.Shaper(), len(dims))
	if err != nil {
		return nil, err
	}
	x := kit.NewBox()
	st := kit.Strides(dims)
	if !ok && b.Node.Op == "Reverse" {
		b.Check(shape.Equal, b.InShape(1)[0], len(dims), "the length of dims")
	}
	for k, d := range dims {
		switch {
		case ok && !turn[k]:
			x.Add(d, st[k], st[k])
		case ok:
			x.Add(d, st[k], st[k].MulInt(-1))
			x.SrcOff = x.SrcOff.Add(d.AddInt(-1).Mul(st[k]))
		default:
			on := b.NewSizeK(0, k)
			if b.Node.Op == "Reverse" {
				b.CallSizes(array.TurnedFlag, []*sym.Expr{on}, b.In(1), k)
			} else if b.InFact(1).DType == tensor.Int64 {
				b.CallSizes(array.TurnedI64, []*sym.Expr{on}, b.In(1), len(dims), k)
			} else {
				b.CallSizes(array.TurnedI32, []*sym.Expr{on}, b.In(1), len(dims), k)
			}
			x.Add(d, st[k], st[k].Sub(on.MulInt(2).Mul(st[k])))
			x.SrcOff = x.SrcOff.Add(on.Mul(d.AddInt(-1)).Mul(st[k]))
		}
	}
	return x, nil
}

// sequenceAxes returns ReverseSequence's attributes seq_dim and batch_dim.
func sequenceAxes(c *lower.Shaper, rank int) (seq, batch int, err error) {
	if seq, err = lower.Axis(c.Node.Int("seq_dim"), rank); err != nil {
		return 0, 0, err
	}
	if batch, err = lower.Axis(c.Node.Int("batch_dim"), rank); err != nil {
		return 0, 0, err
	}
	if seq == batch {
		return 0, 0, tensor.Errorf(tensor.InvalidArgument, "seq_dim == batch_dim == %d", seq)
	}
	return seq, batch, nil
}

// reverseSequenceShape: ReverseSequence(input, seq_lengths).
func reverseSequenceShape(c *lower.Shaper) error {
	c.Same(0, 0)
	x := c.Shape(0)
	lens, err := c.WithRank(1, 1)
	if err != nil || !x.Known {
		return err
	}
	_, batch, err := sequenceAxes(c, len(x.Dims))
	if err != nil {
		return err
	}
	if lens.Known {
		_, err = kit.JoinDim(x.Dims[batch], lens.Dims[0], "the length of seq_lengths and the batch")
	}
	return err
}

func reverseSequenceLower(b *lower.Builder) error {
	dims := b.InShape(0)
	seq, batch, err := sequenceAxes(b.Shaper(), len(dims))
	if err != nil {
		return err
	}
	if n := b.InShape(1)[0]; !n.Equal(dims[batch]) {
		b.Check(shape.Equal, n, dims[batch], "the length of seq_lengths and the batch")
	}
	lens, lt := kit.Indices(b, 1)
	fn, err := bytype.ArrayReverseSequence.Get(b.InFact(0).DType, lt)
	if err != nil {
		return err
	}
	lo, hi := min(seq, batch), max(seq, batch)
	b.Call(fn, b.Out(0), b.In(0), lens, plan.Lit(array.SequenceParams{BatchFirst: batch < seq},
		"Outer", sym.Product(dims[:lo]), "Mid", sym.Product(dims[lo+1:hi]), "Inner", sym.Product(dims[hi+1:]),
		"Batch", dims[batch], "Seq", dims[seq]))
	return nil
}

// rollShape infers the result of Roll. The inputs are named input, shift and axis. If an axis occurs
// twice, it is shifted by the sum of both shifts.
func rollShape(c *lower.Shaper) error {
	c.Same(0, 0)
	x := c.Shape(0)
	if x.Known && len(x.Dims) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "input must be 1-D or higher")
	}
	if s, a := c.Shape(1), c.Shape(2); s.Rank() > 1 || a.Rank() > 1 || s.Known && a.Known && len(s.Dims) != len(a.Dims) {
		return tensor.Errorf(tensor.InvalidArgument, "shift and axis must be scalars or vectors of the same size, not of the shapes %v and %v", s, a)
	}
	s, ok1 := c.Ints(1)
	a, ok2 := c.Ints(2)
	if ok1 && ok2 && len(s) != len(a) {
		return tensor.Errorf(tensor.InvalidArgument, "shift and axis must have the same size, not %d and %d", len(s), len(a))
	}
	if axes, ok := c.StaticInts(2); ok && x.Known {
		for _, k := range axes {
			if _, err := lower.Axis(k, len(x.Dims)); err != nil {
				return err
			}
		}
	}
	return nil
}

func rollLower(b *lower.Builder) error {
	shift, ok1 := b.Ints(1)
	axis, ok2 := b.Ints(2)
	if !ok1 || !ok2 {
		return b.Errorf(tensor.Unimplemented, "the number of axes must be known when compiling")
	}
	if len(b.InShape(0)) > array.MaxRank {
		return b.Errorf(tensor.Unimplemented, "rolling %d axes; at most %d are supported", len(b.InShape(0)), array.MaxRank)
	}
	fn, err := bytype.ArrayRoll.Get(b.InFact(0).DType)
	if err != nil {
		return err
	}
	b.Call(fn, b.Out(0), b.In(0), b.InShape(0), shift, axis)
	return nil
}
