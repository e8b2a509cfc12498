package cost

import (
	"testing"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/kernels/norm"
	"github.com/graphc/graphc/plan"
)

func TestProductFLOPs(t *testing.T) {
	n := sym.Var("n")
	for _, c := range []struct {
		arg  plan.Arg
		want float64
	}{
		{plan.Lit(gemm.Params{K: 4}, "M", n, "N", sym.Int(3)), 2 * 7 * 3 * 4},
		{plan.Lit(gemm.BatchParams{M: 2, K: 5, Dims: 2, D0: 2, D2: 100}, "N", sym.Int(3), "D1", n), 2 * 2 * 3 * 5 * 2 * 7},
		{plan.Lit(gemm.Params{K: 4, N: 2}, "M", sym.Var("unknown")), 0},
		{plan.Lit(norm.LayerParams{}), 0},
		{plan.Value{V: 3}, 0},
	} {
		if got := productFLOPs(&plan.Call{Args: []plan.Arg{c.arg}}, map[string]int{"n": 7}); got != c.want {
			t.Errorf("%+v: %g, want %g", c.arg, got, c.want)
		}
	}
}
