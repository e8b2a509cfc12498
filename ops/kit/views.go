package kit

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/ragged"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// AsInt64 returns the int32 or int64 elements of the views as int64, one view after the other.
func AsInt64(b *lower.Builder, vs ...plan.View) plan.View {
	total := sym.Zero
	for _, v := range vs {
		total = total.Add(v.Len)
	}
	if len(vs) == 1 && vs[0].Buf.DType == tensor.Int64 {
		return vs[0]
	}
	t := b.Temp(tensor.Int64, total)
	at := sym.Zero
	for _, v := range vs {
		to := Writes(t.At(at, v.Len))
		if v.Buf.DType == tensor.Int64 {
			b.Copy(to, v)
		} else {
			b.Call(ragged.Widen, to, v)
		}
		at = at.Add(v.Len)
	}
	t.Mode = plan.Read
	return t
}

// Reads returns v for reading only.
func Reads(v plan.View) plan.View {
	v.Mode = plan.Read
	return v
}

// Writes returns v for writing only.
func Writes(v plan.View) plan.View {
	v.Mode = plan.Write
	return v
}
