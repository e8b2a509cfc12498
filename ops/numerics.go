package ops

import (
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/rt/tensor"
)

// numericsDefs hand on their input and end the run with InvalidArgument where it
// holds NaN or an infinity; attribute message begins the error.
var numericsDefs = []*Def{
	{Name: "CheckNumerics", Flags: Effect, Types: softmaxTypes, Shape: forwardShape, Lower: numericsLower},
	{Name: "CheckNumericsV2", Flags: Effect, Types: softmaxTypes, Shape: forwardShape, Lower: numericsLower},
}

func numericsLower(b *Builder) error {
	fn, err := b.kernelByType(map[tensor.DType]any{tensor.Float32: elem.CheckF32, tensor.Float64: elem.CheckF64,
		tensor.Half: elem.CheckF16, tensor.BFloat16: elem.CheckBF16})
	if err != nil {
		return err
	}
	b.Call(fn, b.In(0), b.Node.Str("message"))
	b.Alias(0, 0)
	return nil
}
