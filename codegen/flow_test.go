package codegen

import (
	"context"
	"fmt"
	"testing"

	"github.com/graphc/graphc/codegen/internal/kern"
	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// list returns the steps that f adds, instead of adding them to the plan.
func (m *maker) list(f func()) []plan.Step {
	before := m.p.Steps
	m.p.Steps = nil
	f()
	steps := m.p.Steps
	m.p.Steps = before
	return steps
}

func (m *maker) step(s plan.Step) { m.p.Steps = append(m.p.Steps, s) }

// when adds a conditional; either list may be nil.
func (m *maker) when(node string, cond *plan.Buf, then, otherwise func()) {
	s := &plan.If{Node: node, Op: "If", Cond: r(cond)}
	if then != nil {
		s.Then = m.list(then)
	}
	if otherwise != nil {
		s.Else = m.list(otherwise)
	}
	m.step(s)
}

// while adds a loop.
func (m *maker) while(node string, body func()) {
	m.step(&plan.Loop{Node: node, Op: "While", Body: m.list(body)})
}

// until adds a step that ends the loop if cond is false.
func (m *maker) until(node string, cond *plan.Buf) {
	m.step(&plan.Break{Node: node, Op: "LoopCond", Cond: r(cond), Neg: true})
}

func (m *maker) copy(node, op string, dst, src *plan.Buf) {
	m.step(&plan.Copy{Node: node, Op: op, Dst: w(dst), Src: r(src)})
}

// tiny adds an element-wise call on scalars in the form that the lowerings use: within a loop over
// one item.
func (m *maker) tiny(node, op string, fn any, dst *plan.Buf, args ...*plan.Buf) {
	all := []any{rowOf(w(dst), 1)}
	for _, a := range args {
		all = append(all, rowOf(r(a), 1))
	}
	all = append(all, plan.Lit(elem.Dims{N: 1}, "A", []*sym.Expr{plan.Count}, "B", []*sym.Expr{plan.Count}))
	m.loop(sym.One, plan.Split{Work: sym.Int(100)}, func() { m.call(node, op, fn, all...) })
}

// let adds a step that sets sizes. In pairs, the name of a size and its expression alternate.
func (m *maker) let(node string, pairs ...any) {
	l := &plan.Let{Node: node, Op: "_Merge"}
	for i := 0; i < len(pairs); i += 2 {
		l.Names, l.X = append(l.Names, pairs[i].(string)), append(l.X, pairs[i+1].(*sym.Expr))
	}
	m.step(l)
}

func (m *maker) room(node string, b *plan.Buf) {
	m.step(&plan.Room{Node: node, Op: "_LoopVar", Buf: b})
}

func (m *maker) scalar(name string, d tensor.DType) *plan.Buf {
	return m.buf(name, plan.Arena, d, []*sym.Expr{}...)
}

func (m *maker) object(name string, fn any, args ...any) *plan.Buf {
	b := m.buf(name, plan.Kept, tensor.Resource, sym.One)
	b.Shape = nil
	b.Object = &plan.Object{New: fn}
	for _, a := range args {
		b.Object.Args = append(b.Object.Args, plan.ArgOf(a))
	}
	return b
}

func scalarOf[T tensor.Elem](v T) *tensor.Tensor {
	return tensor.Must(tensor.From(tensor.Shape{}, []T{v}))
}

// whilePlan adds up n times x. It has the steps of a tf.while_loop with a conditional after the
// loop:
//
//	while i < n { i, acc = i + 1, acc + x }
//	y = acc + 1 if training else acc·2
func whilePlan() *plan.Plan {
	m := newPlan("")
	none := []*sym.Expr{}
	n := m.feed("n:0", "", tensor.Int32, none...)
	x := m.feed("x:0", "", tensor.Float32, none...)
	training := m.feed("training:0", "", tensor.Bool, none...)
	zero, one := m.constant("zero", scalarOf[int32](0)), m.constant("one", scalarOf[int32](1))
	start := m.constant("start", scalarOf[float32](0))
	i, acc, less := m.scalar("while/i:0", tensor.Int32), m.scalar("while/acc:0", tensor.Float32), m.scalar("while/Less:0", tensor.Bool)
	m.copy("while/i", "_LoopVar", i, zero)
	m.copy("while/acc", "_LoopVar", acc, start)
	m.while("while", func() {
		m.tiny("while/Less", "Less", elem.LessI32, less, i, n)
		m.until("while/LoopCond", less)
		m.tiny("while/add", "AddV2", elem.AddI32, i, i, one)
		scaled := m.own("while/mul:0", sym.One)
		part := plan.View{Buf: scaled, Len: plan.Count, Mode: plan.Write}
		m.loop(sym.One, plan.Split{Work: sym.Int(200), Most: four}, func() {
			m.call("while/mul", "Mul", kern.Scale, part, rowOf(r(x), 1), plan.Lit(kern.Params{Scale: 1}, "N", plan.Count))
			part.Mode = plan.Read
			m.call("while/add_1", "AddV2", kern.Add, rowOf(w(acc), 1), rowOf(r(acc), 1), part)
		})
	})
	y := m.scalar("cond/y:0", tensor.Float32)
	m.when("cond", training, func() {
		m.call("cond/add", "AddV2", kern.Add, w(y), r(acc), r(m.constant("cond/one", scalarOf[float32](1))))
	}, func() {
		m.call("cond/mul", "Mul", kern.Scale, w(y), r(acc), kern.Params{N: 1, Scale: 2})
	})
	many := m.scalar("many:0", tensor.Bool)
	m.tiny("many", "Less", elem.LessI32, many, m.constant("ten", scalarOf[int32](10)), i)
	m.when("warn", many, nil, func() {
		m.call("warn/mul", "Mul", kern.Scale, w(y), r(y), kern.Params{N: 1, Scale: 1})
	})
	m.fetch("while/i:0", "i", i, none...)
	m.fetch("cond/y:0", "y", y, none...)
	return m.p
}

// growPlan doubles a list of strings in each of n rounds, and keeps the numbers of the rounds in a
// list of handles. In rounds with odd numbers it also fills a tensor that grows with the strings,
// and it counts these rounds.
func growPlan() *plan.Plan {
	m := newPlan("")
	B, k, next := sym.Var("B"), sym.Var("k"), sym.Var("next")
	x := m.feed("x:0", "", tensor.String, B)
	n := m.feed("n:0", "", tensor.Int64, []*sym.Expr{}...)
	zero, one := m.constant("zero", scalarOf[int64](0)), m.constant("one", scalarOf[int64](1))
	i, less, odd, odds := m.scalar("while/i:0", tensor.Int64), m.scalar("while/Less:0", tensor.Bool), m.scalar("while/odd:0", tensor.Bool), m.scalar("while/odds:0", tensor.Int64)
	text, twice := m.buf("while/text:0", plan.Strings, tensor.String, k), m.buf("while/concat:0", plan.Strings, tensor.String, next)
	marks := m.buf("while/marks:0", plan.Grow, tensor.Float32, k)
	list, pushed := m.buf("while/list:0", plan.Handles, tensor.Variant, []*sym.Expr{}...), m.buf("while/push:0", plan.Handles, tensor.Variant, []*sym.Expr{}...)
	empty := m.buf("empty:0", plan.Handles, tensor.Variant, []*sym.Expr{}...)
	m.copy("while/i", "_LoopVar", i, zero)
	m.copy("while/odds", "_LoopVar", odds, zero)
	p, q := sym.Var("p"), sym.Var("q") // Fibonacci's numbers
	m.let("while", "k", B, "p", sym.Zero, "q", sym.One)
	m.room("while/text", text)
	m.copy("while/text", "_LoopVar", text, x)
	m.call("empty", "EmptyTensorList", kern.Empty, w(empty))
	m.copy("while/list", "_LoopVar", list, empty)
	m.while("while", func() {
		m.call("while/Less", "Less", kern.Less, w(less), r(i), r(n))
		m.until("while/LoopCond", less)
		m.call("while/odd", "Mod", kern.Odd, w(odd), r(i))
		m.when("while/cond", odd, func() {
			m.call("while/cond/fill", "Fill", kern.Fill, w(marks), float32(1))
			m.call("while/cond/add", "AddV2", kern.Sum, w(odds), r(odds), r(one))
		}, nil)
		m.let("while/concat", "next", k.MulInt(2))
		m.call("while/concat", "ConcatV2", kern.Twice, w(twice), r(text))
		m.call("while/push", "TensorListPushBack", kern.Push, w(pushed), r(list), r(i))
		m.copy("while/list", "NextIteration", list, pushed)
		m.let("while/NextIteration", "k", next, "p", q, "q", p.Add(q))
		m.room("while/text", text)
		m.step(&plan.Copy{Node: "while/text", Op: "NextIteration", Dst: w(text), Src: plan.View{Buf: twice, Len: k, Mode: plan.Read}})
		m.call("while/add", "AddV2", kern.Sum, w(i), r(i), r(one))
	})
	total := m.scalar("total:0", tensor.Int64)
	m.call("total", "TensorListStack", kern.Total, w(total), r(list))
	sizes := m.buf("sizes:0", plan.Arena, tensor.Int64, four)
	m.call("sizes", "Shape", kern.Dims, w(sizes), []*sym.Expr{p, q}, kern.Mode(0), kern.Name(""))
	m.fetch("while/text:0", "text", text, k)
	m.fetch("sizes:0", "sizes", sizes, four)
	m.fetch("total:0", "total", total, []*sym.Expr{}...)
	m.fetch("while/odds:0", "odds", odds, []*sym.Expr{}...)
	return m.p
}

// longPlan counts to n in steps of 2, in a loop whose parts are too long for one function: calls
// before and after a step that may end the loop, a conditional of two long lists (the second list
// may end the loop, too), and repeated layers.
func longPlan() *plan.Plan {
	m := newPlan("")
	n := m.feed("n:0", "", tensor.Int64, []*sym.Expr{}...)
	x := m.feed("x:0", "", tensor.Float32, three)
	zero, one := m.constant("zero", scalarOf[int64](0)), m.constant("one", scalarOf[int64](1))
	i, less, odd, tick := m.scalar("i:0", tensor.Int64), m.scalar("less:0", tensor.Bool), m.scalar("odd:0", tensor.Bool), m.buf("tick:0", plan.Arena, tensor.Int64, sym.One)
	y := m.buf("y:0", plan.Arena, tensor.Float32, three)
	ticks := func(count, from int) func() {
		return func() {
			for k := range count {
				m.call("tick", "Tick", kern.Tick, w(tick), sym.Int(from+k))
			}
		}
	}
	m.copy("i", "_LoopVar", i, zero)
	m.copy("y", "_LoopVar", y, x)
	m.while("loop", func() {
		m.call("less", "Less", kern.Less, w(less), r(i), r(n))
		ticks(70, 0)()
		m.until("end", less)
		m.call("step", "AddV2", kern.Sum, w(i), r(i), r(one))
		m.call("odd", "Mod", kern.Odd, w(odd), r(i))
		m.when("cond", odd, ticks(140, 1000), func() {
			ticks(60, 2000)()
			m.step(&plan.Break{Node: "end/odd", Op: "LoopCond", Cond: r(less), Neg: true})
			ticks(3, 3000)()
		})
		for range 20 {
			m.call("layer/scale", "Mul", kern.Scale, w(y), r(y), kern.Params{N: 3, Scale: 1})
			m.call("layer/add", "AddV2", kern.Add, w(y), r(y), r(m.constant("w", f32(1, 2, 3))))
		}
		m.call("step2", "AddV2", kern.Sum, w(i), r(i), r(one))
	})
	m.fetch("i:0", "i", i, []*sym.Expr{}...)
	m.fetch("y:0", "y", y, three)
	return m.p
}

// hostilePlan has a loop over tensors whose names have a meaning in Go, or are not valid names
// anywhere.
func hostilePlan() *plan.Plan {
	m := newPlan("")
	n := m.feed("n:0", "", tensor.Int64, []*sym.Expr{}...)
	zero, one := m.constant("func", scalarOf[int64](0)), m.constant("predictSteps0", scalarOf[int64](1))
	i, less := m.scalar("s:0", tensor.Int64), m.scalar("*/\n}//:0", tensor.Bool)
	m.copy("s", "_LoopVar", i, zero)
	m.while("\u202e*/", func() {
		m.call("less", "Less", kern.Less, w(less), r(i), r(n))
		m.until("less", less)
		m.call("add", "AddV2", kern.Sum, w(i), r(i), r(one))
		for k, name := range []string{"predictLoop0", "predictList0", "kern", "nil", "len", "s", "err", "true", "int64", "i", "elem:1", "1", "_", "é", "\u202e", "a/kern:0", "rt", ""} {
			x := m.scalar(name, tensor.Int64)
			m.call(name, "AddV2", kern.Sum, w(x), r(i), r(one))
			m.call(name, "Shape", kern.Dims, plan.View{Buf: m.buf(name, plan.Arena, tensor.Int64, four), Len: four, Mode: plan.Write}, []*sym.Expr{sym.Int(k), two}, kern.Mode(0), kern.Name(""))
		}
	})
	m.fetch("s:0", "sum", i, []*sym.Expr{}...)
	return m.p
}

// objectPlans returns three signatures that share a counter and a gate (one signature has no feeds
// and fetches), and an initialization, which adds to the counter.
func objectPlans() (plans []*plan.Plan, init *plan.Plan) {
	counter := func(m *maker) *plan.Buf {
		return m.object("variable /dense/kernel", kern.NewCounter, "dense/kernel", r(m.constant("start", scalarOf[int64](7))),
			r(m.constant("labels", &tensor.Tensor{DType: tensor.String, Shape: tensor.Shape{2}, Data: []string{"a", "b"}})), []int{2, 3})
	}
	up := func(m *maker, by int64) *plan.Buf {
		n := m.scalar("n:0", tensor.Int64)
		m.call("n", "AssignAddVariableOp", kern.Increment, w(n), r(counter(m)), r(m.constant("by", scalarOf(by))))
		return n
	}
	m := newPlan("count")
	m.fetch("n:0", "n", up(m, 1), []*sym.Expr{}...)
	plans = append(plans, m.p)
	m = newPlan("pass")
	n := up(m, 0)
	m.call("pass", "QueueDequeue", kern.Pass, plan.Context{}, r(m.object("queue:shared:type", kern.NewGate)))
	m.fetch("n:0", "n", n, []*sym.Expr{}...)
	plans = append(plans, m.p)
	m = newPlan("train")
	up(m, 10)
	m.call("open", "QueueEnqueue", kern.Open, r(m.object("queue:shared:type", kern.NewGate)))
	plans = append(plans, m.p)
	m = newPlan("")
	up(m, 100)
	return plans, m.p
}

func objectsPackage() *Package {
	plans, init := objectPlans()
	return &Package{Name: "objects", Plans: plans, Init: init}
}

// TestFlowPlans: when the plans are interpreted, the results are those that the tests of emitted
// code expect.
func TestFlowPlans(t *testing.T) {
	for _, c := range []struct {
		p     *plan.Plan
		feeds map[string]*tensor.Tensor
		want  map[string]string
	}{
		{whilePlan(), map[string]*tensor.Tensor{"n:0": scalarOf[int32](7), "x:0": scalarOf[float32](0.5), "training:0": scalarOf(true)},
			map[string]string{"while/i:0": "[7]", "cond/y:0": "[4.5]"}},
		{whilePlan(), map[string]*tensor.Tensor{"n:0": scalarOf[int32](0), "x:0": scalarOf[float32](0.5), "training:0": scalarOf(false)},
			map[string]string{"while/i:0": "[0]", "cond/y:0": "[0]"}},
		{counterPlan(), map[string]*tensor.Tensor{"n:0": scalarOf[int32](5), "x:0": scalarOf[float32](0.5), "b:0": f32(1, 2, 3)},
			map[string]string{"while/i:0": "[5]", "while/acc:0": "[-0.125]", "while/last:0": "[4]", "while/total:0": "[23]", "while/rest:0": "[-1]", "while/flips:0": "[false]"}},
		{longCounterPlan(), map[string]*tensor.Tensor{"n:0": scalarOf[int64](5)}, map[string]string{"while/i:0": "[5]", "while/acc:0": "[400]"}},
		{growPlan(), map[string]*tensor.Tensor{"x:0": tensor.Must(tensor.From(tensor.Shape{1}, []string{"a"})), "n:0": scalarOf[int64](3)},
			map[string]string{"while/text:0": "[a a' a' a'' a' a'' a'' a''']", "total:0": "[3]", "while/odds:0": "[1]", "sizes:0": "[2 3 0 0]"}},
		{longPlan(), map[string]*tensor.Tensor{"x:0": f32(1, 2, 3), "n:0": scalarOf[int64](5)},
			map[string]string{"i:0": "[6]", "y:0": "[61 122 183]"}},
	} {
		x, err := exec.New(c.p)
		if err != nil {
			t.Fatal(err)
		}
		got, err := x.Run(context.Background(), c.feeds)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range c.want {
			if g := fmt.Sprint(got[name].Data); g != want {
				t.Errorf("%s is %s, want %s", name, g, want)
			}
		}
	}
}

// TestStays: only windows that are within their storage for all sizes are computed before a loop,
// because the loop's steps may not run.
func TestStays(t *testing.T) {
	m := newPlan("")
	B := sym.Var("B")
	known, open := m.buf("known", plan.Arena, tensor.Float32, four), m.buf("open", plan.Arena, tensor.Float32, B)
	p := &printer{e: &emitter{}, sig: &signature{}, fixed: &fixed{}}
	for _, c := range []struct {
		v    plan.View
		want bool
	}{
		{r(known), true},
		{r(known).At(sym.One, two), true},
		{r(known).At(sym.Zero, B), false},
		{r(open), true},
		{r(open).At(sym.Zero, sym.One), false},
		{r(open).At(sym.One, B.AddInt(-1)), false},
		{r(m.alias(open, nil, tensor.Int32, B)), true},
		{r(m.buf("grown", plan.Grow, tensor.Float32, four)), false},
		{r(m.buf("text", plan.Strings, tensor.String, four)), false},
		{r(m.constant("constant", f32(1, 2))), true},
		{r(m.object("variable /v", kern.NewGate)), false},
	} {
		if got := p.stays(c.v, offset(c.v)); got != c.want {
			t.Errorf("%s[%v:%v]: %v", c.v.Buf.Name, c.v.Off, c.v.Len, got)
		}
	}
}
