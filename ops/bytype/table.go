// Package bytype holds tables, most of them generated, from element types to the kernels for these
// types.
package bytype

import (
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// Table holds the versions of a kernel for different types. The first type of a key is the element
// type. The second is the type of the indices, if the kernel has indices.
type Table map[[2]tensor.DType]any

// Plain returns the type whose kernels are used for d: quantized integers use those of plain
// integers.
func Plain(d tensor.DType) tensor.DType { return scalar.Plain(d) }

// Get returns the version of the kernel for the given types. It returns the error Unimplemented if
// there is no such version.
func (t Table) Get(ds ...tensor.DType) (any, error) {
	var key [2]tensor.DType
	for i, d := range ds {
		key[i] = Plain(d)
	}
	if fn := t[key]; fn != nil {
		return fn, nil
	}
	return nil, tensor.Errorf(tensor.Unimplemented, "no kernel for the types %v", ds)
}

// Reduction is a kernel that reduces the dimensions in a reduce.Dims, with scratch of type Acc.
type Reduction struct {
	Fn  any
	Acc tensor.DType
}
