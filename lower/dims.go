package lower

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// UnknownShape sets output i to d with an unknown shape.
func (c *Shaper) UnknownShape(i int, d tensor.DType) { c.Set(i, d, ir.Shape{}) }

// MayBeNegative reports elements whose sign only a run tells.
func MayBeNegative(e *sym.Expr) bool {
	if _, ok := e.IsInt(); ok {
		return false
	}
	return !e.NonNegative()
}

// ExtraSize numbers sizes that are no dimension of a result.
const ExtraSize = 300

// owns reports whether d is the size that c's node binds for dimension k of its output 0.
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

// boundWithin reports whether e holds a size that a step of a region binds which
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

// Differ reports two dimensions that are known to be unequal.
func Differ(x, y *sym.Expr) bool {
	m, mok := x.IsInt()
	n, nok := y.IsInt()
	return mok && nok && m != n
}

// DimsOr returns the dimensions that s states, and for each unknown one a size
// of output 0, numbered from k on.
func (c *Shaper) DimsOr(s ir.PartialShape, k int) []*sym.Expr {
	dims := make([]*sym.Expr, len(s.Dims))
	for i, v := range s.Dims {
		if dims[i] = sym.Int(int(v)); v < 0 {
			dims[i] = c.NewSizeK(0, k+i)
		}
	}
	return dims
}
