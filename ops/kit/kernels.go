package kit

import (
	"reflect"

	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// KernelFor returns the kernel whose first parameter is a slice of d's Go type.
func KernelFor(b *lower.Builder, d tensor.DType, kernels ...any) (any, error) {
	return KernelAt(b, 0, d, kernels)
}

// KernelFrom is like KernelFor, but compares the second parameter, the source of a conversion.
func KernelFrom(b *lower.Builder, d tensor.DType, kernels ...any) (any, error) {
	return KernelAt(b, 1, d, kernels)
}

// ParamsOf returns the zero value of a kernel's last parameter, the struct of its params. The
// struct's type may depend on the element type.
func ParamsOf(fn any) any {
	t := reflect.TypeOf(fn)
	return reflect.Zero(t.In(t.NumIn() - 1)).Interface()
}

// KernelThird is like KernelFor, but compares the third parameter.
func KernelThird(b *lower.Builder, d tensor.DType, kernels ...any) (any, error) {
	return KernelAt(b, 2, d, kernels)
}

// KernelAt returns the kernel whose parameter number param is a slice of d's Go type, or the error
// Unimplemented.
func KernelAt(b *lower.Builder, param int, d tensor.DType, kernels []any) (any, error) {
	for _, k := range kernels {
		if t := reflect.TypeOf(k).In(param + len(lower.BudgetOf(k))); t.Kind() == reflect.Slice && t.Elem() == d.GoType() {
			return k, nil
		}
	}
	return nil, b.NoKernel("no CPU kernel accepts %s", d)
}
