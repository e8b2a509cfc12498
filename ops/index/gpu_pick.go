package index

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gather"
	gpugather "github.com/graphc/graphc/kernels/gpu/gather"
	"github.com/graphc/graphc/kernels/gpu/order"
	"github.com/graphc/graphc/kernels/gpu/pick"
	"github.com/graphc/graphc/kernels/nms"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	arrayops "github.com/graphc/graphc/ops/array"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuPicks select elements. The host reads the number of selected elements from the device before
// it allocates memory for them.
func gpuPicks() []*lower.GPU {
	moved := kit.GPUTypes(func(d tensor.DType) any { return kit.GPUBytes("gather.Gather", d, "I32") })
	list := []*lower.GPU{
		{Op: "Where", Types: map[string][]tensor.DType{"T": arrayops.GPUMoved()}, Lower: whereOnGPU},
		{Op: "DynamicPartition", Types: map[string][]tensor.DType{"T": moved}, Lower: partitionOnGPU},
	}
	for _, op := range []string{"Unique", "UniqueWithCounts"} {
		list = append(list, &lower.GPU{Op: op, Types: map[string][]tensor.DType{"T": uniqueKeys(), "out_idx": {tensor.Int32, tensor.Int64}}, Lower: uniqueOnGPU})
	}
	for _, op := range []string{"NonMaxSuppressionV2", "NonMaxSuppressionV3", "NonMaxSuppressionV4"} {
		f32 := []tensor.DType{tensor.Float32}
		list = append(list, &lower.GPU{Op: op, Types: map[string][]tensor.DType{"T": f32, "T_threshold": f32}, Lower: suppressionOnGPU})
	}
	return list
}

// picked describes selected elements: it holds a flag for each of n elements, and counts of the
// flags that are set.
type picked struct {
	flags, counts plan.View
	n             *sym.Expr
}

// devPicked counts the flags that are set. Each flag is a byte.
func devPicked(b *lower.Builder, flags plan.View) picked {
	p := picked{kit.Reads(flags), b.DevTemp(tensor.Uint64, sym.Int(pick.CountsLen)), flags.Len}
	b.Call(pick.Count, b.Queue(), kit.Writes(p.counts), p.flags, p.n)
	return p
}

// bind reads the number of flagged elements and binds it to size.
func (p picked) bind(b *lower.Builder, size *sym.Expr) {
	total := plan.View{Buf: retyped(b, p.counts.Buf, tensor.Int64), Len: sym.One, Mode: plan.Read}
	b.CallSizes(gather.Count, []*sym.Expr{size}, kit.Downloaded(b, total), 0)
}

// places returns the indices of the flagged elements. The parameter count is the number of these
// elements. If ranks is not nil, places stores in it, for each element, the number of flagged
// elements before that element.
func (p picked) places(b *lower.Builder, count *sym.Expr, ranks *plan.View) plan.View {
	at := b.DevTemp(tensor.Int64, count)
	p.placesIn(b, kit.Writes(at), ranks)
	return kit.Reads(at)
}

// placesIn computes the same as places, but stores the indices of the flagged elements in a given
// view.
func (p picked) placesIn(b *lower.Builder, at plan.View, ranks *plan.View) {
	b.Call(pick.Places, b.Queue(), at, p.flags, kit.Reads(p.counts), plan.Lit(pick.Flagged{}, "N", p.n, "Ranks", ranks))
}

// retyped returns an alias of a device buffer with another element type of the same size.
func retyped(b *lower.Builder, buf *plan.Buf, d tensor.DType) *plan.Buf {
	return b.AddBuf(&plan.Buf{Name: buf.Name, DType: d, Len: buf.Len, Place: buf.Place, Alias: buf})
}

// whereOnGPU: see whereLower.
func whereOnGPU(b *lower.Builder) error {
	dims := b.InShape(0)
	if !b.InFact(0).Shape.Known || len(dims) == 0 {
		return lower.ErrOnHost
	}
	flags := b.DevTemp(tensor.Bool, b.InLen(0))
	m := kit.DevWork(b, b.InLen(0))
	d := scalar.Plain(b.InFact(0).DType)
	x := m.Cast(d, m.ItemOf(b.DevIn(0)))
	if d != tensor.Bool {
		x = m.Bin(scalar.Ne, x, m.Op(scalar.Op{Code: scalar.Const, DType: d}))
	}
	m.Out(flags, x)
	if err := m.Append(); err != nil {
		return err
	}
	count := b.NewSize(0)
	p := devPicked(b, flags)
	p.bind(b, count)
	if len(dims) == 1 {
		p.placesIn(b, b.DevOut(0), nil)
		return nil
	}
	at := p.places(b, count, nil)
	m = kit.DevWork(b, count, sym.Int(len(dims)))
	q := m.Along(at, sym.One, sym.Zero)
	step, size := m.Int(1), m.Size(dims[len(dims)-1])
	for k, s := range kit.Strides(dims)[:len(dims)-1] {
		here := m.Bin(scalar.Eq, m.Coord(1), m.Int(int64(k)))
		step = m.Select(here, m.Size(s), step)
		size = m.Select(here, m.Size(dims[k]), size)
	}
	m.Out(b.DevOut(0), m.Bin(scalar.Rem, m.Bin(scalar.Div, q, step), size))
	return m.Append()
}

// partitionOnGPU lowers DynamicPartition for GPUs. It computes the same as partitionLower. If the
// counts show that a partition is out of range, the host ends the run with an error.
func partitionOnGPU(b *lower.Builder) error {
	x, p := b.InShape(0), b.InShape(1)
	if !b.InFact(0).Shape.Known || !b.InFact(1).Shape.Known {
		return lower.ErrOnHost
	}
	for k, e := range p {
		if !e.Equal(x[k]) {
			b.Check(shape.Equal, x[k], e, "data.shape must start with partitions.shape")
		}
	}
	n, inner, parts := b.InLen(1), sym.Product(x[len(p):]), len(b.Node.Outs)
	of := make([]picked, parts)
	totals := b.DevTemp(tensor.Int64, sym.Int(parts))
	for i := range of {
		flags := b.DevTemp(tensor.Bool, n)
		m := kit.DevWork(b, n)
		m.Out(flags, m.Bin(scalar.Eq, m.ItemOf(b.DevIn(1)), m.Const(tensor.Int32, float64(i))))
		if err := m.Append(); err != nil {
			return err
		}
		of[i] = devPicked(b, flags)
		x := kit.NewBox()
		x.Add(sym.One, sym.One, sym.One)
		x.DstOff = sym.Int(i)
		kit.DevBox(b, kit.Writes(totals), plan.View{Buf: retyped(b, of[i].counts.Buf, tensor.Int64), Len: sym.One, Mode: plan.Read}, x)
	}
	counts := kit.Downloaded(b, totals)
	b.Call(gather.Partitioned, counts, n)
	for i := range of {
		size := b.NewSize(i)
		b.CallSizes(gather.Count, []*sym.Expr{size}, counts, i)
		if !b.OutUsed(i) {
			continue
		}
		at := of[i].places(b, size, nil)
		devTaken(b, b.DevOut(i), b.DevIn(0), at, n, inner)
	}
	return nil
}

// devTaken appends a gather of the slices of src whose indices are in ix. The parameter limit is the
// number of slices in src, and inner is the number of elements of a slice.
func devTaken(b *lower.Builder, dst, src, ix plan.View, limit, inner *sym.Expr) {
	d := src.Buf.DType
	b.Call(kit.GPUBytes("gather.Gather", d, kit.GPUSuffix[ix.Buf.DType]), b.Queue(), kit.Writes(dst), kit.Reads(src), ix,
		plan.Lit(gpugather.Params{}, "Batch", sym.One, "Outer", sym.One, "Limit", limit, "N", ix.Len, "Inner", inner))
}

// uniqueKeys returns the element types that can be mapped to 64-bit keys.
func uniqueKeys() []tensor.DType {
	var ds []tensor.DType
	for _, d := range uniqueTypes["T"] {
		if scalar.Takes(d) {
			ds = append(ds, d)
		}
	}
	return ds
}

// bitsOfSize maps a size in bytes to the unsigned type of that size.
var bitsOfSize = map[int]tensor.DType{1: tensor.Uint8, 2: tensor.Uint16, 4: tensor.Uint32, 8: tensor.Uint64}

// uniqueOnGPU: see uniqueLower.
func uniqueOnGPU(b *lower.Builder) error {
	if !b.InFact(0).Shape.Known {
		return lower.ErrOnHost
	}
	if _, err := uniqueAxis(b.Shaper(), len(b.InShape(0))); err != nil {
		return err
	}
	n, d := b.InLen(0), scalar.Plain(b.InFact(0).DType)
	// Equal elements have equal keys; the key of NaN has all bits set.
	keys := b.DevTemp(tensor.Uint64, n)
	m := kit.DevWork(b, n)
	x := m.ItemOf(b.DevIn(0))
	key := x
	if d != tensor.Bool {
		key = m.Bits(bitsOfSize[d.Size()], x)
	}
	key = m.Cast(tensor.Uint64, key)
	if scalar.IsFloat(d) {
		zero := m.Op(scalar.Op{Code: scalar.Const, DType: tensor.Uint64})
		all := m.Op(scalar.Op{Code: scalar.Const, DType: tensor.Uint64, Bits: [2]uint64{1<<64 - 1}})
		key = m.Select(m.Bin(scalar.Eq, x, m.Const(d, 0)), zero, key)
		key = m.Select(m.Bin(scalar.Ne, x, x), all, key)
	}
	m.Out(keys, key)
	if err := m.Append(); err != nil {
		return err
	}
	flags, first := b.DevTemp(tensor.Uint8, n), b.DevTemp(tensor.Uint32, n)
	b.Call(pick.Firsts, b.Queue(), kit.Writes(flags), kit.Writes(first), b.DevTemp(tensor.Uint32, n.MulInt(4)), kit.Reads(keys), scalar.IsFloat(d), n)
	count := b.NewSize(0)
	p := devPicked(b, flags)
	p.bind(b, count)
	ranks := kit.Writes(b.DevTemp(tensor.Uint32, n))
	at := p.places(b, count, &ranks)
	if b.OutUsed(0) {
		devTaken(b, b.DevOut(0), b.DevIn(0), at, n, sym.One)
	}
	idx := kit.DevOutOrTemp(b, 1)
	m = kit.DevWork(b, n)
	m.Out(idx, m.LoadAt(m.Place(ranks, scalar.Indexed), m.Cast(tensor.Int64, m.ItemOf(first))))
	if err := m.Append(); err != nil {
		return err
	}
	if len(b.Node.Outs) > 2 && b.OutUsed(2) {
		counts := b.DevOut(2)
		kit.DevZero(b, counts)
		one := &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{1}, Data: []int32{1}}
		if counts.Buf.DType == tensor.Int64 {
			one.DType, one.Data = tensor.Int64, []int64{1}
		}
		DevRows(b, "Add", counts, b.DevConst("one", one), kit.Reads(idx), count, sym.One, true)
	}
	return nil
}

// suppressionOnGPU: see nmsLower.
func suppressionOnGPU(b *lower.Builder) error {
	boxes := b.InShape(0)
	es, ok := b.Ints(2)
	if !ok || !b.InFact(0).Shape.Known || !b.InFact(1).Shape.Known {
		return lower.ErrOnHost
	}
	n, most, pad := boxes[0], es[0], b.Node.Bool("pad_to_max_output_size")
	if err := kit.RequireSame(b, boxes[1], sym.Int(4), "the columns of boxes"); err != nil {
		return err
	}
	if err := kit.RequireSame(b, b.InShape(1)[0], n, "boxes and scores must have the same length"); err != nil {
		return err
	}
	if err := kit.AtLeast(b, most, 0, "max_output_size"); err != nil {
		return err
	}
	b.Call(nms.Threshold, b.In(3))
	scores, places := b.DevTemp(tensor.Float32, n), b.DevTemp(tensor.Int32, n)
	b.Call(order.TopKF32I32, b.Queue(), kit.Writes(scores), kit.Writes(places), b.DevIn(1), plan.Lit(order.TopParams{}, "Rows", sym.One, "N", n, "K", n))
	room := sym.Min(sym.Max(most, sym.Zero), n)
	if pad {
		room = most
	}
	var count plan.View
	if b.Node.Op == "NonMaxSuppressionV4" {
		count = kit.DevOutOrTemp(b, 1)
	} else {
		count = b.DevTemp(tensor.Int32, sym.One)
	}
	q := plan.Lit(pick.Boxes{}, "N", n, "Most", most, "Room", room)
	if b.NumIn() > 4 {
		q = q.With("Least", b.DevIn(4))
	}
	sel := devOutCap(b, 0, room)
	b.Call(pick.Suppress, b.Queue(), sel, kit.Writes(count), b.DevIn(0), kit.Reads(scores), kit.Reads(places), b.DevIn(3), b.DevTemp(tensor.Uint8, n), q)
	if !pad {
		b.CallSizes(gather.Count32, []*sym.Expr{b.NewSize(0)}, kit.Downloaded(b, kit.Reads(count)), 0)
	}
	return nil
}

// devOutCap is like DevOut, but with room for n elements; see OutCap.
func devOutCap(b *lower.Builder, i int, n *sym.Expr) plan.View {
	o := b.Node.Outs[i]
	buf := b.NewDevBuf(b.Node.Name, o.DType, n)
	buf.Shape = o.Shape.Dims
	b.SetDevBuf(ir.Out{Node: b.Node, Index: i}, buf)
	return plan.View{Buf: buf, Len: n, Mode: plan.Write}
}
