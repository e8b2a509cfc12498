package partition

import (
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// TestHostile checks that Split rejects ill-formed graphs. No API builds such graphs, but a file
// may contain them.
func TestHostile(t *testing.T) {
	enter := func(t *testing.T, g *ir.Graph, name, device, frame string, from *ir.Node) *ir.Node {
		return add(t, g, name, "Enter", device, map[string]ir.Attr{"T": tensor.Float32, "frame_name": frame}, 1, out(from))
	}
	for name, c := range map[string]struct {
		code  tensor.Code
		build func(*testing.T, *ir.Graph)
	}{
		"cycle": {tensor.InvalidArgument, func(t *testing.T, g *ir.Graph) {
			a := source(t, g, "a", cpu0)
			b, c := identity(t, g, "b", cpu1, a), identity(t, g, "c", cpu0, a)
			b.Ins[0], c.Ins[0] = out(c), out(b)
		}},
		"waits for itself": {tensor.InvalidArgument, func(t *testing.T, g *ir.Graph) {
			a := source(t, g, "a", cpu0)
			a.Controls = []*ir.Node{a}
		}},
		"no device": {tensor.InvalidArgument, func(t *testing.T, g *ir.Graph) { source(t, g, "a", "") }},
		"input missing": {tensor.InvalidArgument, func(t *testing.T, g *ir.Graph) {
			add(t, g, "a", "AddV2", cpu0, float(), 1, out(source(t, g, "x", cpu0)))
		}},
		"no input": {tensor.InvalidArgument, func(t *testing.T, g *ir.Graph) { add(t, g, "a", "Unheard", cpu0, nil, 1, ir.Out{}) }},
		"node of another graph": {tensor.InvalidArgument, func(t *testing.T, g *ir.Graph) {
			identity(t, g, "a", cpu0, source(t, ir.NewGraph("other"), "x", cpu0))
		}},
		"control input of another graph": {tensor.InvalidArgument, func(t *testing.T, g *ir.Graph) {
			source(t, g, "a", cpu0).Controls = []*ir.Node{source(t, ir.NewGraph("other"), "x", cpu0)}
		}},
		"output missing": {tensor.InvalidArgument, func(t *testing.T, g *ir.Graph) {
			identity(t, g, "a", cpu0, source(t, g, "x", cpu0)).Ins[0].Index = 1
		}},
		"region": {tensor.InvalidArgument, func(t *testing.T, g *ir.Graph) { source(t, g, "a", cpu0).Region = &ir.Region{} }},
		"width": {tensor.InvalidArgument, func(t *testing.T, g *ir.Graph) {
			add(t, g, "a", "AddN", cpu0, map[string]ir.Attr{"T": tensor.Float32, "N": int64(1 << 40)}, 1)
		}},
		"outputs of a size": {tensor.OK, func(t *testing.T, g *ir.Graph) {
			x := source(t, g, "x", cpu0)
			add(t, g, "a", "Split", cpu0, map[string]ir.Attr{"T": tensor.Float32, "num_split": int64(1 << 40)}, 1, out(x), out(x))
		}},
		"frame without a name": {tensor.InvalidArgument, func(t *testing.T, g *ir.Graph) { enter(t, g, "e", cpu0, "", source(t, g, "x", cpu0)) }},
		"frame in itself": {tensor.Internal, func(t *testing.T, g *ir.Graph) {
			enter(t, g, "f", cpu1, "f", enter(t, g, "e", cpu0, "f", source(t, g, "x", cpu0)))
		}},
		"frames that wind": {tensor.Internal, func(t *testing.T, g *ir.Graph) {
			x := source(t, g, "x", cpu0)
			enter(t, g, "a", cpu0, "inner", enter(t, g, "e", cpu0, "f", x))
			enter(t, g, "b", cpu0, "inner", enter(t, g, "d", cpu0, "g", x))
		}},
		"two conditions": {tensor.InvalidArgument, func(t *testing.T, g *ir.Graph) {
			e := enter(t, g, "e", cpu0, "f", source(t, g, "x", cpu0))
			add(t, g, "c", "LoopCond", cpu0, nil, 1, out(e))
			add(t, g, "d", "LoopCond", cpu0, nil, 1, out(e))
		}},
		"exit without a frame": {tensor.OK, func(t *testing.T, g *ir.Graph) {
			e := add(t, g, "e", "Exit", cpu0, float(), 1, out(source(t, g, "x", cpu1)))
			identity(t, g, "y", cpu1, e)
		}},
		"loop that nothing enters": {tensor.OK, func(t *testing.T, g *ir.Graph) {
			n := add(t, g, "n", "NextIteration", cpu0, float(), 1, ir.Out{})
			m := add(t, g, "m", "Merge", cpu0, map[string]ir.Attr{"T": tensor.Float32, "N": int64(1)}, 2, out(n))
			n.Ins[0] = out(identity(t, g, "i", cpu1, m))
		}},
		"feed that is none": {tensor.InvalidArgument, func(t *testing.T, g *ir.Graph) {
			g.Feeds = []ir.Feed{{Name: "x:1", Out: ir.Out{Node: source(t, g, "x", cpu0), Index: 1}}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			g := ir.NewGraph("g")
			c.build(t, g)
			client := ""
			if len(g.Feeds) > 0 {
				client = cpu0
			}
			if _, err := Split(g, Options{Client: client}); tensor.CodeOf(err) != c.code {
				t.Errorf("%v, want %v", err, c.code)
			}
		})
	}
}
