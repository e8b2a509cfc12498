package state

import (
	"slices"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gpu/gather"
	"github.com/graphc/graphc/lower"
	indexops "github.com/graphc/graphc/ops/index"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/device/devvar"
)

// gpuVarScatters returns the GPU lowerings of the ops that change slices of variables in the device's
// memory.
func gpuVarScatters() []*lower.GPU {
	var list []*lower.GPU
	for _, op := range []string{"Update", "Add", "Sub", "Mul", "Div", "Min", "Max"} {
		for _, name := range []string{"ResourceScatter" + op, "ResourceScatterNd" + op, "Scatter" + op, "ScatterNd" + op} {
			if slices.ContainsFunc(slices.Concat(variableDefs, variableSliceDefs), func(d *lower.Def) bool { return d.Name == name }) {
				list = append(list, &lower.GPU{Op: name, Lower: varScatterOnGPU(op)})
			}
		}
	}
	return list
}

// varScatterOnGPU returns the GPU lowering of an op that changes slices of a variable. The inputs
// are variable, indices and updates. An index out of range is ignored. In two cases, the host
// executes the op instead: if the shapes must be compared at run time, and for integer divisions,
// because a divisor may be 0.
func varScatterOnGPU(op string) func(b *lower.Builder) error {
	return func(b *lower.Builder) error {
		ix, up := b.InFact(1).Shape, b.InFact(2).Shape
		if _, err := indexops.Lenient(b.Node); err != nil {
			return err
		}
		v, dims, err := devVar(b, 0, devvar.Update)
		if err != nil {
			return err
		}
		d := v.Buf.DType
		fn := indexops.ScatterGPU(op, d, b.InFact(1).DType)
		if fn == nil || !ix.Known || !up.Known || b.InFact(2).DType != d || op == "Div" && !scalar.IsFloat(d) {
			return lower.ErrOnHost
		}
		depth, at := 1, ix.Dims
		if isNd(b.Node.Op) {
			last := len(at) - 1
			if last < 0 {
				return lower.ErrOnHost
			}
			n, ok := at[last].IsInt()
			if !ok {
				return lower.ErrOnHost
			}
			depth, at = n, at[:last]
		}
		if depth < 1 || depth > min(len(dims), indexops.MaxDepth) {
			return lower.ErrOnHost
		}
		one := len(up.Dims) == 0 && !isNd(b.Node.Op) // the update is a single number, used for all elements
		if !one && !sameDims(slices.Concat(at, dims[depth:]), up.Dims) {
			return lower.ErrOnHost
		}
		v.Mode = plan.ReadWrite
		fields := append(indexops.Places(dims[:depth]), "N", sym.Product(at), "Inner", sym.Product(dims[depth:]))
		b.Call(fn, b.Queue(), v, b.DevIn(2), b.DevIn(1), plan.Lit(gather.ScatterParams{Depth: depth, Scalar: one}, fields...))
		handOnRef(b)
		return nil
	}
}
