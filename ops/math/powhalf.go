package math

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// powHalfDefs are powers with the exponents ½ and -½. They are square roots and their reciprocals,
// except that the powers of -0 and -∞ are those of 0 and ∞.
var powHalfDefs = []*lower.Def{
	{Name: "_PowHalf", Traits: lower.KeepsDigits, Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Limits: kit.MadeByPasses, Shape: UnaryShape, Lower: powHalfLower("Sqrt")},
	{Name: "_PowMinusHalf", Types: map[string][]tensor.DType{"T": kit.FloatTypes}, Limits: kit.MadeByPasses, Shape: UnaryShape, Lower: powHalfLower("Rsqrt")},
}

var rootArgs = map[tensor.DType]any{tensor.Float32: elem.RootArgF32, tensor.Float64: elem.RootArgF64, tensor.Half: elem.RootArgF16,
	tensor.BFloat16: elem.RootArgBF16}

func powHalfLower(root string) func(*lower.Builder) error {
	return func(b *lower.Builder) error {
		d := b.InFact(0).DType
		fn, err := ElemKernel(root, d)
		if err != nil {
			return err
		}
		l := b.Par(b.OutLen(0), lower.RowSplit(sym.One, b.ElementCost(root, d)))
		out := lower.Rows(b.Out(0), sym.One)
		l.CallInPlace(0, 0, rootArgs[d], out, lower.Rows(b.In(0), sym.One))
		out.Mode = plan.Write
		l.Call(fn, out, kit.Reads(out))
		return nil
	}
}
