package kit

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/layout"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// TempOf returns scratch memory: in device memory if the node's tensors are there, else on the
// host.
func TempOf(b *lower.Builder, d tensor.DType, n *sym.Expr) plan.View {
	if b.Moves() {
		return b.DevTemp(d, n)
	}
	return b.Temp(d, n)
}

var widenKernels = []any{layout.WidenBF16, layout.WidenF16, layout.WidenF64, layout.WidenI8, layout.WidenI16, layout.WidenI32,
	layout.WidenI64, layout.WidenU8, layout.WidenU16, layout.WidenU32, layout.WidenU64}

var NarrowKernels = []any{layout.NarrowF16, layout.NarrowBF16, layout.NarrowF64}

// InF32 returns input i if its type is f32. If the input has another type, InF32 converts it to f32
// in scratch memory and returns the result.
func InF32(b *lower.Builder, i int) (plan.View, error) {
	v := b.In(i)
	d := b.InFact(i).DType
	if d == tensor.Float32 {
		return v, nil
	}
	t := b.Temp(tensor.Float32, v.Len)
	fn, err := KernelFrom(b, d, widenKernels...)
	if err != nil {
		return v, err
	}
	b.Call(fn, Writes(t), v)
	return Reads(t), nil
}

// OutF32 returns where to compute output i as f32, and a function that appends the conversion of
// this result to the output's type.
func OutF32(b *lower.Builder, i int) (plan.View, func() error) {
	d := b.OutFact(i).DType
	if d == tensor.Float32 {
		return b.Out(i), func() error { return nil }
	}
	t := b.Temp(tensor.Float32, b.OutLen(i))
	return t, func() error {
		fn, err := KernelFor(b, d, NarrowKernels...)
		if err != nil {
			return err
		}
		b.Call(fn, b.Out(i), t)
		return nil
	}
}

// Widened returns input i with f16 and bf16 converted to f32. Images with channels first are
// transposed to channels last.
func Widened(b *lower.Builder, i int, f Format, image bool) (plan.View, error) {
	var v plan.View
	var err error
	if d := b.InFact(i).DType; d == tensor.Half || d == tensor.BFloat16 {
		v, err = InF32(b, i)
	} else {
		v = b.In(i)
	}
	if err != nil || !image || !f.First() {
		return v, err
	}
	s := b.InShape(i)
	return Transposed(b, v, s[0], s[1], sym.Product(s[2:]))
}

// Narrowed returns where to compute output 0, and a function that appends its transposition and
// rounding. It is the counterpart of Widened.
func Narrowed(b *lower.Builder, f Format, image bool) (plan.View, func() error) {
	d := b.OutFact(0).DType
	out, done := b.Out(0), func() error { return nil }
	if d == tensor.Half || d == tensor.BFloat16 {
		out, done = OutF32(b, 0)
	}
	if !image || !f.First() {
		return out, done
	}
	s := b.OutShape(0)
	t := b.Temp(out.Buf.DType, out.Len)
	return t, func() error {
		if err := TransposeTo(b, out, t, s[0], sym.Product(s[2:]), s[1]); err != nil {
			return err
		}
		return done()
	}
}
