package array

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// If a batch has fewer than fewProducts products, each of which takes more than largeProduct
// picoseconds, the products themselves are divided among threads.
const (
	fewProducts  = 8
	largeProduct = 20_000_000
)

// BatchLoop appends a batch of f32 products as a loop over the batch's outermost dimension. The
// loop can be fused with steps before and after it that also process the products one by one, as in
// attention. BatchLoop returns false if no such loop is possible, or if it is better to divide the
// products themselves among threads.
func BatchLoop(b *lower.Builder, dst, left, right plan.View, q plan.Struct, free []string) bool {
	p := q.V.(gemm.BatchParams)
	if p.Dims == 0 {
		return false
	}
	field := func(name string) *sym.Expr { return q.Fields[name][0] }
	total, item := field("D0"), field("C0")
	size, known := kit.ScratchLen(gemm.BatchScratchLen, q, free...)
	if !known || !dst.Len.Equal(total.Mul(item)) {
		return false
	}
	work := item.Mul(field("K")).MulInt(lower.Flops)
	if b.Usual(total) < fewProducts && b.Usual(work) > largeProduct {
		return false
	}
	l := b.Par(total, plan.Split{Work: work, Join: sym.One})
	part := func(v plan.View, stride *sym.Expr) plan.View {
		switch {
		case stride.Is(0): // all products use the same operand
			return v
		case v.Len.Equal(total.Mul(stride)):
			return lower.Rows(v, stride)
		}
		return v.At(stride.Mul(plan.Lo), v.Len.Sub(stride.Mul(plan.Lo)))
	}
	l.Call(gemm.BatchF32, lower.Rows(dst, item), part(left, field("A0")), part(right, field("B0")), l.Temp(tensor.Float32, sym.Int(size)),
		q.With("D0", plan.Count))
	return true
}
