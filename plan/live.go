package plan

// access describes how a step, without its nested lists, uses a buffer's storage.
type access struct {
	buf   *Buf
	read  bool // whether the step reads contents that were stored before the step
	write bool
	all   bool // whether the step writes the whole storage
}

// livenode holds a step, the ways in which it accesses buffers, and its nested lists of steps.
type livenode struct {
	step  Step
	at    int // as Walk numbers
	use   []access
	lists [][]*livenode
}

func livenodes(steps []Step, at *int) []*livenode {
	var out []*livenode
	for _, s := range steps {
		n := &livenode{step: s, at: *at, use: accesses(s)}
		*at++
		for _, l := range Lists(s) {
			n.lists = append(n.lists, livenodes(*l, at))
		}
		out = append(out, n)
	}
	return out
}

// accesses returns, for each buffer whose storage step s uses, how the step uses it.
func accesses(s Step) []access {
	var out []access
	at := func(r *Buf) *access {
		for i := range out {
			if out[i].buf == r {
				return &out[i]
			}
		}
		out = append(out, access{buf: r})
		return &out[len(out)-1]
	}
	switch s := s.(type) {
	case *If:
		at(s.Cond.Buf.Root()).read = true
	case *Break:
		at(s.Cond.Buf.Root()).read = true
	case *Call, *Copy, *Scalar, Transfer:
		s.Views(func(v View) {
			a := at(v.Buf.Root())
			a.read = a.read || v.Mode&Read != 0
			a.write = a.write || v.Mode&Write != 0
			a.all = a.all || v.Mode == Write && whole(v)
		})
	case *Par:
		for r, u := range s.cuts() {
			if r.Place == Worker {
				continue
			}
			a := at(r)
			a.write = u.mode&Write != 0
			a.read = u.mode&Read != 0 && !(u.same && s.writesFirst(r))
			a.all = u.same && s.writesFirst(r) && u.cut.base.Is(0) && u.cut.item.Mul(s.Total).Equal(r.Bytes())
		}
	}
	return out
}

// The method named of returns how the step uses the storage of r. The result includes the uses of a
// buffer that became an alias of r only after n.use had been computed.
func (n *livenode) of(r *Buf) access {
	a := access{buf: r}
	for _, u := range n.use {
		if u.buf == r || u.buf.Alias != nil && u.buf.Root() == r {
			a.read, a.write, a.all = a.read || u.read, a.write || u.write, a.all || u.all
		}
	}
	return a
}

// pair holds two buffers, m and n, and decides whether they may share storage.
type pair struct {
	*coalescer
	m, n   *Buf
	clash  bool
	bm, bn int // the results of the method born for m and n
}

// live reports which buffers of a pair hold a value that is still to be read.
type live struct{ m, n bool }

func (l live) or(k live) live { return live{l.m || k.m, l.n || k.n} }

// clash reports whether the buffers m and n need separate storage.
func (c *coalescer) clash(m, n *Buf) bool {
	p := &pair{coalescer: c, m: m, n: n, bm: c.born(m), bn: c.born(n)}
	p.list(c.steps, live{c.Fetched[m], c.Fetched[n]}, live{})
	return p.clash
}

// born returns the number of a step before which b holds no value that a later step needs. It
// returns -1 if no such step is known. If b is a variable of a loop, there is no such step, because
// an iteration may read contents that the previous iteration stored.
func (c *coalescer) born(b *Buf) int {
	if at, ok := c.Grow[b]; ok && !c.exposed[b] {
		return at
	}
	return -1
}

// The method list returns which buffers of the pair are live before the given steps. The parameter
// out says which buffers are live after the steps, and exit says which are live after the innermost
// loop around the steps.
func (p *pair) list(steps []*livenode, out, exit live) live {
	for i := len(steps) - 1; i >= 0 && !p.clash; i-- {
		out = p.node(steps[i], out, exit)
	}
	return out
}

func (p *pair) node(n *livenode, out, exit live) live {
	in := out
	m, k := n.of(p.m), n.of(p.n)
	switch s := n.step.(type) {
	case *If:
		in = p.list(n.lists[0], out, exit).or(p.list(n.lists[1], out, exit))
	case *Loop:
		for in = (live{}); !p.clash; {
			next := in.or(p.list(n.lists[0], in, out))
			if next == in {
				break
			}
			in = next
		}
	case *Tasks:
		for k := len(n.lists) - 1; k >= 0 && !p.clash; k-- {
			in = p.list(n.lists[k], in, exit)
		}
	case *Break:
		in = out.or(exit)
	default:
		if m.write || k.write {
			p.clash = p.clash || !p.apart(s, m, k, out)
		}
		in = live{out.m && !m.all, out.n && !k.all}
	}
	in = in.or(live{m.read, k.read})
	if n.at == p.bm {
		in.m = false
	}
	if n.at == p.bn {
		in.n = false
	}
	return in
}

// apart checks a step that writes m, n or both. It reports whether the step would still be correct
// if m and n were the same buffer. The parameter out says which of the two buffers are live after
// the step.
func (p *pair) apart(s Step, m, n access, out live) bool {
	if c, ok := s.(*Copy); ok && m.write != n.write && m.read != n.read && whole(c.Dst) && whole(c.Src) {
		return true // a copy between the two buffers, which makes them equal
	}
	switch {
	case m.write && n.write, m.write && out.n, n.write && out.m:
		return false
	case m.write && n.read:
		return takes(s, p.m, p.n)
	case n.write && m.read:
		return takes(s, p.n, p.m)
	}
	return true
}

// takes reports whether step s computes its output correctly even if its output (the buffer out)
// shares the storage of its operand (the buffer in).
func takes(s Step, out, in *Buf) bool {
	fits := func(c *Call) bool {
		for _, pair := range c.InPlace {
			if pair[0].Root() == out && pair[1].Root() == in && wholeBuf(pair[0]) && wholeBuf(pair[1]) &&
				c.only(in, pair[1]) && c.only(out, pair[0]) {
				return true
			}
		}
		return false
	}
	switch s := s.(type) {
	case *Call:
		return fits(s)
	case *Scalar:
		return s.takes(out, in)
	case *Par:
		for k, b := range s.Body {
			if c, ok := b.(*Call); ok && fitsRows(c, out, in) && s.takes(k, out, in) {
				return true
			}
		}
		return s.follows(out, in)
	}
	return false
}

// fitsRows reports whether c.InPlace contains the pair (out, in), so that these two buffers may share
// storage. The call c is in a loop over chunks.
func fitsRows(c *Call, out, in *Buf) bool {
	for _, pair := range c.InPlace {
		if pair[0].Root() == out && pair[1].Root() == in && wholeBuf(pair[0]) && wholeBuf(pair[1]) {
			return true
		}
	}
	return false
}
