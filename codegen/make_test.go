package codegen

import (
	"fmt"

	"github.com/graphc/graphc/codegen/internal/kern"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// countersPackage returns a package with several counters. Each element of the parameter starts is
// the first value of one counter. All counters except the first are in the container "shared".
func countersPackage(name string, starts ...int64) *Package {
	m := newPlan("count")
	for i, start := range starts {
		key := fmt.Sprintf("counter:shared:c%d", i)
		if i == 0 {
			key = "counter /c0"
		}
		c := m.object(key, kern.NewCounter, fmt.Sprintf("count from %d", start), r(m.constant(key, scalarOf(start))),
			r(m.constant("labels", &tensor.Tensor{DType: tensor.String, Shape: tensor.Shape{1}, Data: []string{"a"}})), []int{2, i})
		n := m.scalar(fmt.Sprintf("n%d:0", i), tensor.Int64)
		m.call(fmt.Sprintf("n%d", i), "AssignAddVariableOp", kern.Increment, w(n), r(c), r(m.constant("by", scalarOf[int64](1))))
		m.fetch(n.Name, fmt.Sprintf("n%d", i), n, []*sym.Expr{}...)
	}
	return &Package{Name: name, Plans: []*plan.Plan{m.p}}
}
