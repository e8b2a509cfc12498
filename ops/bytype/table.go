// Package bytype has the kernels that are there for several element types: tables, most of them generated, from
// types to functions.
package bytype

import (
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// Table lists the variants of a kernel by element type and, where it has
// one, index type.
type Table map[[2]tensor.DType]any

// Plain is the type whose kernels serve d: quantized integers move as plain ones.
func Plain(d tensor.DType) tensor.DType { return scalar.Plain(d) }

// Get returns the variant for the types, Unimplemented when there is none.
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

// Reduction is a kernel over a reduce.Dims and scratch of acc's type.
type Reduction struct {
	Fn  any
	Acc tensor.DType
}
