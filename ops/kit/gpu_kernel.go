package kit

import (
	"strconv"

	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// GPUSuffix is how the names of the GPU's kernels end by the type of their elements.
var GPUSuffix = map[tensor.DType]string{
	tensor.Float32: "F32", tensor.Float64: "F64", tensor.Half: "F16", tensor.BFloat16: "BF16",
	tensor.Int8: "I8", tensor.Int16: "I16", tensor.Int32: "I32", tensor.Int64: "I64",
	tensor.Uint8: "U8", tensor.Uint16: "U16", tensor.Uint32: "U32", tensor.Uint64: "U64",
	tensor.Complex64: "C64", tensor.Complex128: "C128", tensor.Bool: "Bool",
}

// GPUKernel is the GPU's kernel package.Name of elements of type d, nil for none.
func GPUKernel(name string, d tensor.DType) any { return bytype.GPU[name+GPUSuffix[bytype.Plain(d)]] }

// unsigned are the types whose sums and products have the bits of signed ones.
var unsigned = map[tensor.DType]tensor.DType{tensor.Int8: tensor.Uint8, tensor.Int16: tensor.Uint16,
	tensor.Int32: tensor.Uint32, tensor.Int64: tensor.Uint64}

// GPUWrapping is GPUKernel of what wraps around: signed integers have the kernels of
// unsigned ones.
func GPUWrapping(name string, d tensor.DType) any {
	if fn := GPUKernel(name, d); fn != nil {
		return fn
	}
	if u, ok := unsigned[d]; ok {
		return GPUKernel(name, u)
	}
	return nil
}

// GPUBytes is the GPU's kernel package.Name of elements of d's size, with what the name
// ends in behind the size.
func GPUBytes(name string, d tensor.DType, end string) any {
	if GPUSuffix[bytype.Plain(d)] == "" {
		return nil
	}
	return bytype.GPU[name+strconv.Itoa(d.Size())+end]
}

// GPUTypes are the types that a choice of kernels has one for.
func GPUTypes(choose func(tensor.DType) any) []tensor.DType {
	var ds []tensor.DType
	for d := tensor.DType(1); d.Valid(); d++ {
		if GPUSuffix[bytype.Plain(d)] != "" && choose(d) != nil {
			ds = append(ds, d)
		}
	}
	return ds
}

// GPUTypesOf are the types that GPUKernel has a kernel for.
func GPUTypesOf(name string) []tensor.DType {
	return GPUTypes(func(d tensor.DType) any { return GPUKernel(name, d) })
}

// DevOutOrTemp is output i in the device's memory, or scratch where nobody reads it.
func DevOutOrTemp(b *lower.Builder, i int) plan.View {
	if b.OutUsed(i) {
		return b.DevOut(i)
	}
	return Writes(b.DevTemp(b.OutFact(i).DType, b.OutLen(i)))
}

// DevZero sets v to zeros.
func DevZero(b *lower.Builder, v plan.View) { DevFill(b, v, [2]uint64{}) }
