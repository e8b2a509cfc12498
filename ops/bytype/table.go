// Package bytype holds tables, most of them generated, from element types to the kernels for these
// types.
package bytype

import (
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// Table lists the variants of a kernel by element type and, if there is one, index type.
type Table map[[2]tensor.DType]any

// Plain returns the type whose kernels are used for d: quantized integers use those of plain
// integers.
func Plain(d tensor.DType) tensor.DType { return scalar.Plain(d) }

// Get returns the variant for the types, or the error Unimplemented.
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
