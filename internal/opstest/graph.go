// Package opstest builds small graphs for tests of op families, and lowers them with the table of
// all ops.
package opstest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// Graph is a graph under construction.
type Graph struct {
	*ir.Graph
	t *testing.T
}

// New makes an empty graph.
func New(t *testing.T) Graph { return Graph{ir.NewGraph("test"), t} }

// Feed adds a fed placeholder. Each of dims is a number, or a text with one or more dimensions such
// as "B,2*B,3".
func (g Graph) Feed(name string, d tensor.DType, dims ...any) ir.Out {
	g.t.Helper()
	var s []*sym.Expr
	for _, x := range dims {
		for _, d := range strings.FieldsFunc(fmt.Sprint(x), func(r rune) bool { return r == ',' }) {
			e, err := sym.Parse(d)
			if err != nil {
				g.t.Fatal(err)
			}
			s = append(s, e)
		}
	}
	o := ir.Out{Node: g.NewNode(name, "Placeholder", map[string]ir.Attr{"dtype": d}, 1)}
	g.Feeds = append(g.Feeds, ir.Feed{Name: name + ":0", Key: name, Out: o, Shape: ir.ShapeOf(s...)})
	return o
}

// Ints adds a constant vector.
func (g Graph) Ints(vs ...int32) ir.Out {
	return g.NewConst("c", &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{len(vs)}, Data: vs})
}

// Int adds a constant number.
func (g Graph) Int(v int32) ir.Out {
	return g.NewConst("c", &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{}, Data: []int32{v}})
}

// Op adds a node with one output.
func (g Graph) Op(op string, attrs map[string]ir.Attr, ins ...ir.Out) ir.Out {
	return ir.Out{Node: g.NewNode(strings.ToLower(op), op, attrs, 1, ins...)}
}

// At adds nodes that compute the element x[i] of a vector x, and returns their output.
func (g Graph) At(x ir.Out, i int32) ir.Out {
	return g.Op("StridedSlice", map[string]ir.Attr{"shrink_axis_mask": int64(1)}, x, g.Ints(i), g.Ints(i+1), g.Ints(1))
}

// Lower lowers the graph to a plan whose fetches are outs.
func (g Graph) Lower(outs ...ir.Out) (*plan.Plan, error) {
	for _, o := range outs {
		g.Fetches = append(g.Fetches, ir.Fetch{Name: o.String(), Key: o.String(), Out: o})
	}
	if err := ops.Ops().Infer(g.Graph); err != nil {
		return nil, err
	}
	return ops.Ops().Lower(g.Graph, "test")
}

// Attrs returns attributes from pairs of name and value.
func Attrs(kv ...any) map[string]ir.Attr {
	m := map[string]ir.Attr{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i].(string)] = kv[i+1]
	}
	return m
}

// Ops adds a node with nout outputs.
func (g Graph) Ops(op string, nout int, a map[string]ir.Attr, ins ...ir.Out) []ir.Out {
	n := g.NewNode("n", op, a, nout, ins...)
	outs := make([]ir.Out, nout)
	for i := range outs {
		outs[i] = ir.Out{Node: n, Index: i}
	}
	return outs
}

// List adds a node with an op for lists of float32 tensors. The node has one output.
func (g Graph) List(op string, ins ...ir.Out) ir.Out {
	return g.Op(op, Attrs("element_dtype", tensor.Float32, "num_elements", int64(-1)), ins...)
}

// Dim adds a constant vector with one element.
func (g Graph) Dim(v int32) ir.Out { return g.Ints(v) }

// After adds control edges, so that the node of n runs after the nodes of all other arguments. It
// returns n.
func After(n ir.Out, before ...ir.Out) ir.Out {
	for _, b := range before {
		n.Node.Controls = append(n.Node.Controls, b.Node)
	}
	return n
}

// Effect adds a node without outputs.
func (g Graph) Effect(op string, a map[string]ir.Attr, ins ...ir.Out) ir.Out {
	return ir.Out{Node: g.NewNode("e", op, a, 0, ins...)}
}

// Texts adds a constant vector of strings.
func (g Graph) Texts(vs ...string) ir.Out {
	return g.NewConst("s", &tensor.Tensor{DType: tensor.String, Shape: tensor.Shape{len(vs)}, Data: vs})
}

// Longs adds an int64 constant of the given shape.
func (g Graph) Longs(shape tensor.Shape, vs ...int64) ir.Out {
	return g.NewConst("l", &tensor.Tensor{DType: tensor.Int64, Shape: shape, Data: vs})
}

// Scalars returns n shapes that have no dimensions.
func Scalars(n int) []ir.PartialShape { return make([]ir.PartialShape, n) }

// Infer infers the types and shapes in the graph. It returns the type and shape of o as text, or
// the code of the error.
func (g Graph) Infer(o ir.Out) string {
	if err := ops.Ops().Infer(g.Graph); err != nil {
		return tensor.CodeOf(err).String()
	}
	return o.Fact().String()
}

// Zeros returns a tensor of zeros.
func Zeros(t *testing.T, d tensor.DType, shape ...int) *tensor.Tensor {
	t.Helper()
	x, err := tensor.New(d, shape, 0)
	if err != nil {
		t.Fatal(err)
	}
	return x
}
