package kit

import (
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// Downloaded is scratch of the host's with what v, in the device's memory, holds when what
// was appended before is done.
func Downloaded(b *lower.Builder, v plan.View) plan.View {
	t := b.Temp(v.Buf.DType, v.Len)
	b.Get(Writes(t), Reads(v))
	return Reads(t)
}

// Uploaded is scratch in the device's memory with what v, of the host's, holds.
func Uploaded(b *lower.Builder, v plan.View) plan.View {
	t := b.DevTemp(v.Buf.DType, v.Len)
	b.Put(Writes(t), Reads(v))
	return Reads(t)
}

// DevCast is v's elements as type d.
func DevCast(b *lower.Builder, d tensor.DType, v plan.View) (plan.View, error) {
	if v.Buf.DType == d {
		return v, nil
	}
	t := b.DevTemp(d, v.Len)
	m := DevWork(b, v.Len)
	m.Out(t, m.ItemOf(v))
	return Reads(t), m.Append()
}

// DevIns are inputs from to before end in the device's memory.
func DevIns(b *lower.Builder, from, end int) []any {
	var vs []any
	for i := from; i < end; i++ {
		vs = append(vs, b.DevIn(i))
	}
	return vs
}

// DevOuts are the places of outputs from to before end.
func DevOuts(b *lower.Builder, from, end int) []any {
	var vs []any
	for i := from; i < end; i++ {
		vs = append(vs, DevOutOrTemp(b, i))
	}
	return vs
}

// DevFill sets v to elements of those bits.
func DevFill(b *lower.Builder, v plan.View, bits [2]uint64) {
	args := []any{b.Queue(), Writes(v), v.Len, bits[0]}
	if v.Buf.DType.Size() == 16 {
		args = append(args, bits[1])
	}
	b.Call(GPUBytes("array.Fill", v.Buf.DType, ""), args...)
}
