package linalg

import (
	"math"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// TestEigInput checks that EigInputF32 refuses the matrices that TensorFlow 2.21 refuses.
func TestEigInput(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		a       []float64
		m       int
		refused bool
	}{
		{[]float64{nan, 1, 1, 2}, 2, true}, {[]float64{1, nan, 1, 2}, 2, false}, {[]float64{1, 1, nan, 2}, 2, true}, {[]float64{1, 2, 2, nan}, 2, true},
		{[]float64{inf, 1, 1, 2}, 2, false}, {[]float64{1, 1, 1, -inf}, 2, false}, {[]float64{inf, 1, 2, 1, 2, 3, 2, 3, 4}, 3, false}, {[]float64{1, 1, 2, 1, inf, 3, 2, 3, 4}, 3, true}, {[]float64{0, 0, 0, 0, 0, 0, 0, 0, inf}, 3, true}, {[]float64{inf, inf, inf, inf}, 2, true}, {[]float64{1, 1, -inf, 1}, 2, true},
		{[]float64{nan}, 1, false}, {[]float64{inf}, 1, false}, {[]float64{1, 0, 0, 1, 1, 0, nan, 1}, 2, true}, {nil, 0, false},
	} {
		p := Params{Batch: 1, M: c.m}
		if c.m > 0 {
			p.Batch = len(c.a) / c.m / c.m
		}
		f32, c64, c128 := make([]float32, len(c.a)), make([]complex64, len(c.a)), make([]complex128, len(c.a))
		for i, x := range c.a {
			f32[i], c64[i], c128[i] = float32(x), complex(1, float32(x)), complex(x, 1)
		}
		for i, err := range []error{EigInputF64(c.a, p), EigInputF32(f32, p), EigInputC64(c64, p), EigInputC128(c128, p)} {
			if (tensor.CodeOf(err) == tensor.InvalidArgument) != c.refused || (err != nil) != c.refused {
				t.Errorf("%v, type %d: %v", c.a, i, err)
			}
		}
	}
}

// TestInfiniteEig checks that accepted infinities give the same values as in TensorFlow 2.21.
func TestInfiniteEig(t *testing.T) {
	inf := math.Inf(1)
	for _, a := range [][]float64{{inf, 1, 1, 2}, {1, 1, 1, -inf}, {inf, 0, 0, inf}, {inf, 1, 2, 1, 2, 3, 2, 3, 4}} {
		n := 2 + (len(a)-4)/5
		e, v := make([]float64, n), make([]float64, n*n)
		EigF64(nil, e, v, a, Params{Batch: 1, M: n, Vectors: true})
		for i, x := range v {
			if x != map[bool]float64{true: 1}[i/n == i%n] || e[i/n] == e[i/n] {
				t.Fatalf("%v: values %v, vectors %v; NaN and the unit matrix are wanted", a, e, v)
			}
		}
	}
}
