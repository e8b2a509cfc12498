package array

import (
	"slices"

	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuJoins concatenate and split tensors. A separate scalar.Work copies each input of a
// concatenation or output of a split. An output that is contiguous in the split tensor shares its
// storage and needs no copy.
func gpuJoins() []*lower.GPU {
	types := map[string][]tensor.DType{"T": GPUMoved()}
	var list []*lower.GPU
	for _, ds := range [][]*lower.Def{concatDefs, splitDefs} {
		for _, d := range ds {
			list = append(list, &lower.GPU{Op: d.Name, Types: types, Lower: func(b *lower.Builder) error { return d.Lower(b.OnDev()) }})
		}
	}
	return list
}

// GPUMoved returns the element types that a scalar.Work can move.
func GPUMoved() []tensor.DType {
	return slices.DeleteFunc(slices.Clone(kit.DataTypes), func(d tensor.DType) bool { return !scalar.Takes(d) })
}
