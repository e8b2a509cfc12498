package plan

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/device"
)

// Elements is the argument of elementwise.Map that says what is done for each item: a
// kernel is made of it when the plan is printed or run. The work's tensors are numbers
// of the call's views.
type Elements struct{ Work *scalar.Work }

// Type implements Arg.
func (Elements) Type() reflect.Type { return reflect.TypeFor[*device.Kernel]() }

// Text is the program without names and notes: equal for kernels that are the same.
func (e Elements) Text() string {
	return programText(&e.Work.Program)
}

// programText is a program without names and notes.
func programText(p *scalar.Program) string {
	var b strings.Builder
	for l := range strings.Lines(p.String()) {
		l, _, _ = strings.Cut(l, " ;")
		b.WriteString(strings.TrimSuffix(l, "\n") + "\n")
	}
	return b.String()
}

// MapElements is the call of fn that does a work: elementwise.Map. vs are its outputs and then its inputs, which
// the work's places name by their positions here.
func MapElements(fn any, node, op string, w *scalar.Work, vs []View) *Call {
	return &Call{Node: node, Op: op, Fn: fn, Args: []Arg{Queue{}, Elements{w}, Views{vs}, Ints{w.Ints()}}}
}

// elements returns the work of a call that does one, and its views.
func elements(s Step) (c *Call, w *scalar.Work, vs []View, ok bool) {
	if c, ok = s.(*Call); !ok {
		return nil, nil, nil, false
	}
	for _, a := range c.Args {
		switch a := a.(type) {
		case Elements:
			w = a.Work
		case Views:
			vs = a.V
		}
	}
	return c, w, vs, w != nil && vs != nil
}

// maxElements bounds the operations of a kernel that several works are joined to: one
// with many more holds too many numbers at a time.
const maxElements = 192

// FuseElements joins works for the plan's device that follow each other: what
// one makes and the next reads stays in a register, and is written only where
// others read it.
func (p *Plan) FuseElements() {
	uses := map[*Buf]int{}
	Walk(p.Steps, func(_ int, s Step) { s.Views(func(v View) { uses[v.Buf.Root()]++ }) })
	for _, f := range p.Fetches {
		uses[f.Buf.Root()]++
	}
	p.Steps = p.fuseList(p.Steps, uses)
}

func (p *Plan) fuseList(steps []Step, uses map[*Buf]int) []Step {
	var out []Step
	g := newGroup()
	flush := func() {
		out = append(out, p.fuseGroup(g, uses)...)
		g = newGroup()
	}
	for _, s := range steps {
		for _, l := range Lists(s) {
			*l = p.fuseList(*l, uses)
		}
		c, w, vs, ok := elements(s)
		if !ok {
			flush()
			out = append(out, s)
			continue
		}
		if g.add(c, w, vs) {
			continue
		}
		if flush(); !g.add(c, w, vs) {
			out = append(out, s)
		}
	}
	flush()
	return out
}

// group is calls of elementwise.Map that stand one behind the other.
type group struct {
	calls []*Call
	works []*scalar.Work
	ids   map[string]int // tensors by their place in memory
	views []View         // of each tensor
	by    map[*Buf]string
	read  map[*Buf]bool
	made  map[int]*Call // who makes a tensor
	count map[*Buf]int
}

func newGroup() *group {
	return &group{ids: map[string]int{}, by: map[*Buf]string{}, read: map[*Buf]bool{}, made: map[int]*Call{}, count: map[*Buf]int{}}
}

// key tells tensors apart: it is equal for views of the same elements.
func (v View) key() string {
	off := v.Buf.ByteOffset()
	if v.Off != nil {
		off = off.Add(v.Off.MulInt(v.Buf.DType.Size()))
	}
	return fmt.Sprintf("%d %s %v %s", v.Buf.Root().ID, off.Key(), v.Buf.DType, v.Len.Key())
}

// add appends a call to the group. It is false where the call has to do with a part of
// what another one of the group has to do with, or with its memory in another way: then
// their order must stay. It is false for any group where the call itself has to do with two parts of
// one memory, or writes what is no buffer of a run.
func (g *group) add(c *Call, w *scalar.Work, vs []View) bool {
	for i, v := range vs {
		r := v.Buf.Root()
		if k, ok := g.by[r]; ok && k != v.key() {
			return false
		}
		for _, o := range vs[:i] {
			if o.Buf.Root() == r && o.key() != v.key() {
				return false
			}
		}
		if i < len(w.Outs) {
			if _, ok := g.by[r]; ok || r.Place != Device && r.Place != DeviceGrow {
				return false
			}
		}
	}
	for i, v := range vs {
		r := v.Buf.Root()
		k := v.key()
		g.by[r] = k
		id, ok := g.ids[k]
		if !ok {
			id = len(g.views)
			g.ids[k] = id
			g.views = append(g.views, v)
			g.read[r] = i >= len(w.Outs)
		}
		if i < len(w.Outs) {
			g.made[id] = c
		}
		g.count[r]++
	}
	g.calls = append(g.calls, c)
	g.works = append(g.works, w.Renumber(func(i int) int { return g.ids[vs[i].key()] }))
	return true
}

// fuseGroup returns the steps of a group.
func (p *Plan) fuseGroup(g *group, uses map[*Buf]int) []Step {
	if len(g.calls) < 2 {
		out := make([]Step, len(g.calls))
		for i, c := range g.calls {
			out[i] = c
		}
		return out
	}
	live := func(id int) bool {
		r := g.views[id].Buf.Root()
		return g.read[r] || uses[r] > g.count[r]
	}
	var out []Step
	for _, w := range scalar.Chain(g.works, live, maxElements) {
		vs := make([]View, 0, len(w.Out)+len(w.In))
		var c *Call
		for i := range w.Out {
			v := g.views[w.Out[i].Tensor]
			v.Mode = Write
			c = g.made[w.Out[i].Tensor]
			vs = append(vs, v)
		}
		for i := range w.In {
			v := g.views[w.In[i].Tensor]
			v.Mode = Read
			vs = append(vs, v)
		}
		if c == nil {
			continue // nobody reads what it made
		}
		at := w.Renumber(func(t int) int { return t })
		for i := range at.In {
			at.In[i].Tensor = len(w.Out) + i
		}
		for i := range at.Out {
			at.Out[i].Tensor = i
		}
		out = append(out, MapElements(c.Fn, c.Node, c.Op, at, vs))
	}
	return out
}
