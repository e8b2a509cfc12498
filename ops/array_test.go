package ops

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// graph builds small graphs for shape tests.
type graph struct {
	*ir.Graph
	t *testing.T
}

func newGraph(t *testing.T) graph { return graph{ir.NewGraph("test"), t} }

// feed adds a fed placeholder; dims are constants and symbols' names.
func (g graph) feed(name string, d tensor.DType, dims ...any) ir.Out {
	var s []*sym.Expr
	for _, x := range dims {
		switch x := x.(type) {
		case int:
			s = append(s, sym.Int(x))
		case string:
			s = append(s, sym.Var(x))
		}
	}
	o := ir.Out{Node: g.NewNode(name, "Placeholder", map[string]ir.Attr{"dtype": d}, 1)}
	g.Feeds = append(g.Feeds, ir.Feed{Name: name + ":0", Key: name, Out: o, Shape: ir.ShapeOf(s...)})
	return o
}

func (g graph) ints(vs ...int32) ir.Out {
	return g.NewConst("c", &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{len(vs)}, Data: vs})
}

func (g graph) int(v int32) ir.Out {
	return g.NewConst("c", &tensor.Tensor{DType: tensor.Int32, Shape: tensor.Shape{}, Data: []int32{v}})
}

func (g graph) op(op string, attrs map[string]ir.Attr, ins ...ir.Out) ir.Out {
	return ir.Out{Node: g.NewNode(strings.ToLower(op), op, attrs, 1, ins...)}
}

// at is x[i] of a vector.
func (g graph) at(x ir.Out, i int32) ir.Out {
	return g.op("StridedSlice", map[string]ir.Attr{"shrink_axis_mask": int64(1)}, x, g.ints(i), g.ints(i+1), g.ints(1))
}

func (g graph) lower(outs ...ir.Out) (*plan.Plan, error) {
	for _, o := range outs {
		g.Fetches = append(g.Fetches, ir.Fetch{Name: o.String(), Key: o.String(), Out: o})
	}
	if err := Ops().Infer(g.Graph); err != nil {
		return nil, err
	}
	return Ops().Lower(g.Graph, "test")
}

// TestSymbolicBatch: shape arithmetic over an unknown batch leaves neither
// shape tensors nor copies behind.
func TestSymbolicBatch(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(g graph) ir.Out
		want  string
		steps int
	}{
		{"shape, slice, pack", func(g graph) ir.Out {
			x := g.feed("x", tensor.Float32, "B", 49, 64)
			b := g.at(g.op("Shape", nil, x), 0)
			return g.op("Reshape", nil, x, g.op("Pack", nil, b, g.int(7), g.int(7), g.int(64)))
		}, "[B,7,7,64]", 0},
		{"rest", func(g graph) ir.Out {
			x := g.feed("x", tensor.Float32, "B", 7, 7, 64)
			return g.op("Reshape", nil, x, g.ints(-1, 3136))
		}, "[B,3136]", 0},
		{"rest behind the batch", func(g graph) ir.Out {
			x := g.feed("x", tensor.Float32, "B", 7, 64)
			b := g.op("StridedSlice", map[string]ir.Attr{"begin_mask": int64(1)}, g.op("Shape", nil, x), g.ints(0), g.ints(1), g.ints(1))
			return g.op("Reshape", nil, x, g.op("ConcatV2", nil, b, g.ints(-1), g.int(0)))
		}, "[B,448]", 0},
		{"a fed size is the rest whatever it is", func(g graph) ir.Out {
			x := g.feed("x", tensor.Float32, "B", 8)
			return g.op("Reshape", nil, x, g.op("Pack", nil, g.feed("n", tensor.Int32), g.int(4)))
		}, "[2*B,4]", 2},
		{"gather of a shape, unpack, split", func(g graph) ir.Out {
			x := g.feed("x", tensor.Float32, "B", "T", 6)
			s := g.op("GatherV2", nil, g.op("Shape", nil, x), g.ints(1, 0), g.int(0))
			u := g.NewNode("unpack", "Unpack", map[string]ir.Attr{"num": int64(2)}, 2, s)
			return g.op("Reshape", nil, x, g.op("Pack", nil, ir.Out{Node: u, Index: 1}, ir.Out{Node: u}, g.int(2), g.int(3)))
		}, "[B,T,2,3]", 0},
		{"axes come and go", func(g graph) ir.Out {
			x := g.op("ExpandDims", nil, g.feed("x", tensor.Float32, "B", 5), g.int(1))
			return g.op("Squeeze", map[string]ir.Attr{"squeeze_dims": []int64{1}}, x)
		}, "[B,5]", 0},
		{"a known number gets an axis that the run tells", func(g graph) ir.Out {
			return g.op("ExpandDims", nil, g.int(7), g.feed("axis", tensor.Int32))
		}, "[n_expanddims]", 2},
		{"rows of the outermost axis are windows", func(g graph) ir.Out {
			x := g.feed("x", tensor.Float32, "B", 5)
			return g.op("StridedSlice", map[string]ir.Attr{"end_mask": int64(1)}, x, g.ints(2), g.ints(0), g.ints(1))
		}, "[max(0, B - 2),5]", 0},
		{"fill", func(g graph) ir.Out {
			x := g.feed("x", tensor.Float32, "B", 5)
			b := g.at(g.op("Shape", nil, x), 0)
			return g.op("Fill", nil, g.op("Pack", nil, b), g.int(1))
		}, "[B]", 1},
		{"range", func(g graph) ir.Out {
			x := g.feed("x", tensor.Float32, "B", 5)
			return g.op("Range", nil, g.int(0), g.at(g.op("Shape", nil, x), 0), g.int(1))
		}, "[B]", 1},
		{"a permutation of axes of size 1", func(g graph) ir.Out {
			return g.op("Transpose", nil, g.feed("x", tensor.Float32, "B", 1, 5), g.ints(1, 0, 2))
		}, "[1,B,5]", 0},
	} {
		g := newGraph(t)
		out := c.build(g)
		p, err := g.lower(out)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := out.Fact().Shape.String(); got != c.want {
			t.Errorf("%s: shape %s, want %s", c.name, got, c.want)
		}
		if len(p.Steps) != c.steps {
			t.Errorf("%s: %d steps, want %d", c.name, len(p.Steps), c.steps)
		}
	}
}

// TestRefused: what is known to be wrong is refused when compiling, what only
// a run tells when running.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(g graph) ir.Out
		batch int // 0: refused when compiling
	}{
		{"elements do not fit", func(g graph) ir.Out {
			return g.op("Reshape", nil, g.feed("x", tensor.Float32, 2, 3), g.ints(4, 2))
		}, 0},
		{"two rests", func(g graph) ir.Out {
			return g.op("Reshape", nil, g.feed("x", tensor.Float32, "B", 3), g.ints(-1, -1))
		}, 0},
		{"odd batch", func(g graph) ir.Out {
			return g.op("Reshape", nil, g.feed("x", tensor.Float32, "B", 3), g.ints(-1, 6))
		}, 3},
		{"split of an odd batch", func(g graph) ir.Out {
			n := g.NewNode("split", "Split", map[string]ir.Attr{"num_split": int64(2)}, 2, g.int(0), g.feed("x", tensor.Float32, "B", 3))
			return ir.Out{Node: n}
		}, 3},
		{"index beyond the batch", func(g graph) ir.Out {
			return g.at(g.feed("x", tensor.Float32, "B", 3), 4)
		}, 3},
		{"concatenation of unequal rows", func(g graph) ir.Out {
			x := g.feed("x", tensor.Float32, 2, "B")
			return g.op("ConcatV2", nil, x, g.op("Tile", nil, x, g.ints(1, 2)), g.int(0))
		}, 3},
		{"slice beyond the end", func(g graph) ir.Out {
			return g.op("Slice", nil, g.feed("x", tensor.Float32, "B", 3), g.ints(1, 0), g.ints(3, 3))
		}, 3},
		{"k beyond the row", func(g graph) ir.Out {
			n := g.NewNode("topk", "TopKV2", map[string]ir.Attr{"index_type": tensor.Int32}, 2, g.feed("x", tensor.Float32, 3, "B"), g.int(4))
			return ir.Out{Node: n}
		}, 3},
	} {
		g := newGraph(t)
		p, err := g.lower(c.build(g))
		if c.batch == 0 || err != nil {
			if c.batch != 0 || tensor.CodeOf(err) != tensor.InvalidArgument {
				t.Errorf("%s: compiling: %v", c.name, err)
			}
			continue
		}
		x, err := exec.New(p)
		if err != nil {
			t.Fatal(err)
		}
		shape := make(tensor.Shape, len(p.Feeds[0].Shape))
		for i, e := range p.Feeds[0].Shape {
			shape[i], _ = e.Eval(map[string]int{"B": c.batch})
		}
		in, _ := tensor.New(tensor.Float32, shape, 0)
		if _, err := x.Run(context.Background(), map[string]*tensor.Tensor{"x:0": in}); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%s: running: %v", c.name, err)
		}
	}
}

// operands is how many inputs a node of an op may have: 6 where its signature has a list.
func operands(op string) int {
	s := opdef.Lookup(op)
	if s == nil || slices.ContainsFunc(s.Ins, func(a opdef.Arg) bool { return a.NumberAttr != "" || a.TypeListAttr != "" }) {
		return 6
	}
	return len(s.Ins)
}

// TestUnknownRank: an input of unknown rank gives an unknown shape, never a fault.
func TestUnknownRank(t *testing.T) {
	attrs := map[string]ir.Attr{"num_split": int64(1), "num": int64(1), "block_size": int64(2), "padding": "SAME",
		"ksizes": []int64{1, 2, 2, 1}, "strides": []int64{1, 1, 1, 1}, "rates": []int64{1, 1, 1, 1}, "k": int64(1), "mode": "REFLECT",
		"T": tensor.Float32, "type": tensor.Int32, "dtype": tensor.Float32, "out_idx": tensor.Int32, "squeeze_dims": []int64{}}
	for _, d := range All() {
		for _, it := range []tensor.DType{tensor.Float32, tensor.Int32} {
			g := newGraph(t)
			var ins []ir.Out
			for range operands(d.Name) {
				o := ir.Out{Node: g.NewNode("x", "NoShapeFunction", nil, 1)}
				o.Fact().DType = it
				ins = append(ins, o)
			}
			g.NewNode("y", d.Name, attrs, 9, ins...)
			if err := Ops().Infer(g.Graph); tensor.CodeOf(err) == tensor.Internal || err != nil && strings.Contains(err.Error(), "shape function") {
				t.Errorf("%s: %v", d.Name, err)
			}
		}
	}
}
