package gputest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// Floats returns n random numbers between -1 and 1.
func Floats[T float32 | float64](seed uint64, n int) []T {
	r := rand.New(rand.NewPCG(seed, 7))
	s := make([]T, n)
	for i := range s {
		s[i] = T(2*r.Float64() - 1)
	}
	return s
}

// Ints returns n random integers that are at least low and less than high.
func Ints[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](seed uint64, n int, low, high int64) []T {
	r := rand.New(rand.NewPCG(seed, 7))
	s := make([]T, n)
	for i := range s {
		s[i] = T(low + r.Int64N(high-low))
	}
	return s
}

// F16 rounds to binary16.
func F16(s []float32) []tensor.F16 {
	h := make([]tensor.F16, len(s))
	for i, x := range s {
		h[i] = tensor.ToF16(x)
	}
	return h
}

// BF16 rounds to bfloat16.
func BF16(s []float32) []tensor.BF16 {
	h := make([]tensor.BF16, len(s))
	for i, x := range s {
		h[i] = tensor.ToBF16(x)
	}
	return h
}

// Wide converts half-precision numbers to float32.
func Wide[T interface{ Float32() float32 }](s []T) []float32 {
	f := make([]float32, len(s))
	for i, x := range s {
		f[i] = x.Float32()
	}
	return f
}

// Close compares numbers. NaN equals only NaN, and infinities only themselves. Other numbers may
// differ by tolerance times the larger of scale and the wanted magnitude.
func Close[T float32 | float64](t testing.TB, what string, got, want []T, tolerance, scale float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		g, w := float64(got[i]), float64(w)
		if g == w || g != g && w != w {
			continue
		}
		if d := math.Abs(g - w); !(d <= tolerance*max(scale, math.Abs(w))) || math.IsInf(w, 0) {
			t.Fatalf("%s: element %d of %d is %v, want %v", what, i, len(want), g, w)
		}
	}
}

// Same compares exactly.
func Same[T comparable](t testing.TB, what string, got, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(got), len(want))
	}
	for i, w := range want {
		if g := got[i]; g != w && (g == g || w == w) {
			t.Fatalf("%s: element %d of %d is %v, want %v", what, i, len(want), g, w)
		}
	}
}
