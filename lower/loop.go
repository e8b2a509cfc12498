package lower

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// Loop is a plan.Par under way: calls that do a chunk of its items.
type Loop struct {
	b   *Builder
	par *plan.Par
}

// Par appends a loop over total items that may be divided as sp says. What its
// calls write in one chunk, no other chunk touches.
func (b *Builder) Par(total *sym.Expr, sp plan.Split) *Loop {
	l := &Loop{b, &plan.Par{Total: total, Split: sp}}
	b.l.step(l.par)
	return l
}

// Call appends a call to the loop's body.
func (l *Loop) Call(fn any, args ...any) { l.Add(l.b.call(fn, nil, args)) }

// CallInPlace is Call where output i may share storage with input j, as with
// Builder.CallInPlace.
func (l *Loop) CallInPlace(i, j int, fn any, args ...any) {
	l.Add(l.b.callInPlace(i, j, fn, args))
}

// Add appends a step to the loop's body.
func (l *Loop) Add(s plan.Step) { l.par.Body = append(l.par.Body, s) }

// Temp is scratch of n elements that a chunk has of its own; n depends on the
// feeds' sizes only.
func (l *Loop) Temp(d tensor.DType, n *sym.Expr) plan.View {
	v := l.b.Temp(d, n)
	v.Buf.Place = plan.Worker
	return v
}

// BeforeSteps reports whether e depends on the feeds' sizes only.
func (b *Builder) BeforeSteps(e *sym.Expr) bool { return b.l.beforeSteps(e) }

// Rows is the part of v that belongs to a chunk of items of s elements.
func Rows(v plan.View, s *sym.Expr) plan.View { return v.At(plan.Lo.Mul(s), plan.Count.Mul(s)) }

// cacheElements is how many elements of each tensor a chunk of joined
// element-wise loops has: few enough for the first-level cache, enough to make
// the calls' overhead small.
const cacheElements = 4096

// joinSize is the number of items of n elements that a chunk of joined loops has.
func joinSize(n *sym.Expr) *sym.Expr {
	if v, ok := n.IsInt(); ok {
		return sym.Int(max(1, cacheElements/max(v, 1)))
	}
	return sym.Int(cacheElements).CeilDiv(sym.Max(n, sym.One))
}

// RowSplit divides items of n elements that cost ps picoseconds each.
func RowSplit(n *sym.Expr, ps int) plan.Split {
	return plan.Split{Work: n.MulInt(ps), Join: joinSize(n)}
}

// cost is what an element of a cheap, a moderate and an expensive element-wise op
// takes in picoseconds, roughly.
const (
	CostCheap     = 100
	CostModerate  = 300
	CostExpensive = 3000
)

// Loopable reports whether a kernel's calls may stand in a loop: it returns nothing
// and its tensors hold no strings.
func Loopable(fn any, ds ...tensor.DType) bool {
	for _, d := range ds {
		if d == tensor.String {
			return false
		}
	}
	return !(&plan.Call{Fn: fn}).HasError()
}

// Flops is what a multiply and an add of a matrix product take in picoseconds,
// DepthwiseTap the same of a depthwise convolution, roughly.
const (
	Flops        = 14
	DepthwiseTap = 50
)

// HeavyElements is about how many elements a chunk of a product or convolution
// makes where it is joined with what comes after it: few enough for the second-level cache.
const HeavyElements = 1 << 15

// HeavyLeast is the least number of rows of a product that a chunk has.
const HeavyLeast = 42

// HeavyRows is how many rows of n columns a chunk of a product has where it is
// joined with what comes after it: they are to stay in the second-level cache,
// and to be so many that the weights are not read too often. nil where n is not known.
func HeavyRows(n *sym.Expr) *sym.Expr {
	v, ok := n.IsInt()
	if !ok {
		return nil
	}
	return sym.Int(max(HeavyElements/max(v, 1), HeavyLeast) / 14 * 14)
}
