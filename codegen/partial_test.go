package codegen

import (
	"github.com/graphc/graphc/codegen/internal/kern"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// partialPlan has partial runs and four results: the sizes B and 2·B, and the tensors a·2, a·2 + b
// and c·2. The feeds a and b have B elements, so each of them defines B. The feed c has B + 1
// elements.
func partialPlan() *plan.Plan {
	B := sym.Var(plan.NamedDim + "B")
	part := func(gives int, needs []int, sizes ...string) (m *maker, a, b, c *plan.Buf) {
		m = newPlan("in steps")
		a, b = m.feed("a:0", "a", tensor.Float32, B), m.feed("b:0", "b", tensor.Float32, B)
		c = m.feed("c:0", "c", tensor.Float32, B.AddInt(1))
		m.p.Device, m.p.Gives, m.p.Needs, m.p.Sizes = "/job:localhost/replica:0/task:0/device:CPU:0", []int{gives}, needs, sizes
		return m, a, b, c
	}
	size, _, _, _ := part(0, nil, B.Key())
	s := size.buf("size:0", plan.Arena, tensor.Int64, four)
	size.call("size", "Shape", kern.Dims, w(s), []*sym.Expr{B, B.MulInt(2)}, kern.Mode(0), kern.Name(""))
	size.fetch("size:0", "size", s, four)

	twice, a, _, _ := part(1, []int{0})
	d := twice.buf("twice:0", plan.Arena, tensor.Float32, B)
	twice.call("twice", "Mul", kern.Scale, w(d), r(a), plan.Lit(kern.Params{Scale: 2}, "N", B))
	twice.p.Steps = append(twice.p.Steps, &plan.Send{Node: "twice/_send_0", Op: "_Send", Route: plan.RouteHost, Src: r(d)})
	twice.fetch("twice:0", "twice", d, B)

	sum, _, b, _ := part(2, []int{0, 1})
	got, total := sum.buf("twice:0", plan.Arena, tensor.Float32, B), sum.buf("sum:0", plan.Arena, tensor.Float32, B)
	sum.p.Steps = append(sum.p.Steps, &plan.Recv{Node: "twice/_recv_0", Op: "_Recv", Route: plan.RouteHost, Dst: w(got)})
	sum.call("sum", "AddV2", kern.Add, w(total), r(got), r(b))
	sum.fetch("sum:0", "sum", total, B)

	late, _, _, c := part(3, []int{2}, B.Key())
	x := late.buf("late:0", plan.Arena, tensor.Float32, B.AddInt(1))
	late.call("late", "Mul", kern.Scale, w(x), r(c), plan.Lit(kern.Params{Scale: 2}, "N", B.AddInt(1)))
	late.fetch("late:0", "late", x, B.AddInt(1))

	p := plan.InParts([]*plan.Plan{size.p, twice.p, sum.p, late.p}, []plan.Pair{{From: 1, To: 2, Tensor: "twice:0"}})
	p.Partial = true
	return p
}
