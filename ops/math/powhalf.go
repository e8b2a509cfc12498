package math

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// powHalfDefs describes the ops for x^½ and x^-½. They return the square root of x and the
// reciprocal of the square root, except that the results for -0 are equal to those for 0, and the
// results for -∞ are equal to those for ∞.
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
