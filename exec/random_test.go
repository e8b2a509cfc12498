package exec_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// wide is the length of the tensors of random plans.
const wide = 4

// maker makes plans of random steps over a few tensors. It writes tensors before it reads them.
type maker struct {
	r    *rand.Rand
	p    *plan.Plan
	vars []*plan.Buf // i64[wide]
}

func (m *maker) buf(name string, place plan.Place, d tensor.DType, n int) *plan.Buf {
	b := &plan.Buf{ID: len(m.p.Bufs), Name: name, Place: place, DType: d, Len: sym.Int(n)}
	m.p.Bufs = append(m.p.Bufs, b)
	return b
}

func (m *maker) fresh() *plan.Buf {
	b := m.buf(fmt.Sprintf("v%d", len(m.p.Bufs)), plan.Arena, tensor.Int64, wide)
	if m.r.IntN(8) == 0 {
		b.Place = plan.Grow
	}
	m.vars = append(m.vars, b)
	return b
}

func window(b *plan.Buf, off, n int, mode plan.Mode) plan.View {
	return plan.View{Buf: b, Off: sym.Int(off), Len: sym.Int(n), Mode: mode}
}

func all(b *plan.Buf, mode plan.Mode) plan.View {
	n, _ := b.Len.IsInt()
	return window(b, 0, n, mode)
}

// set holds the tensors that are certain to have been written, because no branch that writes them
// can have been skipped.
type set map[*plan.Buf]bool

func (m *maker) pick(has set) *plan.Buf {
	var bs []*plan.Buf
	for _, b := range m.vars {
		if has[b] {
			bs = append(bs, b)
		}
	}
	return bs[m.r.IntN(len(bs))]
}

// dst returns a tensor for a step to write. The tensor is a new one or an existing one, but none of
// the tensors in the parameter others.
func (m *maker) dst(others ...*plan.Buf) *plan.Buf {
	for m.r.IntN(3) > 0 {
		if b := m.vars[m.r.IntN(len(m.vars))]; b.Place != plan.Fed && !slices.Contains(others, b) {
			return b
		}
	}
	return m.fresh()
}

func clone(s set) set {
	c := set{}
	for b := range s {
		c[b] = true
	}
	return c
}

// steps returns up to about n steps. The set has the tensors that were written before these steps.
// The method adds to the set the tensors that the new steps write.
func (m *maker) steps(n, depth int, has set) []plan.Step {
	var out []plan.Step
	add := func(s ...plan.Step) { out = append(out, s...) }
	for range 1 + m.r.IntN(n) {
		x, y := m.pick(has), m.pick(has)
		switch k := m.r.IntN(12); {
		case k < 3:
			d := m.dst(x)
			add(&plan.Call{Node: "add", Op: "Add", Fn: Add, InPlace: [][2]*plan.Buf{{d, x}},
				Args: []plan.Arg{all(d, plan.Write), all(x, plan.Read), plan.Int{X: sym.Int(m.r.IntN(100))}}})
			has[d] = true
		case k < 5:
			d := m.dst(x, y)
			c := &plan.Call{Node: "sum", Op: "Sum", Fn: Sum, Args: []plan.Arg{all(d, plan.Write), all(x, plan.Read), all(y, plan.Read)}}
			if x != y {
				c.InPlace = [][2]*plan.Buf{{d, x}, {d, y}}
			}
			add(c)
			has[d] = true
		case k < 6:
			d := m.dst(x)
			rows := func(b *plan.Buf, mode plan.Mode) plan.View {
				return plan.View{Buf: b, Off: plan.Lo, Len: plan.Count, Mode: mode}
			}
			par := &plan.Par{Total: sym.Int(wide), Split: plan.Split{Join: sym.Int(wide)}, Body: []plan.Step{
				&plan.Call{Node: "rows", Op: "Add", Fn: Add, InPlace: [][2]*plan.Buf{{d, x}},
					Args: []plan.Arg{rows(d, plan.Write), rows(x, plan.Read), plan.Int{X: sym.Int(1)}}}}}
			if m.r.IntN(2) == 0 {
				par.Work = sym.Int(10_000_000) // enough work per item that the loop is not replaced by a single call
			}
			add(par)
			has[d] = true
		case k < 7: // in two parts
			d := m.dst(x)
			h := m.r.IntN(wide)
			add(&plan.Call{Node: "low", Op: "Add", Fn: Add, Args: []plan.Arg{window(d, 0, h, plan.Write), window(x, wide-h, h, plan.Read), plan.Int{X: sym.Int(3)}}},
				&plan.Call{Node: "high", Op: "Add", Fn: Add, Args: []plan.Arg{window(d, h, wide-h, plan.Write), window(x, 0, wide-h, plan.Read), plan.Int{X: sym.Int(5)}}})
			has[d] = true
		case k < 9:
			if d := m.dst(x); d.Place == x.Place || m.r.IntN(3) == 0 {
				add(&plan.Copy{Node: "copy", Op: "Copy", Dst: all(d, plan.Write), Src: all(x, plan.Read)})
				has[d] = true
			}
		case k < 10 && depth > 0:
			c := m.buf("c", plan.Arena, tensor.Bool, 1)
			add(&plan.Call{Node: "odd", Op: "Odd", Fn: Odd, Args: []plan.Arg{all(c, plan.Write), all(x, plan.Read)}})
			a, b := clone(has), clone(has)
			s := &plan.If{Node: "if", Op: "If", Cond: all(c, plan.Read), Neg: m.r.IntN(2) == 0}
			s.Then, s.Else = m.steps(n, depth-1, a), m.steps(n, depth-1, b)
			if m.r.IntN(3) > 0 {
				d, y, z := m.dst(), m.pick(a), m.pick(b)
				s.Then = append(s.Then, &plan.Copy{Node: "then", Op: "Copy", Dst: all(d, plan.Write), Src: all(y, plan.Read)})
				s.Else = append(s.Else, &plan.Copy{Node: "else", Op: "Copy", Dst: all(d, plan.Write), Src: all(z, plan.Read)})
				a[d], b[d] = true, true
			}
			for d := range a {
				if b[d] {
					has[d] = true
				}
			}
			add(s)
		case depth > 0:
			add(m.loop(n, depth, has)...)
		}
	}
	return out
}

// loop makes a loop of a few iterations over a few variables.
func (m *maker) loop(n, depth int, has set) []plan.Step {
	i, next := m.buf("i", plan.Arena, tensor.Int64, 1), m.buf("next", plan.Arena, tensor.Int64, 1)
	more := m.buf("more", plan.Arena, tensor.Bool, 1)
	out := []plan.Step{&plan.Call{Node: "i", Op: "Set", Fn: Set, Args: []plan.Arg{all(i, plan.Write), plan.Int{X: sym.Zero}}}}
	vars := make([]*plan.Buf, m.r.IntN(4))
	for k := range vars {
		vars[k] = m.fresh()
		out = append(out, &plan.Copy{Node: "enter", Op: "Enter", Dst: all(vars[k], plan.Write), Src: all(m.pick(has), plan.Read)})
		has[vars[k]] = true
	}
	var body []plan.Step
	if m.r.IntN(2) == 0 {
		// these steps run at least once, so the tensors that they write are certain to be written
		body = m.steps(n, depth-1, has)
	}
	body = append(body,
		&plan.Call{Node: "less", Op: "Less", Fn: Less, Args: []plan.Arg{all(more, plan.Write), all(i, plan.Read), plan.Int{X: sym.Int(m.r.IntN(4))}}},
		&plan.Break{Node: "loop", Op: "LoopCond", Cond: all(more, plan.Read), Neg: true})
	in := clone(has)
	body = append(body, m.steps(n, depth-1, in)...)
	body = append(body, &plan.Call{Node: "next", Op: "Add", Fn: Add, Args: []plan.Arg{all(next, plan.Write), all(i, plan.Read), plan.Int{X: sym.One}}, InPlace: [][2]*plan.Buf{{next, i}}})
	for _, v := range vars {
		if x := m.pick(in); x != v {
			body = append(body, &plan.Copy{Node: "next", Op: "NextIteration", Dst: all(v, plan.Write), Src: all(x, plan.Read)})
		}
	}
	body = append(body, &plan.Copy{Node: "i", Op: "NextIteration", Dst: all(i, plan.Write), Src: all(next, plan.Read)})
	return append(out, &plan.Loop{Node: "loop", Op: "While", Body: body})
}

func randomPlan(seed uint64) *plan.Plan {
	m := &maker{r: rand.New(rand.NewPCG(seed, 5)), p: &plan.Plan{Name: "random"}}
	x := m.buf("x", plan.Fed, tensor.Int64, wide)
	m.vars = append(m.vars, x)
	m.p.Feeds = []plan.Feed{{Name: "x:0", DType: tensor.Int64, Shape: []*sym.Expr{sym.Int(wide)}, Buf: x}}
	has := set{x: true}
	m.p.Steps = m.steps(6, 3, has)
	for k := range 1 + m.r.IntN(4) {
		m.p.Fetches = append(m.p.Fetches, plan.Fetch{Name: fmt.Sprintf("y%d:0", k), DType: tensor.Int64, Shape: []*sym.Expr{sym.Int(wide)}, Buf: m.pick(has)})
	}
	return m.p
}

// inArena places all arena buffers in one block at the offsets of the layout, as emitted programs
// do.
func inArena(p *plan.Plan, l *plan.Layout) {
	block := &plan.Buf{ID: len(p.Bufs), Name: "block", Place: plan.Arena, DType: tensor.Int64, Len: sym.Int(l.Bytes / 8)}
	p.Bufs = append(p.Bufs, block)
	for _, b := range l.Roots {
		b.Alias, b.Off = block, sym.Int(b.Offset)
	}
}

// TestRandomPlans runs each random plan in four variants and compares the results. Variant 0 is the
// plan itself. In the other variants, Layout has dropped copies and lets buffers share storage. In
// variants 2 and 3, Join has joined loops before that. In variant 3, all buffers of the arena are
// also in one block.
func TestRandomPlans(t *testing.T) {
	copies, kept := 0, 0
	for seed := range uint64(400) {
		var want map[string]*tensor.Tensor
		var made *plan.Plan
		for way := range 4 {
			p := randomPlan(seed)
			if err := p.Check(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if way == 0 {
				made = p
			}
			if way >= 2 {
				p.Join()
			}
			if way >= 1 {
				before := countCopies(p)
				l, err := p.Layout(0)
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if way == 1 {
					copies, kept = copies+before, kept+countCopies(p)
				}
				if err := p.Check(); err != nil {
					t.Fatalf("seed %d, laid out: %v\n%s", seed, err, p)
				}
				if way == 3 {
					inArena(p, l)
				}
			}
			x, err := exec.New(p)
			if err != nil {
				t.Fatal(err)
			}
			got, err := x.Run(t.Context(), map[string]*tensor.Tensor{"x:0": tensor.Must(tensor.From(tensor.Shape{wide}, []int64{1, 22, 333, 4444}))})
			if err != nil {
				t.Fatalf("seed %d, way %d: %v\n%s\nwas\n%s", seed, way, err, p, made)
			}
			if way == 0 {
				want = got
			}
			for name, w := range want {
				if !slices.Equal(tensor.Data[int64](w), tensor.Data[int64](got[name])) {
					t.Fatalf("seed %d, way %d: %s is %v, want %v\n%s\nwas\n%s", seed, way, name, got[name].Data, w.Data, p, made)
				}
			}
		}
	}
	if kept > copies*3/4 {
		t.Errorf("%d of %d copies stay", kept, copies)
	}
}

func countCopies(p *plan.Plan) int {
	n := 0
	for _, s := range plan.Flat(p.Steps) {
		if _, ok := s.(*plan.Copy); ok {
			n++
		}
	}
	return n
}
