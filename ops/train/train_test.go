package train_test

import (
	"context"
	"slices"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/rt/tensor"
)

// TestSumTo checks the results of _SumTo for shapes that are known only at run time.
func TestSumTo(t *testing.T) {
	for _, c := range []struct {
		x, y []int
		want []float32 // nil: InvalidArgument
	}{
		{[]int{2, 3}, []int{1, 3}, []float32{3, 5, 7}},
		{[]int{2, 3}, []int{2, 1}, []float32{3, 12}},
		{[]int{2, 3}, []int{1, 1}, []float32{15}},
		{[]int{2, 3}, []int{2, 3}, []float32{0, 1, 2, 3, 4, 5}},
		{[]int{0, 3}, []int{0, 3}, []float32{}},
		{[]int{0, 3}, []int{1, 3}, []float32{0, 0, 0}},
		{[]int{2, 3}, []int{3, 3}, nil},
		{[]int{1, 3}, []int{2, 3}, nil},
		{[]int{0, 3}, []int{2, 3}, nil},
		{[]int{2, 3}, []int{0, 3}, nil},
	} {
		g := opstest.New(t)
		x, y := g.Feed("x", tensor.Float32, "A", "B"), g.Feed("y", tensor.Float32, "C", "D")
		lead := g.Op("ExpandDims", nil, x, g.Int(0)) // has one more dimension than y
		o := g.Op("_SumTo", map[string]ir.Attr{"T": tensor.Float32}, lead, g.Op("Shape", nil, y))
		p, err := g.Lower(o)
		if err != nil {
			t.Fatal(err)
		}
		if s := o.Fact().Shape.String(); s != "[C,D]" {
			t.Errorf("the shape is %s", s)
		}
		e, err := exec.New(p)
		if err != nil {
			t.Fatal(err)
		}
		in := opstest.Zeros(t, tensor.Float32, c.x...)
		for i := range tensor.Data[float32](in) {
			tensor.Data[float32](in)[i] = float32(i)
		}
		out, err := e.Run(context.Background(), map[string]*tensor.Tensor{"x:0": in, "y:0": opstest.Zeros(t, tensor.Float32, c.y...)})
		switch {
		case c.want == nil:
			if tensor.CodeOf(err) != tensor.InvalidArgument {
				t.Errorf("%v to %v: %v", c.x, c.y, err)
			}
		case err != nil:
			t.Errorf("%v to %v: %v", c.x, c.y, err)
		default:
			if got := out[o.String()]; !slices.Equal(tensor.Data[float32](got), c.want) || !slices.Equal(got.Shape, c.y) {
				t.Errorf("%v to %v: %v %v, want %v", c.x, c.y, got, got.Data, c.want)
			}
		}
	}
}

// TestUpdates checks which inputs the shape functions of updates accept and reject, and the results
// of the updates.
func TestUpdates(t *testing.T) {
	resource := func(g opstest.Graph, name string) ir.Out {
		return ir.Out{Node: g.NewNode(name, "VarHandleOp", map[string]ir.Attr{"dtype": tensor.Float32, "shape": ir.PartialShape{Dims: []int64{4, 2}}}, 1)}
	}
	for _, c := range []struct {
		what string
		op   string
		ins  func(g opstest.Graph) []ir.Out
		ok   bool
	}{
		{"a scalar rate", "ResourceApplyGradientDescent", func(g opstest.Graph) []ir.Out {
			return []ir.Out{resource(g, "v"), g.Feed("lr", tensor.Float32), g.Feed("g", tensor.Float32, 4, 2)}
		}, true},
		{"a vector for a rate", "ResourceApplyGradientDescent", func(g opstest.Graph) []ir.Out {
			return []ir.Out{resource(g, "v"), g.Feed("lr", tensor.Float32, 1), g.Feed("g", tensor.Float32, 4, 2)}
		}, false},
		{"rows", "ResourceSparseApplyAdagrad", func(g opstest.Graph) []ir.Out {
			return []ir.Out{resource(g, "v"), resource(g, "a"), g.Feed("lr", tensor.Float32), g.Feed("g", tensor.Float32, "N", 2), g.Feed("i", tensor.Int32, "M")}
		}, true},
		{"fewer indices than rows", "ResourceSparseApplyAdagrad", func(g opstest.Graph) []ir.Out {
			return []ir.Out{resource(g, "v"), resource(g, "a"), g.Feed("lr", tensor.Float32), g.Feed("g", tensor.Float32, 3, 2), g.Feed("i", tensor.Int32, 2)}
		}, false},
		{"a matrix of indices", "ResourceSparseApplyAdagrad", func(g opstest.Graph) []ir.Out {
			return []ir.Out{resource(g, "v"), resource(g, "a"), g.Feed("lr", tensor.Float32), g.Feed("g", tensor.Float32, 3, 2), g.Feed("i", tensor.Int32, 3, 1)}
		}, false},
		{"rows of a scalar", "ResourceSparseApplyAdagrad", func(g opstest.Graph) []ir.Out {
			return []ir.Out{resource(g, "v"), resource(g, "a"), g.Feed("lr", tensor.Float32), g.Feed("g", tensor.Float32), g.Feed("i", tensor.Int32, 1)}
		}, false},
	} {
		g := opstest.New(t)
		g.NewNode("update", c.op, map[string]ir.Attr{"T": tensor.Float32}, 0, c.ins(g)...)
		err := ops.Ops().Infer(g.Graph)
		if (err == nil) != c.ok || err != nil && tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	for _, name := range []string{"ApplyAdam", "ResourceApplyAdam", "SparseApplyFtrlV2", "ResourceSparseApplyKerasMomentum", "ResourceApplyAdamWithAmsgrad"} {
		if d := ops.Lookup(name); d == nil || !d.Has(lower.Stateful|lower.Effect|lower.NoFold) {
			t.Errorf("%s: %v", name, d)
		}
	}
	for _, name := range []string{"ApplyKerasMomentum", "SparseApplyAdam", "ApplyAdamWithAmsgrad"} {
		if ops.Lookup(name) != nil {
			t.Errorf("TensorFlow has no %s", name)
		}
	}
}
