package index

import (
	"strings"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gather"
	"github.com/graphc/graphc/lower"
	arrayops "github.com/graphc/graphc/ops/array"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuSlices are Range and the ops that write rows with given row numbers.
func gpuSlices() []*lower.GPU {
	moved := scatterTypes("Update")
	return []*lower.GPU{
		{Op: "DynamicStitch", Types: map[string][]tensor.DType{"T": moved}, Lower: stitchOnGPU},
		{Op: "InplaceUpdate", Types: map[string][]tensor.DType{"T": moved}, Lower: inplaceOnGPU},
		{Op: "InplaceAdd", Types: map[string][]tensor.DType{"T": summedTypes()}, Lower: inplaceOnGPU},
		{Op: "InplaceSub", Types: map[string][]tensor.DType{"T": summedTypes()}, Lower: inplaceOnGPU},
		{Op: "Range", Types: map[string][]tensor.DType{"Tidx": {tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16, tensor.Int64}}, Lower: rangeOnGPU},
	}
}

// summedTypes returns the types that scattered sums support: those with a kernel, and integers of 8
// and 16 bits, which are summed as 32-bit integers.
func summedTypes() []tensor.DType {
	return append(scatterTypes("Add"), tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16)
}

// summed calls f, which appends steps that add the updates u to elements of dst. If no kernel
// supports dst's type, summed passes wider copies of dst and u to f, and then converts the wider
// copy back to dst.
func summed(b *lower.Builder, dst, u plan.View, f func(dst, u plan.View)) error {
	d := dst.Buf.DType
	if ScatterGPU("Add", d, tensor.Int32) != nil {
		f(dst, u)
		return nil
	}
	wide, err := kit.DevCast(b, tensor.Uint32, kit.Reads(dst))
	if err != nil {
		return err
	}
	if u, err = kit.DevCast(b, tensor.Uint32, u); err != nil {
		return err
	}
	f(wide, u)
	m := kit.DevWork(b, dst.Len)
	m.Out(dst, m.ItemOf(kit.Reads(wide)))
	return m.Append()
}

// inplaceOnGPU lowers the InplaceUpdate ops for GPUs. It computes the same as the function inplace.
// Row numbers are taken modulo the number of rows.
func inplaceOnGPU(b *lower.Builder) error {
	if !b.InFact(0).Shape.Known || !b.InFact(2).Shape.Known {
		return lower.ErrOnHost
	}
	if err := inplaceChecks(b); err != nil {
		return err
	}
	s := b.OutShape(0)
	rows, inner := s[0], sym.Product(s[1:])
	at := b.DevTemp(tensor.Int64, b.InLen(1))
	m := kit.DevWork(b, b.InLen(1))
	n := m.Size(rows)
	i := m.Bin(scalar.Rem, m.Cast(tensor.Int64, m.ItemOf(b.DevIn(1))), n)
	m.Out(at, m.Select(m.Bin(scalar.Lt, i, m.Int(0)), m.Bin(scalar.Add, i, n), i))
	if err := m.Append(); err != nil {
		return err
	}
	out := b.DevOut(0)
	devCopy(b, out, b.DevIn(0))
	op := strings.TrimPrefix(b.Node.Op, "Inplace")
	rowsTo := func(dst, u plan.View) { DevRows(b, op, dst, u, kit.Reads(at), rows, inner, false) }
	if op == "Update" {
		rowsTo(out, b.DevIn(2))
		return nil
	}
	return summed(b, out, b.DevIn(2), rowsTo)
}

// stitchOnGPU lowers DynamicStitch for GPUs. It computes the same as stitchLower. If several
// indices refer to the same row, the host keeps only the last of them. Therefore the order in which
// the device writes rows does not matter.
func stitchOnGPU(b *lower.Builder) error {
	n := b.NumIn() / 2
	if !b.OutFact(0).Shape.Known {
		return lower.ErrOnHost
	}
	bindStitch(b)
	s := b.OutShape(0)
	taken := b.Temp(tensor.Bool, s[0])
	out := b.DevOut(0)
	kit.DevZero(b, out)
	for i := n - 1; i >= 0; i-- {
		at := b.Temp(tensor.Int32, b.InLen(i))
		b.Call(gather.StitchPlaces, kit.Writes(at), taken, b.In(i), i == n-1)
		DevRows(b, "Update", out, b.DevIn(n+i), kit.Uploaded(b, kit.Reads(at)), s[0], sym.Product(s[1:]), false)
	}
	return nil
}

// rangeOnGPU: see rangeLower.
func rangeOnGPU(b *lower.Builder) error {
	if err := arrayops.BindRange(b); err != nil {
		return err
	}
	d := scalar.Plain(b.OutFact(0).DType)
	m := kit.DevWork(b, b.OutLen(0))
	start, delta := m.NumberOf(b.DevIn(0)), m.NumberOf(b.DevIn(2))
	m.Out(b.DevOut(0), m.Bin(scalar.Add, start, m.Bin(scalar.Mul, m.Cast(d, m.Item()), delta)))
	return m.Append()
}
