package ops

import (
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/gather"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuSlices write rows whose numbers are given, and arithmetic progressions.
func gpuSlices() []*GPU {
	moved := scatterTypes("Update")
	return []*GPU{
		{Op: "DynamicStitch", Types: map[string][]tensor.DType{"T": moved}, Lower: stitchOnGPU},
		{Op: "InplaceUpdate", Types: map[string][]tensor.DType{"T": moved}, Lower: inplaceOnGPU},
		{Op: "InplaceAdd", Types: map[string][]tensor.DType{"T": summedTypes()}, Lower: inplaceOnGPU},
		{Op: "InplaceSub", Types: map[string][]tensor.DType{"T": summedTypes()}, Lower: inplaceOnGPU},
		{Op: "Range", Types: map[string][]tensor.DType{"Tidx": {tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16, tensor.Int64}}, Lower: rangeOnGPU},
	}
}

// summedTypes are the types that scattered sums take: those that kernels have, and
// integers of 8 and 16 bits, whose sums are made in 32.
func summedTypes() []tensor.DType {
	return append(scatterTypes("Add"), tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16)
}

// summed has f scatter sums to dst: to dst itself, or where no kernel takes its type to a
// wider copy of it, with an equal one of the updates.
func (b *Builder) summed(dst, u plan.View, f func(dst, u plan.View)) error {
	d := dst.Buf.DType
	if scatterGPU("Add", d, tensor.Int32) != nil {
		f(dst, u)
		return nil
	}
	wide, err := b.devCast(tensor.Uint32, reads(dst))
	if err != nil {
		return err
	}
	if u, err = b.devCast(tensor.Uint32, u); err != nil {
		return err
	}
	f(wide, u)
	m := b.devWork(dst.Len)
	m.out(dst, m.item(reads(wide)))
	return m.call()
}

// inplaceOnGPU: see inplace. Rows are counted modulo their number.
func inplaceOnGPU(b *Builder) error {
	if !b.InFact(0).Shape.Known || !b.InFact(2).Shape.Known {
		return ErrOnHost
	}
	if err := b.inplaceChecks(); err != nil {
		return err
	}
	s := b.OutShape(0)
	rows, inner := s[0], sym.Product(s[1:])
	at := b.DevTemp(tensor.Int64, b.InLen(1))
	m := b.devWork(b.InLen(1))
	n := m.size(rows)
	i := m.Bin(scalar.Rem, m.Cast(tensor.Int64, m.item(b.DevIn(1))), n)
	m.out(at, m.Select(m.Bin(scalar.Lt, i, m.Int(0)), m.Bin(scalar.Add, i, n), i))
	if err := m.call(); err != nil {
		return err
	}
	out := b.DevOut(0)
	b.devCopy(out, b.DevIn(0))
	op := strings.TrimPrefix(b.Node.Op, "Inplace")
	rowsTo := func(dst, u plan.View) { b.devRows(op, dst, u, reads(at), rows, inner, false) }
	if op == "Update" {
		rowsTo(out, b.DevIn(2))
		return nil
	}
	return b.summed(out, b.DevIn(2), rowsTo)
}

// stitchOnGPU: see stitchLower. The host finds the last of the indices of each row, so that
// the order in which rows are written is of no account.
func stitchOnGPU(b *Builder) error {
	n := b.NumIn() / 2
	if !b.OutFact(0).Shape.Known {
		return ErrOnHost
	}
	b.bindStitch()
	s := b.OutShape(0)
	taken := b.Temp(tensor.Bool, s[0])
	out := b.DevOut(0)
	b.devZero(out)
	for i := n - 1; i >= 0; i-- {
		at := b.Temp(tensor.Int32, b.InLen(i))
		b.Call(gather.StitchPlaces, writes(at), taken, b.In(i), i == n-1)
		b.devRows("Update", out, b.DevIn(n+i), b.uploaded(reads(at)), s[0], sym.Product(s[1:]), false)
	}
	return nil
}

// rangeOnGPU: see rangeLower.
func rangeOnGPU(b *Builder) error {
	if err := b.bindRange(); err != nil {
		return err
	}
	d := scalar.Plain(b.OutFact(0).DType)
	m := b.devWork(b.OutLen(0))
	start, delta := m.number(b.DevIn(0)), m.number(b.DevIn(2))
	m.out(b.DevOut(0), m.Bin(scalar.Add, start, m.Bin(scalar.Mul, m.Cast(d, m.Item()), delta)))
	return m.call()
}

// gpuFormats translate axes, and stand for convolutions.
func gpuFormats() []*GPU {
	ints := []tensor.DType{tensor.Int32, tensor.Int64}
	return []*GPU{
		{Op: "DataFormatVecPermute", Types: map[string][]tensor.DType{"T": ints}, Lower: vecPermuteOnGPU},
		{Op: "DataFormatDimMap", Types: map[string][]tensor.DType{"T": ints}, Lower: dimMapOnGPU},
		{Op: "Conv", Types: map[string][]tensor.DType{"T": gpuTypesOf("conv.")}, Lower: anyConvOnGPU},
	}
}

// chosenInt is vs[i], 0 outside.
func (m *viewWork) chosenInt(i scalar.Value, vs []int) scalar.Value {
	v := m.Int(0)
	for k, at := range vs {
		v = m.Select(m.Bin(scalar.Eq, i, m.Int(int64(k))), m.Int(int64(at)), v)
	}
	return v
}

// vecPermuteOnGPU: see vecPermuteLower.
func vecPermuteOnGPU(b *Builder) error {
	all, space, err := vecPermutations(b.Node)
	if err != nil {
		return err
	}
	x := b.InShape(0)
	if !b.InFact(0).Shape.Known {
		return ErrOnHost
	}
	if len(x) == 2 && !x[1].Is(2) {
		b.Check(shape.Equal, x[1], 2, "the second dimension of input")
	}
	b.Check(array.PermutedRows, x[0], len(all), len(space))
	inner := sym.Product(x[1:])
	m := b.devWork(x[0], inner)
	few := m.Bin(scalar.Eq, m.size(x[0]), m.Int(int64(len(space))))
	row := m.Select(few, m.chosenInt(m.Coord(0), space), m.chosenInt(m.Coord(0), all))
	at := m.Bin(scalar.Add, m.Bin(scalar.Mul, row, m.size(inner)), m.Coord(1))
	m.out(b.DevOut(0), m.LoadAt(m.place(b.DevIn(0), scalar.Indexed), at))
	return m.call()
}

// dimMapOnGPU: see dimMapLower. Axes are counted modulo their number.
func dimMapOnGPU(b *Builder) error {
	src, dst, err := formats(b.Node)
	if err != nil {
		return err
	}
	m := b.devWork(b.OutLen(0))
	n := m.Int(int64(len(src)))
	x := m.Bin(scalar.Rem, m.Cast(tensor.Int64, m.item(b.DevIn(0))), n)
	x = m.Select(m.Bin(scalar.Lt, x, m.Int(0)), m.Bin(scalar.Add, x, n), x)
	m.out(b.DevOut(0), m.chosenInt(x, letters(dst, src)))
	return m.call()
}

// anyConvOnGPU: see anyConvLower.
func anyConvOnGPU(b *Builder) error {
	image, n, err := b.anyConvStages()
	if err != nil {
		return err
	}
	b = b.OnDev()
	b.SetDevBuf(ir.Out{Node: image}, b.DevIn(0).Buf)
	lowering := convLower2
	if n.Op == "Conv3D" {
		lowering = volumeOnGPU
	}
	if err := b.lowerStage(n, lowering); err != nil {
		return err
	}
	buf := b.DevBuf(ir.Out{Node: n})
	buf.Shape = b.OutShape(0)
	b.SetDevBuf(ir.Out{Node: b.Node}, buf)
	return nil
}
