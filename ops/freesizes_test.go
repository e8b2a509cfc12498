package ops_test

import (
	"context"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// TestFreeSizes: layers that pad an unknown length to a multiple of a block, divide it into blocks,
// and crop it again, leave the length as it was. The shapes stay as short as for one layer.
func TestFreeSizes(t *testing.T) {
	type padding func(g opstest.Graph, before, after ir.Out) ir.Out
	axis := func(a int64) map[string]ir.Attr { return map[string]ir.Attr{"axis": a} }
	rows := func(g opstest.Graph, before, after ir.Out) ir.Out { // [[before, after]], from its row
		return g.Op("Pack", axis(0), g.Op("Pack", axis(0), before, after))
	}
	columns := func(g opstest.Graph, before, after ir.Out) ir.Out { // the same, from its columns
		one := func(x ir.Out) ir.Out { return g.Op("Pack", axis(0), x) }
		return g.Op("Pack", axis(1), one(before), one(after))
	}
	sliced := func(g opstest.Graph, before, after ir.Out) ir.Out { // the same, from a matrix with one more row
		m := g.Op("ConcatV2", nil, rows(g, after, before), rows(g, before, after), g.Int(0))
		return g.Op("StridedSlice", nil, m, g.Ints(1, 0), g.Ints(2, 2), g.Ints(1, 1))
	}
	for name, pads := range map[string]padding{"rows": rows, "columns": columns, "sliced": sliced} {
		g := opstest.New(t)
		x := g.Feed("x", tensor.Float32, "B,X,3")
		y := x
		block := int32(1)
		for range 20 {
			block = block%7 + 1
			n := g.At(g.Op("Shape", nil, y), 1)
			short := g.Op("FloorMod", nil, n, g.Int(block))
			after := g.Op("FloorMod", nil, g.Op("Sub", nil, g.Int(block), short), g.Int(block))
			zero := g.Int(0)
			y = g.Op("SpaceToBatchND", nil, y, g.Ints(block), pads(g, zero, after))
			y = g.Op("Relu", nil, y)
			y = g.Op("BatchToSpaceND", nil, y, g.Ints(block), pads(g, zero, after))
			y = g.Op("AddV2", nil, y, x)
		}
		p, err := g.Lower(y)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := y.Fact().Shape.String(); got != "[B,X,3]" {
			t.Errorf("%s: the result's shape is %s", name, got)
		}
		e, err := exec.New(p)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, shape := range []tensor.Shape{{2, 1, 3}, {1, 30, 3}, {3, 61, 3}, {1, 0, 3}} {
			n, _ := shape.Len()
			data := make([]float32, n)
			for i := range data {
				data[i] = float32(i)
			}
			got, err := e.Run(context.Background(), map[string]*tensor.Tensor{"x:0": {DType: tensor.Float32, Shape: shape, Data: data}})
			if err != nil {
				t.Fatalf("%s, %v: %v", name, shape, err)
			}
			for i, v := range tensor.Data[float32](got[y.String()]) {
				if v != 21*float32(i) {
					t.Fatalf("%s, %v: element %d is %g", name, shape, i, v)
				}
			}
		}
	}
}

// TestLateMargins: margins that may be negative are checked at run time.
func TestLateMargins(t *testing.T) {
	g := opstest.New(t)
	x := g.Feed("x", tensor.Float32, "X")
	n := g.At(g.Op("Shape", nil, x), 0)
	less := g.Op("Sub", nil, n, g.Int(3))
	axis := map[string]ir.Attr{"axis": int64(0)}
	y := g.Op("Pad", nil, x, g.Op("Pack", axis, g.Op("Pack", axis, g.Int(1), less)))
	p, err := g.Lower(y)
	if err != nil {
		t.Fatal(err)
	}
	e, err := exec.New(p)
	if err != nil {
		t.Fatal(err)
	}
	for size, code := range map[int]tensor.Code{2: tensor.InvalidArgument, 3: tensor.OK, 5: tensor.OK} {
		got, err := e.Run(context.Background(), map[string]*tensor.Tensor{"x:0": {DType: tensor.Float32, Shape: tensor.Shape{size}, Data: make([]float32, size)}})
		if tensor.CodeOf(err) != code {
			t.Errorf("size %d: %v, want %v", size, err, code)
		} else if err == nil && got[y.String()].Shape[0] != 2*size-2 {
			t.Errorf("size %d: %v", size, got[y.String()].Shape)
		}
	}
}
