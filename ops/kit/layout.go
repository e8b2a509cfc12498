package kit

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/layout"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
)

var layoutKernels = []any{layout.F32, layout.F64, layout.F16, layout.BF16, layout.I8, layout.I16, layout.I32, layout.I64,
	layout.U8, layout.U16, layout.C64, layout.C128}

// Transposed transposes v, which holds n matrices [rows, cols], into scratch.
func Transposed(b *lower.Builder, v plan.View, n, rows, cols *sym.Expr) (plan.View, error) {
	t := TempOf(b, v.Buf.DType, v.Len)
	return Reads(t), TransposeTo(b, t, v, n, rows, cols)
}

// TransposeTo appends the transposition of n matrices [rows, cols] from src to dst.
func TransposeTo(b *lower.Builder, dst, src plan.View, n, rows, cols *sym.Expr) error {
	if b.Moves() {
		x := NewBox()
		x.Add(n, rows.Mul(cols), rows.Mul(cols))
		x.Add(cols, rows, sym.One)
		x.Add(rows, sym.One, cols)
		DevBox(b, Writes(dst), Reads(src), x)
		return nil
	}
	fn, err := KernelFor(b, src.Buf.DType, layoutKernels...)
	if err != nil {
		return err
	}
	b.Call(fn, dst, src, n, rows, cols)
	return nil
}
