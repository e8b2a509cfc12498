package ir

import (
	"math"
	"strings"
	"testing"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/rt/tensor"
)

func f32(bits uint32) float32 { return math.Float32frombits(bits) }

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(g *Graph, a, b *Node)
		want  string
	}{
		{"sound", func(*Graph, *Node, *Node) {}, ""},
		{"dangling input", func(g *Graph, a, b *Node) { b.Ins[0].Node = &Node{Name: "z", Outs: make([]Fact, 1)} }, "whose node is not in the graph"},
		{"no input", func(g *Graph, a, b *Node) { b.Ins[0] = Out{} }, "input 0 is not a tensor"},
		{"output number", func(g *Graph, a, b *Node) { b.Ins[0].Index = 1 }, "A has 1 outputs"},
		{"two names", func(g *Graph, a, b *Node) { b.Name = "a" }, "two nodes have this name"},
		{"listed twice", func(g *Graph, a, b *Node) { g.Nodes = append(g.Nodes, a) }, "listed twice"},
		{"unknown name", func(g *Graph, a, b *Node) { b.Name = "c" }, "maps the name to another node"},
		{"leftover name", func(g *Graph, a, b *Node) { g.Nodes = g.Nodes[:1] }, "2 names for 1 nodes"},
		{"control outside", func(g *Graph, a, b *Node) { b.Controls = []*Node{{Name: "z"}} }, `waits for "z"`},
		{"control twice", func(g *Graph, a, b *Node) { b.Controls = []*Node{a, a} }, "waits twice"},
		{"control itself", func(g *Graph, a, b *Node) { b.Controls = []*Node{b} }, "waits for itself"},
		{"cycle", func(g *Graph, a, b *Node) { a.Controls = []*Node{b} }, "cycle"},
		{"nil attribute", func(g *Graph, a, b *Node) { a.Attrs["k"] = nil }, `attribute "k" is nil`},
		{"fetch", func(g *Graph, a, b *Node) { g.Fetches = []Fetch{{Name: "q"}} }, `fetch "q" is not a tensor`},
		{"feed twice", func(g *Graph, a, b *Node) {
			g.Feeds = []Feed{{Name: "p", Out: Out{Node: a}}, {Name: "q", Out: Out{Node: a}}}
		}, "fed twice"},
		{"target", func(g *Graph, a, b *Node) { g.Targets = []*Node{{Name: "z"}} }, "a target is not in the graph"},
		{"size", func(g *Graph, a, b *Node) { a.Outs[0].Shape = ShapeOf(sym.Var("n")) }, "nothing defines the size n"},
		{"size's source", func(g *Graph, a, b *Node) { g.Symbols["n"] = Symbol{} }, "the source of size n"},
		{"negative", func(g *Graph, a, b *Node) { a.Outs[0].Shape = StaticShape(-1) }, "dimension 0 is -1"},
		{"rank", func(g *Graph, a, b *Node) { a.Outs[0].Shape = Shape{Dims: []*sym.Expr{sym.One}} }, "rank is unknown"},
		{"elements", func(g *Graph, a, b *Node) {
			a.Outs[0] = Fact{DType: tensor.Int32, Shape: StaticShape(2), Ints: []*sym.Expr{sym.One}}
		}, "1 are known"},
		{"elements of floats", func(g *Graph, a, b *Node) { a.Outs[0].Ints = []*sym.Expr{} }, "known integer elements"},
		{"nil node", func(g *Graph, a, b *Node) { g.Nodes = append(g.Nodes, nil) }, "node 2 is nil"},
		{"no op", func(g *Graph, a, b *Node) { a.Op = "" }, "the node has no op"},
		{"nil control", func(g *Graph, a, b *Node) { b.Controls = []*Node{nil} }, "a control input is nil"},
		{"nil dimension", func(g *Graph, a, b *Node) { a.Outs[0].Shape = Shape{Known: true, Dims: []*sym.Expr{nil}} }, "output 0: dimension 0 is nil"},
		{"nil dimension of a feed", func(g *Graph, a, b *Node) {
			g.Feeds = []Feed{{Name: "p", Out: Out{Node: a}, Shape: Shape{Known: true, Dims: []*sym.Expr{nil}}}}
		}, `feed "p": dimension 0 is nil`},
		{"nil target", func(g *Graph, a, b *Node) { g.Targets = []*Node{nil} }, "a target is not in the graph"},
		{"nil element", func(g *Graph, a, b *Node) {
			a.Outs[0] = Fact{DType: tensor.Int32, Shape: StaticShape(1), Ints: []*sym.Expr{nil}}
		}, "output 0: element 0 is nil"},
		{"size among elements", func(g *Graph, a, b *Node) {
			a.Outs[0] = Fact{DType: tensor.Int64, Shape: StaticShape(1), Ints: []*sym.Expr{sym.Var("n")}}
		}, "nothing defines the size n"},
		{"elements of rank 3", func(g *Graph, a, b *Node) {
			a.Outs[0] = Fact{DType: tensor.Int32, Shape: StaticShape(1, 1, 1), Ints: []*sym.Expr{sym.One}}
		}, "output 0 has rank 3 and known elements"},
		{"value's elements", func(g *Graph, a, b *Node) {
			a.Outs[0].Const = &tensor.Tensor{DType: tensor.Float32, Shape: tensor.Shape{2}, Data: []float32{1}}
		}, "the value has 1 elements for the shape [2]"},
		{"many", func(g *Graph, a, b *Node) {
			for range 2 * maxFaults {
				g.Nodes = append(g.Nodes, nil)
			}
		}, "node 21 is nil"},
		{"value", func(g *Graph, a, b *Node) {
			a.Outs[0].Const = tensor.Must(tensor.From(tensor.Shape{1}, []int32{4}))
		}, "and its value i32[1]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewGraph("g")
			a := g.NewNode("a", "A", nil, 1)
			a.Outs[0] = Fact{DType: tensor.Float32, Shape: StaticShape(2)}
			b := g.NewNode("b", "B", nil, 1, Out{Node: a})
			c.spoil(g, a, b)
			err := Check(g)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || tensor.CodeOf(err) != tensor.Internal && c.name != "cycle" || strings.Count(err.Error(), "\n") >= maxFaults {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
