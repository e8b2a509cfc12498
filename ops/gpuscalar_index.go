package ops

import (
	"slices"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/plan/scalar"
)

// scalarIndices are moves of elements whose places are computed with conditions:
// diagonals, windows, and what lies where a slice was.
func scalarIndices() []*GPU {
	return []*GPU{
		gpuMap("MatrixDiag", matrixDiagScalar), gpuMap("MatrixDiagV2", matrixDiagScalar), gpuMap("MatrixDiagV3", matrixDiagScalar),
		gpuMap("MatrixDiagPart", matrixDiagPartScalar), gpuMap("MatrixDiagPartV2", matrixDiagPartScalar), gpuMap("MatrixDiagPartV3", matrixDiagPartScalar),
		gpuMap("MatrixSetDiag", matrixSetDiagScalar), gpuMap("MatrixSetDiagV2", matrixSetDiagScalar), gpuMap("MatrixSetDiagV3", matrixSetDiagScalar),
		gpuMap("BatchMatrixDiag", matrixDiagScalar), gpuMap("BatchMatrixDiagPart", matrixDiagPartScalar), gpuMap("BatchMatrixSetDiag", matrixSetDiagScalar),
		gpuMap("StridedSliceGrad", stridedGradScalar), gpuMap("TensorStridedSliceUpdate", sliceUpdateScalar),
		gpuMap("ExtractImagePatches", patchScalar), gpuMap("ExtractVolumePatches", patchScalar), gpuMap("MirrorPadGrad", mirrorPadGradScalar),
		gpuMap("Empty", emptyScalar),
	}
}

// intExpr computes with 64-bit integers.
type intExpr struct {
	*scalarMaker
}

func (m intExpr) add(x, y scalar.Value) scalar.Value { return m.e.Bin(scalar.Add, x, y) }
func (m intExpr) sub(x, y scalar.Value) scalar.Value { return m.e.Bin(scalar.Sub, x, y) }
func (m intExpr) mul(x, y scalar.Value) scalar.Value { return m.e.Bin(scalar.Mul, x, y) }
func (m intExpr) min(x, y scalar.Value) scalar.Value { return m.e.Bin(scalar.Min, x, y) }
func (m intExpr) max(x, y scalar.Value) scalar.Value { return m.e.Bin(scalar.Max, x, y) }
func (m intExpr) zero() scalar.Value                 { return m.e.Int(0) }

// inRange is lo ≤ x ≤ hi.
func (m intExpr) inRange(lo, x, hi scalar.Value) scalar.Value {
	return m.e.Bin(scalar.And, m.e.Bin(scalar.Ge, x, lo), m.e.Bin(scalar.Le, x, hi))
}

// diagonals describes packed diagonals lo to hi of n elements, of matrices of rows and cols.
type diagonals struct {
	lo, hi, rows, cols, n *sym.Expr
}

// shift is where diagonal k begins in its row of the packed ones, and how long it is.
func (m intExpr) shift(d diagonals, k scalar.Value) (begin, size scalar.Value) {
	super, sub := diagAlign(m.b.Node)
	zero := m.zero()
	size = m.min(m.add(m.arg(d.rows), m.min(k, zero)), m.sub(m.arg(d.cols), m.max(k, zero)))
	rest := m.sub(m.arg(d.n), size)
	above, below := rest, rest
	if !super {
		above = zero
	}
	if !sub {
		below = zero
	}
	begin = m.e.Select(m.e.Bin(scalar.Gt, k, zero), above, below)
	if !super || !sub {
		begin = m.e.Select(m.e.Bin(scalar.Eq, k, zero), zero, begin)
	}
	return begin, size
}

// packed is the packed element for row i and column j of matrix batch, and whether there
// is one.
func (m intExpr) packed(d diagonals, batch, i, j scalar.Value) (at, ok scalar.Value) {
	k := m.sub(j, i)
	hi := m.arg(d.hi)
	begin, size := m.shift(d, k)
	row := m.sub(hi, k)
	pos := m.min(i, j)
	at = m.add(m.add(m.mul(m.add(m.mul(batch, m.arg(d.hi.Sub(d.lo).AddInt(1))), row), m.arg(d.n)), pos), begin)
	return at, m.e.Bin(scalar.And, m.inRange(m.arg(d.lo), k, hi), m.e.Bin(scalar.Lt, pos, size))
}

func matrixDiagScalar(b *Builder) (*scalar.Work, error) {
	if !b.movable() {
		return nil, ErrOnHost
	}
	var d diagonals
	var err error
	if d.lo, d.hi, d.rows, d.cols, d.n, err = b.bindMatrixDiag(); err != nil {
		return nil, err
	}
	out := b.OutShape(0)
	m := intExpr{newScalar(b, []*sym.Expr{sym.Product(out[:len(out)-2]), d.rows, d.cols})}
	at, ok := m.packed(d, m.e.Coord(0), m.e.Coord(1), m.e.Coord(2))
	v := m.e.LoadAtIf(m.place(0, scalar.Indexed, nil, nil), at, ok)
	if b.NumIn() > 4 {
		v = m.e.Select(ok, v, m.number(4))
	}
	m.out(0, v)
	return m.done()
}

func matrixDiagPartScalar(b *Builder) (*scalar.Work, error) {
	if !b.movable() {
		return nil, ErrOnHost
	}
	lo, hi, many, err := b.bindDiagPart()
	if err != nil {
		return nil, err
	}
	in, out := b.InShape(0), b.OutShape(0)
	d := diagonals{lo, hi, in[len(in)-2], in[len(in)-1], out[len(out)-1]}
	m := intExpr{newScalar(b, []*sym.Expr{sym.Product(out[:len(out)-packedTail(many)]), hi.Sub(lo).AddInt(1), d.n})}
	k := m.sub(m.arg(hi), m.e.Coord(1))
	begin, size := m.shift(d, k)
	pos := m.sub(m.e.Coord(2), begin)
	ok := m.e.Bin(scalar.And, m.e.Bin(scalar.Ge, pos, m.zero()), m.e.Bin(scalar.Lt, pos, size))
	row := m.sub(pos, m.min(k, m.zero()))
	col := m.add(pos, m.max(k, m.zero()))
	at := m.add(m.mul(m.add(m.mul(m.e.Coord(0), m.arg(d.rows)), row), m.arg(d.cols)), col)
	v := m.e.LoadAtIf(m.place(0, scalar.Indexed, nil, nil), at, ok)
	if b.NumIn() > 2 {
		v = m.e.Select(ok, v, m.number(2))
	}
	m.out(0, v)
	return m.done()
}

func matrixSetDiagScalar(b *Builder) (*scalar.Work, error) {
	if !b.movable() {
		return nil, ErrOnHost
	}
	lo, hi, err := b.checkSetDiag()
	if err != nil {
		return nil, err
	}
	in, p := b.InShape(0), b.InShape(1)
	r := len(in)
	d := diagonals{lo, hi, in[r-2], in[r-1], p[len(p)-1]}
	m := intExpr{newScalar(b, []*sym.Expr{sym.Product(in[:r-2]), d.rows, d.cols})}
	at, ok := m.packed(d, m.e.Coord(0), m.e.Coord(1), m.e.Coord(2))
	v := m.e.LoadAtIf(m.place(1, scalar.Indexed, nil, nil), at, ok)
	m.out(0, m.e.Select(ok, v, m.item(0)))
	return m.done()
}

// cuts is, for an item of the sizes that a slice is of, the element of the slice that lies
// there, with these strides by axis of the slice, and whether there is one.
func (m intExpr) cuts(p *slicePlan, strides []*sym.Expr) (at, ok scalar.Value) {
	e := m.e
	by := map[int]*sym.Expr{}
	i := 0
	for _, k := range p.out {
		if k >= 0 {
			by[k] = strides[i]
			i++
		}
	}
	at = m.zero()
	var inside []scalar.Value
	for k, c := range p.cuts {
		q := m.sub(e.Coord(k), m.arg(c.first))
		if !c.step.Is(1) {
			step := m.arg(c.step)
			d := q
			q = e.Bin(scalar.Div, d, step)
			inside = append(inside, e.Bin(scalar.Eq, m.mul(q, step), d))
		}
		inside = append(inside, m.within(q, sym.Zero, c.n), e.Bin(scalar.Ge, q, m.zero()))
		if s := by[k]; s != nil && !s.Is(0) {
			at = m.step(at, q, s)
		}
	}
	return at, m.guard(inside)
}

// stridedGradScalar: zeros with dy where the slice was.
func stridedGradScalar(b *Builder) (*scalar.Work, error) {
	if !scalar.Takes(b.OutFact(0).DType) {
		return nil, ErrOnHost
	}
	p, err := b.stridedGradPlan()
	if err != nil {
		return nil, err
	}
	m := intExpr{newScalar(b, b.OutShape(0))}
	var st []*sym.Expr
	for i, s := range strides(p.shape().Dims) {
		if p.out[i] >= 0 {
			st = append(st, s)
		}
	}
	at, ok := m.cuts(p, st)
	m.out(0, m.e.LoadAtIf(m.place(4, scalar.Indexed, nil, nil), at, ok))
	return m.done()
}

// sliceUpdateScalar: the input, but the value where the slice is.
func sliceUpdateScalar(b *Builder) (*scalar.Work, error) {
	if !b.movable() {
		return nil, ErrOnHost
	}
	p, x, err := b.sliceUpdateBox()
	if err != nil {
		return nil, err
	}
	m := intExpr{newScalar(b, b.OutShape(0))}
	at, ok := m.cuts(p, x.src)
	v := m.e.LoadAtIf(m.place(4, scalar.Indexed, nil, nil), at, ok)
	m.out(0, m.e.Select(ok, v, m.item(0)))
	return m.done()
}

// patchScalar: the element under each place of each window, 0 outside.
func patchScalar(b *Builder) (*scalar.Work, error) {
	if !b.movable() {
		return nil, ErrOnHost
	}
	p, err := planPatches(b.Shaper())
	if err != nil {
		return nil, err
	}
	for _, e := range p.left {
		if err := b.atLeast(e, 0, "the room for windows"); err != nil {
			return nil, err
		}
	}
	x, n := b.InShape(0), len(p.kernel)
	src := strides(x)
	sizes := append([]*sym.Expr{x[0]}, p.out...)
	st := []*sym.Expr{src[0]}
	for k := range n {
		st = append(st, src[k+1].MulInt(p.stride[k]))
	}
	off := sym.Zero
	for k := range n {
		sizes = append(sizes, sym.Int(p.kernel[k]))
		st = append(st, src[k+1].MulInt(p.rate[k]))
		off = off.Sub(p.pad[k].Mul(src[k+1]))
	}
	m := intExpr{newScalar(b, append(sizes, x[n+1]))}
	e := m.e
	var inside []scalar.Value
	for k := range n {
		y := m.add(m.mul(e.Coord(1+k), e.Int(int64(p.stride[k]))), m.mul(e.Coord(1+n+k), e.Int(int64(p.rate[k]))))
		inside = append(inside, m.within(y, p.pad[k], x[k+1]), e.Bin(scalar.Ge, y, m.arg(p.pad[k])))
	}
	m.out(0, e.LoadIf(m.strided(0, off, append(st, sym.One)), m.guard(inside)))
	return m.done()
}

// mirrorPadGradScalar adds up what an element was mirrored to, in the order in which that
// lies in the padded tensor.
func mirrorPadGradScalar(b *Builder) (*scalar.Work, error) {
	off, err := mirror(b.Node)
	if err != nil || !b.movable() {
		return nil, ErrOnHost
	}
	dims := b.OutShape(0)
	before, after, err := bindMargins(b, len(dims))
	if err != nil {
		return nil, err
	}
	padded := 0
	for k := range dims {
		if !before[k].Is(0) || !after[k].Is(0) {
			padded++
		}
	}
	if padded > 3 || len(dims) == 0 {
		return nil, ErrOnHost
	}
	for k, d := range b.InShape(0) {
		b.Check(shape.AtLeast, d, before[k].Add(after[k]).AddInt(1), "a padded dimension")
	}
	b.Check(array.MirrorFits, dims, before, after, off)
	m := intExpr{newScalar(b, dims)}
	e, st := m.e, strides(b.InShape(0))
	type place struct{ at, ok scalar.Value } // ok is -1 where it always is
	places := []place{{m.zero(), -1}}
	for k, d := range dims {
		c := e.Coord(k)
		here := []place{{m.add(c, m.arg(before[k])), -1}}
		if !before[k].Is(0) { // i = -c-1+off is in front
			i := m.sub(e.Int(int64(off-1)), c)
			ok := e.Bin(scalar.And, e.Bin(scalar.Lt, i, m.zero()), e.Bin(scalar.Ge, i, m.arg(before[k].MulInt(-1))))
			here = slices.Insert(here, 0, place{m.add(i, m.arg(before[k])), ok})
		}
		if !after[k].Is(0) { // i = 2n-1-off-c is behind
			i := m.sub(m.arg(d.MulInt(2).AddInt(-1-off)), c)
			ok := e.Bin(scalar.And, e.Bin(scalar.Ge, i, m.arg(d)), e.Bin(scalar.Lt, i, m.arg(d.Add(after[k]))))
			here = append(here, place{m.add(i, m.arg(before[k])), ok})
		}
		var all []place
		for _, p := range places {
			for _, h := range here {
				q := place{m.step(p.at, h.at, st[k]), p.ok}
				switch {
				case q.ok < 0:
					q.ok = h.ok
				case h.ok >= 0:
					q.ok = e.Bin(scalar.And, q.ok, h.ok)
				}
				all = append(all, q)
			}
		}
		places = all
	}
	in := m.place(0, scalar.Indexed, nil, nil)
	sum := e.Const(b.OutFact(0).DType, 0)
	for _, p := range places {
		if p.ok < 0 {
			sum = m.add(sum, e.LoadAt(in, p.at))
		} else {
			sum = m.add(sum, e.LoadAtIf(in, p.at, p.ok))
		}
	}
	m.out(0, sum)
	return m.done()
}

// emptyScalar: zeros, whatever attribute init says.
func emptyScalar(b *Builder) (*scalar.Work, error) {
	d := b.OutFact(0).DType
	if !scalar.Takes(d) {
		return nil, ErrOnHost
	}
	b.bindDims(0)
	m := newScalar(b, []*sym.Expr{b.OutLen(0)})
	m.out(0, m.e.Op(scalar.Op{Code: scalar.Const, DType: scalar.Plain(d)}))
	return m.done()
}
