package norm

import (
	"math"
	"testing"
)

func near(t *testing.T, name string, got, want []float32) {
	t.Helper()
	for i := range want {
		if d := math.Abs(float64(got[i] - want[i])); !(d <= 2e-6*max(1, math.Abs(float64(want[i])))) {
			t.Errorf("%s[%d] = %v, want %v", name, i, got[i], want[i])
		}
	}
}

// TestBatchNorm compares batch normalisation with TensorFlow 2.21's results.
func TestBatchNorm(t *testing.T) {
	x := []float32{1, 2, 3, -4, 0.5, 7}
	scale, offset, mean, variance := []float32{2, 3}, []float32{.5, -.5}, []float32{1, 1}, []float32{1, 2}
	y, k := make([]float32, 6), make([]float32, 2)
	p := Params{Outer: 3, C: 2, Inner: 1, Epsilon: 0.001, Factor: 0.3}
	InferF32(y, x, scale, offset, mean, variance, k, p)
	near(t, "inference", y, []float32{0.5, 1.62079024, 4.49800158, -11.1039515, -0.499500394, 12.224741})
	var m, v, sm, sv [2]float32
	TrainF32(y, x, scale, offset, mean, variance, m[:], v[:], sm[:], sv[:], k, p)
	near(t, "training", y, []float32{-0.425423503, -0.277630687, 3.27627039, -4.28027821, -1.35084701, 3.05790877})
	near(t, "mean", m[:], []float32{1.14999998, 1.20000005})
	near(t, "variance", v[:], []float32{1.2249999, 10.5})
	near(t, "saved mean", sm[:], []float32{1.5, 1.66666663})
	near(t, "saved variance", sv[:], []float32{1.16666663, 20.2222233})
	// The results for NCHW are the transposed results for NHWC.
	first, z := []float32{1, 3, 0.5, 2, -4, 7}, make([]float32, 6)
	TrainF32(z, first, scale, offset, mean, variance, m[:], v[:], sm[:], sv[:], k, Params{Outer: 1, C: 2, Inner: 3, Epsilon: 0.001, Factor: 1})
	near(t, "NCHW", z, []float32{y[0], y[2], y[4], y[1], y[3], y[5]})
	TrainF32(nil, nil, scale, offset, mean, variance, m[:], v[:], sm[:], sv[:], k, Params{Outer: 0, C: 2, Inner: 1, Factor: 1})
	if m[0] == m[0] || v[1] == v[1] {
		t.Error("the statistics of an empty batch are not NaN")
	}
}

func TestLRN(t *testing.T) {
	y := make([]float32, 4)
	LRNF32(nil, y, []float32{1, 2, 3, -4}, LRNParams{Rows: 1, C: 4, Radius: 1, Bias: 1, Alpha: 0.1, Beta: 0.75})
	near(t, "lrn", y, []float32{0.737787962, 1.03722155, 1.08099282, -1.56317985})
}

// TestGradients compares the gradients with difference quotients.
func TestGradients(t *testing.T) {
	x := []float32{1, 2, 3, -4, 0.5, 7, -2, 1}
	dy := []float32{.3, -.2, .5, .1, -.7, .2, .4, -.6}
	scale, offset := []float32{2, 3}, []float32{.5, -.5}
	p := Params{Outer: 4, C: 2, Inner: 1, Epsilon: 0.1, Factor: 1}
	loss := func(x []float32) (float64, []float32, []float32) {
		y := make([]float32, 8)
		var m, v [2]float32
		sm, sv := make([]float32, 2), make([]float32, 2)
		TrainF32(y, x, scale, offset, nil, nil, m[:], v[:], sm, sv, make([]float32, 2), p)
		var s float64
		for i := range y {
			s += float64(y[i]) * float64(dy[i])
		}
		return s, sm, sv
	}
	_, m, v := loss(x)
	dx, ds, do := make([]float32, 8), make([]float32, 2), make([]float32, 2)
	GradF32(dx, ds, do, dy, x, scale, m, v, true, p)
	lp := LRNParams{Rows: 2, C: 4, Radius: 1, Bias: 1, Alpha: 0.2, Beta: 0.75}
	y := make([]float32, 8)
	LRNF32(nil, y, x, lp)
	ldx := make([]float32, 8)
	LRNGradF32(nil, ldx, dy, x, y, lp)
	lrn := func(x []float32) float64 {
		y := make([]float32, 8)
		LRNF32(nil, y, x, lp)
		var s float64
		for i := range y {
			s += float64(y[i]) * float64(dy[i])
		}
		return s
	}
	for i := range x {
		up, down := append([]float32{}, x...), append([]float32{}, x...)
		up[i] += 0.01
		down[i] -= 0.01
		a, _, _ := loss(up)
		b, _, _ := loss(down)
		if d := (a - b) / 0.02; math.Abs(d-float64(dx[i])) > 2e-3 {
			t.Errorf("batch norm: dx[%d] = %v, differences say %v", i, dx[i], d)
		}
		if d := (lrn(up) - lrn(down)) / 0.02; math.Abs(d-float64(ldx[i])) > 2e-3 {
			t.Errorf("lrn: dx[%d] = %v, differences say %v", i, ldx[i], d)
		}
	}
}

func TestFinish(t *testing.T) {
	for _, c := range []struct {
		act  Act
		want []float32
	}{
		{Identity, []float32{-1, 2, 8, .5}}, {Relu, []float32{0, 2, 8, .5}}, {Relu6, []float32{0, 2, 6, .5}},
		{Elu, []float32{-0.6321206, 2, 8, .5}}, {LeakyRelu, []float32{-.2, 2, 8, .5}},
		{Tanh, []float32{-0.7615942, 0.9640276, 0.9999998, 0.46211717}}, {Sigmoid, []float32{0.26894143, 0.880797, 0.99966466, 0.62245935}},
		{HardSwish, []float32{-1. / 3, 10. / 6, 8, .5 * 3.5 / 6}}, {Swish, []float32{-0.26894143, 1.761594, 7.9973173, 0.31122968}},
		{GeluErf, []float32{-0.15865526, 1.9544997, 8, 0.34573123}}, {GeluTanh, []float32{-0.15880796, 1.9545977, 8, 0.345714}},
	} {
		x := []float32{-2, 1, 7, -1}
		FinishF32(x, FinishParams[float32]{Rows: 2, C: 2, Act: c.act, Alpha: 0.2, Bias: []float32{1, .5}, Res: []float32{0, .5, 0, 1}})
		near(t, "finish", x, c.want)
	}
}
