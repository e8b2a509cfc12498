package volume

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var shape = Params{N: 2, D: 3, H: 4, W: 5, C: 2, KD: 2, KH: 3, KW: 2, OD: 3, OH: 2, OW: 2, OC: 3, SD: 1, SH: 2, SW: 3, PD: 0, PH: 1, PW: 1}

func fill(r *rand.Rand, n int) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = r.NormFloat64()
	}
	return s
}

func dot(a, b []float64) float64 {
	var s float64
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

// TestConvAdjoint checks the gradients of a convolution. A convolution is bilinear, so its
// gradients are its adjoints: <conv(x, w), g> = <x, input(g, w)> = <w, filter(x, g)>.
func TestConvAdjoint(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	p := shape
	x, w := fill(r, p.pixels()*p.C), fill(r, p.KD*p.KH*p.KW*p.C*p.OC)
	g, y := fill(r, p.positions()*p.OC), make([]float64, p.positions()*p.OC)
	ConvF64(nil, y, x, w, p)
	dx, dw := make([]float64, len(x)), make([]float64, len(w))
	InputF64(nil, dx, g, w, p)
	FilterF64(nil, dw, x, g, p)
	a, b, c := dot(y, g), dot(x, dx), dot(w, dw)
	if math.Abs(a-b) > 1e-9 || math.Abs(a-c) > 1e-9 || a == 0 {
		t.Errorf("%v, %v, %v differ", a, b, c)
	}
	// Compute one output element directly from the definition: the one for n = 1, z = 2, y = 1, x =
	// 1 and output channel o = 2.
	var want float64
	for i := range p.KD {
		for j := range p.KH {
			for k := range p.KW {
				iz, iy, ix := 2+i, 2-1+j, 3-1+k
				if iz >= p.D || iy >= p.H || ix >= p.W {
					continue
				}
				for c := range p.C {
					want += x[(((p.D+iz)*p.H+iy)*p.W+ix)*p.C+c] * w[(((i*p.KH+j)*p.KW+k)*p.C+c)*p.OC+2]
				}
			}
		}
	}
	if got := y[len(y)-1]; math.Abs(got-want) > 1e-12 {
		t.Errorf("the last element is %v, want %v", got, want)
	}
	// Depthwise: the gradients agree with each other.
	p.Groups, p.OC = 2, 4
	w, g = fill(r, p.KD*p.KH*p.KW*p.C*2), fill(r, p.positions()*4)
	dw = make([]float64, len(w))
	DepthwiseInputF64(nil, dx, g, w, p)
	DepthwiseFilterF64(nil, dw, x, g, p)
	if a, b := dot(x, dx), dot(w, dw); math.Abs(a-b) > 1e-9 || a == 0 {
		t.Errorf("depthwise: %v against %v", a, b)
	}
}

func TestPools(t *testing.T) {
	in := []float32{1, 5, 2, 5, 0, 3, -1, -2}
	p := Params{N: 2, D: 1, H: 1, W: 4, C: 1, KD: 1, KH: 1, KW: 3, OD: 1, OH: 1, OW: 2, SD: 1, SH: 1, SW: 2, PW: 0}
	out, at := make([]float32, 4), make([]int64, 4)
	MaxArgF32(nil, out, at, in, true, p)
	if !slices.Equal(out, []float32{5, 5, 3, -1}) || !slices.Equal(at, []int64{1, 3, 5, 6}) {
		t.Errorf("largest %v at %v", out, at)
	}
	MaxArgF32(nil, out, at, in, false, p)
	if !slices.Equal(at, []int64{1, 3, 1, 2}) {
		t.Errorf("within the images at %v", at)
	}
	wide := []float64{1, 5, 2, 5, 0, 3, -1, -2}
	means := make([]float64, 4)
	AvgF64(nil, means, wide, p)
	if !slices.Equal(means, []float64{8. / 3, 3.5, 2. / 3, -1.5}) {
		t.Errorf("means %v", means)
	}
	grad, dx := []float32{1, 2, 3, 4}, make([]float32, 8)
	MaxGradF32(nil, dx, in, grad, at, p)
	if !slices.Equal(dx, []float32{0, 1, 0, 2, 0, 3, 4, 0}) {
		t.Errorf("gradient of the largest %v", dx)
	}
	if err := ArgGradF32(dx, grad, []int64{1, 3, 1, 2}, ArgParams{N: 2, Image: 4, Out: 2}); err != nil || !slices.Equal(dx, []float32{0, 1, 0, 2, 0, 3, 4, 0}) {
		t.Errorf("gradient by positions %v %v", dx, err)
	}
	if ArgGradF32(dx, grad, []int64{1, 3, 1, 8}, ArgParams{N: 2, Image: 4, Out: 2}) == nil {
		t.Error("a position outside is accepted")
	}
	AvgGradF32(nil, dx, []float32{3, 2, 6, 4}, p)
	if !slices.Equal(dx, []float32{1, 1, 2, 1, 2, 2, 4, 2}) {
		t.Errorf("gradient of means %v", dx)
	}
}
