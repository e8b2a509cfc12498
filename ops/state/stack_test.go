package state_test

import (
	"testing"

	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/rt/tensor"
)

// TestPoppedShape checks that a popped element has the shape of the pushed ones, if they all have
// the same shape.
func TestPoppedShape(t *testing.T) {
	for _, c := range []struct {
		what   string
		pushes func(g opstest.Graph, x, y ir.Out) []ir.Out
		want   string
	}{
		{"one shape", func(g opstest.Graph, x, y ir.Out) []ir.Out { return []ir.Out{g.Op("Shape", nil, x)} }, "[B,3]"},
		{"one shape twice", func(g opstest.Graph, x, y ir.Out) []ir.Out {
			return []ir.Out{g.Op("Shape", nil, x), g.Op("Shape", nil, x)}
		}, "[B,3]"},
		{"two shapes", func(g opstest.Graph, x, y ir.Out) []ir.Out {
			return []ir.Out{g.Op("Shape", nil, x), g.Op("Shape", nil, y)}
		}, ""},
		{"a shape and a vector", func(g opstest.Graph, x, y ir.Out) []ir.Out {
			return []ir.Out{g.Op("Shape", nil, x), g.Feed("v", tensor.Int32, 2)}
		}, ""},
	} {
		g := opstest.New(t)
		x, y := g.Feed("x", tensor.Float32, "B", 3), g.Feed("y", tensor.Float32, "C", 3)
		s := g.Op("StackV2", map[string]ir.Attr{"elem_type": tensor.Int32}, g.Int(-1))
		var controls []*ir.Node
		for _, p := range c.pushes(g, x, y) {
			o := g.Op("StackPushV2", map[string]ir.Attr{"T": tensor.Int32}, s, p)
			controls = append(controls, o.Node)
		}
		pop := g.Op("StackPopV2", map[string]ir.Attr{"elem_type": tensor.Int32}, s)
		pop.Node.Controls = controls
		o := g.Op("Reshape", nil, g.Feed("z", tensor.Float32, "B", 3), pop)
		if err := ops.Ops().Infer(g.Graph); err != nil {
			t.Fatal(err)
		}
		if got := o.Fact().Shape.String(); c.want != "" && got != c.want || c.want == "" && (got == "[B,3]" || got == "[C,3]") {
			t.Errorf("%s: %s", c.what, got)
		}
	}
}
