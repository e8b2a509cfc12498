package ops

import (
	"strconv"

	"github.com/graphc/graphc/ir/sym"
	cpugather "github.com/graphc/graphc/kernels/gather"
	"github.com/graphc/graphc/kernels/gpu/gather"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuGathers read and write slices at places given by indices. As on TensorFlow's GPUs an
// index outside is no error: 0 is read there, nothing written.
func gpuGathers() []*GPU {
	indices := []tensor.DType{tensor.Int32, tensor.Int64}
	moved := gpuTypes(func(d tensor.DType) any { return gpuBytes("gather.Gather", d, "I32") })
	list := []*GPU{
		{Op: "GatherV2", Types: map[string][]tensor.DType{"Tparams": moved, "Tindices": indices}, Lower: gatherOnGPU},
		{Op: "Gather", Types: map[string][]tensor.DType{"Tparams": moved, "Tindices": indices}, Lower: gatherOnGPU},
		{Op: "GatherNd", Types: map[string][]tensor.DType{"Tparams": moved, "Tindices": indices}, Lower: gatherNdOnGPU},
		{Op: "TensorScatterUpdate", Types: map[string][]tensor.DType{"T": moved, "Tindices": indices}, Lower: tensorScatterOnGPU("Update")},
		{Op: "ScatterNd", Types: map[string][]tensor.DType{"T": summedTypes(), "Tindices": indices}, Lower: scatterNdOnGPU},
		{Op: "ScatterNdNonAliasingAdd", Types: map[string][]tensor.DType{"T": summedTypes(), "Tindices": indices}, Lower: tensorScatterOnGPU("Add")},
	}
	for _, op := range []string{"Add", "Sub", "Min", "Max"} {
		list = append(list, &GPU{Op: "TensorScatter" + op, Types: map[string][]tensor.DType{"T": scatterTypes(op), "Tindices": indices}, Lower: tensorScatterOnGPU(op)})
	}
	return list
}

// scatterTypes are the types that ScatterAdd or another of its kind takes.
func scatterTypes(op string) []tensor.DType {
	return gpuTypes(func(d tensor.DType) any { return scatterGPU(op, d, tensor.Int32) })
}

// scatterGPU is the kernel of elements of type d at places of an index type, nil for none.
func scatterGPU(op string, d, index tensor.DType) any {
	if op == "Update" {
		return gpuBytes("gather.ScatterUpdate", d, gpuSuffix[index])
	}
	return gpuKernels["gather.Scatter"+op+gpuSuffix[d]+gpuSuffix[index]]
}

func gatherOnGPU(b *Builder) error {
	s, err := b.gatherSizes()
	if err != nil {
		return err
	}
	b.checkRow(1, s[2])
	b.Call(gpuBytes("gather.Gather", b.InFact(0).DType, gpuSuffix[b.InFact(1).DType]), b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1),
		plan.Lit(gather.Params{}, "Batch", s[0], "Outer", s[1], "Limit", s[2], "N", s[3], "Inner", s[4]))
	return nil
}

// checkRow has the host refuse an index, input i, that names none of n elements of a list.
func (b *Builder) checkRow(i int, n *sym.Expr) {
	if b.Node.Bool(RowOfList) {
		b.Call(cpugather.Row, b.In(i), n)
	}
}

// maxDepth is how many indices a position has at most.
const maxDepth = 7

// places are the fields of positions in a tensor's first dimensions.
func places(dims []*sym.Expr) []any {
	var fields []any
	for k, d := range dims {
		fields = append(fields, "D"+strconv.Itoa(k), d)
	}
	return fields
}

func gatherNdOnGPU(b *Builder) error {
	x, ix := b.InShape(0), b.InShape(1)
	depth, _ := ix[len(ix)-1].IsInt()
	if depth > maxDepth {
		return ErrOnHost
	}
	fields := append(places(x[:depth]), "N", sym.Product(ix[:len(ix)-1]), "Inner", sym.Product(x[depth:]))
	b.Call(gpuBytes("gather.GatherNd", b.InFact(0).DType, gpuSuffix[b.InFact(1).DType]), b.Queue(), b.DevOut(0), b.DevIn(0), b.DevIn(1),
		plan.Lit(gather.NdParams{Depth: depth}, fields...))
	return nil
}

// devScatter appends a scattering of input u to dst at the positions of input ix, which
// name depth dimensions of dims.
func (b *Builder) devScatter(op string, dst plan.View, ix, u int, dims []*sym.Expr, depth int) error {
	is := b.InShape(ix)
	fields := append(places(dims[:depth]), "N", sym.Product(is[:len(is)-1]), "Inner", sym.Product(dims[depth:]))
	to := func(dst, u plan.View) {
		dst.Mode = plan.ReadWrite
		b.Call(scatterGPU(op, dst.Buf.DType, b.InFact(ix).DType), b.Queue(), dst, u, b.DevIn(ix), plan.Lit(gather.ScatterParams{Depth: depth}, fields...))
	}
	if op == "Add" {
		return b.summed(dst, b.DevIn(u), to)
	}
	to(dst, b.DevIn(u))
	return nil
}

func tensorScatterOnGPU(op string) func(b *Builder) error {
	return func(b *Builder) error {
		if len(b.OutShape(0)) > maxDepth {
			return ErrOnHost
		}
		if _, err := lenient(b.Node); err != nil {
			return err
		}
		out := b.OutShape(0)
		depth, err := b.checkScatter(out, 1, 2)
		if err != nil {
			return err
		}
		b.checkRow(1, out[0])
		b.Copy(b.DevOut(0), b.DevIn(0)) // none where nothing else reads the input
		return b.devScatter(op, b.DevOut(0), 1, 2, out, depth)
	}
}

// devCopy appends a copy of src.
func (b *Builder) devCopy(dst, src plan.View) {
	x := newBox()
	x.add(src.Len, sym.One, sym.One)
	b.devBox(dst, src, x)
}

func scatterNdOnGPU(b *Builder) error {
	out := b.OutShape(0)
	if len(out) > maxDepth {
		return ErrOnHost
	}
	if _, err := lenient(b.Node); err != nil {
		return err
	}
	b.bindDims(2)
	depth, err := b.checkScatter(out, 0, 1)
	if err != nil {
		return err
	}
	b.devZero(b.DevOut(0))
	return b.devScatter("Add", b.DevOut(0), 0, 1, out, depth)
}
