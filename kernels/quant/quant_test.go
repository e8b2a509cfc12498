package quant

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func near(t *testing.T, name string, got, want []float32) {
	t.Helper()
	for i := range want {
		if d := math.Abs(float64(got[i] - want[i])); !(d <= 1e-6) && (got[i] == got[i] || want[i] == want[i]) {
			t.Errorf("%s[%d] = %v, want %v", name, i, got[i], want[i])
		}
	}
}

var data = []float32{-1.3, -.2, 0, .26, .9, 3}

// TestFake compares rounded numbers with TensorFlow 2.21's.
func TestFake(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	nans := []float32{nan, nan, nan, nan, nan, nan}
	for _, c := range []struct {
		lo, hi  float32
		narrow  bool
		y, grad []float32
	}{
		{-1, 1.5, true, []float32{-1.07142854, -0.178571433, 0, 0.178571433, 0.892857194, 1.42857146}, []float32{0, 2, 3, 4, 5, 0, 1, 6}},
		{1, -0.5, false, []float32{1, 1, 1, 1, 1, 1}, []float32{0, 0, 0, 0, 0, 0, 15, 20}},
		{inf, -inf, false, nans, []float32{0, 0, 0, 0, 0, 0, 0, 21}},
		{-inf, 2, true, nans, []float32{0, 0, 0, 0, 0, 0, 21, 0}},
		{nan, 1, false, nans, []float32{0, 0, 0, 0, 0, 0, 0, 0}},
		{0, inf, true, nans, []float32{0, 0, 0, 0, 0, 0, 0, 0}},
		{2, 2, false, nans, []float32{0, 0, 3, 0, 0, 0, 3, 15}},
		{0, 0, false, []float32{0, 0, 0, 0, 0, 0}, []float32{1, 2, 3, 4, 5, 6, 0, 0}},
	} {
		p := FakeParams{Rows: 6, C: 1, Bits: 4, Narrow: c.narrow}
		y, dx, lo, hi := make([]float32, 6), make([]float32, 6), make([]float32, 1), make([]float32, 1)
		Fake(y, data, []float32{c.lo}, []float32{c.hi}, p)
		near(t, fmt.Sprint("fake ", c.lo, c.hi), y, c.y)
		p.Below, p.Above = lo, hi
		FakeGrad(dx, []float32{1, 2, 3, 4, 5, 6}, data, []float32{c.lo}, []float32{c.hi}, p)
		near(t, fmt.Sprint("gradient ", c.lo, c.hi), append(dx, lo[0], hi[0]), c.grad)
	}
}

func TestRound(t *testing.T) {
	y := make([]float32, 6)
	p := RoundParams[float32]{Outer: 1, Slices: 1, Inner: 6, Bits: 5, Signed: true, Lo: []float32{-1}, Hi: []float32{1.5}}
	if err := Round(y, data, p); err != nil {
		t.Fatal(err)
	}
	near(t, "round", y, []float32{-1.30000007, -0.200000003, 0, 0.300000012, 0.900000036, 1.5})
	p.Lo[0] = 2
	if Round(y, data, p) == nil {
		t.Error("an empty range is accepted")
	}
}

func TestConvert(t *testing.T) {
	tests := []struct {
		mode   Mode
		signed bool
		bits   []uint8
		lo     float32
		back   []float32
	}{
		{MinCombined, true, []uint8{128, 196, 213, 235, 34, 127}, -1, []float32{-1, -0.199999988, 0, 0.258823514, 0.905882359, 2}},
		{MinCombined, false, []uint8{0, 68, 85, 107, 162, 255}, -1, []float32{-1, -0.199999988, 0, 0.258823514, 0.905882359, 2}},
		{MinFirst, true, []uint8{128, 196, 213, 235, 34, 127}, -1, []float32{-1, -0.199999988, 0, 0.258823574, 0.905882359, 2}},
		{MinFirst, false, []uint8{0, 68, 85, 107, 162, 255}, -1, []float32{-1, -0.199999988, 0, 0.258823514, 0.905882359, 2}},
		{Scaled, true, []uint8{173, 243, 0, 17, 57, 127}, -2.01574802, []float32{-1.30708659, -0.204724401, 0, 0.267716527, 0.897637784, 2}},
		{Scaled, false, []uint8{0, 0, 0, 33, 115, 255}, 0, []float32{0, 0, 0, 0.258823544, 0.90196085, 2}},
	}
	for _, c := range tests {
		p := Params{Outer: 1, Slices: 1, Inner: 6, Mode: c.mode, Least: 0.01}
		lo, hi, back := make([]float32, 1), make([]float32, 1), make([]float32, 6)
		got := make([]uint8, 6)
		if c.signed {
			q := make([]int8, 6)
			if err := QuantizeI8(q, lo, hi, data, []float32{-1}, []float32{2}, p); err != nil {
				t.Fatal(err)
			}
			DequantizeI8(back, q, lo, hi, p)
			for i, v := range q {
				got[i] = uint8(v)
			}
		} else {
			if err := QuantizeU8(got, lo, hi, data, []float32{-1}, []float32{2}, p); err != nil {
				t.Fatal(err)
			}
			DequantizeU8(back, got, lo, hi, p)
		}
		if !slices.Equal(got, c.bits) {
			t.Errorf("mode %d signed %v: %v, want %v", c.mode, c.signed, got, c.bits)
		}
		near(t, "range", []float32{lo[0], hi[0]}, []float32{c.lo, 2})
		near(t, "back", back, c.back)
	}
}

// TestRoundGrad compares the gradient of rounding with TensorFlow 2.21's.
func TestRoundGrad(t *testing.T) {
	nan := float32(math.NaN())
	x, dy := []float32{-1, .5, nan, 2, 0, 1}, []float32{1, 2, 3, 4, 5, 6}
	dx, dlo, dhi := make([]float32, 6), []float32{9, 9}, []float32{9, 9}
	RoundGradF32(dx, dlo[:1], dhi[:1], dy, x, []float32{0}, []float32{1}, Params{Outer: 1, Slices: 1, Inner: 6})
	near(t, "one range", append(dx, dlo[0], dhi[0]), []float32{0, 2, 0, 0, 5, 6, 0, 0})
	RoundGradF32(dx, dlo, dhi, dy, x, []float32{0, 1}, []float32{1, 2}, Params{Outer: 1, Slices: 2, Inner: 3})
	near(t, "ranges along axis 0", append(dx, dlo[1], dhi[1]), []float32{0, 2, 0, 4, 0, 6, 0, 0})
}
