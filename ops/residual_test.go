package ops_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// TestResidualStorage: the result of a product or of a convolution replaces the residual if nothing
// else reads the residual. The results are the same as with a residual that stays.
func TestResidualStorage(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	random := func(shape ...int) *tensor.Tensor {
		n := 1
		for _, d := range shape {
			n *= d
		}
		data := make([]float32, n)
		for i := range data {
			data[i] = r.Float32() - 0.5
		}
		return tensor.Must(tensor.From(shape, data))
	}
	conv := map[string]ir.Attr{"T": tensor.Float32, "strides": []int64{1, 1, 1, 1}, "dilations": []int64{1, 1, 1, 1}, "padding": "SAME",
		"data_format": "NHWC", "explicit_paddings": []int64{}, "use_cudnn_on_gpu": true}
	product := map[string]ir.Attr{"T": tensor.Float32, "transpose_a": false, "transpose_b": false}
	for _, c := range []struct {
		name, op string
		attrs    map[string]ir.Attr
		in       []any // dimensions of the left operand
		right    []int
	}{
		{"product", "_FusedMatMul", product, []any{"B", 24}, []int{24, 40}},
		{"one row", "_FusedMatMul", product, []any{1, 24}, []int{24, 40}},
		{"pixels", "_FusedConv2D", conv, []any{"B", 20, 16, 24}, []int{1, 1, 24, 40}},
		{"winograd", "_FusedConv2D", conv, []any{"B", 28, 28, 24}, []int{3, 3, 24, 24}},
		{"any size", "_FusedConv2D", conv, []any{"B", "H", 28, 24}, []int{3, 3, 24, 24}},
		{"direct", "_FusedConv2D", conv, []any{"B", 12, 12, 3}, []int{4, 4, 3, 8}},
	} {
		lowered := func(kept bool) (*plan.Plan, string) {
			g := opstest.New(t)
			shape := append(append([]any(nil), c.in[:len(c.in)-1]...), c.right[len(c.right)-1])
			x := g.Feed("x", tensor.Float32, c.in...)
			residual := g.Op("Relu", map[string]ir.Attr{"T": tensor.Float32}, g.Feed("residual", tensor.Float32, shape...))
			r = rand.New(rand.NewPCG(5, 6)) // the same weights in each graph
			attrs := map[string]ir.Attr{"fused_ops": []string{"BiasAdd", "Add"}, "num_args": int64(2)}
			for k, v := range c.attrs {
				attrs[k] = v
			}
			y := g.Op(c.op, attrs, x, g.NewConst("w", random(c.right...)), g.NewConst("bias", random(c.right[len(c.right)-1])), residual)
			g.Fetches = []ir.Fetch{{Name: y.String(), Key: "y", Out: y}}
			if kept {
				g.Fetches = append(g.Fetches, ir.Fetch{Name: residual.String(), Key: "residual", Out: residual})
			}
			if err := ops.Ops().Infer(g.Graph); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			p, err := ops.Ops().Lower(g.Graph, "test")
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			return p, y.String()
		}
		size := func(dims []any) []int {
			out := make([]int, len(dims))
			for i, d := range dims {
				switch d {
				case "B":
					out[i] = 3
				case "H":
					out[i] = 28
				default:
					out[i] = d.(int)
				}
			}
			return out
		}
		in := size(c.in)
		feeds := map[string]*tensor.Tensor{"x:0": random(in...), "residual:0": random(append(in[:len(in)-1:len(in)-1], c.right[len(c.right)-1])...)}
		var outs [2][]float32
		for i, kept := range []bool{false, true} {
			p, y := lowered(kept)
			e, err := exec.New(p)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			laid, _ := lowered(kept)
			if _, err := laid.Layout(0); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			shared := false // whether the two tensors share storage
			for _, b := range laid.Bufs {
				shared = shared || b.Name == y && b != b.Root()
			}
			if shared == kept {
				t.Errorf("%s: residual fetched: %v, result in its storage: %v\n%s", c.name, kept, shared, laid)
			}
			got, err := e.Run(context.Background(), feeds)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			outs[i] = tensor.Data[float32](got[y])
		}
		for i, v := range outs[0] {
			if v != outs[1][i] {
				t.Fatalf("%s: element %d is %g in the residual's storage, and %g elsewhere", c.name, i, v, outs[1][i])
			}
		}
	}
}
