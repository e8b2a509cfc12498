package ops

import (
	"slices"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gpu/gather"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/device/devvar"
)

// gpuVarScatters change slices of variables where they are in the device's memory.
func gpuVarScatters() []*GPU {
	var list []*GPU
	for _, op := range []string{"Update", "Add", "Sub", "Mul", "Div", "Min", "Max"} {
		for _, name := range []string{"ResourceScatter" + op, "ResourceScatterNd" + op, "Scatter" + op, "ScatterNd" + op} {
			if slices.ContainsFunc(variableDefs, func(d *Def) bool { return d.Name == name }) {
				list = append(list, &GPU{Op: name, Lower: varScatterOnGPU(op)})
			}
		}
	}
	return list
}

// varScatterOnGPU: (variable, indices, updates). A place outside is left out. The host has
// shapes that only a run tells to fit, and quotients of integers, whose divisor may be 0.
func varScatterOnGPU(op string) func(b *Builder) error {
	return func(b *Builder) error {
		ix, up := b.InFact(1).Shape, b.InFact(2).Shape
		if _, err := lenient(b.Node); err != nil {
			return err
		}
		v, dims, err := b.devVar(0, devvar.Update)
		if err != nil {
			return err
		}
		d := v.Buf.DType
		fn := scatterGPU(op, d, b.InFact(1).DType)
		if fn == nil || !ix.Known || !up.Known || b.InFact(2).DType != d || op == "Div" && !scalar.IsFloat(d) {
			return ErrOnHost
		}
		depth, at := 1, ix.Dims
		if isNd(b.Node.Op) {
			last := len(at) - 1
			if last < 0 {
				return ErrOnHost
			}
			n, ok := at[last].IsInt()
			if !ok {
				return ErrOnHost
			}
			depth, at = n, at[:last]
		}
		if depth < 1 || depth > min(len(dims), maxDepth) {
			return ErrOnHost
		}
		one := len(up.Dims) == 0 && !isNd(b.Node.Op) // one number for all
		if !one && !sameDims(slices.Concat(at, dims[depth:]), up.Dims) {
			return ErrOnHost
		}
		v.Mode = plan.ReadWrite
		fields := append(places(dims[:depth]), "N", sym.Product(at), "Inner", sym.Product(dims[depth:]))
		b.Call(fn, b.Queue(), v, b.DevIn(2), b.DevIn(1), plan.Lit(gather.ScatterParams{Depth: depth, Scalar: one}, fields...))
		b.refOut()
		return nil
	}
}
