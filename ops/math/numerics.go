package math

import (
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/rt/tensor"
)

// numericsDefs describes the ops that return their input unchanged. If the input contains a NaN or
// an infinity, the run fails with InvalidArgument. The text of the error begins with the attribute
// called message.
var numericsDefs = []*lower.Def{
	{Name: "CheckNumerics", Flags: lower.Effect, Types: kit.SoftmaxTypes, Shape: kit.ForwardShape, Lower: numericsLower},
	{Name: "CheckNumericsV2", Flags: lower.Effect, Types: kit.SoftmaxTypes, Shape: kit.ForwardShape, Lower: numericsLower},
}

func numericsLower(b *lower.Builder) error {
	fn, err := KernelByType(b, map[tensor.DType]any{tensor.Float32: elem.CheckF32, tensor.Float64: elem.CheckF64,
		tensor.Half: elem.CheckF16, tensor.BFloat16: elem.CheckBF16})
	if err != nil {
		return err
	}
	b.Call(fn, b.In(0), b.Node.Str("message"))
	b.Alias(0, 0)
	return nil
}
