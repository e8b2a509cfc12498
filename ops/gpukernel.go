package ops

import (
	"strconv"

	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/device"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuSuffix is how the names of the GPU's kernels end by the type of their elements.
var gpuSuffix = map[tensor.DType]string{
	tensor.Float32: "F32", tensor.Float64: "F64", tensor.Half: "F16", tensor.BFloat16: "BF16",
	tensor.Int8: "I8", tensor.Int16: "I16", tensor.Int32: "I32", tensor.Int64: "I64",
	tensor.Uint8: "U8", tensor.Uint16: "U16", tensor.Uint32: "U32", tensor.Uint64: "U64",
	tensor.Complex64: "C64", tensor.Complex128: "C128", tensor.Bool: "Bool",
}

// gpuKernel is the GPU's kernel package.Name of elements of type d, nil for none.
func gpuKernel(name string, d tensor.DType) any { return gpuKernels[name+gpuSuffix[plainType(d)]] }

// unsigned are the types whose sums and products have the bits of signed ones.
var unsigned = map[tensor.DType]tensor.DType{tensor.Int8: tensor.Uint8, tensor.Int16: tensor.Uint16,
	tensor.Int32: tensor.Uint32, tensor.Int64: tensor.Uint64}

// gpuWrapping is gpuKernel of what wraps around: signed integers have the kernels of
// unsigned ones.
func gpuWrapping(name string, d tensor.DType) any {
	if fn := gpuKernel(name, d); fn != nil {
		return fn
	}
	if u, ok := unsigned[d]; ok {
		return gpuKernel(name, u)
	}
	return nil
}

// gpuBytes is the GPU's kernel package.Name of elements of d's size, with what the name
// ends in behind the size.
func gpuBytes(name string, d tensor.DType, end string) any {
	if gpuSuffix[plainType(d)] == "" {
		return nil
	}
	return gpuKernels[name+strconv.Itoa(d.Size())+end]
}

// gpuTypes are the types that a choice of kernels has one for.
func gpuTypes(choose func(tensor.DType) any) []tensor.DType {
	var ds []tensor.DType
	for d := tensor.DType(1); d.Valid(); d++ {
		if gpuSuffix[plainType(d)] != "" && choose(d) != nil {
			ds = append(ds, d)
		}
	}
	return ds
}

// gpuTypesOf are the types that gpuKernel has a kernel for.
func gpuTypesOf(name string) []tensor.DType {
	return gpuTypes(func(d tensor.DType) any { return gpuKernel(name, d) })
}

// noPtr is the address of nothing.
func noPtr() plan.Arg { return plan.Value{V: device.Ptr(0)} }

// devOutOrTemp is output i in the device's memory, or scratch where nobody reads it.
func (b *Builder) devOutOrTemp(i int) plan.View {
	if b.OutUsed(i) {
		return b.DevOut(i)
	}
	return writes(b.DevTemp(b.OutFact(i).DType, b.OutLen(i)))
}

// devZero sets v to zeros.
func (b *Builder) devZero(v plan.View) { b.devFill(v, [2]uint64{}) }
