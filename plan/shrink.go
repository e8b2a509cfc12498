package plan

import (
	"slices"

	"github.com/graphc/graphc/ir/sym"
)

// leastLoop is a bound on the estimated work of a loop, in picoseconds. If the work is below this
// bound, the loop runs on one thread at run time, so it has only the disadvantages of a loop.
const leastLoop = 8_000_000

// flatten replaces a loop by the steps of its body if its work is small; see Par.small. It adds the
// buffers that the replaced loops use to the map freed.
func flatten(steps []Step, freed map[*Buf]bool) []Step {
	var out []Step
	for _, s := range steps {
		for _, l := range Lists(s) {
			*l = flatten(*l, freed)
		}
		l, ok := s.(*Par)
		if !ok || !l.small() {
			out = append(out, s)
			continue
		}
		m := map[string]*sym.Expr{LoName: sym.Zero, CountName: l.Total}
		work, _ := l.cost().Mul(l.Total).IsInt()
		for _, b := range l.Body {
			b = Subst(b, m)
			if c, ok := b.(*Call); ok {
				c.Work = max(work/len(l.Body), 1)
			}
			out = append(out, b)
		}
		l.Views(func(v View) { freed[v.Buf.Root()] = true })
	}
	return out
}

// small reports whether the loop's number of items is constant, its work is below leastLoop, and a
// single chunk may contain all items.
func (p *Par) small() bool {
	total, ok := p.Total.IsInt()
	if !ok {
		return false
	}
	work, ok := p.cost().MulInt(max(total, 0)).IsInt()
	if !ok || work >= leastLoop {
		return false
	}
	for _, e := range []*sym.Expr{p.Most, p.Wrap} {
		if e == nil {
			continue
		}
		if n, ok := e.IsInt(); !ok || n < total {
			return false
		}
	}
	return true
}

// shrink looks for tensors that only a single joined loop uses. It reduces the buffer of such a
// tensor to the size of a chunk, and moves the buffer to the private memory of the worker that
// computes the chunk.
func (p *Plan) shrink() {
	users := map[*Buf]int{}
	walkViews(p.Steps, func(i int, v View) {
		r := v.Buf.Root()
		if at, ok := users[r]; ok && at != i {
			users[r] = -1
		} else if !ok {
			users[r] = i
		}
	})
	for _, f := range p.Fetches {
		users[f.Buf.Root()] = -1
	}
	small := map[*Buf]*sym.Expr{} // bytes per chunk
	Walk(p.Steps, func(i int, s Step) {
		l, ok := s.(*Par)
		if !ok || l.Most == nil {
			return
		}
		for i := range l.halos {
			h := &l.halos[i]
			h.Buf.Place, h.Buf.Len = Worker, h.halo(l.Most)
		}
		some := false
		for r, u := range l.cuts() {
			if users[r] == i && r.Place == Arena && u.same && u.cut.base.Is(0) && l.writesFirst(r) {
				small[r] = u.cut.item.Mul(l.Most)
				some = true
			}
		}
		for k, s := range l.Body {
			if !some {
				break
			}
			l.Body[k] = mapViews(s, func(v View) View {
				if small[v.Buf.Root()] != nil {
					v.Off = nil
				}
				return v
			})
		}
	})
	for _, b := range p.Bufs {
		if bytes := small[b.Root()]; bytes != nil {
			b.Place = Worker
			b.Len = bytes.Div(sym.Int(b.DType.Size()))
		}
	}
}

// writesFirst reports whether the loop's body writes the buffer r before it reads from r.
func (p *Par) writesFirst(r *Buf) bool {
	for _, s := range p.Body {
		var m Mode
		s.Views(func(v View) {
			if v.Buf.Root() == r {
				m |= v.Mode
			}
		})
		if m != 0 {
			return m == Write
		}
	}
	return false
}

// mapViews returns a copy of s with every view v replaced by f(v).
func mapViews(s Step, f func(View) View) Step {
	switch s := s.(type) {
	case *Copy:
		c := *s
		c.Dst, c.Src = f(s.Dst), f(s.Src)
		return &c
	case *Call:
		c := *s
		c.Args = slices.Clone(s.Args)
		for i, a := range c.Args {
			c.Args[i] = withViews(a, f)
		}
		return &c
	}
	return s // a Par's body contains only calls and copies
}
