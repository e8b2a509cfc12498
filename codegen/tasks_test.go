package codegen

import (
	"path"
	"strings"
	"testing"

	"github.com/graphc/graphc/codegen/internal/kern"
	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// task adds a task to t. The steps that the function f adds become the steps of the task. The
// parameter work is the cost of the task. The last parameter has the numbers of the tasks for which
// the new task waits.
func (m *maker) task(t *plan.Tasks, work int, f func(), after ...int) {
	t.Tasks = append(t.Tasks, plan.Task{Steps: m.list(f), After: after, Work: work})
	t.Work += work
}

// tasksPlan computes, for x[B,6],
//
//	a = x·2, c = (a + 1)·3, d = a + 5, e = c + d, p = the positive elements of a
//
// It computes a first, and the rest in five tasks. Task 0 finds the positive elements. Task 1 computes
// c with two calls. Task 2 computes d with a loop that has a private buffer. Task 3 waits for task 0,
// checks the number of positive elements and copies them to p. Task 4 waits for tasks 1 and 2, and
// computes e.
//
// If B is nil, the batch is 24.
func tasksPlan(B *sym.Expr) *plan.Plan {
	m := newPlan("")
	if B == nil {
		B = sym.Int(24)
	}
	six, all, n := sym.Int(6), B.MulInt(6), sym.Var("n0")
	by := func(scale float32, add int) plan.Struct {
		return plan.Lit(kern.Params{Scale: scale, Pair: kern.Pair{A: add}}, "N", all)
	}
	arena := func(name string) *plan.Buf { return m.buf(name, plan.Arena, tensor.Float32, B, six) }
	x := m.feed("x:0", "", tensor.Float32, B, six)
	one := m.constant("one", f32(1))
	a, b, c, d, e, found := arena("a:0"), arena("b:0"), arena("c:0"), arena("d:0"), arena("e:0"), arena("found:0")
	p := m.buf("p:0", plan.Grow, tensor.Float32, n)
	m.call("a", "Mul", kern.Scale, w(a), r(x), by(2, 0))
	t := &plan.Tasks{Node: "found … e", Op: "Where … AddV2"}
	m.task(t, 30_000_000, func() { m.call("found", "Where", kern.Positive, w(found), r(a)).Rets = []string{"n0"} })
	m.task(t, 40_000_000, func() {
		m.call("b", "AddV2", kern.Add, w(b), r(a), r(one)).InPlace = [][2]*plan.Buf{{b, a}}
		m.call("c", "Mul", kern.Scale, w(c), r(b), by(3, 0))
	})
	m.task(t, 50_000_000, func() {
		own := m.own("d/scratch", sym.Int(24))
		m.loop(B, plan.Split{Work: rowWork, Most: four}, func() {
			part := plan.View{Buf: own, Len: plan.Count.MulInt(6), Mode: plan.Write}
			m.p.Steps = append(m.p.Steps, &plan.Copy{Node: "d/copy", Op: "AddV2", Dst: part, Src: rowOf(r(a), 6)})
			part.Mode = plan.Read
			m.call("d", "AddV2", kern.Scale, rowOf(w(d), 6), part, plan.Lit(kern.Params{Scale: 1, Pair: kern.Pair{A: 5}}, "N", plan.Count.MulInt(6)))
		})
	})
	m.task(t, 20_000_000, func() {
		m.call("few", "Assert", kern.Small, n, 600)
		m.copy("p", "GatherNd", p, m.alias(found, nil, tensor.Float32, n))
	}, 0)
	m.task(t, 20_000_000, func() { m.call("e", "AddV2", kern.Add, w(e), r(c), r(d)) }, 1, 2)
	m.step(t)
	m.call("e/check", "Assert", kern.Small, n, 1000)
	m.fetch("e:0", "", e, B, six)
	m.fetch("p:0", "", p, n)
	return m.p
}

// TestTasksPlans: the interpreted plans give the right results, in any order of tasks.
func TestTasksPlans(t *testing.T) {
	for _, p := range []*plan.Plan{tasksPlan(nil), tasksPlan(sym.Var("B"))} {
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		text := p.String()
		q, err := plan.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := q.String(); got != text {
			t.Errorf("read back, the plan is\n%s\nwas\n%s", got, text)
		}
		if _, err := p.Layout(0); err != nil {
			t.Fatal(err)
		}
		e, err := exec.New(p)
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float32, 144)
		for i := range x {
			x[i] = float32(i%7 - 3)
		}
		for e.Order = range uint64(10) {
			got, err := e.Run(t.Context(), map[string]*tensor.Tensor{"x:0": tensor.Must(tensor.From(tensor.Shape{24, 6}, x))})
			if err != nil {
				t.Fatal(err)
			}
			k := 0
			for i, v := range x {
				if want := (2*v+1)*3 + 2*v + 5; tensor.Data[float32](got["e:0"])[i] != want {
					t.Fatalf("order %d: e[%d] is %v, want %v", e.Order, i, tensor.Data[float32](got["e:0"])[i], want)
				}
				if v > 0 {
					if g := tensor.Data[float32](got["p:0"])[k]; g != 2*v {
						t.Fatalf("order %d: p[%d] is %v, want %v", e.Order, k, g, 2*v)
					}
					k++
				}
			}
		}
	}
}

// TestWideCosts: costs of more than 32 bits become the largest int on 32-bit platforms, so that
// programs compile there.
func TestWideCosts(t *testing.T) {
	p := tasksPlan(nil)
	plan.Walk(p.Steps, func(_ int, s plan.Step) {
		switch s := s.(type) {
		case *plan.Tasks:
			s.Work = 1 << 40
		case *plan.Par:
			s.Split.Work = sym.Int(1 << 41)
		}
	})
	files, err := Emit(&Package{Name: "m", Plans: []*plan.Plan{p}})
	if err != nil {
		t.Fatal(err)
	}
	var src []byte
	for name, b := range files {
		if path.Ext(name) == ".go" {
			src = append(src, b...)
		}
	}
	for _, w := range []string{"Work: min(1099511627776, math.MaxInt)", "Work: min(2199023255552, math.MaxInt)"} {
		if !strings.Contains(strings.Join(strings.Fields(string(src)), " "), w) {
			t.Errorf("there is no %s", w)
		}
	}
}
