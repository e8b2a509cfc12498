package array

import (
	"slices"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/array"
	"github.com/graphc/graphc/kernels/shape"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
	"github.com/graphc/graphc/plan/scalar"
)

// scalarIndices are ops in which a condition on the indices decides whether an element is moved:
// diagonals, windows, and elements inside or outside a slice.
func scalarIndices() []*lower.GPU {
	return []*lower.GPU{
		kit.GPUMap("MatrixDiag", matrixDiagScalar), kit.GPUMap("MatrixDiagV2", matrixDiagScalar), kit.GPUMap("MatrixDiagV3", matrixDiagScalar),
		kit.GPUMap("MatrixDiagPart", matrixDiagPartScalar), kit.GPUMap("MatrixDiagPartV2", matrixDiagPartScalar), kit.GPUMap("MatrixDiagPartV3", matrixDiagPartScalar),
		kit.GPUMap("MatrixSetDiag", matrixSetDiagScalar), kit.GPUMap("MatrixSetDiagV2", matrixSetDiagScalar), kit.GPUMap("MatrixSetDiagV3", matrixSetDiagScalar),
		kit.GPUMap("BatchMatrixDiag", matrixDiagScalar), kit.GPUMap("BatchMatrixDiagPart", matrixDiagPartScalar), kit.GPUMap("BatchMatrixSetDiag", matrixSetDiagScalar),
		kit.GPUMap("StridedSliceGrad", stridedGradScalar), kit.GPUMap("TensorStridedSliceUpdate", sliceUpdateScalar),
		kit.GPUMap("ExtractImagePatches", patchScalar), kit.GPUMap("ExtractVolumePatches", patchScalar), kit.GPUMap("MirrorPadGrad", mirrorPadGradScalar),
		kit.GPUMap("Empty", emptyScalar),
	}
}

// intExpr computes with 64-bit integers.
type intExpr struct {
	*kit.ScalarMaker
}

func (m intExpr) add(x, y scalar.Value) scalar.Value { return m.E.Bin(scalar.Add, x, y) }

func (m intExpr) sub(x, y scalar.Value) scalar.Value { return m.E.Bin(scalar.Sub, x, y) }

func (m intExpr) mul(x, y scalar.Value) scalar.Value { return m.E.Bin(scalar.Mul, x, y) }

func (m intExpr) min(x, y scalar.Value) scalar.Value { return m.E.Bin(scalar.Min, x, y) }

func (m intExpr) max(x, y scalar.Value) scalar.Value { return m.E.Bin(scalar.Max, x, y) }

func (m intExpr) zero() scalar.Value { return m.E.Int(0) }

// inRange returns whether lo ≤ x ≤ hi.
func (m intExpr) inRange(lo, x, hi scalar.Value) scalar.Value {
	return m.E.Bin(scalar.And, m.E.Bin(scalar.Ge, x, lo), m.E.Bin(scalar.Le, x, hi))
}

// diagonals describes packed diagonals of matrices with the given rows and cols. lo and hi are the
// numbers of the lowest and the highest packed diagonal. In the packed form, each diagonal occupies
// n elements.
type diagonals struct {
	lo, hi, rows, cols, n *sym.Expr
}

// shift returns the length of diagonal k, and the position at which its elements begin among the n
// elements that it occupies.
func (m intExpr) shift(d diagonals, k scalar.Value) (begin, size scalar.Value) {
	super, sub := diagAlign(m.B.Node)
	zero := m.zero()
	size = m.min(m.add(m.Arg(d.rows), m.min(k, zero)), m.sub(m.Arg(d.cols), m.max(k, zero)))
	rest := m.sub(m.Arg(d.n), size)
	above, below := rest, rest
	if !super {
		above = zero
	}
	if !sub {
		below = zero
	}
	begin = m.E.Select(m.E.Bin(scalar.Gt, k, zero), above, below)
	if !super || !sub {
		begin = m.E.Select(m.E.Bin(scalar.Eq, k, zero), zero, begin)
	}
	return begin, size
}

// packed returns the index of the packed element for row i and column j of matrix number batch, and
// whether there is such an element.
func (m intExpr) packed(d diagonals, batch, i, j scalar.Value) (at, ok scalar.Value) {
	k := m.sub(j, i)
	hi := m.Arg(d.hi)
	begin, size := m.shift(d, k)
	row := m.sub(hi, k)
	pos := m.min(i, j)
	at = m.add(m.add(m.mul(m.add(m.mul(batch, m.Arg(d.hi.Sub(d.lo).AddInt(1))), row), m.Arg(d.n)), pos), begin)
	return at, m.E.Bin(scalar.And, m.inRange(m.Arg(d.lo), k, hi), m.E.Bin(scalar.Lt, pos, size))
}

func matrixDiagScalar(b *lower.Builder) (*scalar.Work, error) {
	if !movable(b) {
		return nil, lower.ErrOnHost
	}
	var d diagonals
	var err error
	if d.lo, d.hi, d.rows, d.cols, d.n, err = bindMatrixDiag(b); err != nil {
		return nil, err
	}
	out := b.OutShape(0)
	m := intExpr{kit.NewScalar(b, []*sym.Expr{sym.Product(out[:len(out)-2]), d.rows, d.cols})}
	at, ok := m.packed(d, m.E.Coord(0), m.E.Coord(1), m.E.Coord(2))
	v := m.E.LoadAtIf(m.Place(0, scalar.Indexed, nil, nil), at, ok)
	if b.NumIn() > 4 {
		v = m.E.Select(ok, v, m.Number(4))
	}
	m.Out(0, v)
	return m.Done()
}

func matrixDiagPartScalar(b *lower.Builder) (*scalar.Work, error) {
	if !movable(b) {
		return nil, lower.ErrOnHost
	}
	lo, hi, many, err := bindDiagPart(b)
	if err != nil {
		return nil, err
	}
	in, out := b.InShape(0), b.OutShape(0)
	d := diagonals{lo, hi, in[len(in)-2], in[len(in)-1], out[len(out)-1]}
	m := intExpr{kit.NewScalar(b, []*sym.Expr{sym.Product(out[:len(out)-packedTail(many)]), hi.Sub(lo).AddInt(1), d.n})}
	k := m.sub(m.Arg(hi), m.E.Coord(1))
	begin, size := m.shift(d, k)
	pos := m.sub(m.E.Coord(2), begin)
	ok := m.E.Bin(scalar.And, m.E.Bin(scalar.Ge, pos, m.zero()), m.E.Bin(scalar.Lt, pos, size))
	row := m.sub(pos, m.min(k, m.zero()))
	col := m.add(pos, m.max(k, m.zero()))
	at := m.add(m.mul(m.add(m.mul(m.E.Coord(0), m.Arg(d.rows)), row), m.Arg(d.cols)), col)
	v := m.E.LoadAtIf(m.Place(0, scalar.Indexed, nil, nil), at, ok)
	if b.NumIn() > 2 {
		v = m.E.Select(ok, v, m.Number(2))
	}
	m.Out(0, v)
	return m.Done()
}

func matrixSetDiagScalar(b *lower.Builder) (*scalar.Work, error) {
	if !movable(b) {
		return nil, lower.ErrOnHost
	}
	lo, hi, err := checkSetDiag(b)
	if err != nil {
		return nil, err
	}
	in, p := b.InShape(0), b.InShape(1)
	r := len(in)
	d := diagonals{lo, hi, in[r-2], in[r-1], p[len(p)-1]}
	m := intExpr{kit.NewScalar(b, []*sym.Expr{sym.Product(in[:r-2]), d.rows, d.cols})}
	at, ok := m.packed(d, m.E.Coord(0), m.E.Coord(1), m.E.Coord(2))
	v := m.E.LoadAtIf(m.Place(1, scalar.Indexed, nil, nil), at, ok)
	m.Out(0, m.E.Select(ok, v, m.Item(0)))
	return m.Done()
}

// cuts returns the current item's index in the slice, and whether the item is in the slice at all.
// The items are those of the sliced tensor, and strides are the strides of the slice's axes.
func (m intExpr) cuts(p *slicePlan, strides []*sym.Expr) (at, ok scalar.Value) {
	e := m.E
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
		q := m.sub(e.Coord(k), m.Arg(c.first))
		if !c.step.Is(1) {
			step := m.Arg(c.step)
			d := q
			q = e.Bin(scalar.Div, d, step)
			inside = append(inside, e.Bin(scalar.Eq, m.mul(q, step), d))
		}
		inside = append(inside, m.Within(q, sym.Zero, c.n), e.Bin(scalar.Ge, q, m.zero()))
		if s := by[k]; s != nil && !s.Is(0) {
			at = m.Step(at, q, s)
		}
	}
	return at, m.Guard(inside)
}

// stridedGradScalar returns the program for StridedSliceGrad. The result has the elements of dy at
// the positions of the slice, and 0 everywhere else.
func stridedGradScalar(b *lower.Builder) (*scalar.Work, error) {
	if !scalar.Takes(b.OutFact(0).DType) {
		return nil, lower.ErrOnHost
	}
	p, err := stridedGradPlan(b)
	if err != nil {
		return nil, err
	}
	m := intExpr{kit.NewScalar(b, b.OutShape(0))}
	var st []*sym.Expr
	for i, s := range kit.Strides(p.shape().Dims) {
		if p.out[i] >= 0 {
			st = append(st, s)
		}
	}
	at, ok := m.cuts(p, st)
	m.Out(0, m.E.LoadAtIf(m.Place(4, scalar.Indexed, nil, nil), at, ok))
	return m.Done()
}

// sliceUpdateScalar returns the program for TensorStridedSliceUpdate. The result has the elements of
// input 4, the new value, at the positions of the slice, and those of input 0 everywhere else.
func sliceUpdateScalar(b *lower.Builder) (*scalar.Work, error) {
	if !movable(b) {
		return nil, lower.ErrOnHost
	}
	p, x, err := sliceUpdateBox(b)
	if err != nil {
		return nil, err
	}
	m := intExpr{kit.NewScalar(b, b.OutShape(0))}
	at, ok := m.cuts(p, x.Src)
	v := m.E.LoadAtIf(m.Place(4, scalar.Indexed, nil, nil), at, ok)
	m.Out(0, m.E.Select(ok, v, m.Item(0)))
	return m.Done()
}

// patchScalar returns the program for ExtractImagePatches and ExtractVolumePatches. The result has
// the input's element at each position of each window, or 0 if the position is outside the input.
func patchScalar(b *lower.Builder) (*scalar.Work, error) {
	if !movable(b) {
		return nil, lower.ErrOnHost
	}
	p, err := planPatches(b.Shaper())
	if err != nil {
		return nil, err
	}
	for _, e := range p.left {
		if err := kit.AtLeast(b, e, 0, "the room for windows"); err != nil {
			return nil, err
		}
	}
	x, n := b.InShape(0), len(p.kernel)
	src := kit.Strides(x)
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
	m := intExpr{kit.NewScalar(b, append(sizes, x[n+1]))}
	e := m.E
	var inside []scalar.Value
	for k := range n {
		y := m.add(m.mul(e.Coord(1+k), e.Int(int64(p.stride[k]))), m.mul(e.Coord(1+n+k), e.Int(int64(p.rate[k]))))
		inside = append(inside, m.Within(y, p.pad[k], x[k+1]), e.Bin(scalar.Ge, y, m.Arg(p.pad[k])))
	}
	m.Out(0, e.LoadIf(m.Strided(0, off, append(st, sym.One)), m.Guard(inside)))
	return m.Done()
}

// mirrorPadGradScalar sums the gradients of all copies of an element, in the order of the padded
// tensor.
func mirrorPadGradScalar(b *lower.Builder) (*scalar.Work, error) {
	off, err := mirror(b.Node)
	if err != nil || !movable(b) {
		return nil, lower.ErrOnHost
	}
	dims := b.OutShape(0)
	before, after, err := BindMargins(b, len(dims))
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
		return nil, lower.ErrOnHost
	}
	for k, d := range b.InShape(0) {
		b.Check(shape.AtLeast, d, before[k].Add(after[k]).AddInt(1), "a padded dimension")
	}
	b.Check(array.MirrorFits, dims, before, after, off)
	m := intExpr{kit.NewScalar(b, dims)}
	e, st := m.E, kit.Strides(b.InShape(0))
	type place struct{ at, ok scalar.Value } // ok is a condition, or -1 if the place always exists
	places := []place{{m.zero(), -1}}
	for k, d := range dims {
		c := e.Coord(k)
		here := []place{{m.add(c, m.Arg(before[k])), -1}}
		if !before[k].Is(0) { // the index of the copy in the margin before the tensor is i = -c-1+off
			i := m.sub(e.Int(int64(off-1)), c)
			ok := e.Bin(scalar.And, e.Bin(scalar.Lt, i, m.zero()), e.Bin(scalar.Ge, i, m.Arg(before[k].MulInt(-1))))
			here = slices.Insert(here, 0, place{m.add(i, m.Arg(before[k])), ok})
		}
		if !after[k].Is(0) { // the index of the copy in the margin after the tensor is i = 2n-1-off-c
			i := m.sub(m.Arg(d.MulInt(2).AddInt(-1-off)), c)
			ok := e.Bin(scalar.And, e.Bin(scalar.Ge, i, m.Arg(d)), e.Bin(scalar.Lt, i, m.Arg(d.Add(after[k]))))
			here = append(here, place{m.add(i, m.Arg(before[k])), ok})
		}
		var all []place
		for _, p := range places {
			for _, h := range here {
				q := place{m.Step(p.at, h.at, st[k]), p.ok}
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
	in := m.Place(0, scalar.Indexed, nil, nil)
	sum := e.Const(b.OutFact(0).DType, 0)
	for _, p := range places {
		if p.ok < 0 {
			sum = m.add(sum, e.LoadAt(in, p.at))
		} else {
			sum = m.add(sum, e.LoadAtIf(in, p.at, p.ok))
		}
	}
	m.Out(0, sum)
	return m.Done()
}

// emptyScalar returns the program for Empty, which writes zeros, even if the attribute init is
// false.
func emptyScalar(b *lower.Builder) (*scalar.Work, error) {
	d := b.OutFact(0).DType
	if !scalar.Takes(d) {
		return nil, lower.ErrOnHost
	}
	kit.BindDims(b, 0)
	m := kit.NewScalar(b, []*sym.Expr{b.OutLen(0)})
	m.Out(0, m.E.Op(scalar.Op{Code: scalar.Const, DType: scalar.Plain(d)}))
	return m.Done()
}
