package plan

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/device"
)

// Elements is an argument of elementwise.Map. It describes the computation for each item. When the
// plan is emitted as Go code or run, a kernel is generated from this description. The Work refers
// to tensors by their positions among the call's views.
type Elements struct{ Work *scalar.Work }

// Type implements Arg.
func (Elements) Type() reflect.Type { return reflect.TypeFor[*device.Kernel]() }

// Text returns the text of the program without names and notes. Two programs with the same text
// have the same kernel.
func (e Elements) Text() string {
	return programText(&e.Work.Program)
}

// programText returns a program's text without names and notes.
func programText(p *scalar.Program) string {
	var b strings.Builder
	for l := range strings.Lines(p.String()) {
		l, _, _ = strings.Cut(l, " ;")
		b.WriteString(strings.TrimSuffix(l, "\n") + "\n")
	}
	return b.String()
}

// MapElements returns a call of fn, which must be elementwise.Map, that performs the Work w. The
// parameter vs contains the views of the outputs of w, followed by the views of its inputs. The
// Work refers to a view by its position in vs.
func MapElements(fn any, node, op string, w *scalar.Work, vs []View) *Call {
	return &Call{Node: node, Op: op, Fn: fn, Args: []Arg{Queue{}, Elements{w}, Views{vs}, Ints{w.Ints()}}}
}

// elements returns the Work of a call of elementwise.Map, and the call's views.
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

// maxElements is the largest number of operations in a kernel that several Works are joined into. A
// much larger kernel would have too many live values at the same time.
const maxElements = 192

// FuseElements joins successive calls of elementwise.Map, and thus their Works. A value that one
// Work computes and the next Work reads is kept in a register. It is written to memory only if
// other steps read it.
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

// group is a sequence of adjacent calls of elementwise.Map.
type group struct {
	calls []*Call
	works []*scalar.Work
	ids   map[string]int // the number of each tensor, by View.key
	views []View         // of each tensor
	by    map[*Buf]string
	read  map[*Buf]bool
	made  map[int]*Call // the call that computes each tensor, by the tensor's number
	count map[*Buf]int
}

func newGroup() *group {
	return &group{ids: map[string]int{}, by: map[*Buf]string{}, read: map[*Buf]bool{}, made: map[int]*Call{}, count: map[*Buf]int{}}
}

// key identifies a tensor: views of the same elements have equal keys.
func (v View) key() string {
	off := v.Buf.ByteOffset()
	if v.Off != nil {
		off = off.Add(v.Off.MulInt(v.Buf.DType.Size()))
	}
	return fmt.Sprintf("%d %s %v %s", v.Buf.Root().ID, off.Key(), v.Buf.DType, v.Len.Key())
}

// add tries to append a call to the group, and reports whether it did so. It does not append the
// call in these cases:
//
//   - The call and the group use different parts of one buffer.
//   - The call itself uses two different parts of one buffer.
//   - The call writes a buffer that the group already uses.
//   - The call writes a buffer that outlives the run.
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

// fuseGroup returns the steps that replace the calls of a group.
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
			continue // nothing reads the call's results
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
