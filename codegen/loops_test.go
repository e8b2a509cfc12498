package codegen

import (
	"context"
	"slices"
	"testing"

	"github.com/graphc/graphc/codegen/internal/kern"
	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// rowOf returns the part of v that one chunk of a loop processes, if each item of the loop is a row
// of n elements.
func rowOf(v plan.View, n int) plan.View {
	return v.At(plan.Lo.MulInt(n), plan.Count.MulInt(n))
}

// loop adds a parallel loop to the plan. The parameter total is the number of items. The steps that
// the function f adds become the body of the loop.
func (m *maker) loop(total *sym.Expr, sp plan.Split, f func()) {
	before := m.p.Steps
	m.p.Steps = nil
	f()
	m.p.Steps = append(before, &plan.Par{Total: total, Split: sp, Body: m.p.Steps})
}

// own adds a buffer that each chunk of a loop has separately.
func (m *maker) own(name string, n *sym.Expr) *plan.Buf {
	b := m.buf(name, plan.Worker, tensor.Float32, n)
	b.Shape = nil
	return b
}

// rowWork is the work per item in the tests' loops. It is so large that even a loop of few items is
// worth dividing.
var rowWork = sym.Int(3_000_000)

// loopsPlan computes, for x[B,6],
//
//	c = (x·2 + 1)·0.5 + w,  d = c + table[row / 4],  e = d·3
//
// Three loops over rows compute c. Join merges them into one loop. After that, the buffers for the
// results of the first two loops are only as large as one chunk. The loop that computes d has a
// private buffer. The chunks of this loop do not cross the borders between blocks of four rows,
// because each block reads one row of the table. The loop that computes e is over pairs of rows.
//
// If B is nil, the batch is 24. Two tensors have the names of parameters of loop functions.
func loopsPlan(B *sym.Expr) *plan.Plan {
	m := newPlan("")
	blocks := 64 // the largest number of blocks of four rows
	if B == nil {
		B, blocks = sym.Int(24), 6
	}
	six := sym.Int(6)
	x := m.feed("x:0", "", tensor.Float32, B, six)
	weights := m.constant("w", f32(10, 20, 30, 40, 50, 60))
	table := make([]float32, 6*blocks)
	for i := range table {
		table[i] = float32(i)
	}
	rows := m.constant("table", f32(table...))
	scaled := func(by float32, add int) plan.Struct {
		return plan.Lit(kern.Params{Scale: by, Pair: kern.Pair{A: add}}, "N", plan.Count.MulInt(6))
	}
	joined := plan.Split{Work: rowWork, Join: sym.Int(5)}
	a, b, c := m.buf("n:0", plan.Arena, tensor.Float32, B, six), m.buf("lo:0", plan.Arena, tensor.Float32, B, six), m.buf("c:0", plan.Arena, tensor.Float32, B, six)
	m.loop(B, joined, func() { m.call("a", "Mul", kern.Scale, rowOf(w(a), 6), rowOf(r(x), 6), scaled(2, 1)) })
	m.loop(B, joined, func() { m.call("b", "Mul", kern.Scale, rowOf(w(b), 6), rowOf(r(a), 6), scaled(0.5, 0)) })
	m.loop(B, joined, func() {
		m.call("c", "AddV2", kern.Add, rowOf(w(c), 6), rowOf(r(b), 6), r(weights)).InPlace = [][2]*plan.Buf{{c, b}}
	})
	d := m.buf("d:0", plan.Arena, tensor.Float32, B, six)
	copied := m.own("d/scratch", sym.Int(24))
	m.loop(B, plan.Split{Work: rowWork, Most: four, Wrap: four}, func() {
		part := plan.View{Buf: copied, Len: plan.Count.MulInt(6), Mode: plan.Write}
		m.p.Steps = append(m.p.Steps, &plan.Copy{Node: "d/copy", Op: "AddV2", Dst: part, Src: rowOf(r(c), 6)})
		part.Mode = plan.Read
		m.call("d", "AddV2", kern.Add, rowOf(w(d), 6), part, r(rows).At(plan.Lo.Div(four).MulInt(6), six))
	})
	e := m.buf("e:0", plan.Arena, tensor.Float32, B, six)
	m.loop(B, plan.Split{Work: rowWork, Grain: 2, Least: 4}, func() {
		m.call("e", "Mul", kern.Scale, rowOf(w(e), 6), rowOf(r(d), 6), scaled(3, 0))
	})
	m.p.Prologue = append(m.p.Prologue, &plan.Call{Node: "check", Op: "Slice", Fn: kern.Small, Args: []plan.Arg{plan.Int{X: B}, plan.Int{X: sym.Int(256)}}})
	m.fetch("c:0", "", c, B, six)
	m.fetch("e:0", "", e, B, six)
	m.p.Join()
	return m.p
}

// loopLayersPlan has twelve layers for x[B,6] that differ only in their weights, and are therefore
// outlined. Each layer has two loops that Join merges, a copy and a check. It computes
//
//	x = (x·1 + 1) + w,  w = [layer, 1]
func loopLayersPlan(B *sym.Expr) *plan.Plan {
	m := newPlan("")
	if B == nil {
		B = sym.Int(24)
	}
	six := sym.Int(6)
	x := m.feed("x:0", "", tensor.Float32, B, six)
	for i := range 12 {
		c := m.constant("w", f32(float32(i), 1))
		a, b := m.buf("a:0", plan.Arena, tensor.Float32, B, six), m.buf("b:0", plan.Arena, tensor.Float32, B, six)
		y := m.buf("y:0", plan.Arena, tensor.Float32, B, six)
		joined := plan.Split{Work: rowWork, Join: sym.Int(5)}
		m.loop(B, joined, func() {
			m.call("layer/scale", "Mul", kern.Scale, rowOf(w(a), 6), rowOf(r(x), 6), plan.Lit(kern.Params{Scale: 1, Pair: kern.Pair{A: 1}}, "N", plan.Count.MulInt(6)))
		})
		m.loop(B, joined, func() { m.call("layer/add", "AddV2", kern.Add, rowOf(w(b), 6), rowOf(r(a), 6), r(c)) })
		m.p.Steps = append(m.p.Steps, &plan.Copy{Node: "layer/copy", Op: "Pad", Dst: w(y), Src: r(b)})
		m.call("layer/check", "Check", kern.Small, B, 256)
		x = y
	}
	m.fetch("y:0", "", x, B, six)
	m.p.Join()
	return m.p
}

// TestLoopPlans checks that Join merges the loops of the plans as the comments of loopsPlan and
// loopLayersPlan say, and that the interpreted results are right for all numbers of chunks.
func TestLoopPlans(t *testing.T) {
	for _, c := range []struct {
		name         string
		p            *plan.Plan
		steps, loops int
		batches      []int
		// returns the expected results for x, which is element i of [B,6]
		want func(x float32, i int) map[string]float32
	}{
		{"loops", loopsPlan(nil), 3, 3, []int{24}, wantLoops},
		{"symloops", loopsPlan(sym.Var("B")), 3, 3, []int{1, 2, 3, 7, 24, 61, 256}, wantLoops},
		{"looplayers", loopLayersPlan(nil), 36, 12, []int{24}, wantLoopLayers},
		{"symlooplayers", loopLayersPlan(sym.Var("B")), 36, 12, []int{1, 9, 100}, wantLoopLayers},
	} {
		loops, owned := 0, 0
		for _, s := range c.p.Steps {
			if l, ok := s.(*plan.Par); ok {
				loops++
				l.Views(func(v plan.View) {
					if v.Buf.Root().Place == plan.Worker {
						owned++
					}
				})
			}
		}
		if len(c.p.Steps) != c.steps || loops != c.loops || owned == 0 {
			t.Errorf("%s: %d steps, %d of them loops, with %d windows on buffers of chunks\n%s", c.name, len(c.p.Steps), loops, owned, c.p)
		}
		if err := c.p.Check(); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for _, chunks := range []int{1, 2, 5} {
			x, err := exec.New(c.p)
			if err != nil {
				t.Fatal(err)
			}
			x.Chunks = chunks
			for _, b := range c.batches {
				data := make([]float32, 6*b)
				for i := range data {
					data[i] = float32(i % 100)
				}
				got, err := x.Run(context.Background(), map[string]*tensor.Tensor{"x:0": tensor.Must(tensor.From(tensor.Shape{b, 6}, slices.Clone(data)))})
				if err != nil {
					t.Fatal(err)
				}
				for i, v := range data {
					for name, want := range c.want(v, i) {
						if g := tensor.Data[float32](got[name])[i]; g != want {
							t.Fatalf("%s, batch %d, %d chunks: element %d of %s is %v, want %v", c.name, b, chunks, i, name, g, want)
						}
					}
				}
			}
		}
	}
}

func wantLoops(x float32, i int) map[string]float32 {
	c := (x*2+1)*0.5 + float32(10*(i%6+1))
	return map[string]float32{"c:0": c, "e:0": 3 * (c + float32(i/24*6+i%6))}
}

func wantLoopLayers(x float32, i int) map[string]float32 {
	if i%2 == 0 {
		return map[string]float32{"y:0": x + 12 + 66}
	}
	return map[string]float32{"y:0": x + 12 + 12}
}
