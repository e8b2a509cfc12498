package nn_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/rt/tensor"
)

// TestFold checks that folded convolutions of few channels give the same bits as unfolded ones.
func TestFold(t *testing.T) {
	for _, c := range []struct {
		image        tensor.Shape
		batch        bool // the batch is unknown at compile time
		kh, kw, oc   int
		strideH      int64
		strideW      int64
		padding      string
		fused        []string
		folded, rest bool
	}{
		{image: tensor.Shape{1, 5, 24, 3}, kh: 3, kw: 3, oc: 1, strideH: 1, strideW: 1, padding: "SAME", folded: true},
		{image: tensor.Shape{2, 5, 24, 3}, batch: true, kh: 3, kw: 5, oc: 8, strideH: 1, strideW: 1, padding: "SAME", fused: []string{"BiasAdd", "Relu"}, folded: true},
		{image: tensor.Shape{2, 7, 31, 4}, kh: 3, kw: 7, oc: 3, strideH: 2, strideW: 1, padding: "SAME", fused: []string{"BiasAdd", "Sigmoid"}, folded: true, rest: true},
		{image: tensor.Shape{1, 7, 48, 4}, kh: 2, kw: 9, oc: 2, strideH: 1, strideW: 2, padding: "VALID", fused: []string{"BiasAdd", "Add", "Relu"}, folded: true},
		{image: tensor.Shape{1, 1, 311, 1}, kh: 1, kw: 64, oc: 1, strideH: 1, strideW: 2, padding: "VALID", folded: true, rest: true},
		{image: tensor.Shape{3, 1, 311, 2}, batch: true, kh: 1, kw: 20, oc: 2, strideH: 1, strideW: 1, padding: "VALID", folded: true, rest: true},
		{image: tensor.Shape{1, 5, 24, 3}, kh: 3, kw: 3, oc: 40, strideH: 1, strideW: 1, padding: "SAME"},
		{image: tensor.Shape{1, 5, 24, 3}, kh: 1, kw: 1, oc: 1, strideH: 1, strideW: 1, padding: "SAME"},
	} {
		t.Run(fmt.Sprint(c.image, c.kh, c.kw, c.oc, c.padding, c.fused), func(t *testing.T) {
			number := uint32(7)
			random := func(shape ...int) *tensor.Tensor {
				n := 1
				for _, d := range shape {
					n *= d
				}
				data := make([]float32, n)
				for i := range data {
					number = number*1664525 + 1013904223
					data[i] = float32(int32(number)) / (1 << 31)
				}
				return &tensor.Tensor{DType: tensor.Float32, Shape: shape, Data: data}
			}
			filter, bias := random(c.kh, c.kw, c.image[3], c.oc), random(c.oc)
			lowering := func(opts ...lower.Option) *exec.Program {
				g := opstest.New(t)
				dims := []any{c.image[0], c.image[1], c.image[2], c.image[3]}
				if c.batch {
					dims[0] = "B"
				}
				ins := []ir.Out{g.Feed("x", tensor.Float32, dims...), g.NewConst("w", filter)}
				attrs := map[string]ir.Attr{"T": tensor.Float32, "strides": []int64{1, c.strideH, c.strideW, 1}, "padding": c.padding}
				op := "Conv2D"
				if c.fused != nil {
					op, attrs["fused_ops"] = "_FusedConv2D", c.fused
					ins = append(ins, g.NewConst("b", bias))
					if len(c.fused) > 2 {
						y := g.Op("Conv2D", map[string]ir.Attr{"T": tensor.Float32, "strides": attrs["strides"], "padding": c.padding}, ins[0], ins[1])
						ins = append(ins, y)
					}
				}
				y := g.Op(op, attrs, ins...)
				g.Fetches = []ir.Fetch{{Name: "y:0", Key: "y", Out: y}}
				if err := ops.Ops().Infer(g.Graph); err != nil {
					t.Fatal(err)
				}
				p, err := ops.Ops().Lower(g.Graph, "test", opts...)
				if err != nil {
					t.Fatal(err)
				}
				if opts == nil {
					text := p.String()
					if got := strings.Contains(text, "of neighbouring pixels"); got != c.folded {
						t.Errorf("folded: %v\n%s", got, text)
					}
					if got := strings.Contains(text, "array.MoveF32") || strings.Contains(text, "copy "); got != c.rest {
						t.Errorf("moved: %v\n%s", got, text)
					}
				}
				x, err := exec.New(p)
				if err != nil {
					t.Fatal(err)
				}
				return x
			}
			feeds := map[string]*tensor.Tensor{"x:0": random(c.image...)}
			want, err := lowering(lower.ExactConv).Run(context.Background(), feeds)
			if err != nil {
				t.Fatal(err)
			}
			got, err := lowering().Run(context.Background(), feeds)
			if err != nil {
				t.Fatal(err)
			}
			g := tensor.Data[float32](got["y:0"])
			for i, v := range tensor.Data[float32](want["y:0"]) {
				if math.Float32bits(v) != math.Float32bits(g[i]) {
					t.Fatalf("element %d is %v, want %v", i, g[i], v)
				}
			}
		})
	}
}
