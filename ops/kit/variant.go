package kit

import (
	"github.com/graphc/graphc/kernels/container"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// VariantToo returns the Types of an op with attribute T that accepts variants in addition to the
// given types.
func VariantToo(types map[string][]tensor.DType) map[string][]tensor.DType {
	return map[string][]tensor.DType{"T": append(types["T"][:len(types["T"]):len(types["T"])], tensor.Variant)}
}

// VariantLower lowers ZerosLike, or a sum, of variants. The kernels work on the variants' handles
// to lists.
func VariantLower(b *lower.Builder) error {
	if b.Node.Op == "ZerosLike" {
		b.Call(container.ZerosLikeHnd, b.Out(0), b.In(0))
		return nil
	}
	if b.NumIn() == 1 {
		b.Alias(0, 0)
		return nil
	}
	sum := b.In(0)
	for i := 1; i < b.NumIn(); i++ {
		b.Call(container.AddHnd, Part(b.Out(0), i == 1), sum, b.In(i))
		sum = plan.View{Buf: b.Out(0).Buf, Len: b.OutLen(0), Mode: plan.Read}
	}
	return nil
}
