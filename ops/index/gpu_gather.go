package index

import (
	"strconv"

	"github.com/graphc/graphc/ir/sym"
	cpugather "github.com/graphc/graphc/kernels/gather"
	"github.com/graphc/graphc/kernels/gpu/gather"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/bytype"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuGathers read and write slices at given indices. As on TensorFlow's GPUs, an index out of range
// is not an error: reads return 0, writes are ignored.
func gpuGathers() []*lower.GPU {
	indices := []tensor.DType{tensor.Int32, tensor.Int64}
	moved := kit.GPUTypes(func(d tensor.DType) any { return kit.GPUBytes("gather.Gather", d, "I32") })
	list := []*lower.GPU{
		{Op: "GatherV2", Types: map[string][]tensor.DType{"Tparams": moved, "Tindices": indices}, Lower: gatherOnGPU},
		{Op: "Gather", Types: map[string][]tensor.DType{"Tparams": moved, "Tindices": indices}, Lower: gatherOnGPU},
		{Op: "GatherNd", Types: map[string][]tensor.DType{"Tparams": moved, "Tindices": indices}, Lower: gatherNdOnGPU},
		{Op: "TensorScatterUpdate", Types: map[string][]tensor.DType{"T": moved, "Tindices": indices}, Lower: tensorScatterOnGPU("Update")},
		{Op: "ScatterNd", Types: map[string][]tensor.DType{"T": summedTypes(), "Tindices": indices}, Lower: scatterNdOnGPU},
		{Op: "ScatterNdNonAliasingAdd", Types: map[string][]tensor.DType{"T": summedTypes(), "Tindices": indices}, Lower: tensorScatterOnGPU("Add")},
	}
	for _, op := range []string{"Add", "Sub", "Min", "Max"} {
		list = append(list, &lower.GPU{Op: "TensorScatter" + op, Types: map[string][]tensor.DType{"T": scatterTypes(op), "Tindices": indices}, Lower: tensorScatterOnGPU(op)})
	}
	return list
}

// scatterTypes returns the element types that the scatter kernel of an operation such as Add
// supports.
func scatterTypes(op string) []tensor.DType {
	return kit.GPUTypes(func(d tensor.DType) any { return ScatterGPU(op, d, tensor.Int32) })
}

// ScatterGPU returns the scatter kernel for elements of type d and an index type, or nil.
func ScatterGPU(op string, d, index tensor.DType) any {
	if op == "Update" {
		return kit.GPUBytes("gather.ScatterUpdate", d, kit.GPUSuffix[index])
	}
	return bytype.GPU["gather.Scatter"+op+kit.GPUSuffix[d]+kit.GPUSuffix[index]]
}

func gatherOnGPU(b *lower.Builder) error {
	s, err := gatherSizes(b)
	if err != nil {
		return err
	}
	checkRow(b, 1, s[2])
	b.Call(kit.GPUBytes("gather.Gather", b.InFact(0).DType, kit.GPUSuffix[b.InFact(1).DType]), b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1),
		plan.Lit(gather.Params{}, "Batch", s[0], "Outer", s[1], "Limit", s[2], "N", s[3], "Inner", s[4]))
	return nil
}

// checkRow appends a check, on the host, that the index in input i is from 0 to n-1. It does so
// only for a node that reads or writes one row of a list, which then has n elements.
func checkRow(b *lower.Builder, i int, n *sym.Expr) {
	if b.Node.Bool(lower.RowOfList) {
		b.Call(cpugather.Row, b.In(i), n)
	}
}

// MaxDepth is the largest number of indices in a position that the GPU kernels support.
const MaxDepth = 7

// Places returns the fields D0, D1, … of a kernel's parameters, with the sizes in dims as their
// values. Such kernels use positions in the first dimensions of a tensor.
func Places(dims []*sym.Expr) []any {
	var fields []any
	for k, d := range dims {
		fields = append(fields, "D"+strconv.Itoa(k), d)
	}
	return fields
}

func gatherNdOnGPU(b *lower.Builder) error {
	x, ix := b.InShape(0), b.InShape(1)
	depth, _ := ix[len(ix)-1].IsInt()
	if depth > MaxDepth {
		return lower.ErrOnHost
	}
	fields := append(Places(x[:depth]), "N", sym.Product(ix[:len(ix)-1]), "Inner", sym.Product(x[depth:]))
	b.Call(kit.GPUBytes("gather.GatherNd", b.InFact(0).DType, kit.GPUSuffix[b.InFact(1).DType]), b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1),
		plan.Lit(gather.NdParams{Depth: depth}, fields...))
	return nil
}

// devScatter appends a scatter of input u to dst at the positions in input ix. A position has an
// index for each of the first dimensions in dims. The parameter depth is the number of these
// dimensions.
func devScatter(b *lower.Builder, op string, dst plan.View, ix, u int, dims []*sym.Expr, depth int) error {
	is := b.InShape(ix)
	fields := append(Places(dims[:depth]), "N", sym.Product(is[:len(is)-1]), "Inner", sym.Product(dims[depth:]))
	to := func(dst, u plan.View) {
		dst.Mode = plan.ReadWrite
		b.Call(ScatterGPU(op, dst.Buf.DType, b.InFact(ix).DType), b.Queue(), dst, u, b.DevIn(ix), plan.Lit(gather.ScatterParams{Depth: depth}, fields...))
	}
	if op == "Add" {
		return summed(b, dst, b.DevIn(u), to)
	}
	to(dst, b.DevIn(u))
	return nil
}

func tensorScatterOnGPU(op string) func(b *lower.Builder) error {
	return func(b *lower.Builder) error {
		if len(b.OutShape(0)) > MaxDepth {
			return lower.ErrOnHost
		}
		if _, err := Lenient(b.Node); err != nil {
			return err
		}
		out := b.OutShape(0)
		depth, err := checkScatter(b, out, 1, 2)
		if err != nil {
			return err
		}
		checkRow(b, 1, out[0])
		b.Copy(b.DevOut(0), b.DevIn(0)) // no copy if nothing else reads the input
		return devScatter(b, op, b.DevOut(0), 1, 2, out, depth)
	}
}

// devCopy appends a step that copies src to dst. Both are in device memory.
func devCopy(b *lower.Builder, dst, src plan.View) {
	x := kit.NewBox()
	x.Add(src.Len, sym.One, sym.One)
	kit.DevBox(b, dst, src, x)
}

func scatterNdOnGPU(b *lower.Builder) error {
	out := b.OutShape(0)
	if len(out) > MaxDepth {
		return lower.ErrOnHost
	}
	if _, err := Lenient(b.Node); err != nil {
		return err
	}
	kit.BindDims(b, 2)
	depth, err := checkScatter(b, out, 0, 1)
	if err != nil {
		return err
	}
	kit.DevZero(b, b.DevOut(0))
	return devScatter(b, "Add", b.DevOut(0), 0, 1, out, depth)
}
