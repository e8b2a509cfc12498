package ops_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/kernels/gemm"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// weightsNet returns a graph with constant weights: it gathers rows of a table, and computes
// products and a convolution. It also gathers rows of a second table, which is fetched. The
// function round is applied to all weights, except to those of the second table and of the small
// product.
func weightsNet(t *testing.T, round func(data []float32, columns int)) *ir.Graph {
	g := opstest.New(t)
	number := uint32(1)
	weights := func(columns int, shape ...int) ir.Out {
		n := 1
		for _, d := range shape {
			n *= d
		}
		data := make([]float32, n)
		for i := range data {
			number = number*1664525 + 1013904223
			data[i] = float32(int32(number)) / (1 << 31)
		}
		if columns != 0 {
			round(data, columns)
		}
		return g.NewConst("w", &tensor.Tensor{DType: tensor.Float32, Shape: shape, Data: data})
	}
	f32 := map[string]ir.Attr{"T": tensor.Float32}
	ids := g.Feed("ids", tensor.Int32, "B")
	table := weights(-48, 40, 48) // negative, because there is one scale for each row
	x := g.Op("GatherV2", map[string]ir.Attr{"Tparams": tensor.Float32, "Tindices": tensor.Int32}, table, ids, g.Int(0))
	y := g.Op("MatMul", f32, x, weights(100, 48, 100))
	z := g.Op("MatMul", f32, y, weights(32, 100, 32))
	kept := weights(0, 40, 32)
	z = g.Op("AddV2", f32, z, g.Op("GatherV2", map[string]ir.Attr{"Tparams": tensor.Float32, "Tindices": tensor.Int32}, kept, ids, g.Int(0)))
	small := g.Op("MatMul", f32, z, weights(0, 32, 2))
	image := g.Op("Reshape", f32, y, g.Ints(-1, 5, 5, 4))
	conv := g.Op("Conv2D", map[string]ir.Attr{"T": tensor.Float32, "strides": []int64{1, 1, 1, 1}, "padding": "SAME"}, image, weights(40, 3, 3, 4, 40))
	g.Fetches = []ir.Fetch{{Name: "conv:0", Key: "conv", Out: conv}, {Name: "small:0", Key: "small", Out: small}, {Name: "kept:0", Key: "kept", Out: kept}}
	if err := ops.Ops().Infer(g.Graph); err != nil {
		t.Fatal(err)
	}
	return g.Graph
}

// rounding returns a function that rounds weights in the same way as storing them in the format w
// does. For int8, there is one scale for each column or, if columns is negative, for each row.
func rounding(w lower.Weights) func(data []float32, columns int) {
	return func(data []float32, columns int) {
		switch w {
		case lower.WeightsF16:
			for i, v := range data {
				data[i] = tensor.ToF16(v).Float32()
			}
		case lower.WeightsBF16:
			for i, v := range data {
				data[i] = tensor.ToBF16(v).Float32()
			}
		case lower.WeightsI8:
			lines, step, next := columns, columns, 1
			if columns < 0 {
				lines, step, next = len(data)/-columns, 1, -columns
			}
			for l := range lines {
				n := len(data) / lines
				line, q, scale := make([]float32, n), make([]int8, n), make([]float32, 1)
				for i := range line {
					line[i] = data[l*next+i*step]
				}
				gemm.NarrowRowsI8(q, scale, line, n)
				for i := range line {
					data[l*next+i*step] = float32(q[i]) * scale[0]
				}
			}
		}
	}
}

func runWeights(t *testing.T, p *plan.Plan, batch int) map[string]*tensor.Tensor {
	t.Helper()
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	x, err := exec.New(p)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]int32, batch)
	for i := range ids {
		ids[i] = int32(i * 7 % 40)
	}
	out, err := x.Run(context.Background(), map[string]*tensor.Tensor{"ids:0": {DType: tensor.Int32, Shape: tensor.Shape{batch}, Data: ids}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestStoreWeights checks that a program with weights in a narrow format computes the same bits as
// a program whose weights have been rounded beforehand, for any batch size. It also checks that
// weights that are fetched, shared or small are stored unchanged.
func TestStoreWeights(t *testing.T) {
	for _, w := range []lower.Weights{lower.WeightsF32, lower.WeightsF16, lower.WeightsBF16, lower.WeightsI8} {
		p, err := ops.Ops().Lower(weightsNet(t, func([]float32, int) {}), "test", lower.StoreWeights(w))
		if err != nil {
			t.Fatal(err)
		}
		rounded, err := ops.Ops().Lower(weightsNet(t, rounding(w)), "test", lower.ExactConv)
		if err != nil {
			t.Fatal(err)
		}
		stored := 0
		for _, c := range p.Consts {
			if c.DType != tensor.Float32 && strings.Contains(c.Note, "stored as "+w.String()) {
				stored++
			}
		}
		if want := 4; w != lower.WeightsF32 && stored != want || w == lower.WeightsF32 && stored != 0 {
			t.Errorf("%v: %d constants are stored in fewer bits\n%v", w, stored, p)
		}
		for _, batch := range []int{1, 5, 60} {
			got, want := runWeights(t, p, batch), runWeights(t, rounded, batch)
			for key, x := range want {
				g := tensor.Data[float32](got[key])
				for i, v := range tensor.Data[float32](x) {
					if math.Float32bits(v) != math.Float32bits(g[i]) {
						t.Fatalf("%v, batch %d: %s[%d] is %v, want %v", w, batch, key, i, g[i], v)
					}
				}
			}
		}
	}
}

func TestParseWeights(t *testing.T) {
	for _, w := range []lower.Weights{lower.WeightsF32, lower.WeightsF16, lower.WeightsBF16, lower.WeightsI8} {
		if got, err := lower.ParseWeights(w.String()); got != w || err != nil {
			t.Errorf("%v is read as %v, %v", w, got, err)
		}
	}
	if _, err := lower.ParseWeights("int4"); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("int4: %v", err)
	}
	if w, err := lower.ParseWeights(""); w != lower.WeightsF32 || err != nil {
		t.Errorf("nothing is read as %v, %v", w, err)
	}
}
