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

// lookBack limits how many steps a loop may be moved up to reach the loop that it joins.
const lookBack = 24

// Join merges loops over the same items if the later loop reads data that the earlier loop writes.
// Then all calls process a chunk while it is in the cache. Tensors that no other step reads shrink
// to the size of a chunk.
//
// Two loops are joined under these conditions:
//
//   - The field Join is set in both.
//   - The Total of one loop is a multiple of the Total of the other loop.
//   - If both loops use a tensor and one of them writes it, all windows on the tensor are cut in the
//     same places.
//   - A strided loop is the last of the joined loops.
//   - The later loop can be moved up to the earlier one: the steps in between use none of the buffers
//     and sizes that the later loop uses.
//
// Loops in different lists of steps, such as two branches, are not joined.
func (p *Plan) Join() {
	j := joiner{p.Usual, p.views()}
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
			out, q = j.gather(out, q)
			s = q
			if i, joined := j.meet(out, q); i >= 0 {
				out[i] = joined
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// joiner joins loops.
type joiner struct {
	usual func(*sym.Expr) int // evaluates an expression for usual sizes
	views map[*Buf]int        // number of views and fetches of each buffer's storage
}

// meet looks for a loop with which loop q can be joined. It looks only at the last lookBack steps.
// It returns the index of the loop in steps, and the joined loop. If there is no such loop, it
// returns -1.
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

// dependent reports whether loop b must stay after step a. This is necessary in three cases: a or b
// writes a buffer that the other one uses; step a may end a loop around a; or step a changes a
// size, or the storage of a buffer, that b uses.
func dependent(a Step, b *Par) bool {
	use := map[*Buf]Mode{}
	a.Views(func(v View) { use[v.Buf.Root()] |= v.Mode })
	bad := false
	bound := map[string]bool{}
	// inner is the number of the last step that is in a loop inside step a. A Break at or before
	// that step ends only a loop inside step a.
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

// To join loops, the items of a loop may have to be made larger, which may reduce parallelism. That
// does not matter if there are at least enoughItems items, or if an item costs less than smallItem
// picoseconds.
const (
	enoughItems = 8
	smallItem   = leastLoop
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
	j.halos = slices.Concat(a.halos, b.halos)
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

// maxCoarse limits how many times larger than the desired chunk a single item may become.
const maxCoarse = 16

// fewRows is the number of items from which a coarser item needs no grain. It is the number of rows
// of the smallest full tile of a matrix product.
const fewRows = 4

// coarser returns a loop that does the same work as p, but whose items each consist of k items of
// p. It returns nil if a single item would be much larger than the desired chunk.
func (p *Par) coarser(k int) *Par {
	join, ok := p.Join.IsInt()
	if !ok || join < k/maxCoarse || len(p.halos) > 0 {
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
	// Except in strided loops, a grain only saves time. The items of the coarser loop are few, and a
	// grain of several items would leave nothing to other threads.
	if g := max(p.Grain, 1); k%g == 0 || !p.Strided && k >= fewRows {
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

// joinWraps takes the limits in the field Wrap of two loops, where nil means no limit. It returns
// the limit for the joined loop, which must be one of the two and must satisfy both. The result is
// false if neither limit satisfies both.
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

// cut describes how a window moves from chunk to chunk. The field item is the number of bytes of
// the window that belong to one item of the loop. The field base is the offset, in bytes, of item 0
// in the storage.
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

// cuts describes how a loop uses a buffer's storage through all its windows.
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
