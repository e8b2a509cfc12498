package ops

import (
	"slices"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// scalarMoves are ops that put elements elsewhere: where each comes from is computed
// from the place it goes to.
func scalarMoves() []*GPU {
	return append(scalarIndices(), []*GPU{
		gpuMap("Transpose", transposeScalar), gpuMap("ConjugateTranspose", transposeScalar),
		gpuMap("StridedSlice", stridedSliceScalar), gpuMap("Slice", sliceScalar),
		gpuMap("ReverseV2", reverseScalar), gpuMap("Reverse", reverseScalar), gpuMap("Roll", rollScalar), gpuMap("ReverseSequence", reverseSequenceScalar),
		gpuMap("Pad", padScalar), gpuMap("PadV2", padScalar), gpuMap("MirrorPad", mirrorPadScalar),
		gpuMap("Tile", tileScalar), gpuMap("BroadcastTo", broadcastToScalar), gpuMap("Fill", fillScalar), gpuMap("OneHot", oneHotScalar),
		gpuMap("DepthToSpace", depthToSpaceScalar), gpuMap("SpaceToDepth", spaceToDepthScalar),
		gpuMap("SpaceToBatchND", spaceToBatchScalar), gpuMap("SpaceToBatch", spaceToBatchScalar), gpuMap("BatchToSpaceND", batchToSpaceScalar), gpuMap("BatchToSpace", batchToSpaceScalar),
		gpuMap("Diag", diagScalar), gpuMap("DiagPart", diagPartScalar), gpuMap("MatrixBandPart", bandScalar), gpuMap("BatchMatrixBandPart", bandScalar),
	}...)
}

// boxWork is the work of moving the elements of tensor in to tensor out, both of type d,
// as x says.
func boxWork(x *box, d tensor.DType, in, out int, node string) *scalar.Work {
	x = x.inRows()
	w := &scalar.Work{Sizes: x.dims}
	if len(w.Sizes) == 0 {
		w.Sizes = []*sym.Expr{sym.One}
		x = &box{dst: []*sym.Expr{sym.Zero}, src: []*sym.Expr{sym.Zero}, dstOff: x.dstOff, srcOff: x.srcOff}
	}
	w.Dims = len(w.Sizes)
	w.Ins = []scalar.Input{{DType: d, Access: scalar.Strided, Name: node}}
	w.In = []scalar.Place{{Tensor: in, Offset: x.srcOff, Strides: x.src}}
	v := scalar.NewBuilder(&w.Program).Load(0)
	w.Outs = []scalar.Output{{DType: d, Value: v, Access: scalar.Strided, Name: node}}
	w.Out = []scalar.Place{{Tensor: out, Offset: x.dstOff, Strides: x.dst}}
	return w.Simplify()
}

// inRows has the loops in the order in which the elements of the destination lie, where
// those are all in rows.
func (x *box) inRows() *box {
	y, left, step := newBox(), len(x.dims), sym.One
	y.dstOff, y.srcOff = x.dstOff, x.srcOff
	used := make([]bool, len(x.dims))
	for ; left > 0; left-- {
		k := -1
		for i := range x.dims {
			if !used[i] && (x.dims[i].Is(1) || k < 0 && x.dst[i].Equal(step)) {
				k = i
			}
		}
		if k < 0 {
			return x
		}
		used[k] = true
		step = step.Mul(x.dims[k])
		y.add(x.dims[k], x.dst[k], x.src[k])
	}
	slices.Reverse(y.dims)
	slices.Reverse(y.dst)
	slices.Reverse(y.src)
	return y
}

// boxScalar is the work of making output 0 the box x of input 0.
func (b *Builder) boxScalar(x *box) (*scalar.Work, error) {
	return boxWork(x, b.OutFact(0).DType, 0, scalarOut(0), b.Node.Name), nil
}

// movable reports that output 0 has elements that programs move.
func (b *Builder) movable() bool { return scalar.Takes(b.OutFact(0).DType) && b.InFact(0).Shape.Known }

func transposeScalar(b *Builder) (*scalar.Work, error) {
	if !b.movable() {
		return nil, ErrOnHost
	}
	x, err := transposeBox(b)
	if err != nil {
		return nil, err
	}
	w, err := b.boxScalar(x)
	if err == nil && b.Node.Op == "ConjugateTranspose" && b.OutFact(0).DType.IsComplex() {
		e := &realExpr{scalar.NewBuilder(&w.Program), b.OutFact(0).DType, b}
		w.Outs[0].Value = e.conj(w.Outs[0].Value)
	}
	return w, err
}

func stridedSliceScalar(b *Builder) (*scalar.Work, error) {
	if !b.movable() {
		return nil, ErrOnHost
	}
	dims := b.InShape(0)
	p, err := planStrided(b.Shaper(), dims, 1)
	if err != nil {
		return nil, err
	}
	b.checkSpread(1, len(dims))
	b.bindCuts(p, dims)
	return b.boxScalar(p.box(dims))
}

func sliceScalar(b *Builder) (*scalar.Work, error) {
	if !b.movable() {
		return nil, ErrOnHost
	}
	p, err := planSlice(b.Shaper())
	if err != nil {
		return nil, err
	}
	b.bindSlice(p)
	return b.boxScalar(p.box(b.InShape(0)))
}

func reverseScalar(b *Builder) (*scalar.Work, error) {
	if !b.movable() {
		return nil, ErrOnHost
	}
	x, err := b.reverseBox()
	if err != nil {
		return nil, err
	}
	return b.boxScalar(x)
}

func tileScalar(b *Builder) (*scalar.Work, error) {
	if !b.movable() {
		return nil, ErrOnHost
	}
	x, err := b.tileBox()
	if err != nil {
		return nil, err
	}
	return b.boxScalar(x)
}

func depthToSpaceScalar(b *Builder) (*scalar.Work, error) {
	h, w, ch, err := imageAxes(b.Node)
	if err != nil || !b.movable() {
		return nil, ErrOnHost
	}
	bs, _ := blockSize(b.Node)
	in, out := b.InShape(0), b.OutShape(0)
	b.checkDivides(in[ch], bs*bs, "the depth")
	return b.boxScalar(blockMove(in[0], in[h], in[w], out[ch], bs, strides(out), strides(in), h, w, ch))
}

func spaceToDepthScalar(b *Builder) (*scalar.Work, error) {
	h, w, ch, err := imageAxes(b.Node)
	if err != nil || !b.movable() {
		return nil, ErrOnHost
	}
	bs, _ := blockSize(b.Node)
	in, out := b.InShape(0), b.OutShape(0)
	b.checkDivides(in[h], bs, "an image dimension")
	b.checkDivides(in[w], bs, "an image dimension")
	x := blockMove(out[0], out[h], out[w], in[ch], bs, strides(in), strides(out), h, w, ch)
	x.dst, x.src = x.src, x.dst
	return b.boxScalar(x)
}

// diagPartScalar: the elements of the main diagonal lie n+1 apart.
func diagPartScalar(b *Builder) (*scalar.Work, error) {
	if !b.movable() {
		return nil, ErrOnHost
	}
	dims := b.InShape(0)
	for k, d := range b.OutShape(0) {
		if e := dims[len(dims)/2+k]; !e.Equal(d) {
			b.Check(array.SameDim, d, e)
		}
	}
	n := b.OutLen(0)
	x := newBox()
	x.add(n, sym.One, n.AddInt(1))
	return b.boxScalar(x)
}

// within is lo ≤ c < lo + n.
func (m *scalarMaker) within(c scalar.Value, lo, n *sym.Expr) scalar.Value {
	e := m.e
	below := e.Bin(scalar.Lt, c, m.arg(lo.Add(n)))
	if lo.Is(0) {
		return below
	}
	return e.Bin(scalar.And, e.Bin(scalar.Ge, c, m.arg(lo)), below)
}

// guard is whether all of the conditions hold.
func (m *scalarMaker) guard(cs []scalar.Value) scalar.Value {
	if len(cs) == 0 {
		return m.e.Const(tensor.Bool, 1)
	}
	g := cs[0]
	for _, c := range cs[1:] {
		g = m.e.Bin(scalar.And, g, c)
	}
	return g
}

// padScalar: what is not of the input is 0, or PadV2's value.
func padScalar(b *Builder) (*scalar.Work, error) {
	if !b.movable() {
		return nil, ErrOnHost
	}
	dims := b.InShape(0)
	before, after, err := bindMargins(b, len(dims))
	if err != nil {
		return nil, err
	}
	m := newScalar(b, b.OutShape(0))
	st, off := append([]*sym.Expr{}, strides(dims)...), sym.Zero
	if len(st) == 0 {
		st = []*sym.Expr{sym.Zero}
	}
	var inside []scalar.Value
	for k, d := range dims {
		off = off.Sub(before[k].Mul(st[k]))
		if !before[k].Is(0) || !after[k].Is(0) {
			inside = append(inside, m.within(m.e.Coord(k), before[k], d))
		}
	}
	g := m.guard(inside)
	v := m.e.LoadIf(m.strided(0, off, st), g)
	if b.NumIn() > 2 {
		v = m.e.Select(g, v, m.number(2))
	}
	m.out(0, v)
	return m.done()
}

// mirrorPadScalar reflects what is outside at the borders.
func mirrorPadScalar(b *Builder) (*scalar.Work, error) {
	off, err := mirror(b.Node)
	if err != nil || !b.movable() || len(b.InShape(0)) == 0 {
		return nil, ErrOnHost
	}
	dims := b.InShape(0)
	before, after, err := bindMargins(b, len(dims))
	if err != nil {
		return nil, err
	}
	b.Check(array.MirrorFits, dims, before, after, off)
	m := newScalar(b, b.OutShape(0))
	e, st := m.e, strides(dims)
	at := e.Int(0)
	for k, d := range dims {
		i := e.Coord(k)
		if !before[k].Is(0) {
			i = e.Bin(scalar.Sub, i, m.arg(before[k]))
			i = e.Select(e.Bin(scalar.Lt, i, e.Int(0)), e.Bin(scalar.Sub, e.Int(int64(off-1)), i), i)
		}
		if !after[k].Is(0) || !before[k].Is(0) {
			back := e.Bin(scalar.Sub, m.arg(d.MulInt(2).AddInt(-1-off)), i)
			i = e.Select(e.Bin(scalar.Ge, i, m.arg(d)), back, i)
		}
		at = m.step(at, i, st[k])
	}
	m.out(0, e.LoadAt(m.place(0, scalar.Indexed, nil, nil), at))
	return m.done()
}

// step is at + i·stride.
func (m *scalarMaker) step(at, i scalar.Value, stride *sym.Expr) scalar.Value {
	if !stride.Is(1) {
		i = m.e.Bin(scalar.Mul, i, m.arg(stride))
	}
	if o := m.e.P.Ops[at]; o.Code == scalar.Const && o.Bits[0] == 0 {
		return i
	}
	return m.e.Bin(scalar.Add, at, i)
}

// rollScalar: an axis named twice is shifted by both.
func rollScalar(b *Builder) (*scalar.Work, error) {
	c := b.Shaper()
	axes, ok := c.StaticInts(2)
	shifts, ok2 := b.Ints(1)
	if !ok || !ok2 || !b.movable() || len(axes) != len(shifts) {
		return nil, ErrOnHost
	}
	dims := b.InShape(0)
	by := make([]*sym.Expr, len(dims))
	for i, a := range axes {
		k, err := Axis(a, len(dims))
		if err != nil {
			return nil, err
		}
		if by[k] == nil {
			by[k] = sym.Zero
		}
		by[k] = by[k].Add(shifts[i])
	}
	m := newScalar(b, dims)
	e, st := m.e, strides(dims)
	at := e.Int(0)
	for k, d := range dims {
		i := e.Coord(k)
		if by[k] != nil {
			// i - shift, brought into range: both remainders are computed once a thread.
			n := m.arg(d)
			r := e.Bin(scalar.Rem, m.arg(by[k]), n)
			r = e.Select(e.Bin(scalar.Lt, r, e.Int(0)), e.Bin(scalar.Add, r, n), r)
			i = e.Bin(scalar.Sub, i, r)
			i = e.Select(e.Bin(scalar.Lt, i, e.Int(0)), e.Bin(scalar.Add, i, n), i)
		}
		at = m.step(at, i, st[k])
	}
	m.out(0, e.LoadAt(m.place(0, scalar.Indexed, nil, nil), at))
	return m.done()
}

// reverseSequenceScalar turns round the first elements of each sequence.
func reverseSequenceScalar(b *Builder) (*scalar.Work, error) {
	if !b.movable() {
		return nil, ErrOnHost
	}
	dims := b.InShape(0)
	seq, batch, err := sequenceAxes(b.Shaper(), len(dims))
	if err != nil {
		return nil, err
	}
	if n := b.InShape(1)[0]; !n.Equal(dims[batch]) {
		b.Check(shape.Equal, n, dims[batch], "the length of seq_lengths and the batch")
	}
	m := newScalar(b, dims)
	e, one := m.e, make([]*sym.Expr, len(dims))
	for k := range one {
		one[k] = sym.Zero
	}
	one[batch] = sym.One
	n := e.Cast(tensor.Int64, e.Load(m.strided(1, sym.Zero, one)))
	at := e.Int(0)
	for k, stride := range strides(dims) {
		i := e.Coord(k)
		if k == seq {
			back := e.Bin(scalar.Sub, e.Bin(scalar.Sub, n, i), e.Int(1))
			i = e.Select(e.Bin(scalar.Lt, i, n), back, i)
		}
		at = m.step(at, i, stride)
	}
	m.out(0, e.LoadAt(m.place(0, scalar.Indexed, nil, nil), at))
	return m.done()
}

func broadcastToScalar(b *Builder) (*scalar.Work, error) {
	if !b.movable() {
		return nil, ErrOnHost
	}
	in, out := b.InShape(0), b.OutShape(0)
	for k, d := range in {
		if o := out[len(out)-len(in)+k]; !d.Is(1) && !d.Equal(o) {
			return nil, ErrOnHost // it may have to be refused
		}
	}
	b.bindDims(1)
	m := newScalar(b, out)
	m.out(0, m.spread(0, in))
	return m.done()
}

func fillScalar(b *Builder) (*scalar.Work, error) {
	if !scalar.Takes(b.OutFact(0).DType) {
		return nil, ErrOnHost
	}
	b.bindDims(0)
	m := newScalar(b, []*sym.Expr{b.OutLen(0)})
	m.out(0, m.number(1))
	return m.done()
}

// oneHotScalar: an index outside of the depth chooses no element.
func oneHotScalar(b *Builder) (*scalar.Work, error) {
	if !scalar.Takes(b.OutFact(0).DType) || !b.InFact(0).Shape.Known {
		return nil, ErrOnHost
	}
	depth, _ := b.Ints(1)
	b.bindSize(0, 0, depth[0], "depth")
	out := b.OutShape(0)
	axis := len(out) - 1
	if a := b.Node.Int("axis"); a != -1 {
		axis = a
	}
	outer, inner := sym.Product(out[:axis]), sym.Product(out[axis+1:])
	m := newScalar(b, []*sym.Expr{outer, out[axis], inner})
	e := m.e
	i := e.Load(m.strided(0, sym.Zero, []*sym.Expr{inner, sym.Zero, sym.One}))
	hit := e.Bin(scalar.Eq, e.Cast(tensor.Int64, i), e.Coord(1))
	m.out(0, e.Select(hit, m.number(2), m.number(3)))
	return m.done()
}

// diagScalar: Diag of n elements is 0 but for every n+1st element.
func diagScalar(b *Builder) (*scalar.Work, error) {
	if !b.movable() {
		return nil, ErrOnHost
	}
	n := b.InLen(0)
	m := newScalar(b, []*sym.Expr{n, n})
	e := m.e
	on := e.Bin(scalar.Eq, e.Coord(0), e.Coord(1))
	m.out(0, e.LoadIf(m.strided(0, sym.Zero, []*sym.Expr{sym.One, sym.Zero}), on))
	return m.done()
}

// bandScalar keeps the elements from num_lower diagonals below to num_upper above the
// main one; a negative number is all.
func bandScalar(b *Builder) (*scalar.Work, error) {
	below, ok1 := b.Ints(1)
	above, ok2 := b.Ints(2)
	if !ok1 || !ok2 || len(below) != 1 || len(above) != 1 || !b.movable() {
		return nil, ErrOnHost
	}
	dims := b.InShape(0)
	rows, cols := dims[len(dims)-2], dims[len(dims)-1]
	b.checkLen(1, 1)
	b.checkLen(2, 1)
	b.Check(array.BandFits, below[0], above[0], rows, cols)
	m := newScalar(b, []*sym.Expr{sym.Product(dims[:len(dims)-2]), rows, cols})
	e := m.e
	zero := e.Int(0)
	far := func(limit *sym.Expr, d scalar.Value) scalar.Value { // d is within the limit
		l := m.arg(limit)
		return e.Bin(scalar.Or, e.Bin(scalar.Lt, l, zero), e.Bin(scalar.Le, d, l))
	}
	d := e.Bin(scalar.Sub, e.Coord(1), e.Coord(2))
	in := e.Bin(scalar.And, far(below[0], d), far(above[0], e.Un(scalar.Neg, d)))
	m.out(0, e.LoadIf(m.place(0, scalar.Contiguous, nil, nil), in))
	return m.done()
}

// blocked is the division of pixels into blocks; ErrOnHost where only a run tells it.
func (b *Builder) blocked() (*blocking, error) {
	if !b.movable() {
		return nil, ErrOnHost
	}
	p, err := planBlocking(b.Shaper())
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, ErrOnHost
	}
	p.bind(b)
	return p, nil
}

// spaceToBatchScalar: batch (Σ offset in the block)·N + n of the result, at y, is batch n
// at y·block + offset - before.
func spaceToBatchScalar(b *Builder) (*scalar.Work, error) {
	p, err := b.blocked()
	if err != nil {
		return nil, err
	}
	in, out, n := b.InShape(0), b.OutShape(0), len(p.block)
	for k, bl := range p.block {
		if e := in[k+1].Add(p.before[k]).Add(p.after[k]); !e.Mod(bl).Is(0) {
			b.Check(array.Divides, bl, e, "a padded dimension")
		}
	}
	inner := sym.Product(in[n+1:])
	sizes := append(append(append([]*sym.Expr{}, p.block...), in[0]), append(append([]*sym.Expr{}, out[1:n+1]...), inner)...)
	m := newScalar(b, sizes)
	src := strides(append(append([]*sym.Expr{}, in[:n+1]...), inner))
	st := make([]*sym.Expr, len(sizes))
	st[n], st[2*n+1] = src[0], sym.One
	off := sym.Zero
	var inside []scalar.Value
	e := m.e
	for k, bl := range p.block {
		st[k], st[n+1+k] = src[k+1], src[k+1].Mul(bl)
		off = off.Sub(p.before[k].Mul(src[k+1]))
		if !p.before[k].Is(0) || !p.after[k].Is(0) {
			y := e.Bin(scalar.Add, e.Bin(scalar.Mul, e.Coord(n+1+k), m.arg(bl)), e.Coord(k))
			inside = append(inside, m.within(y, p.before[k], in[k+1]))
		}
	}
	m.out(0, e.LoadIf(m.strided(0, off, st), m.guard(inside)))
	return m.done()
}

// batchToSpaceScalar: pixel y of batch n is pixel (y+before)/block of batch (Σ remainders)·N + n.
func batchToSpaceScalar(b *Builder) (*scalar.Work, error) {
	p, err := b.blocked()
	if err != nil {
		return nil, err
	}
	b.checkCrops(p)
	in, out, n := b.InShape(0), b.OutShape(0), len(p.block)
	inner := sym.Product(in[n+1:])
	m := newScalar(b, append(append([]*sym.Expr{}, out[:n+1]...), inner))
	src := strides(append(append([]*sym.Expr{}, in[:n+1]...), inner))
	e := m.e
	at := e.Bin(scalar.Add, e.Coord(n+1), e.Bin(scalar.Mul, e.Coord(0), m.arg(src[0])))
	batch := e.Int(0)
	for k, bl := range p.block {
		size := m.arg(bl)
		y := e.Bin(scalar.Add, e.Coord(k+1), m.arg(p.before[k]))
		q := e.Bin(scalar.Div, y, size)
		r := e.Bin(scalar.Sub, y, e.Bin(scalar.Mul, q, size))
		batch = e.Bin(scalar.Add, e.Bin(scalar.Mul, batch, size), r)
		at = e.Bin(scalar.Add, at, e.Bin(scalar.Mul, q, m.arg(src[k+1])))
	}
	at = e.Bin(scalar.Add, at, e.Bin(scalar.Mul, batch, m.arg(out[0].Mul(src[0]))))
	m.out(0, e.LoadAt(m.place(0, scalar.Indexed, nil, nil), at))
	return m.done()
}
