package ops

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gather"
	gpugather "github.com/graphc/graphc/kernels/gpu/gather"
	"github.com/graphc/graphc/kernels/gpu/order"
	"github.com/graphc/graphc/kernels/gpu/pick"
	"github.com/graphc/graphc/kernels/nms"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// gpuPicks choose elements. Their number is fetched from the device before there is memory for
// them.
func gpuPicks() []*GPU {
	moved := gpuTypes(func(d tensor.DType) any { return gpuBytes("gather.Gather", d, "I32") })
	list := []*GPU{
		{Name: "Where", Types: map[string][]tensor.DType{"T": gpuMoved()}, Lower: whereOnGPU},
		{Name: "DynamicPartition", Types: map[string][]tensor.DType{"T": moved}, Lower: partitionOnGPU},
	}
	for _, op := range []string{"Unique", "UniqueWithCounts"} {
		list = append(list, &GPU{Name: op, Types: map[string][]tensor.DType{"T": uniqueKeys(), "out_idx": {tensor.Int32, tensor.Int64}}, Lower: uniqueOnGPU})
	}
	for _, op := range []string{"NonMaxSuppressionV2", "NonMaxSuppressionV3", "NonMaxSuppressionV4"} {
		f32 := []tensor.DType{tensor.Float32}
		list = append(list, &GPU{Name: op, Types: map[string][]tensor.DType{"T": f32, "T_threshold": f32}, Lower: suppressionOnGPU})
	}
	return list
}

// downloaded is scratch of the host's with what v, in the device's memory, holds when what
// was appended before is done.
func (b *Builder) downloaded(v plan.View) plan.View {
	t := b.Temp(v.Buf.DType, v.Len)
	b.l.step(b.l.get(b.Node, writes(t), reads(v)))
	return reads(t)
}

// picked are flagged elements.
type picked struct {
	flags, counts plan.View
	n             *sym.Expr
}

// devPicked counts the flags, n bytes, that are set.
func (b *Builder) devPicked(flags plan.View) picked {
	p := picked{reads(flags), b.DevTemp(tensor.Uint64, sym.Int(pick.CountsLen)), flags.Len}
	b.Call(pick.Count, b.Queue(), writes(p.counts), p.flags, p.n)
	return p
}

// bind fetches how many are flagged.
func (p picked) bind(b *Builder, size *sym.Expr) {
	total := plan.View{Buf: b.retyped(p.counts.Buf, tensor.Int64), Len: sym.One, Mode: plan.Read}
	b.CallSizes(gather.Count, []*sym.Expr{size}, b.downloaded(total), 0)
}

// places are those of the flagged elements, of which there are count; with ranks it
// says of each how many are before it.
func (p picked) places(b *Builder, count *sym.Expr, ranks plan.Arg) plan.View {
	at := b.DevTemp(tensor.Int64, count)
	b.Call(pick.Places, b.Queue(), writes(at), ranks, p.flags, reads(p.counts), p.n)
	return reads(at)
}

// retyped is a buffer of the device's under another element type of the same size.
func (b *Builder) retyped(buf *plan.Buf, d tensor.DType) *plan.Buf {
	a := &plan.Buf{ID: len(b.l.p.Bufs), Name: buf.Name, DType: d, Len: buf.Len, Place: buf.Place, Alias: buf}
	b.l.p.Bufs = append(b.l.p.Bufs, a)
	return a
}

// whereOnGPU: see whereLower.
func whereOnGPU(b *Builder) error {
	dims := b.InShape(0)
	if !b.InFact(0).Shape.Known || len(dims) == 0 {
		return ErrOnHost
	}
	flags := b.DevTemp(tensor.Bool, b.InLen(0))
	m := b.devWork(b.InLen(0))
	d := scalar.Plain(b.InFact(0).DType)
	x := m.Cast(d, m.item(b.DevIn(0)))
	if d != tensor.Bool {
		x = m.Bin(scalar.Ne, x, m.Op(scalar.Op{Code: scalar.Const, DType: d}))
	}
	m.out(flags, x)
	if err := m.call(); err != nil {
		return err
	}
	count := b.NewSize(0)
	p := b.devPicked(flags)
	p.bind(b, count)
	if len(dims) == 1 {
		b.Call(pick.Places, b.Queue(), b.DevOut(0), noPtr(), p.flags, reads(p.counts), p.n)
		return nil
	}
	at := p.places(b, count, noPtr())
	m = b.devWork(count, sym.Int(len(dims)))
	q := m.along(at, sym.One, sym.Zero)
	step, size := m.Int(1), m.size(dims[len(dims)-1])
	for k, s := range strides(dims)[:len(dims)-1] {
		here := m.Bin(scalar.Eq, m.Coord(1), m.Int(int64(k)))
		step = m.Select(here, m.size(s), step)
		size = m.Select(here, m.size(dims[k]), size)
	}
	m.out(b.DevOut(0), m.Bin(scalar.Rem, m.Bin(scalar.Div, q, step), size))
	return m.call()
}

// partitionOnGPU: see partitionLower. The host refuses what the counts show to be outside.
func partitionOnGPU(b *Builder) error {
	x, p := b.InShape(0), b.InShape(1)
	if !b.InFact(0).Shape.Known || !b.InFact(1).Shape.Known {
		return ErrOnHost
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
		m := b.devWork(n)
		m.out(flags, m.Bin(scalar.Eq, m.item(b.DevIn(1)), m.Const(tensor.Int32, float64(i))))
		if err := m.call(); err != nil {
			return err
		}
		of[i] = b.devPicked(flags)
		x := newBox()
		x.add(sym.One, sym.One, sym.One)
		x.dstOff = sym.Int(i)
		b.devBox(writes(totals), plan.View{Buf: b.retyped(of[i].counts.Buf, tensor.Int64), Len: sym.One, Mode: plan.Read}, x)
	}
	counts := b.downloaded(totals)
	b.Call(gather.Partitioned, counts, n)
	for i := range of {
		size := b.NewSize(i)
		b.CallSizes(gather.Count, []*sym.Expr{size}, counts, i)
		if !b.OutUsed(i) {
			continue
		}
		at := of[i].places(b, size, noPtr())
		b.devTaken(b.DevOut(i), b.DevIn(0), at, n, inner)
	}
	return nil
}

// devTaken appends the gathering of slices of inner elements of src, of limit, at the places ix.
func (b *Builder) devTaken(dst, src, ix plan.View, limit, inner *sym.Expr) {
	d := src.Buf.DType
	b.Call(gpuBytes("gather.Gather", d, gpuSuffix[ix.Buf.DType]), b.Queue(), writes(dst), reads(src), ix,
		plan.Lit(gpugather.Params{}, "Batch", sym.One, "Outer", sym.One, "Limit", limit, "N", ix.Len, "Inner", inner))
}

// uniqueKeys are the types of elements that have keys of 64 bits.
func uniqueKeys() []tensor.DType {
	var ds []tensor.DType
	for _, d := range uniqueTypes["T"] {
		if scalar.Takes(d) {
			ds = append(ds, d)
		}
	}
	return ds
}

// bitsOfSize is the unsigned type of a size in bytes.
var bitsOfSize = map[int]tensor.DType{1: tensor.Uint8, 2: tensor.Uint16, 4: tensor.Uint32, 8: tensor.Uint64}

// uniqueOnGPU: see uniqueLower.
func uniqueOnGPU(b *Builder) error {
	if !b.InFact(0).Shape.Known {
		return ErrOnHost
	}
	if _, err := uniqueAxis(&Shaper{b.Graph, b.Node}, len(b.InShape(0))); err != nil {
		return err
	}
	n, d := b.InLen(0), scalar.Plain(b.InFact(0).DType)
	// Keys are equal where elements are; a NaN's has all bits set.
	keys := b.DevTemp(tensor.Uint64, n)
	m := b.devWork(n)
	x := m.item(b.DevIn(0))
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
	m.out(keys, key)
	if err := m.call(); err != nil {
		return err
	}
	flags, first := b.DevTemp(tensor.Uint8, n), b.DevTemp(tensor.Uint32, n)
	b.Call(pick.Firsts, b.Queue(), writes(flags), writes(first), b.DevTemp(tensor.Uint32, n.MulInt(4)), reads(keys), scalar.IsFloat(d), n)
	count := b.NewSize(0)
	p := b.devPicked(flags)
	p.bind(b, count)
	ranks := b.DevTemp(tensor.Uint32, n)
	at := p.places(b, count, writes(ranks))
	if b.OutUsed(0) {
		b.devTaken(b.DevOut(0), b.DevIn(0), at, n, sym.One)
	}
	idx := b.devOutOrTemp(1)
	m = b.devWork(n)
	m.out(idx, m.LoadAt(m.place(ranks, scalar.Indexed), m.Cast(tensor.Int64, m.item(first))))
	if err := m.call(); err != nil {
		return err
	}
	if len(b.Node.Outs) > 2 && b.OutUsed(2) {
		counts := b.DevOut(2)
		b.devZero(counts)
		one := &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{1}, Data: []int32{1}}
		if counts.Buf.DType == tensor.Int64 {
			one.DType, one.Data = tensor.Int64, []int64{1}
		}
		b.devRows("Add", counts, b.DevConst("one", one), reads(idx), count, sym.One, true)
	}
	return nil
}

// suppressionOnGPU: see nmsLower.
func suppressionOnGPU(b *Builder) error {
	boxes := b.InShape(0)
	es, ok := b.Ints(2)
	if !ok || !b.InFact(0).Shape.Known || !b.InFact(1).Shape.Known {
		return ErrOnHost
	}
	n, most, pad := boxes[0], es[0], b.Node.Bool("pad_to_max_output_size")
	if err := b.sameDim(boxes[1], sym.Int(4), "the columns of boxes"); err != nil {
		return err
	}
	if err := b.sameDim(b.InShape(1)[0], n, "boxes and scores must have the same length"); err != nil {
		return err
	}
	if err := b.atLeast(most, 0, "max_output_size"); err != nil {
		return err
	}
	b.Call(nms.Threshold, b.In(3))
	least := noPtr()
	if b.NumIn() > 4 {
		least = b.DevIn(4)
	}
	scores, places := b.DevTemp(tensor.Float32, n), b.DevTemp(tensor.Int32, n)
	b.Call(order.TopKF32I32, b.Queue(), writes(scores), writes(places), b.DevIn(1), plan.Lit(order.TopParams{}, "Rows", sym.One, "N", n, "K", n))
	room := sym.Min(sym.Max(most, sym.Zero), n)
	if pad {
		room = most
	}
	var count plan.View
	if b.Node.Op == "NonMaxSuppressionV4" {
		count = b.devOutOrTemp(1)
	} else {
		count = b.DevTemp(tensor.Int32, sym.One)
	}
	sel := b.devOutCap(0, room)
	b.Call(pick.Suppress, b.Queue(), sel, writes(count), b.DevIn(0), reads(scores), reads(places), b.DevIn(3), least, b.DevTemp(tensor.Uint8, n),
		plan.Lit(pick.Boxes{}, "N", n, "Most", most, "Room", room))
	if !pad {
		b.CallSizes(gather.Count32, []*sym.Expr{b.NewSize(0)}, b.downloaded(reads(count)), 0)
	}
	return nil
}

// devOutCap is DevOut with room for n elements; see OutCap.
func (b *Builder) devOutCap(i int, n *sym.Expr) plan.View {
	o := b.Node.Outs[i]
	buf := b.l.newDevBuf(b.Node.Name, o.DType, n)
	buf.Shape = o.Shape.Dims
	b.l.dev[ir.Out{Node: b.Node, Index: i}] = buf
	return plan.View{Buf: buf, Len: n, Mode: plan.Write}
}
