package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// flowDefs are the ops that join regions, which pass flow makes of TensorFlow's
// control flow, and what goes with them:
//
//   - _Yield, _Merge, _LoopVar, _Next: see package ir;
//   - _ToBool is the condition of If, Case and While: a scalar is true when it is not
//     0 or not the empty string, anything else when it has elements;
//   - _Alive fails with InvalidArgument when its input is false: attribute tensor
//     names a tensor that is fetched and was not computed.
var flowDefs = []*Def{
	{Name: ir.YieldOp, Shape: forwardShape, Lower: yieldLower},
	{Name: ir.MergeOp, Shape: mergeShape, Lower: nothing},
	{Name: ir.LoopVarOp, Shape: loopVarShape, Lower: nothing},
	{Name: ir.NextOp, Shape: forwardShape, Lower: nextLower},
	{Name: "_ToBool", Shape: toBoolShape, Lower: toBoolLower},
	{Name: "_Alive", Flags: Effect | NoFold, Shape: aliveShape, Lower: aliveLower},
}

// joins reports the ops that belong to regions: they stay where they are, and
// what they do is part of the region's.
func joins(op string) bool {
	return op == ir.YieldOp || op == ir.MergeOp || op == ir.LoopVarOp || op == ir.NextOp
}

// owns reports that d is the size that c's node binds for dimension k of its output 0.
func (c *Shaper) owns(k int, d *sym.Expr) bool {
	name, ok := d.IsVar()
	s, bound := c.Graph.Symbols[name]
	return ok && bound && s.Out == (ir.Out{Node: c.Node}) && s.Index == -1-k
}

// ownDims returns the dimensions of output 0 that c's node binds.
func (c *Shaper) ownDims() []int {
	var own []int
	for k, d := range c.Node.Outs[0].Shape.Dims {
		if c.owns(k, d) {
			own = append(own, k)
		}
	}
	return own
}

// boundWithin reports that e holds a size that a step of a region binds which
// does not enclose at: outside of that region it may not be known, or be of
// another iteration.
func (c *Shaper) boundWithin(e *sym.Expr, at *ir.Region) bool {
	set := map[string]bool{}
	e.Vars(set)
	for v := range set {
		if s, ok := c.Graph.Symbols[v]; ok && !s.Out.Node.Region.Encloses(at) {
			return true
		}
	}
	return false
}

// mergeShape: output 0 has the shape that all inputs have, with sizes of its own
// where they differ; output 1 is a scalar.
func mergeShape(c *Shaper) error {
	if len(c.Node.Ins) == 0 {
		return tensor.Errorf(tensor.InvalidArgument, "a %s without inputs", ir.MergeOp)
	}
	if len(c.Node.Outs) > 1 {
		c.Set(1, tensor.Int32, ir.ShapeOf())
	}
	shapes := make([]ir.Shape, len(c.Node.Ins))
	for i := range shapes {
		f := c.In(i)
		if f.DType != c.In(0).DType {
			return tensor.Errorf(tensor.InvalidArgument, "input %d is %v, input 0 is %v", i, f.DType, c.In(0).DType)
		}
		shapes[i] = f.Shape
	}
	c.Set(0, c.In(0).DType, joinShapes(c, shapes[0], shapes, c.Node.Region))
	return nil
}

// loopVarShape begins with the first value's shape; see Infer.
func loopVarShape(c *Shaper) error {
	c.Set(0, c.In(0).DType, c.In(0).Shape)
	return nil
}

func toBoolShape(c *Shaper) error {
	c.Set(0, tensor.Bool, ir.ShapeOf())
	return nil
}

func toBoolLower(b *Builder) error {
	f := b.InFact(0)
	switch {
	case !f.Shape.Known:
		return unknownRank(b.Node.Ins[0].Node, b.Node.Ins[0].Index)
	case len(f.Shape.Dims) > 0:
		b.Call(shape.NotEmpty, b.Out(0), b.InLen(0))
	case f.DType == tensor.Bool:
		b.Alias(0, 0)
	case f.DType == tensor.String:
		b.Call(shape.NotBlank, b.Out(0), b.In(0))
	default:
		fn := castKernels[f.DType][tensor.Bool]
		if fn == nil {
			return tensor.Errorf(tensor.InvalidArgument, "a condition cannot be a %v", f.DType)
		}
		b.Call(fn, b.Out(0), b.In(0))
	}
	return nil
}

func aliveShape(c *Shaper) error {
	_, err := c.WithRank(0, 0)
	return err
}

func aliveLower(b *Builder) error {
	b.Call(shape.Alive, b.In(0), b.Node.Str("tensor"))
	return nil
}

func nextLower(b *Builder) error {
	b.l.stage(b.Node)
	return nil
}

// yieldLower copies the input to the places of the _Merge nodes that read it, or
// does nothing where these have the input's place.
func yieldLower(b *Builder) error {
	for _, at := range b.l.merges[b.Node] {
		src := b.l.source(b.Node.Ins[0], &slot{dev: b.l.onDev[at.merge]})
		m, err := b.l.merge(at.merge, at.index, src.Buf)
		if err != nil {
			return err
		}
		c := carried{m, src, b.InShape(0)}
		if m.alias {
			b.l.bind(c)
		} else {
			b.l.carry([]carried{c})
		}
		if m.index != nil {
			b.Call(shape.SetI32, plan.View{Buf: m.index, Len: sym.One, Mode: plan.Write}, []*sym.Expr{sym.Int(at.index)})
		}
	}
	return nil
}
