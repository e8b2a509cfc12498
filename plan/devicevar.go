package plan

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/device/devvar"
)

// Access describes how one node uses a variable's value in device memory.
type Access struct {
	Node, Op string
	Kind     devvar.Kind
}

var kindNames = [...]string{devvar.Read: "read", devvar.Update: "update", devvar.Assign: "assign", devvar.Reassign: "reassign"}

// access parses an Access in the text form that writeBuf writes.
func (p *reader) access() *Access {
	kind := p.word()
	a := &Access{Node: p.quoted(), Op: p.op()}
	for k, name := range kindNames {
		if name == kind {
			a.Kind = devvar.Kind(k)
			return a
		}
	}
	p.fail("unknown kind of access %q", kind)
	return a
}

// Segments returns, for each step of a list, the number of the segment to which it belongs, or -1
// if the step runs on the host. A segment consists of adjacent recorded steps. It also includes the
// copies between host and device among these steps, if the sizes of the copies are known before the
// run. The work that such a copy causes on the host is done before or after the segment.
func (p *Plan) Segments(steps []Step) []int {
	out := make([]int, len(steps))
	next := -1
	got := map[*Buf]bool{} // host buffers written by copies of the current segment
	for i, s := range steps {
		put, puts := s.(*Put)
		get, gets := s.(*Get)
		if !Recorded(s) && !((puts || gets) && p.Fixed(s)) {
			out[i] = -1
			continue
		}
		if i == 0 || out[i-1] < 0 || puts && got[put.Src.Buf.Root()] {
			next++
			clear(got)
		}
		out[i] = next
		if gets {
			got[get.Dst.Buf.Root()] = true
		}
	}
	return out
}

// Fixed reports whether a recorded step does the same work in all runs in which the feeds have the
// same sizes.
func (p *Plan) Fixed(s Step) bool {
	fixed := true
	Exprs(s, func(e *sym.Expr) {
		names := map[string]bool{}
		e.Vars(names)
		for _, d := range p.Dims {
			delete(names, d.Name)
		}
		fixed = fixed && len(names) == 0
	})
	s.Views(func(v View) { fixed = fixed && v.Buf.Root().Place != DeviceGrow })
	return fixed
}

// DeviceVars returns the variables whose values the plan's calls use in device memory. The index of
// a variable in the result is its slot, as in the parameter slots of Holds.
func (p *Plan) DeviceVars() []*Buf {
	used := map[*Buf]bool{}
	Walk(p.Steps, func(_ int, s Step) { s.Views(func(v View) { used[v.Buf.Root()] = true }) })
	var out []*Buf
	for _, b := range p.Bufs {
		if b.Place == DeviceVar && b.Alias == nil && used[b] {
			out = append(out, b)
		}
	}
	return out
}

// Holds returns the variables that a segment's steps use in device memory, in the order of their
// first uses. The map slots holds the slot number of each variable; see DeviceVars.
func Holds(steps []Step, slots map[*Buf]int) []devvar.Use {
	var out []devvar.Use
	at := map[*Buf]int{}
	for _, s := range steps {
		s.Views(func(v View) {
			r := v.Buf.Root()
			if r.Place != DeviceVar {
				return
			}
			i, ok := at[r]
			if !ok {
				i = len(out)
				at[r] = i
				out = append(out, firstUse(s, v, slots[r]))
			}
			out[i].Write = out[i].Write || v.Mode&Write != 0
		})
	}
	return out
}

// firstUse describes the first use of a variable in a segment. It is the use by step s through view
// v. The parameter slot is the variable's number.
func firstUse(s Step, v View, slot int) devvar.Use {
	r := v.Buf.Root()
	u := devvar.Use{Slot: slot, DType: r.DType, Shape: make([]int, len(r.Shape))}
	for k, d := range r.Shape {
		u.Shape[k], _ = d.IsInt()
	}
	for b := v.Buf; b != nil; b = b.Alias {
		if a := b.Access; a != nil {
			u.Node, u.Op, u.Kind = a.Node, a.Op, a.Kind
			return u
		}
	}
	if c, ok := s.(*Call); ok {
		u.Node, u.Op = c.Node, c.Op
	}
	return u
}

// ReadInPlace removes copies of variables' values in device memory. The calls that used a copy then
// use the variable's value itself. A copy is removed only if the results stay the same, which is
// true under these conditions. All readers of the copy are recorded in one segment, which holds the
// variable while it runs. No step writes the variable between the copying step and the last reader.
// If the segment comes after the copying step, no step in between has a visible effect, such as
// changing another variable.
func (p *Plan) ReadInPlace() {
	uses, fetched := map[*Buf]int{}, map[*Buf]bool{}
	for _, s := range p.Steps { // includes nested steps
		s.Views(func(v View) { uses[v.Buf.Root()]++ })
	}
	for _, f := range p.Fetches {
		fetched[f.Buf.Root()] = true
	}
	var list func(l *[]Step)
	list = func(l *[]Step) {
		steps := *l
		segments := p.Segments(steps)
		var out []Step
		for i, s := range steps {
			for _, in := range Lists(s) {
				list(in)
			}
			dst, src, ok := readOf(s)
			if !ok || fetched[dst] || !readHere(steps, segments, i, dst, src.Root(), uses[dst]-1) {
				out = append(out, s)
				continue
			}
			dst.Alias, dst.Off = src, nil
			for _, b := range p.Bufs {
				if b.Root() == src.Root() {
					b.Place = DeviceVar
				}
			}
		}
		*l = out
	}
	list(&p.Steps)
}

// readOf reports whether step s copies the whole value of a variable to another buffer. If so, it
// also returns the two buffers.
func readOf(s Step) (dst, src *Buf, ok bool) {
	c, is := s.(*Copy)
	if !is || c.Src.Buf.Root().Place != DeviceVar || c.Dst.Buf.Alias != nil || c.Dst.Buf.Place != Device || !whole(c.Dst) || !whole(c.Src) || c.Dst.Len.Is(0) {
		return nil, nil, false
	}
	return c.Dst.Buf, c.Src.Buf, true
}

// readHere reports whether v can replace dst in all n uses of dst after step i, which copies the
// value of the variable v to dst.
func readHere(steps []Step, segments []int, i int, dst, v *Buf, n int) bool {
	first, told := -1, -1 // told is the number of the first segment that changes another variable, or -1
	for k := i + 1; k < len(steps) && n > 0; k++ {
		reads, writes, tells := 0, false, false
		steps[k].Views(func(w View) {
			switch r := w.Buf.Root(); {
			case r == dst:
				reads++
				writes = writes || w.Mode != Read
			case r == v:
				writes = writes || w.Mode != Read
			case r.Place == DeviceVar:
				tells = tells || w.Mode != Read
			}
		})
		if tells && told < 0 {
			told = segments[k]
		}
		n -= reads
		switch {
		case writes || len(Lists(steps[k])) > 0 || reads > 0 && !Recorded(steps[k]):
			return false
		case first < 0 && reads > 0:
			if first = k; told >= 0 && told != segments[k] {
				return false
			}
		case first >= 0 && segments[k] != segments[first]:
			return false
		case segments[k] < 0 && !keepsToItself(steps[k]):
			return false
		}
	}
	return n == 0 && first >= 0
}

// keepsToItself reports whether a step has no effect that is visible outside of the run.
func keepsToItself(s Step) bool {
	calls := []Step{s}
	if l, ok := s.(*Par); ok {
		calls = l.Body
	}
	for _, s := range calls {
		switch s := s.(type) {
		case *Copy, *Scalar, *Put, *Get:
		case *Call:
			if s.foreign() != nil {
				return false
			}
			for _, a := range s.Args {
				switch a.(type) {
				case Context, Files, Exchange:
					return false
				}
			}
		default:
			return false
		}
		alone := true
		s.Views(func(v View) {
			if r := v.Buf.Root(); r.Place == Kept || r.Place == Handles {
				alone = false
			}
		})
		if !alone {
			return false
		}
	}
	return true
}
