package plan

import (
	"maps"
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
	j := joiner{p.Usual, p.views(), map[Step]*stepUse{}, map[*Par]map[*Buf]*cuts{}}
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

	// uses and cuts hold results of useOf and Par.cuts, because a step is compared with many loops.
	uses map[Step]*stepUse
	cuts map[*Par]map[*Buf]*cuts
}

// meet looks for a loop with which loop q can be joined. It looks only at the last lookBack steps.
// It returns the index of the loop in steps, and the joined loop. If there is no such loop, it
// returns -1.
func (j joiner) meet(steps []Step, q *Par) (int, *Par) {
	if q.Join == nil {
		return -1, nil
	}
	for i := len(steps) - 1; i >= 0 && i >= len(steps)-lookBack; i-- {
		if p, ok := steps[i].(*Par); ok && j.flows(p, q) {
			if l := j.join(p, q); l != nil {
				return i, l
			}
		}
		if j.dependent(steps[i], q) {
			return -1, nil
		}
	}
	return -1, nil
}

// flows reports whether q reads anything that p writes.
func (j joiner) flows(p, q *Par) bool {
	written := j.use(p).mode
	for r, m := range j.use(q).mode {
		if m&Read != 0 && written[r]&Write != 0 && r.Place != Worker {
			return true
		}
	}
	return false
}

// stepUse describes what a step and the steps nested in it use.
type stepUse struct {
	mode  map[*Buf]Mode   // how they use the storage of each buffer
	bound map[string]bool // the sizes that they change
	ends  bool            // whether they may end a loop around the step
}

// use returns the use of step s, which is computed once for each step.
func (j joiner) use(s Step) *stepUse {
	u := j.uses[s]
	if u == nil {
		u = useOf(s)
		j.uses[s] = u
	}
	return u
}

// useOf determines what step a and the steps nested in it use.
func useOf(a Step) *stepUse {
	u := &stepUse{mode: map[*Buf]Mode{}, bound: map[string]bool{}}
	a.Views(func(v View) { u.mode[v.Buf.Root()] |= v.Mode })
	// inner is the number of the last step that is in a loop inside step a. A Break at or before
	// that step ends only a loop inside step a.
	inner := 0
	Walk([]Step{a}, func(i int, s Step) {
		for _, n := range binds(s) {
			u.bound[n] = true
		}
		switch s := s.(type) {
		case *Room:
			u.mode[s.Buf.Root()] |= Write
		case *Loop:
			inner = max(inner, i+CountSteps(s.Body))
		case *Break:
			u.ends = u.ends || i > inner || inner == 0
		}
	})
	return u
}

// dependent reports whether loop b must stay after step a. This is necessary in three cases: a or b
// writes a buffer that the other one uses; step a may end a loop around a; or step a changes a
// size, or the storage of a buffer, that b uses.
func (j joiner) dependent(a Step, b *Par) bool {
	u := j.use(a)
	if u.ends {
		return true
	}
	for r, m := range j.use(b).mode {
		if n, ok := u.mode[r]; ok && (m|n)&Write != 0 {
			return true
		}
	}
	if len(u.bound) == 0 {
		return false
	}
	bad := false
	size := func(e *sym.Expr) {
		if e == nil || bad {
			return
		}
		set := map[string]bool{}
		e.Vars(set)
		for v := range set {
			bad = bad || u.bound[v]
		}
	}
	b.Views(func(v View) {
		size(v.Buf.Root().Len)
		size(v.Buf.ByteOffset())
	})
	Exprs(b, size)
	for _, e := range []*sym.Expr{b.Total, b.Most, b.Wrap} {
		size(e)
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
	all, same := jr.sameCuts(a, b)
	if !ok || !same {
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
	jr.cuts[j] = all
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

// cuts describes how the loop uses buffers: those in the list roots, or all if there is none.
func (p *Par) cuts(roots ...*Buf) map[*Buf]*cuts {
	m := map[*Buf]*cuts{}
	p.Views(func(v View) {
		r := v.Buf.Root()
		if roots != nil && !slices.Contains(roots, r) {
			return
		}
		c, ok := cutOf(v)
		w := &cuts{v.Mode, c, ok}
		if u := m[r]; u != nil {
			w = u.and(w)
		}
		m[r] = w
	})
	return m
}

// and describes the use of a buffer by windows of u and by windows of w.
func (u *cuts) and(w *cuts) *cuts {
	return &cuts{u.mode | w.mode, u.cut, u.alike(w)}
}

// alike reports whether all windows of u and of w move with the chunks in the same way.
func (u *cuts) alike(w *cuts) bool {
	return u.same && w.same && u.cut.item.Equal(w.cut.item) && u.cut.base.Equal(w.cut.base)
}

// cutsOf returns p.cuts(), which is computed once for each loop.
func (j joiner) cutsOf(p *Par) map[*Buf]*cuts {
	m := j.cuts[p]
	if m == nil {
		m = p.cuts()
		j.cuts[p] = m
	}
	return m
}

// sameCuts reports whether loops a and b can be joined without a change of the result. In the
// joined loop, each chunk of a is directly followed by the same chunk of b, and the chunks run in
// any order. Without joining, all of loop a runs before loop b. If they can be joined, sameCuts
// also returns the cuts of the joined loop.
func (j joiner) sameCuts(a, b *Par) (map[*Buf]*cuts, bool) {
	ca, cb := j.cutsOf(a), j.cutsOf(b)
	for r, u := range cb {
		w := ca[r]
		if w == nil || (u.mode|w.mode)&Write == 0 {
			continue
		}
		if r.Place == Worker || !u.alike(w) {
			return nil, false
		}
	}
	all := maps.Clone(ca)
	for r, u := range cb {
		if w := all[r]; w != nil {
			u = w.and(u)
		}
		all[r] = u
	}
	return all, true
}

func lcm(a, b int) int {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}
