package elem

import (
	"math"
	"testing"
)

// TestSignOfComplex: the results are TensorFlow 2.21's, to the last digit and for NaN. TensorFlow
// computes whole registers in one way and the rest in another. Therefore element 1 and the last
// element are the same number, with different results.
func TestSignOfComplex(t *testing.T) {
	nan := math.NaN()
	x, want := [][2]float64{
		{0x1.5e224ap-2, -0x1.02dbaep-20}, {0x1.f704f8p-6, -0x1.134ef8p-3}, {0x1.23ff0ap+30, -0x1.96ffd8p+33}, {nan, 0x1p+0},
		{0x1.f9add4p-4, 0x1.87e6b8p-1}, {0x1p+0, nan}, {0x1.f704f8p-6, -0x1.134ef8p-3},
	}, [][2]float64{
		{0x1p+0, -0x1.7a871p-19}, {0x1.c7ffbep-3, -0x1.f325b4p-1}, {0x1.6ddbf8p-4, -0x1.fdf416p-1}, {nan, 0x1.6a09e6p-1},
		{0x1.461ba6p-3, 0x1.f977aap-1}, {nan, nan}, {0x1.c7ffcp-3, -0x1.f325b6p-1},
	}
	got, in := make([]complex64, len(x)), make([]complex64, len(x))
	for i, v := range x {
		in[i] = complex(float32(v[0]), float32(v[1]))
	}
	SignAllC64(got, in)
	for i, w := range want {
		if !isBits(float64(real(got[i])), w[0]) || !isBits(float64(imag(got[i])), w[1]) {
			t.Errorf("c64 %d: sign of %v is %v, want %v", i, in[i], got[i], w)
		}
	}
	x, want = [][2]float64{
		{0x1.5e2249ac7c93cp-2, -0x1.02dbad056f10ap-20}, {0x1.f704f7be0cf7fp-6, -0x1.134ef8db28408p-3},
		{0x1.23ff0ada57febp+30, -0x1.96ffd81ad7652p+33}, {nan, 0x1p+0}, {0x1.f9add3739635fp-4, 0x1.87e6b7599e01p-1}, {0x1p+0, nan},
		{0x1.f704f7be0cf7fp-6, -0x1.134ef8db28408p-3},
	}, [][2]float64{
		{0x1.fffffffff7414p-1, -0x1.7a870f7bc5d78p-19}, {0x1.c7ffbf1847ep-3, -0x1.f325b7613c68bp-1},
		{0x1.6ddbfa3ced8e5p-4, -0x1.fdf416eee01fbp-1}, {nan, 0x1.6a09e667f3bccp-1}, {0x1.461ba7f0961bfp-3, 0x1.f977ab0fc205p-1},
		{0x1.6a09e667f3bccp-1, nan}, {0x1.c7ffbf1847e01p-3, -0x1.f325b7613c68cp-1},
	}
	got2, in2 := make([]complex128, len(x)), make([]complex128, len(x))
	for i, v := range x {
		in2[i] = complex(v[0], v[1])
	}
	SignAllC128(got2, in2)
	for i, w := range want {
		if !isBits(real(got2[i]), w[0]) || !isBits(imag(got2[i]), w[1]) {
			t.Errorf("c128 %d: sign of %v is %v, want %v", i, in2[i], got2[i], w)
		}
	}
	for _, n := range []int{1, 5} { // a single element is computed alone; of 5 elements, some are computed in a register
		z, zs := make([]complex64, n), make([]complex64, n)
		w, ws := make([]complex128, n), make([]complex128, n)
		for i := range n {
			z[i], w[i] = complex(0, float32(math.Copysign(0, -1))), complex(math.Inf(1), 3)
		}
		SignAllC64(zs, z)
		SignAllC128(ws, w)
		for i := range n {
			if zs[i] != 0 || !math.IsNaN(real(ws[i])) || imag(ws[i]) != 0 {
				t.Errorf("%d elements: the signs of 0 and of infinity are %v, %v", n, zs[i], ws[i])
			}
		}
	}
}

// isBits reports whether x and y have the same bits or are both NaN.
func isBits(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y
}

func TestHypot(t *testing.T) {
	for _, c := range [][3]float64{
		{3, 4, 5}, {-0x1p1000, 0x1p1000, 0x1.6a09e667f3bcdp1000}, {0x1p-1000, -0x1p-1000, 0x1.6a09e667f3bcdp-1000},
		{1, 0x1p-60, 1}, {math.Inf(-1), math.NaN(), math.Inf(1)}, {math.NaN(), 1, math.NaN()}, {0, 0, 0},
	} {
		if got := hypot(c[0], c[1]); !isBits(got, c[2]) {
			t.Errorf("hypot(%v, %v) = %v, want %v", c[0], c[1], got, c[2])
		}
	}
}
