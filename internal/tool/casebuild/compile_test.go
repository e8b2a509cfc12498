package casebuild

import (
	"maps"
	"testing"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// TestFedShapes checks the shapes that verify adds to a case's feeds.
func TestFedShapes(t *testing.T) {
	g := ir.NewGraph("test")
	feeds := map[string]*tensor.Tensor{}
	feed := func(name string, d tensor.DType, s ir.PartialShape, shape ...int) ir.Out {
		x, err := tensor.New(d, shape, 0)
		if err != nil {
			t.Fatal(err)
		}
		feeds[name+":0"] = x
		return ir.Out{Node: g.NewNode(name, "Placeholder", map[string]ir.Attr{"dtype": d, "shape": s}, 1)}
	}
	unknown := ir.PartialShape{UnknownRank: true}
	g.Producer = 1000
	feed("f", tensor.Float32, unknown, 2, 3)
	feed("scalar", tensor.Int32, unknown)
	feed("axes", tensor.Int32, unknown, 2)
	feed("indices", tensor.Int64, unknown, 4, 5, 3)
	feed("rows", tensor.Int32, ir.PartialShape{Dims: []int64{7, -1, -1}}, 7, 8, 9)
	feed("known", tensor.Int32, ir.PartialShape{Dims: []int64{-1, 2}}, 1, 2)
	a := feed("a", tensor.Float32, ir.PartialShape{Dims: []int64{-1, 3}}, 2, 3)
	b := feed("b", tensor.Float32, unknown, 4)
	c := feed("c", tensor.Float32, unknown, 3)
	for _, e := range []struct {
		y      ir.Out
		strict bool
	}{{b, false}, {c, false}, {c, true}} {
		g.NewNode("eq", "NotEqual", map[string]ir.Attr{"T": tensor.Float32, "incompatible_shape_error": e.strict}, 1, a, e.y)
	}
	shapes := UnknownRanks(g, feeds)
	lengths := knownLengths(shapes, feeds, g)
	unequalShapes(lengths, feeds, g)
	if want := map[string]string{"f:0": "?,?", "scalar:0": "", "axes:0": "?", "indices:0": "?,?,?", "b:0": "?", "c:0": "?"}; !maps.Equal(shapes, want) {
		t.Errorf("ranks %v, want %v", shapes, want)
	}
	if want := map[string]string{"f:0": "?,?", "scalar:0": "", "axes:0": "2", "indices:0": "?,?,3", "rows:0": "7,?,9", "a:0": "2,3", "b:0": "4", "c:0": "?"}; !maps.Equal(lengths, want) {
		t.Errorf("lengths %v, want %v", lengths, want)
	}
}
