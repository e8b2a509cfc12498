package array

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// scalarMoves are ops that move elements: the index of the source element is computed from that of
// the destination.
func scalarMoves() []*lower.GPU {
	return append(scalarIndices(), []*lower.GPU{
		kit.GPUMap("Transpose", transposeScalar), kit.GPUMap("ConjugateTranspose", transposeScalar),
		kit.GPUMap("StridedSlice", stridedSliceScalar), kit.GPUMap("Slice", sliceScalar),
		kit.GPUMap("ReverseV2", reverseScalar), kit.GPUMap("Reverse", reverseScalar), kit.GPUMap("Roll", rollScalar), kit.GPUMap("ReverseSequence", reverseSequenceScalar),
		kit.GPUMap("Pad", padScalar), kit.GPUMap("PadV2", padScalar), kit.GPUMap("MirrorPad", mirrorPadScalar),
		kit.GPUMap("Tile", tileScalar), kit.GPUMap("BroadcastTo", broadcastToScalar), kit.GPUMap("Fill", fillScalar), kit.GPUMap("OneHot", oneHotScalar),
		kit.GPUMap("DepthToSpace", depthToSpaceScalar), kit.GPUMap("SpaceToDepth", spaceToDepthScalar),
		kit.GPUMap("SpaceToBatchND", spaceToBatchScalar), kit.GPUMap("SpaceToBatch", spaceToBatchScalar), kit.GPUMap("BatchToSpaceND", batchToSpaceScalar), kit.GPUMap("BatchToSpace", batchToSpaceScalar),
		kit.GPUMap("Diag", diagScalar), kit.GPUMap("DiagPart", diagPartScalar), kit.GPUMap("MatrixBandPart", bandScalar), kit.GPUMap("BatchMatrixBandPart", bandScalar),
	}...)
}

// boxScalar returns the Work that copies the box x of input 0 to output 0.
func boxScalar(b *lower.Builder, x *kit.Box) (*scalar.Work, error) {
	return kit.BoxWork(x, b.OutFact(0).DType, 0, kit.ScalarOut(0), b.Node.Name), nil
}

// movable reports whether scalar programs can move output 0's elements. The rank of input 0 must be
// known.
func movable(b *lower.Builder) bool {
	return scalar.Takes(b.OutFact(0).DType) && b.InFact(0).Shape.Known
}

func transposeScalar(b *lower.Builder) (*scalar.Work, error) {
	if !movable(b) {
		return nil, lower.ErrOnHost
	}
	x, err := transposeBox(b)
	if err != nil {
		return nil, err
	}
	w, err := boxScalar(b, x)
	if err == nil && b.Node.Op == "ConjugateTranspose" && b.OutFact(0).DType.IsComplex() {
		e := &kit.RealExpr{Builder: scalar.NewBuilder(&w.Program), D: b.OutFact(0).DType, N: b}
		w.Outs[0].Value = e.Conj(w.Outs[0].Value)
	}
	return w, err
}

func stridedSliceScalar(b *lower.Builder) (*scalar.Work, error) {
	if !movable(b) {
		return nil, lower.ErrOnHost
	}
	dims := b.InShape(0)
	p, err := planStrided(b.Shaper(), dims, 1)
	if err != nil {
		return nil, err
	}
	checkSpread(b, 1, len(dims))
	bindCuts(b, p, dims)
	return boxScalar(b, p.box(dims))
}

func sliceScalar(b *lower.Builder) (*scalar.Work, error) {
	if !movable(b) {
		return nil, lower.ErrOnHost
	}
	p, err := planSlice(b.Shaper())
	if err != nil {
		return nil, err
	}
	bindSlice(b, p)
	return boxScalar(b, p.box(b.InShape(0)))
}

func reverseScalar(b *lower.Builder) (*scalar.Work, error) {
	if !movable(b) {
		return nil, lower.ErrOnHost
	}
	x, err := reverseBox(b)
	if err != nil {
		return nil, err
	}
	return boxScalar(b, x)
}

func tileScalar(b *lower.Builder) (*scalar.Work, error) {
	if !movable(b) {
		return nil, lower.ErrOnHost
	}
	x, err := tileBox(b)
	if err != nil {
		return nil, err
	}
	return boxScalar(b, x)
}

func depthToSpaceScalar(b *lower.Builder) (*scalar.Work, error) {
	h, w, ch, err := imageAxes(b.Node)
	if err != nil || !movable(b) {
		return nil, lower.ErrOnHost
	}
	bs, _ := blockSize(b.Node)
	in, out := b.InShape(0), b.OutShape(0)
	checkDivides(b, in[ch], bs*bs, "the depth")
	return boxScalar(b, blockMove(in[0], in[h], in[w], out[ch], bs, kit.Strides(out), kit.Strides(in), h, w, ch))
}

func spaceToDepthScalar(b *lower.Builder) (*scalar.Work, error) {
	h, w, ch, err := imageAxes(b.Node)
	if err != nil || !movable(b) {
		return nil, lower.ErrOnHost
	}
	bs, _ := blockSize(b.Node)
	in, out := b.InShape(0), b.OutShape(0)
	checkDivides(b, in[h], bs, "an image dimension")
	checkDivides(b, in[w], bs, "an image dimension")
	x := blockMove(out[0], out[h], out[w], in[ch], bs, kit.Strides(in), kit.Strides(out), h, w, ch)
	x.Dst, x.Src = x.Src, x.Dst
	return boxScalar(b, x)
}

// diagPartScalar returns the program for DiagPart. The elements on the main diagonal of a tensor
// with n² elements are n+1 elements apart.
func diagPartScalar(b *lower.Builder) (*scalar.Work, error) {
	if !movable(b) {
		return nil, lower.ErrOnHost
	}
	dims := b.InShape(0)
	for k, d := range b.OutShape(0) {
		if e := dims[len(dims)/2+k]; !e.Equal(d) {
			b.Check(array.SameDim, d, e)
		}
	}
	n := b.OutLen(0)
	x := kit.NewBox()
	x.Add(n, sym.One, n.AddInt(1))
	return boxScalar(b, x)
}

// padScalar returns the program for Pad and PadV2. Elements outside the input are 0, or the value
// given to PadV2.
func padScalar(b *lower.Builder) (*scalar.Work, error) {
	if !movable(b) {
		return nil, lower.ErrOnHost
	}
	dims := b.InShape(0)
	before, after, err := BindMargins(b, len(dims))
	if err != nil {
		return nil, err
	}
	m := kit.NewScalar(b, b.OutShape(0))
	st, off := append([]*sym.Expr{}, kit.Strides(dims)...), sym.Zero
	if len(st) == 0 {
		st = []*sym.Expr{sym.Zero}
	}
	var inside []scalar.Value
	for k, d := range dims {
		off = off.Sub(before[k].Mul(st[k]))
		if !before[k].Is(0) || !after[k].Is(0) {
			inside = append(inside, m.Within(m.E.Coord(k), before[k], d))
		}
	}
	g := m.Guard(inside)
	v := m.E.LoadIf(m.Strided(0, off, st), g)
	if b.NumIn() > 2 {
		v = m.E.Select(g, v, m.Number(2))
	}
	m.Out(0, v)
	return m.Done()
}

// mirrorPadScalar reflects indices outside the input at its borders.
func mirrorPadScalar(b *lower.Builder) (*scalar.Work, error) {
	off, err := mirror(b.Node)
	if err != nil || !movable(b) || len(b.InShape(0)) == 0 {
		return nil, lower.ErrOnHost
	}
	dims := b.InShape(0)
	before, after, err := BindMargins(b, len(dims))
	if err != nil {
		return nil, err
	}
	b.Check(array.MirrorFits, dims, before, after, off)
	m := kit.NewScalar(b, b.OutShape(0))
	e, st := m.E, kit.Strides(dims)
	at := e.Int(0)
	for k, d := range dims {
		i := e.Coord(k)
		if !before[k].Is(0) {
			i = e.Bin(scalar.Sub, i, m.Arg(before[k]))
			i = e.Select(e.Bin(scalar.Lt, i, e.Int(0)), e.Bin(scalar.Sub, e.Int(int64(off-1)), i), i)
		}
		if !after[k].Is(0) || !before[k].Is(0) {
			back := e.Bin(scalar.Sub, m.Arg(d.MulInt(2).AddInt(-1-off)), i)
			i = e.Select(e.Bin(scalar.Ge, i, m.Arg(d)), back, i)
		}
		at = m.Step(at, i, st[k])
	}
	m.Out(0, e.LoadAt(m.Place(0, scalar.Indexed, nil, nil), at))
	return m.Done()
}

// rollScalar returns the program for Roll. If an axis occurs twice, it is shifted by the sum of
// both shifts.
func rollScalar(b *lower.Builder) (*scalar.Work, error) {
	c := b.Shaper()
	axes, ok := c.StaticInts(2)
	shifts, ok2 := b.Ints(1)
	if !ok || !ok2 || !movable(b) || len(axes) != len(shifts) {
		return nil, lower.ErrOnHost
	}
	dims := b.InShape(0)
	by := make([]*sym.Expr, len(dims))
	for i, a := range axes {
		k, err := lower.Axis(a, len(dims))
		if err != nil {
			return nil, err
		}
		if by[k] == nil {
			by[k] = sym.Zero
		}
		by[k] = by[k].Add(shifts[i])
	}
	m := kit.NewScalar(b, dims)
	e, st := m.E, kit.Strides(dims)
	at := e.Int(0)
	for k, d := range dims {
		i := e.Coord(k)
		if by[k] != nil {
			// Compute i - shift modulo n as a number from 0 to n-1.
			n := m.Arg(d)
			r := e.Bin(scalar.Rem, m.Arg(by[k]), n)
			r = e.Select(e.Bin(scalar.Lt, r, e.Int(0)), e.Bin(scalar.Add, r, n), r)
			i = e.Bin(scalar.Sub, i, r)
			i = e.Select(e.Bin(scalar.Lt, i, e.Int(0)), e.Bin(scalar.Add, i, n), i)
		}
		at = m.Step(at, i, st[k])
	}
	m.Out(0, e.LoadAt(m.Place(0, scalar.Indexed, nil, nil), at))
	return m.Done()
}

// reverseSequenceScalar reverses the first elements of each sequence.
func reverseSequenceScalar(b *lower.Builder) (*scalar.Work, error) {
	if !movable(b) {
		return nil, lower.ErrOnHost
	}
	dims := b.InShape(0)
	seq, batch, err := sequenceAxes(b.Shaper(), len(dims))
	if err != nil {
		return nil, err
	}
	if n := b.InShape(1)[0]; !n.Equal(dims[batch]) {
		b.Check(shape.Equal, n, dims[batch], "the length of seq_lengths and the batch")
	}
	m := kit.NewScalar(b, dims)
	e, one := m.E, make([]*sym.Expr, len(dims))
	for k := range one {
		one[k] = sym.Zero
	}
	one[batch] = sym.One
	n := e.Cast(tensor.Int64, e.Load(m.Strided(1, sym.Zero, one)))
	at := e.Int(0)
	for k, stride := range kit.Strides(dims) {
		i := e.Coord(k)
		if k == seq {
			back := e.Bin(scalar.Sub, e.Bin(scalar.Sub, n, i), e.Int(1))
			i = e.Select(e.Bin(scalar.Lt, i, n), back, i)
		}
		at = m.Step(at, i, stride)
	}
	m.Out(0, e.LoadAt(m.Place(0, scalar.Indexed, nil, nil), at))
	return m.Done()
}

func broadcastToScalar(b *lower.Builder) (*scalar.Work, error) {
	if !movable(b) {
		return nil, lower.ErrOnHost
	}
	in, out := b.InShape(0), b.OutShape(0)
	for k, d := range in {
		if o := out[len(out)-len(in)+k]; !d.Is(1) && !d.Equal(o) {
			return nil, lower.ErrOnHost // the dimensions must be checked at run time
		}
	}
	kit.BindDims(b, 1)
	m := kit.NewScalar(b, out)
	m.Out(0, m.Spread(0, in))
	return m.Done()
}

func fillScalar(b *lower.Builder) (*scalar.Work, error) {
	if !scalar.Takes(b.OutFact(0).DType) {
		return nil, lower.ErrOnHost
	}
	kit.BindDims(b, 0)
	m := kit.NewScalar(b, []*sym.Expr{b.OutLen(0)})
	m.Out(0, m.Number(1))
	return m.Done()
}

// oneHotScalar returns the program for OneHot. An index that is negative or at least the depth
// selects no element.
func oneHotScalar(b *lower.Builder) (*scalar.Work, error) {
	if !scalar.Takes(b.OutFact(0).DType) || !b.InFact(0).Shape.Known {
		return nil, lower.ErrOnHost
	}
	depth, _ := b.Ints(1)
	kit.BindSize(b, 0, 0, depth[0], "depth")
	out := b.OutShape(0)
	axis := len(out) - 1
	if a := b.Node.Int("axis"); a != -1 {
		axis = a
	}
	outer, inner := sym.Product(out[:axis]), sym.Product(out[axis+1:])
	m := kit.NewScalar(b, []*sym.Expr{outer, out[axis], inner})
	e := m.E
	i := e.Load(m.Strided(0, sym.Zero, []*sym.Expr{inner, sym.Zero, sym.One}))
	hit := e.Bin(scalar.Eq, e.Cast(tensor.Int64, i), e.Coord(1))
	m.Out(0, e.Select(hit, m.Number(2), m.Number(3)))
	return m.Done()
}

// diagScalar returns the program for Diag. For an input of n elements, the result is a matrix of
// n×n elements. Only the elements on its diagonal are not 0.
func diagScalar(b *lower.Builder) (*scalar.Work, error) {
	if !movable(b) {
		return nil, lower.ErrOnHost
	}
	n := b.InLen(0)
	m := kit.NewScalar(b, []*sym.Expr{n, n})
	e := m.E
	on := e.Bin(scalar.Eq, e.Coord(0), e.Coord(1))
	m.Out(0, e.LoadIf(m.Strided(0, sym.Zero, []*sym.Expr{sym.One, sym.Zero}), on))
	return m.Done()
}

// bandScalar keeps the elements from num_lower diagonals below the main one to num_upper above it.
// A negative number keeps all diagonals on its side.
func bandScalar(b *lower.Builder) (*scalar.Work, error) {
	below, ok1 := b.Ints(1)
	above, ok2 := b.Ints(2)
	if !ok1 || !ok2 || len(below) != 1 || len(above) != 1 || !movable(b) {
		return nil, lower.ErrOnHost
	}
	dims := b.InShape(0)
	rows, cols := dims[len(dims)-2], dims[len(dims)-1]
	kit.CheckLen(b, 1, 1)
	kit.CheckLen(b, 2, 1)
	b.Check(array.BandFits, below[0], above[0], rows, cols)
	m := kit.NewScalar(b, []*sym.Expr{sym.Product(dims[:len(dims)-2]), rows, cols})
	e := m.E
	zero := e.Int(0)
	far := func(limit *sym.Expr, d scalar.Value) scalar.Value { // whether d ≤ limit or limit < 0
		l := m.Arg(limit)
		return e.Bin(scalar.Or, e.Bin(scalar.Lt, l, zero), e.Bin(scalar.Le, d, l))
	}
	d := e.Bin(scalar.Sub, e.Coord(1), e.Coord(2))
	in := e.Bin(scalar.And, far(below[0], d), far(above[0], e.Un(scalar.Neg, d)))
	m.Out(0, e.LoadIf(m.Place(0, scalar.Contiguous, nil, nil), in))
	return m.Done()
}

// blocked returns how pixels are divided into blocks, or ErrOnHost if that is known only at run
// time.
func blocked(b *lower.Builder) (*blocking, error) {
	if !movable(b) {
		return nil, lower.ErrOnHost
	}
	p, err := planBlocking(b.Shaper())
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, lower.ErrOnHost
	}
	p.bind(b)
	return p, nil
}

// spaceToBatchScalar returns the program for SpaceToBatch and SpaceToBatchND. Let N be the batch
// size of the input, n the number of an image of the input, and p the number of a pixel in its
// block, in row-major order. Along each space axis, pixel y of image p·N + n of the result is pixel
// y·b + o - m of image n of the input, where b is the size of a block, o is the position of the
// pixel in its block, and m is the margin before the axis.
func spaceToBatchScalar(b *lower.Builder) (*scalar.Work, error) {
	p, err := blocked(b)
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
	m := kit.NewScalar(b, sizes)
	src := kit.Strides(append(append([]*sym.Expr{}, in[:n+1]...), inner))
	st := make([]*sym.Expr, len(sizes))
	st[n], st[2*n+1] = src[0], sym.One
	off := sym.Zero
	var inside []scalar.Value
	e := m.E
	for k, bl := range p.block {
		st[k], st[n+1+k] = src[k+1], src[k+1].Mul(bl)
		off = off.Sub(p.before[k].Mul(src[k+1]))
		if !p.before[k].Is(0) || !p.after[k].Is(0) {
			y := e.Bin(scalar.Add, e.Bin(scalar.Mul, e.Coord(n+1+k), m.Arg(bl)), e.Coord(k))
			inside = append(inside, m.Within(y, p.before[k], in[k+1]))
		}
	}
	m.Out(0, e.LoadIf(m.Strided(0, off, st), m.Guard(inside)))
	return m.Done()
}

// batchToSpaceScalar returns the program for BatchToSpace and BatchToSpaceND. Let batch be the batch
// size of the result, and before the number of pixels that are cropped at the beginning. Pixel y of
// image i of the result is pixel (y+before)/block of image p·batch + i of the input. The remainders of
// these divisions are the position of the pixel in its block; p is its row-major number.
func batchToSpaceScalar(b *lower.Builder) (*scalar.Work, error) {
	p, err := blocked(b)
	if err != nil {
		return nil, err
	}
	checkCrops(b, p)
	in, out, n := b.InShape(0), b.OutShape(0), len(p.block)
	inner := sym.Product(in[n+1:])
	m := kit.NewScalar(b, append(append([]*sym.Expr{}, out[:n+1]...), inner))
	src := kit.Strides(append(append([]*sym.Expr{}, in[:n+1]...), inner))
	e := m.E
	at := e.Bin(scalar.Add, e.Coord(n+1), e.Bin(scalar.Mul, e.Coord(0), m.Arg(src[0])))
	batch := e.Int(0)
	for k, bl := range p.block {
		size := m.Arg(bl)
		y := e.Bin(scalar.Add, e.Coord(k+1), m.Arg(p.before[k]))
		q := e.Bin(scalar.Div, y, size)
		r := e.Bin(scalar.Sub, y, e.Bin(scalar.Mul, q, size))
		batch = e.Bin(scalar.Add, e.Bin(scalar.Mul, batch, size), r)
		at = e.Bin(scalar.Add, at, e.Bin(scalar.Mul, q, m.Arg(src[k+1])))
	}
	at = e.Bin(scalar.Add, at, e.Bin(scalar.Mul, batch, m.Arg(out[0].Mul(src[0]))))
	m.Out(0, e.LoadAt(m.Place(0, scalar.Indexed, nil, nil), at))
	return m.Done()
}
