package nn_test

import (
	"strings"
	"testing"

	"github.com/graphc/graphc/internal/opstest"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops"
	"github.com/graphc/graphc/rt/tensor"
)

// TestConvolutionMethod checks which kernel computes a convolution.
func TestConvolutionMethod(t *testing.T) {
	for _, c := range []struct {
		image   string
		k, c    int // k: the filter is k×k, except that 17 means 1×7; c: the number of the image's channels
		oc      int
		stride  int64
		options []lower.Option
		want    string
	}{
		{"1,56,56,64", 3, 64, 64, 1, nil, "WinogradF32"}, {"B,14,14,256", 3, 256, 256, 1, nil, "WinogradF32"}, {"B,H,W,64", 3, 64, 64, 1, nil, "AutoF32"}, {"B,H,W,64", 3, 64, 64, 1, []lower.Option{lower.ExactConv}, "F32"}, {"B,H,W,64", 3, 64, 64, 2, nil, "F32"},
		{"1,56,56,64", 3, 64, 64, 1, []lower.Option{lower.ExactConv}, "F32"}, {"1,56,56,64", 3, 64, 64, 2, nil, "F32"}, {"1,56,56,64", 5, 64, 64, 1, nil, "WinogradF32"}, {"1,56,56,64", 4, 64, 64, 1, nil, "F32"},
		{"1,17,17,160", 17, 160, 160, 1, nil, "WinogradF32"}, {"1,17,17,160", 17, 160, 160, 1, []lower.Option{lower.ExactConv}, "F32"},
		{"1,7,7,512", 3, 512, 512, 1, nil, "F32"}, {"1,56,56,64", 3, 2, 64, 1, nil, "F32"},
		{"1,56,56,64", 3, 64, 64, 1, []lower.Option{lower.Methods(map[string]lower.Method{"conv2d": lower.Direct})}, "F32"},
		{"1,7,7,512", 3, 512, 512, 1, []lower.Option{lower.Methods(map[string]lower.Method{lower.AnyNode: lower.Winograd})}, "WinogradF32"},
		{"1,7,7,512", 3, 512, 512, 1, []lower.Option{lower.Methods(map[string]lower.Method{lower.AnyNode: lower.Winograd, "conv2d": lower.Direct})}, "F32"},
		{"1,56,56,64", 3, 64, 64, 2, []lower.Option{lower.Methods(map[string]lower.Method{lower.AnyNode: lower.Winograd})}, "F32"},
		{"1,7,7,512", 3, 512, 512, 1, []lower.Option{lower.Methods(map[string]lower.Method{lower.AnyNode: lower.Winograd}), lower.ExactConv}, "F32"},
	} {
		s := opstest.New(t)
		shape := tensor.Shape{c.k, c.k, c.c, c.oc}
		if c.k > 10 {
			shape = tensor.Shape{c.k / 10, c.k % 10, c.c, c.oc}
		}
		filter := s.NewConst("w", &tensor.Tensor{DType: tensor.Float32, Shape: shape, Data: make([]float32, shape[0]*shape[1]*c.c*c.oc)})
		y := s.Op("Conv2D", map[string]ir.Attr{"T": tensor.Float32, "strides": []int64{1, c.stride, c.stride, 1}, "padding": "SAME"},
			s.Feed("x", tensor.Float32, c.image), filter)
		s.Fetches = []ir.Fetch{{Name: "y:0", Key: "y", Out: y}}
		if err := ops.Ops().Infer(s.Graph); err != nil {
			t.Fatal(err)
		}
		p, err := ops.Ops().Lower(s.Graph, "f", c.options...)
		if err != nil {
			t.Fatal(err)
		}
		if text := p.String(); !strings.Contains(text, "conv."+c.want+"(") && !strings.Contains(text, "conv."+c.want+" ") {
			t.Errorf("[%s] with %v, stride %d: no %s in\n%s", c.image, shape, c.stride, c.want, text)
		}
	}
}
