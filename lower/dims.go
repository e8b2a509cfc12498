package lower

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

// UnknownShape sets output i to element type d and an unknown shape.
func (c *Shaper) UnknownShape(i int, d tensor.DType) { c.Set(i, d, ir.Shape{}) }

// MayBeNegative reports whether an element's sign is known only at run time.
func MayBeNegative(e *sym.Expr) bool {
	if _, ok := e.IsInt(); ok {
		return false
	}
	return !e.NonNegative()
}

// ExtraSize separates two kinds of symbols of a node. The symbol for dimension k of a result usually
// has the number k, which is below ExtraSize. Symbols for other sizes of the same node can have
// numbers from ExtraSize on. Shaper.NewSizeK describes the numbers.
const ExtraSize = 300

// owns reports whether d is the symbol for dimension k of output 0 of c.Node. Such a symbol exists
// only if the node's step determines the dimension at run time.
func (c *Shaper) owns(k int, d *sym.Expr) bool {
	name, ok := d.IsVar()
	s, bound := c.Graph.Symbols[name]
	return ok && bound && s.Out == (ir.Out{Node: c.Node}) && s.Index == -1-k
}

// ownDims returns the numbers of the dimensions of output 0 for which owns is true.
func (c *Shaper) ownDims() []int {
	var own []int
	for k, d := range c.Node.Outs[0].Shape.Dims {
		if c.owns(k, d) {
			own = append(own, k)
		}
	}
	return own
}

// boundWithin reports whether e contains a size that is bound in a region that does not enclose the
// given region. In the given region, the size may be unknown or may belong to another iteration.
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

// Differ reports whether two dimensions are known to be unequal.
func Differ(x, y *sym.Expr) bool {
	m, mok := x.IsInt()
	n, nok := y.IsInt()
	return mok && nok && m != n
}

// DimsOr returns the dimensions of s. Each unknown dimension becomes a new symbol of output 0; the
// symbol of dimension i has the number k+i.
func (c *Shaper) DimsOr(s ir.PartialShape, k int) []*sym.Expr {
	dims := make([]*sym.Expr, len(s.Dims))
	for i, v := range s.Dims {
		if dims[i] = sym.Int(int(v)); v < 0 {
			dims[i] = c.NewSizeK(0, k+i)
		}
	}
	return dims
}
