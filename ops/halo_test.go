package ops_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/graphc/graphc/exec"
	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/plan"
	"github.com/graphc/graphc/rt/tensor"
)

// TestHalo: a depthwise convolution that computes its operand's rows itself has the same results as one
// that reads them from memory, for all strides and paddings, and for several images.
func TestHalo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
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
	for _, c := range []struct {
		h, w, ch, k, stride int
		padding             string
		activation          []string
		joined              bool
	}{
		{112, 80, 96, 3, 2, "SAME", []string{"Relu6"}, true},
		{112, 80, 96, 3, 2, "VALID", []string{"_MklSwish"}, true},
		{113, 81, 96, 3, 2, "SAME", nil, true},
		{150, 64, 96, 5, 3, "SAME", []string{"Elu"}, true},
		{180, 48, 100, 3, 1, "SAME", []string{"Relu"}, true},
		{128, 64, 100, 2, 4, "VALID", nil, true},
		{112, 8, 96, 3, 2, "SAME", []string{"Relu6"}, false}, // the image is small
	} {
		name := fmt.Sprint(c)
		g := opstest.New(t)
		x := g.Feed("x", tensor.Float32, "B", c.h, c.w, 8)
		attrs := func(stride int, padding string) map[string]ir.Attr {
			return map[string]ir.Attr{"T": tensor.Float32, "strides": []int64{1, int64(stride), int64(stride), 1}, "dilations": []int64{1, 1, 1, 1}, "padding": padding,
				"data_format": "NHWC", "explicit_paddings": []int64{}, "use_cudnn_on_gpu": true}
		}
		expand := attrs(1, "SAME")
		expand["fused_ops"], expand["num_args"] = append([]string{"BiasAdd"}, c.activation...), int64(1)
		y := g.Op("_FusedConv2D", expand, x, g.NewConst("expand", random(1, 1, 8, c.ch)), g.NewConst("bias", random(c.ch)))
		z := g.Op("DepthwiseConv2dNative", attrs(c.stride, c.padding), y, g.NewConst("taps", random(c.k, c.k, c.ch, 1)))
		g.Fetches = append(g.Fetches, ir.Fetch{Name: z.String(), Key: "z", Out: z})
		if err := ops.Ops().Infer(g.Graph); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		lower := func() *plan.Plan {
			p, err := ops.Ops().Lower(g.Graph, "test")
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return p
		}
		apart, joined := lower(), lower()
		joined.Join()
		loops := 0
		plan.Walk(joined.Steps, func(_ int, s plan.Step) {
			if _, ok := s.(*plan.Par); ok {
				loops++
			}
		})
		if (loops == 1) != c.joined {
			t.Errorf("%s: %d loops", name, loops)
		}
		for _, images := range []int{1, 3} {
			feeds := map[string]*tensor.Tensor{"x:0": random(images, c.h, c.w, 8)}
			var outs [2][]float32
			for i, p := range []*plan.Plan{apart, joined} {
				e, err := exec.New(p)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				got, err := e.Run(context.Background(), feeds)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				outs[i] = tensor.Data[float32](got[z.String()])
			}
			for i, v := range outs[0] {
				if v != outs[1][i] {
					t.Fatalf("%s, %d images: element %d is %g, want %g", name, images, i, outs[1][i], v)
				}
			}
		}
	}
}
