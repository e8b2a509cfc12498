package array_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/rt/tensor"
)

// TestSymbolicBatch checks that shape arithmetic over an unknown batch leaves neither shape tensors
// nor copies.
func TestSymbolicBatch(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(g opstest.Graph) ir.Out
		want  string
		steps int
	}{
		{"shape, slice, pack", func(g opstest.Graph) ir.Out {
			x := g.Feed("x", tensor.Float32, "B", 49, 64)
			b := g.At(g.Op("Shape", nil, x), 0)
			return g.Op("Reshape", nil, x, g.Op("Pack", nil, b, g.Int(7), g.Int(7), g.Int(64)))
		}, "[B,7,7,64]", 0},
		{"rest", func(g opstest.Graph) ir.Out {
			x := g.Feed("x", tensor.Float32, "B", 7, 7, 64)
			return g.Op("Reshape", nil, x, g.Ints(-1, 3136))
		}, "[B,3136]", 0},
		{"rest behind the batch", func(g opstest.Graph) ir.Out {
			x := g.Feed("x", tensor.Float32, "B", 7, 64)
			b := g.Op("StridedSlice", map[string]ir.Attr{"begin_mask": int64(1)}, g.Op("Shape", nil, x), g.Ints(0), g.Ints(1), g.Ints(1))
			return g.Op("Reshape", nil, x, g.Op("ConcatV2", nil, b, g.Ints(-1), g.Int(0)))
		}, "[B,448]", 0},
		{"a fed size is the rest whatever it is", func(g opstest.Graph) ir.Out {
			x := g.Feed("x", tensor.Float32, "B", 8)
			return g.Op("Reshape", nil, x, g.Op("Pack", nil, g.Feed("n", tensor.Int32), g.Int(4)))
		}, "[2*B,4]", 2},
		{"gather of a shape, unpack, split", func(g opstest.Graph) ir.Out {
			x := g.Feed("x", tensor.Float32, "B", "T", 6)
			s := g.Op("GatherV2", nil, g.Op("Shape", nil, x), g.Ints(1, 0), g.Int(0))
			u := g.NewNode("unpack", "Unpack", map[string]ir.Attr{"num": int64(2)}, 2, s)
			return g.Op("Reshape", nil, x, g.Op("Pack", nil, ir.Out{Node: u, Index: 1}, ir.Out{Node: u}, g.Int(2), g.Int(3)))
		}, "[B,T,2,3]", 0},
		{"axes come and go", func(g opstest.Graph) ir.Out {
			x := g.Op("ExpandDims", nil, g.Feed("x", tensor.Float32, "B", 5), g.Int(1))
			return g.Op("Squeeze", map[string]ir.Attr{"squeeze_dims": []int64{1}}, x)
		}, "[B,5]", 0},
		{"a known number gets an axis that the run tells", func(g opstest.Graph) ir.Out {
			return g.Op("ExpandDims", nil, g.Int(7), g.Feed("axis", tensor.Int32))
		}, "[n_expanddims]", 2},
		{"rows of the outermost axis are windows", func(g opstest.Graph) ir.Out {
			x := g.Feed("x", tensor.Float32, "B", 5)
			return g.Op("StridedSlice", map[string]ir.Attr{"end_mask": int64(1)}, x, g.Ints(2), g.Ints(0), g.Ints(1))
		}, "[max(0, B - 2),5]", 0},
		{"fill", func(g opstest.Graph) ir.Out {
			x := g.Feed("x", tensor.Float32, "B", 5)
			b := g.At(g.Op("Shape", nil, x), 0)
			return g.Op("Fill", nil, g.Op("Pack", nil, b), g.Int(1))
		}, "[B]", 1},
		{"range", func(g opstest.Graph) ir.Out {
			x := g.Feed("x", tensor.Float32, "B", 5)
			return g.Op("Range", nil, g.Int(0), g.At(g.Op("Shape", nil, x), 0), g.Int(1))
		}, "[B]", 1},
		{"a permutation of axes of size 1", func(g opstest.Graph) ir.Out {
			return g.Op("Transpose", nil, g.Feed("x", tensor.Float32, "B", 1, 5), g.Ints(1, 0, 2))
		}, "[1,B,5]", 0},
	} {
		g := opstest.New(t)
		out := c.build(g)
		p, err := g.Lower(out)
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

// TestRefused checks that errors are reported at compile time if they are known then, and otherwise
// at run time.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(g opstest.Graph) ir.Out
		batch int // the batch size for which a run must fail, or 0 if compiling must fail
	}{
		{"elements do not fit", func(g opstest.Graph) ir.Out {
			return g.Op("Reshape", nil, g.Feed("x", tensor.Float32, 2, 3), g.Ints(4, 2))
		}, 0},
		{"two rests", func(g opstest.Graph) ir.Out {
			return g.Op("Reshape", nil, g.Feed("x", tensor.Float32, "B", 3), g.Ints(-1, -1))
		}, 0},
		{"odd batch", func(g opstest.Graph) ir.Out {
			return g.Op("Reshape", nil, g.Feed("x", tensor.Float32, "B", 3), g.Ints(-1, 6))
		}, 3},
		{"split of an odd batch", func(g opstest.Graph) ir.Out {
			n := g.NewNode("split", "Split", map[string]ir.Attr{"num_split": int64(2)}, 2, g.Int(0), g.Feed("x", tensor.Float32, "B", 3))
			return ir.Out{Node: n}
		}, 3},
		{"index beyond the batch", func(g opstest.Graph) ir.Out {
			return g.At(g.Feed("x", tensor.Float32, "B", 3), 4)
		}, 3},
		{"concatenation of unequal rows", func(g opstest.Graph) ir.Out {
			x := g.Feed("x", tensor.Float32, 2, "B")
			return g.Op("ConcatV2", nil, x, g.Op("Tile", nil, x, g.Ints(1, 2)), g.Int(0))
		}, 3},
		{"slice beyond the end", func(g opstest.Graph) ir.Out {
			return g.Op("Slice", nil, g.Feed("x", tensor.Float32, "B", 3), g.Ints(1, 0), g.Ints(3, 3))
		}, 3},
		{"k beyond the row", func(g opstest.Graph) ir.Out {
			n := g.NewNode("topk", "TopKV2", map[string]ir.Attr{"index_type": tensor.Int32}, 2, g.Feed("x", tensor.Float32, 3, "B"), g.Int(4))
			return ir.Out{Node: n}
		}, 3},
	} {
		g := opstest.New(t)
		p, err := g.Lower(c.build(g))
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

// operands returns how many inputs a node of the op may have: 6 if the op is unknown or its
// signature has a list.
func operands(op string) int {
	s := opdef.Lookup(op)
	if s == nil || slices.ContainsFunc(s.Ins, func(a opdef.Arg) bool { return a.NumberAttr != "" || a.TypeListAttr != "" }) {
		return 6
	}
	return len(s.Ins)
}

// TestUnknownRank checks that an input of unknown rank results in an unknown shape and never in a
// panic.
func TestUnknownRank(t *testing.T) {
	attrs := map[string]ir.Attr{"num_split": int64(1), "num": int64(1), "block_size": int64(2), "padding": "SAME",
		"ksizes": []int64{1, 2, 2, 1}, "strides": []int64{1, 1, 1, 1}, "rates": []int64{1, 1, 1, 1}, "k": int64(1), "mode": "REFLECT",
		"T": tensor.Float32, "type": tensor.Int32, "dtype": tensor.Float32, "out_idx": tensor.Int32, "squeeze_dims": []int64{}}
	for _, d := range ops.All() {
		for _, it := range []tensor.DType{tensor.Float32, tensor.Int32} {
			g := opstest.New(t)
			var ins []ir.Out
			for range operands(d.Name) {
				o := ir.Out{Node: g.NewNode("x", "NoShapeFunction", nil, 1)}
				o.Fact().DType = it
				ins = append(ins, o)
			}
			g.NewNode("y", d.Name, attrs, 9, ins...)
			if err := ops.Ops().Infer(g.Graph); tensor.CodeOf(err) == tensor.Internal || err != nil && strings.Contains(err.Error(), "shape function") {
				t.Errorf("%s: %v", d.Name, err)
			}
		}
	}
}
