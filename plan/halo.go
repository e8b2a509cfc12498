package plan

import (
	"slices"

	"github.com/graphc/graphc/ir/sym"
)

// Halo describes an operand of a loop whose items are the rows of result images. Row y of a result
// image depends on rows y·Stride - Pad, …, y·Stride - Pad + Span - 1 of the same image of the operand,
// as far as they exist.
type Halo struct {
	Buf    *Buf      // the operand; one call of the loop reads it
	Row    *sym.Expr // elements of a row of the operand
	Height *sym.Expr // rows of an image of the operand
	Rows   *sym.Expr // rows of a result image
	Stride int
	Pad    *sym.Expr
	Span   *sym.Expr
	// First is a field of the call's struct argument: the first row that the operand's memory holds,
	// counted over the rows of all images. Without this field, the memory holds all rows.
	First string
}

// A loop may compute its operand's rows itself, although neighbouring chunks then compute some rows
// twice. That saves time if an image of the operand is too large for the second-level cache, in
// which it would otherwise wait for the loop. See RATIONALE.md, "Why some expansions are computed
// twice".
const (
	// haloImage is the number of bytes from which an image counts as too large.
	haloImage = 3 << 20
	// haloBytes limits the operand's rows of a chunk.
	haloBytes = 400 << 10
	// haloMiss is the time in picoseconds that an image too large for the cache costs for each of
	// its bytes.
	haloMiss = 100
)

// gather looks for the calls that compute the operand described by q.Halo, in a loop among the last
// lookBack steps. It takes these calls out of that loop and returns the remaining steps, and a loop that does
// the work of the calls and of q. If this is impossible or saves no time, it returns its arguments.
func (j joiner) gather(steps []Step, q *Par) ([]Step, *Par) {
	if q.Halo == nil {
		return steps, q
	}
	r := q.Halo.Buf
	if r != r.Root() || r.Place != Arena {
		return steps, q
	}
	for i := len(steps) - 1; i >= 0 && i >= len(steps)-lookBack; i-- {
		p, ok := steps[i].(*Par)
		if !ok {
			continue
		}
		moved, rest, before, views := divide(p.Body, r)
		if views == 0 {
			continue
		}
		if views+1 != j.views[r] {
			return steps, q // another step uses the operand, too
		}
		part := &Par{Body: moved}
		l := j.gathered(p, part, q)
		if l == nil || slices.ContainsFunc(slices.Concat(rest[before:], steps[i+1:]), func(s Step) bool { return j.dependent(s, part) }) {
			return steps, q
		}
		if len(rest) == 0 {
			return slices.Delete(steps, i, i+1), l
		}
		left := *p
		left.Body = rest
		steps[i] = &left
		return steps, l
	}
	return steps, q
}

// divide divides the steps of a body into those with views on r and the rest. It counts these views, and the
// steps of the rest that come before all steps with views.
func divide(body []Step, r *Buf) (with, rest []Step, before, views int) {
	for _, s := range body {
		n := 0
		s.Views(func(v View) {
			if v.Buf.Root() == r {
				n++
			}
		})
		if views += n; n > 0 {
			with = append(with, s)
			continue
		}
		rest = append(rest, s)
		if len(with) == 0 {
			before++
		}
	}
	return with, rest, before, views
}

// gathered returns a loop that does the work of q, and that of the loop part for the rows that q reads. The
// loop part has the steps of p's body that compute the operand. gathered returns nil if that is impossible or
// saves no time.
func (j joiner) gathered(p, part, q *Par) *Par {
	h := q.Halo
	u := part.cuts()[h.Buf]
	if !u.same || !u.cut.base.Is(0) || !part.writesFirst(h.Buf) || p.Strided || p.Most != nil && !p.joined || q.Most != nil || q.Wrap != nil {
		return nil
	}
	for _, s := range part.Body {
		c, ok := s.(*Call)
		if !ok || slices.ContainsFunc(c.InPlace, func(pair [2]*Buf) bool { return pair != [2]*Buf{h.Buf, h.Buf} }) {
			return nil
		}
	}
	// A row of the operand consists of per items of p.
	size := h.Buf.DType.Size()
	bytes := h.Row.MulInt(size)
	per, ok := bytes.Div(u.cut.item).IsInt()
	if !ok || per < 1 || !u.cut.item.MulInt(per).Equal(bytes) || per < p.Grain || p.Wrap != nil && !p.Wrap.Equal(h.Height.MulInt(per)) {
		return nil
	}
	images := q.Total.Div(h.Rows)
	if !images.Mul(h.Rows).Equal(q.Total) || !images.Mul(h.Height).MulInt(per).Equal(p.Total) {
		return nil
	}
	n := j.rows(h, j.usual(p.cost().Mul(p.Total))/max(j.usual(images), 1))
	if n == 0 {
		return nil
	}
	image := Lo.Div(h.Rows)
	first := Lo.Sub(image.Mul(h.Rows)).MulInt(h.Stride).Sub(h.Pad)
	inside := func(y *sym.Expr) *sym.Expr {
		return image.Mul(h.Height).Add(sym.Min(sym.Max(y, sym.Zero), h.Height))
	}
	from, to := inside(first), inside(first.Add(Count.AddInt(-1).MulInt(h.Stride)).Add(h.Span))
	own := func(v View) View { // on the chunk's own memory
		if v.Buf == h.Buf {
			v.Off, v.Len = nil, to.Sub(from).Mul(h.Row)
		}
		return v
	}
	l := *q
	l.Halo, l.joined, l.Wrap, l.Body = nil, true, h.Rows, nil
	l.Most, l.Join, l.Least = sym.Int(n), sym.Int(n), n
	l.Work = q.cost().Add(p.cost().MulInt(per * h.Stride))
	l.halos = append(slices.Clone(q.halos), *h)
	for _, s := range part.Body {
		s = Subst(s, map[string]*sym.Expr{LoName: from.MulInt(per), CountName: to.Sub(from).MulInt(per)})
		l.Body = append(l.Body, mapViews(s, own))
	}
	for _, s := range q.Body {
		if c, ok := s.(*Call); ok && reads(c, h.Buf) {
			c = mapViews(c, own).(*Call)
			for i, a := range c.Args {
				if a, ok := a.(Struct); ok {
					c.Args[i] = a.With(h.First, from)
				}
			}
			s = c
		}
		l.Body = append(l.Body, s)
	}
	return &l
}

// rows returns how many rows of the result a chunk should have if it computes the operand's rows itself. It
// returns 0 if that saves no time. The parameter work is the time in picoseconds in which an image of the
// operand is computed.
func (j joiner) rows(h *Halo, work int) int {
	row, ok1 := h.Row.MulInt(h.Buf.DType.Size()).IsInt()
	height, ok2 := h.Height.IsInt()
	rows, ok3 := h.Rows.IsInt()
	span, ok4 := h.Span.IsInt()
	if !ok1 || !ok2 || !ok3 || !ok4 || row <= 0 || row > haloBytes || row*height < haloImage || haloBytes/row < span {
		return 0
	}
	n := (haloBytes/row-span)/h.Stride + 1
	if n >= rows {
		return 0
	}
	twice := max(span-h.Stride, 0) // rows of a chunk that the next chunk computes, too
	if work/(n*h.Stride)*twice > row*height/2*haloMiss {
		return 0
	}
	return n
}

// reads reports whether c has a view on r.
func reads(c *Call, r *Buf) bool {
	found := false
	c.Views(func(v View) { found = found || v.Buf == r })
	return found
}

// halo returns the number of elements of the operand described by h that a chunk of up to most items
// reads.
func (h *Halo) halo(most *sym.Expr) *sym.Expr {
	return sym.Min(most.AddInt(-1).MulInt(h.Stride).Add(h.Span), h.Height).Mul(h.Row)
}

// views counts the views on each buffer's storage, and the fetches of the storage.
func (p *Plan) views() map[*Buf]int {
	n := map[*Buf]int{}
	walkViews(p.Steps, func(_ int, v View) { n[v.Buf.Root()]++ })
	for _, f := range p.Fetches {
		n[f.Buf.Root()]++
	}
	return n
}
