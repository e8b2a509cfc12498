package ops

import (
	"slices"

	"github.com/graphc/graphc/kernels/gpu/elementwise"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuJoins join tensors and take them apart: a work for each part, or none where a part
// lies in one piece.
func gpuJoins() []*GPU {
	types := map[string][]tensor.DType{"T": gpuMoved()}
	var list []*GPU
	for _, ds := range [][]*Def{concatDefs, splitDefs} {
		for _, d := range ds {
			list = append(list, &GPU{Op: d.Name, Types: types, Lower: func(b *Builder) error { return d.Lower(b.OnDev()) }})
		}
	}
	return list
}

// gpuMoved are the types of elements that works move.
func gpuMoved() []tensor.DType {
	return slices.DeleteFunc(slices.Clone(dataTypes), func(d tensor.DType) bool { return !scalar.Takes(d) })
}

// devBox appends the copy of a box between places in the device's memory.
func (b *Builder) devBox(dst, src plan.View, x *box) {
	c := plan.MapElements(elementwise.Map, b.Node.Name, b.Node.OpName(), boxWork(x, dst.Buf.DType, 1, 0, b.Node.Name), []plan.View{dst, src})
	if err := c.Check(); err != nil {
		panic(err)
	}
	b.Step(c)
}
