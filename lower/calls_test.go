package lower_test

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/kernels/norm"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// TestBadCalls: the error for a call that does not fit its kernel names the node, the op and the
// reason.
func TestBadCalls(t *testing.T) {
	for _, c := range []struct {
		name  string
		lower func(b *lower.Builder) error
		want  string
	}{
		{"no kernel", func(b *lower.Builder) error {
			b.Call(nil, b.Out(0), b.In(0))
			return nil
		}, "<nil> is not a kernel"},
		{"one argument less", func(b *lower.Builder) error {
			b.Call(norm.FinishF32, b.Out(0))
			return nil
		}, "has 2 parameters, the lowering passes 1 arguments"},
		{"operand of another type", func(b *lower.Builder) error {
			b.Call(norm.FinishF64, b.Out(0), plan.Lit(norm.FinishParams[float64]{}, "Bias", b.In(0)))
			return nil
		}, "is []float32, the kernel wants []float64"},
		{"unknown operand", func(b *lower.Builder) error {
			b.Call(norm.FinishF32, b.Out(0), plan.Lit(norm.FinishParams[float32]{}, "Gamma", b.In(0)))
			return nil
		}, "has no field Gamma of type []float32"},
		{"a panic", func(b *lower.Builder) error { panic("of the test") }, "panic in the lowering: of the test"},
	} {
		own := *ops.Ops().Lookup("Relu")
		own.Lower = c.lower
		table := lower.NewTable(lower.Family{Defs: []*lower.Def{&own, ops.Ops().Lookup("Placeholder")}})
		g := opstest.New(t)
		g.Fetches = []ir.Fetch{{Name: "y", Key: "y", Out: g.Op("Relu", opstest.Attrs("T", tensor.Float32), g.Feed("x", tensor.Float32, 2))}}
		if err := table.Infer(g.Graph); err != nil {
			t.Fatal(err)
		}
		_, err := table.Lower(g.Graph, "test")
		if err == nil || tensor.CodeOf(err) != tensor.Internal || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), `"relu" (Relu)`) {
			t.Errorf("%s: %v, want %q at the node", c.name, err, c.want)
		}
	}
}
