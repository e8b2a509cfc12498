package kit

import (
	"strconv"

	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// GPUSuffix is the suffix of GPU kernels' names by element type.
var GPUSuffix = map[tensor.DType]string{
	tensor.Float32: "F32", tensor.Float64: "F64", tensor.Half: "F16", tensor.BFloat16: "BF16",
	tensor.Int8: "I8", tensor.Int16: "I16", tensor.Int32: "I32", tensor.Int64: "I64",
	tensor.Uint8: "U8", tensor.Uint16: "U16", tensor.Uint32: "U32", tensor.Uint64: "U64",
	tensor.Complex64: "C64", tensor.Complex128: "C128", tensor.Bool: "Bool",
}

// GPUKernel returns the GPU kernel for elements of type d, or nil. The parameter name is the kernel's
// package and its name without the element type: that of gather.DivideF32 without F32.
func GPUKernel(name string, d tensor.DType) any { return bytype.GPU[name+GPUSuffix[bytype.Plain(d)]] }

// unsigned maps signed integer types to the unsigned ones whose sums and products have the same
// bits.
var unsigned = map[tensor.DType]tensor.DType{tensor.Int8: tensor.Uint8, tensor.Int16: tensor.Uint16,
	tensor.Int32: tensor.Uint32, tensor.Int64: tensor.Uint64}

// GPUWrapping is like GPUKernel, for operations that wrap around: signed integers use the kernels
// of unsigned ones.
func GPUWrapping(name string, d tensor.DType) any {
	if fn := GPUKernel(name, d); fn != nil {
		return fn
	}
	if u, ok := unsigned[d]; ok {
		return GPUKernel(name, u)
	}
	return nil
}

// GPUBytes returns the GPU kernel for elements of the size of type d, or nil. The kernel's qualified
// name consists of the first argument, the size in bytes, and the last argument.
func GPUBytes(name string, d tensor.DType, end string) any {
	if GPUSuffix[bytype.Plain(d)] == "" {
		return nil
	}
	return bytype.GPU[name+strconv.Itoa(d.Size())+end]
}

// GPUTypes returns the types for which choose returns a kernel.
func GPUTypes(choose func(tensor.DType) any) []tensor.DType {
	var ds []tensor.DType
	for d := tensor.DType(1); d.Valid(); d++ {
		if GPUSuffix[bytype.Plain(d)] != "" && choose(d) != nil {
			ds = append(ds, d)
		}
	}
	return ds
}

// GPUTypesOf returns the types that GPUKernel has a kernel for.
func GPUTypesOf(name string) []tensor.DType {
	return GPUTypes(func(d tensor.DType) any { return GPUKernel(name, d) })
}

// DevOutOrTemp returns output i in the device's memory, or scratch if the output is unused.
func DevOutOrTemp(b *lower.Builder, i int) plan.View {
	if b.OutUsed(i) {
		return b.DevOut(i)
	}
	return Writes(b.DevTemp(b.OutFact(i).DType, b.OutLen(i)))
}

// DevZero fills v with zeros.
func DevZero(b *lower.Builder, v plan.View) { DevFill(b, v, [2]uint64{}) }
