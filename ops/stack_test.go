package ops

import (
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// TestPoppedShape: a shape that comes back from a stack is the one that was
// pushed, where all that were pushed are the same.
func TestPoppedShape(t *testing.T) {
	for _, c := range []struct {
		what   string
		pushes func(g graph, x, y ir.Out) []ir.Out
		want   string
	}{
		{"one shape", func(g graph, x, y ir.Out) []ir.Out { return []ir.Out{g.op("Shape", nil, x)} }, "[B,3]"},
		{"one shape twice", func(g graph, x, y ir.Out) []ir.Out { return []ir.Out{g.op("Shape", nil, x), g.op("Shape", nil, x)} }, "[B,3]"},
		{"two shapes", func(g graph, x, y ir.Out) []ir.Out { return []ir.Out{g.op("Shape", nil, x), g.op("Shape", nil, y)} }, ""},
		{"a shape and a vector", func(g graph, x, y ir.Out) []ir.Out {
			return []ir.Out{g.op("Shape", nil, x), g.feed("v", tensor.Int32, 2)}
		}, ""},
	} {
		g := newGraph(t)
		x, y := g.feed("x", tensor.Float32, "B", 3), g.feed("y", tensor.Float32, "C", 3)
		s := g.op("StackV2", map[string]ir.Attr{"elem_type": tensor.Int32}, g.int(-1))
		var controls []*ir.Node
		for _, p := range c.pushes(g, x, y) {
			o := g.op("StackPushV2", map[string]ir.Attr{"T": tensor.Int32}, s, p)
			controls = append(controls, o.Node)
		}
		pop := g.op("StackPopV2", map[string]ir.Attr{"elem_type": tensor.Int32}, s)
		pop.Node.Controls = controls
		o := g.op("Reshape", nil, g.feed("z", tensor.Float32, "B", 3), pop)
		if err := Ops().Infer(g.Graph); err != nil {
			t.Fatal(err)
		}
		if got := o.Fact().Shape.String(); c.want != "" && got != c.want || c.want == "" && (got == "[B,3]" || got == "[C,3]") {
			t.Errorf("%s: %s", c.what, got)
		}
	}
}
