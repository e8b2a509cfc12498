package codegen

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/elem"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// number adds a step that computes the only element of dst from those of src by the formula f.
func (m *maker) number(node, op string, dst *plan.Buf, f func(b *scalar.Builder, x []scalar.Value) scalar.Value, src ...*plan.Buf) {
	s := &plan.Scalar{Node: node, Op: op, Dst: w(dst), Program: &scalar.Program{Dims: 1}}
	b := scalar.NewBuilder(s.Program)
	var x []scalar.Value
	for i, buf := range src {
		s.Src = append(s.Src, r(buf))
		s.Program.Ins = append(s.Program.Ins, scalar.Input{DType: buf.DType, Access: scalar.Scalar})
		x = append(x, b.Load(i))
	}
	s.Program.Outs = []scalar.Output{{DType: dst.DType, Value: f(b, x)}}
	m.step(s)
}

// pair returns the formula that applies operation c to two operands. If the formula gets only one
// operand, the second operand is the constant in the parameter number.
func pair(c scalar.Code, number float64) func(b *scalar.Builder, x []scalar.Value) scalar.Value {
	return func(b *scalar.Builder, x []scalar.Value) scalar.Value {
		if len(x) < 2 {
			x = append(x, b.Const(b.Type(x[0]), number))
		}
		return b.Bin(c, x[0], x[1])
	}
}

// given returns the formula whose result is the constant v of type d.
func given(d tensor.DType, v float64) func(b *scalar.Builder, x []scalar.Value) scalar.Value {
	return func(b *scalar.Builder, x []scalar.Value) scalar.Value { return b.Const(d, v) }
}

// counterPlan counts and decides in all ways that steps of one element support:
//
//	for i := 0; i < n; i++ {
//		if i&1 == 1 { acc = x·acc + x } else { acc = acc - 0.5 }
//		if 3 < i { last = i }
//		rest = B - i, where B is the length of b
//		part = max(i, 2) - (-i)
//		total += part, by a kernel
//		flips = !flips && (flips || x == x)
//	}
func counterPlan() *plan.Plan {
	m := newPlan("")
	none := []*sym.Expr{}
	n := m.feed("n:0", "", tensor.Int32, none...)
	x := m.feed("x:0", "", tensor.Float32, none...)
	B := sym.Var("B")
	m.feed("b:0", "", tensor.Float32, B)
	rest := m.scalar("while/rest:0", tensor.Int32)
	i, acc := m.scalar("while/i:0", tensor.Int32), m.scalar("while/acc:0", tensor.Float32)
	last, total, flips, part := m.scalar("while/last:0", tensor.Int32), m.scalar("while/total:0", tensor.Int32), m.scalar("while/flips:0", tensor.Bool), m.scalar("while/part:0", tensor.Int32)
	less, odd, late, same := m.scalar("while/Less:0", tensor.Bool), m.scalar("while/odd:0", tensor.Bool), m.scalar("while/late:0", tensor.Bool), m.scalar("while/same:0", tensor.Bool)
	m.number("while/i", "_LoopVar", i, given(tensor.Int32, 0))
	m.number("while/acc", "_LoopVar", acc, given(tensor.Float32, math.Copysign(0, -1)))
	m.number("while/last", "_LoopVar", last, given(tensor.Int32, -1))
	m.number("while/total", "_LoopVar", total, given(tensor.Int32, 0))
	m.number("while/flips", "_LoopVar", flips, given(tensor.Bool, 1))
	m.number("while/rest", "_LoopVar", rest, given(tensor.Int32, 0))
	m.while("while", func() {
		m.number("while/Less", "Less", less, pair(scalar.Lt, 0), i, n)
		m.until("while/LoopCond", less)
		m.number("while/odd", "Equal", odd, func(b *scalar.Builder, x []scalar.Value) scalar.Value {
			one := b.Const(tensor.Int32, 1)
			return b.Bin(scalar.Eq, b.Bin(scalar.And, x[0], one), one)
		}, i)
		m.when("while/cond", odd, func() {
			m.number("while/cond/add", "AddV2", acc, func(b *scalar.Builder, x []scalar.Value) scalar.Value {
				return b.Bin(scalar.Add, b.Bin(scalar.Mul, x[0], x[1]), x[0])
			}, x, acc)
		}, func() {
			m.number("while/cond/sub", "Sub", acc, pair(scalar.Sub, 0.5), acc)
		})
		m.number("while/late", "Less", late, func(b *scalar.Builder, x []scalar.Value) scalar.Value {
			return b.Bin(scalar.Lt, b.Const(tensor.Int32, 3), x[0])
		}, i)
		m.number("while/last", "SelectV2", last, func(b *scalar.Builder, x []scalar.Value) scalar.Value { return b.Select(x[0], x[1], x[2]) }, late, i, last)
		m.number("while/rest", "Sub", rest, func(b *scalar.Builder, x []scalar.Value) scalar.Value {
			b.P.Args = 1
			return b.Bin(scalar.Sub, b.Cast(tensor.Int32, b.Arg(0)), x[0])
		}, i)
		m.p.Steps[len(m.p.Steps)-1].(*plan.Scalar).Sizes = []*sym.Expr{B}
		m.number("while/part", "Sub", part, func(b *scalar.Builder, x []scalar.Value) scalar.Value {
			return b.Bin(scalar.Sub, b.Bin(scalar.Max, x[0], b.Const(tensor.Int32, 2)), b.Un(scalar.Neg, x[0]))
		}, i)
		m.call("while/total", "AddV2", elem.AddI32, w(total), r(total), r(part), elem.Dims{})
		m.number("while/same", "Equal", same, pair(scalar.Eq, 0), x, x)
		m.number("while/flips", "LogicalAnd", flips, func(b *scalar.Builder, x []scalar.Value) scalar.Value {
			return b.Bin(scalar.And, b.Un(scalar.Not, x[0]), b.Bin(scalar.Or, x[0], x[1]))
		}, flips, same)
		m.number("while/add", "AddV2", i, pair(scalar.Add, 1), i)
	})
	m.fetch("while/i:0", "i", i, none...)
	m.fetch("while/acc:0", "acc", acc, none...)
	m.fetch("while/last:0", "last", last, none...)
	m.fetch("while/total:0", "total", total, none...)
	m.fetch("while/rest:0", "rest", rest, none...)
	m.fetch("while/flips:0", "flips", flips, none...)
	return m.p
}

// longCounterPlan has a loop with too many steps for one function: acc += 40·i, in repeated and
// unrepeated steps.
func longCounterPlan() *plan.Plan {
	m := newPlan("")
	none := []*sym.Expr{}
	n := m.feed("n:0", "", tensor.Int64, none...)
	i, acc, less := m.scalar("while/i:0", tensor.Int64), m.scalar("while/acc:0", tensor.Int64), m.scalar("while/Less:0", tensor.Bool)
	m.number("while/i", "_LoopVar", i, given(tensor.Int64, 0))
	m.number("while/acc", "_LoopVar", acc, given(tensor.Int64, 0))
	m.while("while", func() {
		m.number("while/Less", "Less", less, pair(scalar.Lt, 0), i, n)
		m.until("while/LoopCond", less)
		at := acc
		for k := range 40 {
			next := m.scalar(fmt.Sprintf("while/sum%d:0", k), tensor.Int64)
			m.number(fmt.Sprintf("while/sum%d", k), "AddV2", next, pair(scalar.Add, 0), at, i)
			at = next
		}
		for k := range 40 {
			next := m.scalar(fmt.Sprintf("while/less%d:0", k), tensor.Int64)
			m.number(fmt.Sprintf("while/less%d", k), "Sub", next, pair(scalar.Sub, float64(k)), at)
			at = next
		}
		m.number("while/back", "AddV2", acc, pair(scalar.Add, 780), at)
		m.number("while/add", "AddV2", i, pair(scalar.Add, 1), i)
	})
	m.fetch("while/i:0", "i", i, none...)
	m.fetch("while/acc:0", "acc", acc, none...)
	return m.p
}

// TestVariables: buffers that only expressions use are not in the arena, and fetched values are
// stored there.
func TestVariables(t *testing.T) {
	files := emit(t, &Package{Name: "counter", Plans: []*plan.Plan{counterPlan()}})
	text := string(files["counter_predict.gen.go"])
	for _, want := range []string{"acc := math.Float32frombits(0x80000000)", "rt.At[float32](a, 64, 1)[0] = acc", "less := i < s.In.N.Data[0]", "if !less {", "i++\n\t}\n", "rt.At[int32](a, 0, 1)[0] = i\n", "acc = float32(s.In.X.Data[0]*acc) + s.In.X.Data[0]", "acc -= 0.5", "whilePart[0] = max(i, 2) - (-i)",
		"late := 3 < i", "whileRest[0] = int32(d.B) - i", "flips = !flips && (flips || same)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	for _, not := range []string{"lessPlace", "rt.At[bool](a, 0, 1)[0] = less"} {
		if strings.Contains(text, not) {
			t.Errorf("%s is in\n%s", not, text)
		}
	}
}
