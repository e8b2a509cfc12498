package plan

import (
	"github.com/graphc/graphc/rt/mem"
)

// Uses describes which steps use each buffer that owns storage. Steps have the numbers that Walk
// gives them. Buffers at the place Worker are omitted.
type Uses struct {
	// Order contains the buffers in the order of their first use, followed by the buffers that only
	// Room steps use.
	Order []*Buf
	// Life is the lifetime of each buffer: the range from the first to the last step for which the
	// buffer needs its storage. The lifetime of a fetched buffer ends one step after the plan's
	// last step. If a buffer outlives an iteration of a Loop, its lifetime includes the whole Loop.
	// A buffer outlives an iteration if steps outside of the Loop also use the buffer, or if an
	// iteration might read the buffer before writing it.
	//
	// If several tasks of a Tasks step use a buffer, or if both a task and steps outside of the
	// Tasks step use it, the buffer's lifetime includes the whole Tasks step. The exception is a
	// buffer that only tasks of one lane use.
	Life map[*Buf]mem.Life
	// In holds, for each buffer, the innermost Loop around the buffer's whole lifetime. In each
	// iteration of this Loop, a new lifetime begins and ends. It is nil if there is no such Loop.
	In map[*Buf]*Loop
	// Grow holds, for each buffer outside the arena, the number of the step before which the buffer
	// gets its storage. This step precedes all uses. Each use is in the list of steps that contains
	// this step, or in a list nested in that list.
	Grow    map[*Buf]int
	Fetched map[*Buf]bool
	Roomed  map[*Buf]bool // whether a Room step allocates the buffer's storage

	// exposed says whether all uses of a buffer are in a Loop, and a read may see contents from an
	// earlier iteration.
	exposed map[*Buf]bool
	lists   map[*Buf]int  // the number of the first step in the list that contains all uses
	loopOf  []*Loop       // the innermost loop around each step
	lanes   map[*Buf]lane // the lane of each buffer that only the tasks of one lane use
}

// lane identifies a lane of a Tasks step, that is, a set of tasks that never run at the same time.
// The field named at is the number of the Tasks step plus 1.
type lane struct{ at, lane int }

// touch describes how a step itself, without its nested lists, uses a buffer's storage.
type touch struct {
	root *Buf
	// The field read says whether the step reads contents that the buffer had before the step. The
	// field write says whether the step writes to the buffer.
	read, write bool
}

// touches returns, for each buffer whose storage step s uses, how the step uses it.
func touches(s Step) []touch {
	var ts []touch
	add := func(b *Buf, read, write bool) {
		b = b.Root()
		if b.Place == Worker {
			return
		}
		for i := range ts {
			if ts[i].root == b {
				ts[i].read = ts[i].read || read && !ts[i].write
				ts[i].write = ts[i].write || write
				return
			}
		}
		ts = append(ts, touch{b, read, write})
	}
	views := func(s Step) {
		// A call reads its inputs before it writes. Therefore a view with mode ReadWrite is scratch
		// memory, which need not have been written before the call.
		s.Views(func(v View) {
			if v.Mode == Read {
				add(v.Buf, true, false)
			}
		})
		s.Views(func(v View) {
			if v.Mode != Read {
				add(v.Buf, false, true)
			}
		})
	}
	switch s := s.(type) {
	case *If:
		add(s.Cond.Buf, true, false)
	case *Break:
		add(s.Cond.Buf, true, false)
	case *Call, *Copy, *Scalar, Transfer:
		views(s)
	case *Par:
		for _, b := range s.Body {
			views(b)
		}
	}
	return ts
}

// region describes how the steps of a list use one buffer. The analysis updates it with every step
// that it visits.
type region struct {
	first, last int
	// The field named at is the number of the step where the use begins: a step of the list, or of
	// a task in the list.
	at      int
	count   int // number of steps that use the buffer
	exposed bool
	written bool // in every case
}

// part is the state of the analysis for a list of steps.
type part struct {
	outer *part
	start int
	loop  *Loop // the innermost loop around the list of steps
	body  bool  // whether the list of steps is the body of a loop
	use   map[*Buf]*region
	// done is only set for a loop's body. It contains the buffers that have certainly been written
	// at every Break visited so far.
	done  map[*Buf]bool
	ended bool // whether there was a Break
}

// users computes Uses.
type users struct {
	*Uses
	total map[*Buf]int
}

// Uses computes when buffers are used.
func (p *Plan) Uses() *Uses {
	u := &users{&Uses{Life: map[*Buf]mem.Life{}, In: map[*Buf]*Loop{}, Grow: map[*Buf]int{}, Fetched: map[*Buf]bool{},
		Roomed: map[*Buf]bool{}, exposed: map[*Buf]bool{}, lists: map[*Buf]int{}, lanes: map[*Buf]lane{}}, map[*Buf]int{}}
	var roomed []*Buf
	count := func(b *Buf) {
		if u.total[b] == 0 {
			u.Order = append(u.Order, b)
		}
		u.total[b]++
	}
	n := 0
	Walk(p.Steps, func(i int, s Step) {
		n++
		for _, t := range touches(s) {
			count(t.root)
		}
		if r, ok := s.(*Room); ok && !u.Roomed[r.Buf.Root()] {
			u.Roomed[r.Buf.Root()] = true
			roomed = append(roomed, r.Buf.Root())
		}
	})
	for _, f := range p.Fetches {
		if r := f.Buf.Root(); !u.Fetched[r] {
			u.Fetched[r] = true
			count(r)
		}
	}
	for _, b := range roomed {
		if u.total[b] == 0 {
			u.Order = append(u.Order, b)
		}
	}
	top := u.list(p.Steps, nil, nil, false)
	for b := range u.Fetched {
		top.use1(b, n, n, n).count++
	}
	u.settle(top)
	for _, s := range p.Steps {
		m, ok := s.(*Send)
		if !ok || !m.underway() {
			continue
		}
		if r := m.Src.Buf.Root(); r.Place == Device {
			life := u.Life[r]
			life.Last = max(life.Last, int32(n))
			u.Life[r] = life
		}
	}
	for b, l := range u.lanes {
		life := u.Life[b]
		life.Tasks, life.Lane = int32(l.at), int32(l.lane)
		u.Life[b] = life
	}
	return u.Uses
}

// use1 records that the steps from first to last use buffer b. If this is the first use of b, the
// parameter at becomes the field named at of the region.
func (l *part) use1(b *Buf, first, last, at int) *region {
	r := l.use[b]
	if r == nil {
		r = &region{first: first, at: at}
		l.use[b] = r
	}
	r.first, r.last = min(r.first, first), max(r.last, last)
	return r
}

// settle sets the lifetimes of the buffers that are used only by the steps of list l.
func (u *users) settle(l *part) {
	for b, r := range l.use {
		if r.count != u.total[b] {
			continue
		}
		if _, ok := u.Grow[b]; !ok {
			u.Grow[b], u.lists[b] = r.at, l.start
		}
		if l.outer != nil && (!l.body || r.exposed) {
			continue
		}
		if _, ok := u.Life[b]; !ok {
			u.Life[b], u.In[b] = mem.Life{First: int32(r.first), Last: int32(r.last)}, l.loop
		}
	}
}

// The method list analyzes the uses of buffers in a list of steps.
func (u *users) list(steps []Step, outer *part, loop *Loop, body bool) *part {
	l := &part{outer: outer, start: len(u.loopOf), loop: loop, body: body, use: map[*Buf]*region{}}
	for _, s := range steps {
		at := len(u.loopOf)
		u.loopOf = append(u.loopOf, loop)
		for _, t := range touches(s) {
			r := l.use1(t.root, at, at, at)
			r.count++
			r.exposed = r.exposed || t.read && !r.written
			r.written = r.written || t.write
		}
		switch s := s.(type) {
		case *If:
			then := u.list(s.Then, l, loop, false)
			other := u.list(s.Else, l, loop, false)
			both := map[*Buf]bool{}
			for b, r := range then.use {
				both[b] = r.written && other.use[b] != nil && other.use[b].written
			}
			u.merge(l, then, at)
			u.merge(l, other, at)
			for b, w := range both {
				l.use[b].written = l.use[b].written || w
			}
		case *Loop:
			in := u.list(s.Body, l, s, true)
			for b, r := range in.use {
				if _, ok := u.Life[b]; !ok {
					r.first, r.last = at, len(u.loopOf)-1
					u.exposed[b] = u.exposed[b] || r.exposed && r.count == u.total[b]
				}
			}
			u.merge(l, in, at)
			for b := range in.done {
				l.use[b].written = true
			}
		case *Tasks:
			u.tasks(l, s, at)
		case *Break:
			l.leave()
		}
	}
	if outer != nil {
		u.settle(l)
	}
	return l
}

// merge adds the uses of buffers in a nested list to those in list l. The second parameter describes
// the nested list, and the third is the number of the step that contains it. A write in the nested
// list might not happen, so merge does not mark the buffer as written.
func (u *users) merge(l, in *part, at int) {
	for b, r := range in.use {
		t := l.use1(b, r.first, r.last, at)
		t.count += r.count
		t.exposed = t.exposed || r.exposed && !t.written
	}
}

// leave handles a Break, the current step of l. It records which buffers are certainly written if
// the Break ends the loop.
func (l *part) leave() {
	done := map[*Buf]bool{}
	for ; ; l = l.outer {
		for b, r := range l.use {
			if r.written {
				done[b] = true
			}
		}
		if l.body || l.outer == nil {
			break
		}
	}
	if l.ended {
		for b := range l.done {
			if !done[b] {
				delete(l.done, b)
			}
		}
		return
	}
	l.done, l.ended = done, true
}

// The method tasks analyzes the tasks of s one after the other. The step s is in list l, and the
// parameter at is its number.
func (u *users) tasks(l *part, s *Tasks, at int) {
	type sum struct {
		region
		// task is the first task that uses the buffer, and lane is its lane, or 0 if tasks of
		// several lanes use the buffer.
		task, lane int
	}
	all := map[*Buf]*sum{}
	lanes, before := s.Lanes(), s.before()
	for k := range s.Tasks {
		in := u.list(s.Tasks[k].Steps, l, l.loop, false)
		for b, r := range in.use {
			t := all[b]
			if t == nil {
				all[b] = &sum{*r, k, lanes[k]}
				continue
			}
			if t.lane != lanes[k] {
				t.lane = 0
			}
			if !before[k].has(t.task) {
				t.at = at
			}
			t.first, t.last, t.count = min(t.first, r.first), max(t.last, r.last), t.count+r.count
			t.exposed = t.exposed || r.exposed && !t.written
			t.written = t.written || r.written
		}
	}
	for b, t := range all {
		if t.lane != 0 && t.count == u.total[b] {
			u.lanes[b] = lane{at + 1, t.lane}
		} else {
			t.first, t.last = at, len(u.loopOf)-1
		}
		r := l.use1(b, t.first, t.last, t.at)
		r.count += t.count
		r.exposed = r.exposed || t.exposed && !r.written
		r.written = r.written || t.written
	}
}
