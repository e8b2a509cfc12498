package cluster

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// check fails the test if the results (out) rise, or if a result is not the mean of the inputs (in) of
// its segment.
func check(t *testing.T, in, out []float64, segments []int32, tol float64) {
	t.Helper()
	for i := range in {
		if i > 0 && (out[i] > out[i-1] || segments[i] != segments[i-1] && segments[i] != segments[i-1]+1) {
			t.Fatalf("%v: %v in %v", in, out, segments)
		}
	}
	for i := 0; i < len(in); {
		j, sum := i, 0.0
		for ; j < len(in) && segments[j] == segments[i]; j++ {
			sum += in[j]
		}
		if mean := sum / float64(j-i); math.Abs(mean-out[i]) > tol {
			t.Fatalf("%v: step at %d is %v, its mean %v", in, i, out[i], mean)
		}
		i = j
	}
}

func TestIsotonic(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for n := 1; n < 12; n++ {
		const rows = 3
		ints := make([]int64, rows*n)
		for i := range ints {
			ints[i] = int64(r.IntN(9) - 4)
		}
		wide := func(s []int64) []float64 {
			w := make([]float64, len(s))
			for i, v := range s {
				w[i] = float64(v)
			}
			return w
		}(ints)
		seg, starts := make([]int32, rows*n), make([]int32, n)
		w32, w64 := make([]float32, 2*n), make([]float64, 2*n)
		o32, o64 := make([]float32, rows*n), make([]float64, rows*n)
		each := func(tol float64, out func(i int) float64) {
			t.Helper()
			for row := range rows {
				got := make([]float64, n)
				for i := range got {
					got[i] = out(row*n + i)
				}
				check(t, wide[row*n:][:n], got, seg[row*n:][:n], tol)
			}
		}
		f64, f32 := func(i int) float64 { return o64[i] }, func(i int) float64 { return float64(o32[i]) }
		IsotonicI64(o64, seg, ints, w64, starts, n)
		each(1e-12, f64)
		IsotonicI32(o64, seg, as[int32](ints), w64, starts, n)
		each(1e-12, f64)
		IsotonicF64(o64, seg, wide, w64, starts, n)
		each(1e-12, f64)
		IsotonicI16(o32, seg, as[int16](ints), w32, starts, n)
		each(1e-5, f32)
		IsotonicI8(o32, seg, as[int8](ints), w32, starts, n)
		each(1e-5, f32)
		IsotonicF32(o32, seg, as[float32](ints), w32, starts, n)
		each(1e-5, f32)
		h, hb := make([]tensor.F16, rows*n), make([]tensor.BF16, rows*n)
		for i, v := range wide {
			h[i], hb[i] = tensor.ToF16(float32(v)), tensor.ToBF16(float32(v))
		}
		oh, ob := make([]tensor.F16, rows*n), make([]tensor.BF16, rows*n)
		IsotonicF16(oh, seg, h, w32, starts, n)
		each(1e-2, func(i int) float64 { return float64(oh[i].Float32()) })
		IsotonicBF16(ob, seg, hb, w32, starts, n)
		each(1e-1, func(i int) float64 { return float64(ob[i].Float32()) })
	}
	IsotonicF32(nil, nil, nil, nil, nil, 0)
}

func as[T int8 | int16 | int32 | float32](s []int64) []T {
	w := make([]T, len(s))
	for i, v := range s {
		w[i] = T(v)
	}
	return w
}

func TestNearest(t *testing.T) {
	points := []float32{0, 0, 3, 3}
	centers := []float32{1, 0, 3, 4, 0, 1, 3, 3}
	for _, c := range []struct {
		k    int64
		want []int64
		dist []float32
	}{
		{0, []int64{}, []float32{}},
		{1, []int64{0, 3}, []float32{1, 0}},
		{2, []int64{0, 2, 3, 1}, []float32{1, 1, 0, 1}},
		{9, []int64{0, 2, 3, 1, 3, 1, 0, 2}, []float32{1, 1, 18, 25, 0, 1, 13, 13}},
	} {
		k, err := Neighbors([]int64{c.k}, 4)
		if err != nil {
			t.Fatal(err)
		}
		indices, dist := make([]int64, 2*k), make([]float32, 2*k)
		Nearest(nil, indices, dist, points, centers, make([]float32, 4), make([]int32, 4), NeighborParams{Points: 2, Centers: 4, Dims: 2, K: k})
		if !slices.Equal(indices, c.want) || !slices.Equal(dist, c.dist) {
			t.Errorf("k %d: %v %v", c.k, indices, dist)
		}
	}
	if _, err := Neighbors([]int64{-1}, 4); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Error(err)
	}
}
