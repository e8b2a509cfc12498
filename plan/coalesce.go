package plan

import "slices"

// coalesce merges the storage of two buffers if one buffer is a copy of the other and no step has a
// different result afterwards. It then drops the copying step. Thus the next value of a loop
// variable is computed in the place of its current value, and the result of a branch is computed in
// the place of the conditional's result. In loops, coalesce also merges the storage of outputs and
// inputs in Call.InPlace if their values live across iterations. shareInPlace handles all other
// outputs and inputs in Call.InPlace.
//
// Two buffers may share storage if neither is written while the other buffer's value is still to be
// read, except by copies between the two. The storage then always holds the value that the next
// reader needs. Liveness is computed backward, step by step. For loops, the computation is repeated
// until the liveness does not change.
func (p *Plan) coalesce() {
	var pairs [][2]*Buf
	any := false
	Walk(p.Steps, func(_ int, s Step) {
		if c, ok := s.(*Copy); ok && whole(c.Dst) && whole(c.Src) {
			pairs = append(pairs, [2]*Buf{c.Dst.Buf, c.Src.Buf})
		}
		_, loop := s.(*Loop)
		any = any || loop
	})
	if len(pairs) == 0 && !any {
		return
	}
	c := newCoalescer(p)
	for _, pair := range pairs {
		c.try(pair[0].Root(), pair[1].Root())
	}
	Walk(p.Steps, func(i int, s Step) {
		if c.loopOf[i] == nil {
			return
		}
		for _, pair := range inPlacePairs(s) {
			out, in := pair[0].Root(), pair[1].Root()
			if out.Place == Arena && (c.In[out] != c.loopOf[i] || c.In[in] != c.loopOf[i]) {
				c.try(in, out)
			}
		}
	})
	p.Steps = withoutCopies(p.Steps)
}

// inPlacePairs returns pairs of an output and an input that may share storage. For a call or a loop
// of calls, these are the pairs in Call.InPlace. For a Scalar, they are computed.
func inPlacePairs(s Step) [][2]*Buf {
	switch s := s.(type) {
	case *Call:
		return s.InPlace
	case *Scalar:
		return s.inPlace()
	case *Par:
		var out [][2]*Buf
		for _, b := range s.Body {
			if c, ok := b.(*Call); ok {
				out = append(out, c.InPlace...)
			}
		}
		return out
	}
	return nil
}

// whole reports whether a window covers the whole storage of its buffer.
func whole(v View) bool {
	return (v.Off == nil || v.Off.Is(0)) && v.Len.Equal(v.Buf.Len) && wholeBuf(v.Buf)
}

// wholeBuf reports whether b covers the whole storage of its root.
func wholeBuf(b *Buf) bool {
	r := b.Root()
	return r == b || b.ByteOffset().Is(0) && b.Bytes().Equal(r.Bytes())
}

// coalescer merges the buffers of a plan.
type coalescer struct {
	*Uses
	p     *Plan
	steps []*livenode
	fixed map[string]bool // sizes that are bound only once in a run
	tasks []*taskUses
}

// taskUses holds, for one Tasks step, the tasks that read or write each buffer.
type taskUses struct {
	*Tasks
	before []bits
	by     map[*Buf][]taskUse
}

type taskUse struct {
	task  int
	write bool
}

// usesOfTasks returns the taskUses of each Tasks step.
func usesOfTasks(steps []Step) []*taskUses {
	var out []*taskUses
	Walk(steps, func(_ int, s Step) {
		t, ok := s.(*Tasks)
		if !ok {
			return
		}
		u := &taskUses{t, t.before(), map[*Buf][]taskUse{}}
		for k := range t.Tasks {
			Walk(t.Tasks[k].Steps, func(_ int, s Step) {
				for _, h := range touches(s) {
					u.by[h.root] = append(u.by[h.root], taskUse{k, h.write})
				}
			})
		}
		out = append(out, u)
	})
	return out
}

// inOrder reports whether the order of tasks determines the contents of the buffers m and n: each
// task that writes one of them must be ordered with all other tasks that use one of them.
func (u *taskUses) inOrder(m, n *Buf) bool {
	all := slices.Concat(u.by[m], u.by[n])
	for _, a := range all {
		if !a.write {
			continue
		}
		for _, b := range all {
			if a.task != b.task && !u.before[a.task].has(b.task) && !u.before[b.task].has(a.task) {
				return false
			}
		}
	}
	return true
}

func newCoalescer(p *Plan) *coalescer {
	c := &coalescer{Uses: p.Uses(), p: p, fixed: map[string]bool{}}
	seen := map[string]bool{}
	Walk(p.Steps, func(i int, s Step) {
		for _, n := range binds(s) {
			c.fixed[n] = !seen[n] && c.loopOf[i] == nil
			seen[n] = true
		}
	})
	for _, d := range p.Dims {
		c.fixed[d.Name] = true
	}
	at := 0
	c.steps = livenodes(p.Steps, &at)
	c.tasks = usesOfTasks(p.Steps)
	return c
}

// The method try makes n share the storage of m if this is correct. Neither buffer may be an alias.
func (c *coalescer) try(m, n *Buf) {
	if m == n || m.Place != n.Place || !m.Bytes().Equal(n.Bytes()) || c.Roomed[m] || c.Roomed[n] {
		return
	}
	switch m.Place {
	case Arena, Device:
	case Grow, Strings, Handles, DeviceGrow:
		names := map[string]bool{}
		m.Len.Vars(names)
		for v := range names {
			if !c.fixed[v] {
				return
			}
		}
		if m.DType.GoType() != n.DType.GoType() {
			return
		}
	default:
		return
	}
	for _, t := range c.tasks {
		if !t.inOrder(m, n) {
			return
		}
	}
	if c.clash(m, n) {
		return
	}
	n.Alias, n.Off = m, nil
	for _, t := range c.tasks {
		t.by[m] = append(t.by[m], t.by[n]...)
	}
	c.Uses = c.p.Uses()
}

// withoutCopies returns the steps without copies of a window to itself, and without conditionals
// and tasks that became empty.
func withoutCopies(steps []Step) []Step {
	var out []Step
	for _, s := range steps {
		if c, ok := s.(*Copy); ok && sameWindow(c.Dst, c.Src) {
			continue
		}
		for _, l := range Lists(s) {
			*l = withoutCopies(*l)
		}
		if t, ok := s.(*Tasks); ok {
			if t.trim(); len(t.Tasks) < 2 {
				for _, k := range t.Tasks {
					out = append(out, k.Steps...)
				}
				continue
			}
		}
		if c, ok := s.(*If); ok && len(c.Then) == 0 {
			if len(c.Else) == 0 {
				continue
			}
			c.Then, c.Else, c.Neg = c.Else, nil, !c.Neg
		}
		out = append(out, s)
	}
	return out
}

func sameWindow(a, b View) bool {
	if a.Buf.Root() != b.Buf.Root() || !a.Len.Equal(b.Len) {
		return false
	}
	x, y := a.Buf.ByteOffset(), b.Buf.ByteOffset()
	if a.Off != nil {
		x = x.Add(a.Off.MulInt(a.Buf.DType.Size()))
	}
	if b.Off != nil {
		y = y.Add(b.Off.MulInt(b.Buf.DType.Size()))
	}
	return x.Equal(y)
}
