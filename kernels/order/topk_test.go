package order

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTopK compares with a stable sort, over values with many ties.
func TestTopK(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		n := 1 + r.IntN(40)
		k := 2 + r.IntN(n+1)
		if k > n {
			continue
		}
		x := make([]int32, n)
		at := make([]int, n)
		for i := range x {
			x[i], at[i] = int32(r.IntN(10)), i
		}
		slices.SortStableFunc(at, func(a, b int) int { return int(x[b] - x[a]) })
		values, places := make([]int32, k), make([]int64, k)
		TopKI32I64(values, places, x, TopParams{1, n, k})
		for i := range k {
			if places[i] != int64(at[i]) || values[i] != x[at[i]] {
				t.Fatalf("%v: %v, want %v", x, places, at[:k])
			}
		}
	}
	nan := float32(math.NaN())
	v, p := make([]float32, 3), make([]int32, 3)
	TopKF32I32(v, p, []float32{1, nan, 3, nan, 7}, TopParams{1, 5, 3})
	if !slices.Equal(p, []int32{1, 3, 4}) {
		t.Error("NaN:", v, p)
	}
	TopKF32I32(v[:1], p[:1], []float32{1, nan, 3, nan, 7}, TopParams{1, 5, 1})
	if v[0] != 7 || p[0] != 4 {
		t.Error("the largest one:", v, p)
	}
}

// TestTopKUnsorted holds what TensorFlow 2.21 returns.
func TestTopKUnsorted(t *testing.T) {
	x := []float32{3, 6, 4, 2, 0, 5, 1, 7}
	for k, want := range [][]int32{2: {1, 7}, 3: {5, 1, 7}, 4: {2, 5, 1, 7}, 5: {0, 5, 2, 1, 7}, 8: {7, 1, 5, 2, 0, 3, 6, 4}} {
		if want == nil {
			continue
		}
		values, places := make([]float32, k), make([]int32, k)
		TopKUnsortedF32I32(values, places, x, make([]int32, k+1), TopParams{1, len(x), k})
		if !slices.Equal(places, want) {
			t.Errorf("k = %d: %v, want %v", k, places, want)
		}
	}
}

func TestBounds(t *testing.T) {
	dst := make([]int32, 3)
	LowerBoundF32I32(dst, []float32{1, 2, 2, 3}, []float32{2, 0, 9}, SearchParams{1, 4, 3})
	if !slices.Equal(dst, []int32{1, 0, 4}) {
		t.Error("lower", dst)
	}
	UpperBoundF32I32(dst, []float32{1, 2, 2, 3}, []float32{2, 0, 9}, SearchParams{1, 4, 3})
	if !slices.Equal(dst, []int32{3, 0, 4}) {
		t.Error("upper", dst)
	}
}

func TestAllocatesNothing(t *testing.T) {
	x, v, p, s := make([]float32, 100), make([]float32, 20), make([]int32, 20), make([]int32, 11)
	if n := testing.AllocsPerRun(50, func() {
		TopKF32I32(v, p, x, TopParams{2, 50, 10})
		TopKUnsortedF32I32(v, p, x, s, TopParams{2, 50, 10})
		NthF32(v[:2], x, x[:50], 50, 3)
		LowerBoundF32I32(p, x, v, SearchParams{1, 100, 20})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
