package plan

import (
	"slices"

	"github.com/graphc/graphc/ir/sym"
)

// usualSize is the assumed value of a size that is known only at run time. The first dimension of a
// feed, the batch, is assumed to be 1.
const usualSize = 64

// Usual evaluates e with assumed values for sizes that are known only at run time.
func (p *Plan) Usual(e *sym.Expr) int {
	if n, ok := e.IsInt(); ok {
		return n
	}
	vars := map[string]bool{}
	e.Vars(vars)
	env := map[string]int{}
	for v := range vars {
		env[v] = usualSize
	}
	for _, d := range p.Dims {
		if d.Axis == 0 {
			env[d.Name] = 1
		}
	}
	n, err := e.Eval(env)
	if err != nil {
		return 1
	}
	return n
}

// maxJoined limits the calls of a joined loop. The time needed to join another loop and to lay out
// the buffers grows with the number of calls. In a loop with so many calls, it costs little that a
// tensor must be written to memory for the next loop.
const maxJoined = 64

// lookBack limits the number of steps over which a loop may be moved up to an earlier loop.
const lookBack = 24

// Join merges loops over the same items if the later loop reads what the earlier one writes. Then
// all calls process a chunk while it is in the cache. Tensors that nothing else reads shrink to the
// size of a chunk.
//
// Two loops are joined under these conditions. The field Join must be set in both. The Total of one
// loop must be a multiple of the other's. If both loops use a tensor and one of them writes it, all
// windows on the tensor must be cut in the same places. A strided loop must be the last in a joined
// loop. To be joined to an earlier loop, a loop may move up over steps that use none of the buffers
// and sizes that the loop uses.
//
// Loops in different lists of steps, such as two branches, are not joined.
func (p *Plan) Join() {
	j := joiner{p.Usual}
	p.Steps = j.list(p.Steps)
	p.noteLoops()
	p.shrink()
	freed := map[*Buf]bool{}
	p.Steps = flatten(p.Steps, freed)
	for _, b := range p.Bufs {
		if b.Place == Worker && freed[b.Root()] {
			b.Place = Arena
		}
	}
}

// noteLoops records in p.Loops the nodes that share a loop.
func (p *Plan) noteLoops() {
	Walk(p.Steps, func(_ int, s Step) {
		l, ok := s.(*Par)
		if !ok {
			return
		}
		var nodes []string
		for _, b := range l.Body {
			if c, ok := b.(*Call); ok && !slices.Contains(nodes, c.Node) {
				nodes = append(nodes, c.Node)
			}
		}
		if len(nodes) > 1 {
			p.Loops = append(p.Loops, nodes)
		}
	})
}

// list joins the loops of a list and of its nested lists.
func (j joiner) list(steps []Step) []Step {
	var out []Step
	for _, s := range steps {
		for _, l := range Lists(s) {
			*l = j.list(*l)
		}
		if q, ok := s.(*Par); ok {
			if i, joined := j.meet(out, q); i >= 0 {
				out[i] = joined
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// joiner joins loops. usual evaluates an expression for typical sizes.
type joiner struct{ usual func(*sym.Expr) int }

// meet looks for a loop with which q can be joined, among the last steps. It returns the index of
// this loop in steps, and the joined loop. It returns -1 if there is no such loop.
func (j joiner) meet(steps []Step, q *Par) (int, *Par) {
	if q.Join == nil {
		return -1, nil
	}
	for i := len(steps) - 1; i >= 0 && i >= len(steps)-lookBack; i-- {
		if p, ok := steps[i].(*Par); ok && flows(p, q) {
			if l := j.join(p, q); l != nil {
				return i, l
			}
		}
		if dependent(steps[i], q) {
			return -1, nil
		}
	}
	return -1, nil
}

// flows reports whether q reads anything that p writes.
func flows(p, q *Par) bool {
	written := map[*Buf]bool{}
	p.Views(func(v View) {
		if v.Mode&Write != 0 && v.Buf.Place != Worker {
			written[v.Buf.Root()] = true
		}
	})
	found := false
	q.Views(func(v View) { found = found || v.Mode&Read != 0 && written[v.Buf.Root()] })
	return found
}

// dependent reports whether step b must stay after step a. This is so if one of the steps writes a
// buffer that the other uses, or if step a may end a loop around it. It is also so if step a
// changes a size, or the storage of a buffer, that step b uses.
func dependent(a Step, b *Par) bool {
	use := map[*Buf]Mode{}
	a.Views(func(v View) { use[v.Buf.Root()] |= v.Mode })
	bad := false
	bound := map[string]bool{}
	// inner is the number of the last step in loops inside step a. A Break up to this step ends
	// only one of those loops.
	inner := 0
	Walk([]Step{a}, func(i int, s Step) {
		for _, n := range binds(s) {
			bound[n] = true
		}
		switch s := s.(type) {
		case *Room:
			use[s.Buf.Root()] |= Write
		case *Loop:
			inner = max(inner, i+CountSteps(s.Body))
		case *Break:
			bad = bad || i > inner || inner == 0
		}
	})
	size := func(e *sym.Expr) {
		if e == nil || len(bound) == 0 {
			return
		}
		set := map[string]bool{}
		e.Vars(set)
		for v := range set {
			bad = bad || bound[v]
		}
	}
	b.Views(func(v View) {
		m, ok := use[v.Buf.Root()]
		bad = bad || ok && (m|v.Mode)&Write != 0
		size(v.Buf.Root().Len)
		size(v.Buf.ByteOffset())
	})
	if len(bound) > 0 {
		Exprs(b, size)
		for _, e := range []*sym.Expr{b.Total, b.Most, b.Wrap} {
			size(e)
		}
	}
	return bad
}

// Coarser items may reduce parallelism. That does not matter if there are at least enoughItems
// items, or if an item costs less than smallItem picoseconds.
const (
	enoughItems = 8
	smallItem   = 20_000_000
)

// join returns p followed by q as one loop, or nil if they cannot be joined.
func (jr joiner) join(p, q *Par) *Par {
	if len(p.Body)+len(q.Body) > maxJoined {
		return nil
	}
	if p.Join == nil || p.Strided || p.Most != nil && !p.joined || q.Most != nil && !q.joined {
		return nil
	}
	a, b := p, q
	if !p.Total.Equal(q.Total) {
		k, ok := multiple(q.Total, p.Total)
		if ok {
			b = q.coarser(k)
		} else if k, ok = multiple(p.Total, q.Total); ok {
			a = p.coarser(k)
		}
		if !ok || a == nil || b == nil {
			return nil
		}
	}
	wrap, ok := joinWraps(a.Wrap, b.Wrap)
	if !ok || !sameCuts(a, b) {
		return nil
	}
	total := a.Total
	if a != p {
		total = q.Total
	}
	if (a != p || b != q) && jr.usual(total) < enoughItems && jr.usual(a.cost().Add(b.cost())) > smallItem {
		return nil
	}
	j := &Par{joined: true, Total: total, Body: append(slices.Clone(a.Body), b.Body...)}
	j.Grain = lcm(max(a.Grain, 1), max(b.Grain, 1))
	j.Wrap, j.Strided = wrap, q.Strided
	j.Least = max(a.Least, b.Least)
	j.Join = sym.Max(sym.Min(a.Join, b.Join), sym.Int(j.Least)).CeilDiv(sym.Int(j.Grain)).MulInt(j.Grain)
	j.Work = a.cost().Add(b.cost())
	j.Most = j.Join
	return j
}

// multiple returns k and true if a is k times b and k > 1.
func multiple(a, b *sym.Expr) (int, bool) {
	if x, ok := b.IsInt(); ok && x == 0 {
		return 0, false
	}
	k, ok := a.Div(b).IsInt()
	return k, ok && k > 1 && b.MulInt(k).Equal(a)
}

// maxCoarse limits the ratio of a chunk's size to the desired size.
const maxCoarse = 16

// coarser returns the same loop over items k times as large. It returns nil if a single item would
// be much larger than the desired chunk.
func (p *Par) coarser(k int) *Par {
	join, ok := p.Join.IsInt()
	if !ok || join < k/maxCoarse {
		return nil
	}
	m := map[string]*sym.Expr{LoName: Lo.MulInt(k), CountName: Count.MulInt(k)}
	q := &Par{joined: p.joined, Total: p.Total.Div(sym.Int(k)), Split: p.Split}
	for _, s := range p.Body {
		q.Body = append(q.Body, Subst(s, m))
	}
	q.Join = sym.Int(max(join/k, 1))
	q.Least = (p.Least + k - 1) / k
	q.Work = p.cost().MulInt(k)
	if g := max(p.Grain, 1); k%g == 0 {
		q.Grain = 1
	} else {
		q.Grain = lcm(g, k) / k
	}
	if p.Wrap != nil {
		if q.Wrap = p.Wrap.Div(sym.Int(k)); !q.Wrap.MulInt(k).Equal(p.Wrap) {
			return nil
		}
	}
	return q
}

func (p *Par) cost() *sym.Expr {
	if p.Work == nil {
		return sym.One
	}
	return p.Work
}

// joinWraps returns a Wrap that satisfies both a and b, if one of them does; nil is no limit.
func joinWraps(a, b *sym.Expr) (*sym.Expr, bool) {
	switch {
	case a == nil:
		return b, true
	case b == nil || a.Equal(b):
		return a, true
	}
	if _, ok := multiple(a, b); ok {
		return b, true
	}
	_, ok := multiple(b, a)
	return a, ok
}

// cut describes how a window moves with the chunks. The field item is the number of the window's
// bytes per item of the loop. The field base is the offset, in bytes, of item 0 in the storage.
type cut struct{ item, base *sym.Expr }

// cutOf returns the window's cut in its storage.
func cutOf(v View) (cut, bool) {
	s, base, ok := stride(v)
	if !ok {
		return cut{}, false
	}
	size := v.Buf.DType.Size()
	return cut{s.MulInt(size), base.MulInt(size).Add(v.Buf.ByteOffset())}, true
}

// cuts describes how a loop uses a buffer's storage.
type cuts struct {
	mode Mode
	cut  cut
	same bool // whether all windows move with the chunks in the same way
}

func (p *Par) cuts() map[*Buf]*cuts {
	m := map[*Buf]*cuts{}
	p.Views(func(v View) {
		r := v.Buf.Root()
		c, ok := cutOf(v)
		u := m[r]
		if u == nil {
			m[r] = &cuts{v.Mode, c, ok}
			return
		}
		u.mode |= v.Mode
		u.same = u.same && ok && c.item.Equal(u.cut.item) && c.base.Equal(u.cut.base)
	})
	return m
}

// sameCuts reports whether loops a and b can be joined without a change of the result. In the
// joined loop, each chunk of a is directly followed by the same chunk of b, and the chunks run in
// any order. Without joining, all of loop a runs before loop b.
func sameCuts(a, b *Par) bool {
	ca, cb := a.cuts(), b.cuts()
	for r, u := range ca {
		w := cb[r]
		if w == nil || (u.mode|w.mode)&Write == 0 {
			continue
		}
		if r.Place == Worker || !u.same || !w.same || !u.cut.item.Equal(w.cut.item) || !u.cut.base.Equal(w.cut.base) {
			return false
		}
	}
	return true
}

func lcm(a, b int) int {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}
