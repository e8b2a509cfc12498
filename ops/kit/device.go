package kit

import (
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// Downloaded returns host scratch with a copy of v, which is in the device's memory. The copy is
// made after all steps appended so far.
func Downloaded(b *lower.Builder, v plan.View) plan.View {
	t := b.Temp(v.Buf.DType, v.Len)
	b.Get(Writes(t), Reads(v))
	return Reads(t)
}

// Uploaded returns scratch in the device's memory with a copy of v, which is in the host's.
func Uploaded(b *lower.Builder, v plan.View) plan.View {
	t := b.DevTemp(v.Buf.DType, v.Len)
	b.Put(Writes(t), Reads(v))
	return Reads(t)
}

// DevCast returns v's elements converted to type d.
func DevCast(b *lower.Builder, d tensor.DType, v plan.View) (plan.View, error) {
	if v.Buf.DType == d {
		return v, nil
	}
	t := b.DevTemp(d, v.Len)
	m := DevWork(b, v.Len)
	m.Out(t, m.ItemOf(v))
	return Reads(t), m.Append()
}

// DevIns returns the inputs [from, end) in the device's memory.
func DevIns(b *lower.Builder, from, end int) []any {
	var vs []any
	for i := from; i < end; i++ {
		vs = append(vs, b.DevIn(i))
	}
	return vs
}

// DevOuts returns where to compute the outputs [from, end) in the device's memory.
func DevOuts(b *lower.Builder, from, end int) []any {
	var vs []any
	for i := from; i < end; i++ {
		vs = append(vs, DevOutOrTemp(b, i))
	}
	return vs
}

// DevFill sets all elements of v to the given bits.
func DevFill(b *lower.Builder, v plan.View, bits [2]uint64) {
	args := []any{b.Queue(), Writes(v), v.Len, bits[0]}
	if v.Buf.DType.Size() == 16 {
		args = append(args, bits[1])
	}
	b.Call(GPUBytes("array.Fill", v.Buf.DType, ""), args...)
}
