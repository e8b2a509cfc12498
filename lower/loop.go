package lower

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// Loop is a plan.Par under construction. The steps of its body compute one chunk of the items.
type Loop struct {
	b   *Builder
	par *plan.Par
}

// Par appends a loop that may be divided as the parameter sp specifies. The parameter total is the
// number of the loop's items. No chunk may read or write memory that the calls of another chunk
// write.
func (b *Builder) Par(total *sym.Expr, sp plan.Split) *Loop {
	l := &Loop{b, &plan.Par{Total: total, Split: sp}}
	b.l.step(l.par)
	return l
}

// Call appends a call to the loop's body, and returns the call.
func (l *Loop) Call(fn any, args ...any) *plan.Call {
	c := l.b.call(fn, nil, args)
	l.Add(c)
	return c
}

// CallInPlace is Call, but output i may share storage with input j; see Builder.CallInPlace.
func (l *Loop) CallInPlace(i, j int, fn any, args ...any) {
	l.Add(l.b.callInPlace(i, j, fn, args))
}

// Add appends a step to the loop's body.
func (l *Loop) Add(s plan.Step) { l.par.Body = append(l.par.Body, s) }

// Halo describes an operand whose rows the loop may compute itself.
func (l *Loop) Halo(h plan.Halo) { l.par.Halo = &h }

// Temp returns scratch memory of n elements, separate for each chunk. n must depend on the feeds'
// sizes only.
func (l *Loop) Temp(d tensor.DType, n *sym.Expr) plan.View {
	v := l.b.Temp(d, n)
	v.Buf.Place = plan.Worker
	return v
}

// BeforeSteps reports whether e depends on the feeds' sizes only.
func (b *Builder) BeforeSteps(e *sym.Expr) bool { return b.l.beforeSteps(e) }

// Rows returns the part of v that belongs to the current chunk, if each item has s elements.
func Rows(v plan.View, s *sym.Expr) plan.View { return v.At(plan.Lo.Mul(s), plan.Count.Mul(s)) }

// cacheElements is the number of elements of each tensor in a chunk of joined element-wise loops.
// So many elements fit the first-level cache, and are enough to make the overhead of the calls
// small.
const cacheElements = 4096

// joinSize returns the number of items in a chunk if element-wise loops are joined. An item
// consists of n elements.
func joinSize(n *sym.Expr) *sym.Expr {
	if v, ok := n.IsInt(); ok {
		return sym.Int(max(1, cacheElements/max(v, 1)))
	}
	return sym.Int(cacheElements).CeilDiv(sym.Max(n, sym.One))
}

// RowSplit returns the division of a loop. Each of the loop's items consists of n elements, and an
// element costs ps picoseconds.
func RowSplit(n *sym.Expr, ps int) plan.Split {
	return plan.Split{Work: n.MulInt(ps), Join: joinSize(n)}
}

// The approximate costs in picoseconds of an element of a cheap, a moderate and an expensive
// element-wise op.
const (
	CostCheap     = 100
	CostModerate  = 300
	CostExpensive = 3000
)

// Loopable reports whether calls of the kernel fn, with tensors of the types ds, may be in a Loop:
// the kernel must not return anything, and no type may be string.
func Loopable(fn any, ds ...tensor.DType) bool {
	for _, d := range ds {
		if d == tensor.String {
			return false
		}
	}
	return !(&plan.Call{Fn: fn}).HasError()
}

// Flops is the approximate cost in picoseconds of a multiply-add of a matrix product; DepthwiseTap
// is the cost of a multiply-add of a depthwise convolution.
const (
	Flops        = 14
	DepthwiseTap = 50
)

// HeavyElements is the approximate number of elements in a chunk of a product or convolution that
// is joined with later loops. So many elements fit the second-level cache.
const HeavyElements = 1 << 15

// HeavyLeast is the smallest number of rows in a chunk of a product that is joined with later
// loops.
const HeavyLeast = 42

// HeavyRows returns the number of rows in a chunk of a product that is joined with later loops. A
// row has n columns. The number is small enough for the rows of a chunk to stay in the second-level
// cache, but large enough that the weights are not read too often. HeavyRows returns nil if n is
// unknown.
func HeavyRows(n *sym.Expr) *sym.Expr {
	v, ok := n.IsInt()
	if !ok {
		return nil
	}
	return sym.Int(max(HeavyElements/max(v, 1), HeavyLeast) / 14 * 14)
}
