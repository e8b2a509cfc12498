package order

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTopK compares topK with a stable sort, for values with many ties.
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
		TopKI32I64(nil, values, places, x, TopParams{1, n, k})
		for i := range k {
			if places[i] != int64(at[i]) || values[i] != x[at[i]] {
				t.Fatalf("%v: %v, want %v", x, places, at[:k])
			}
		}
	}
	nan := float32(math.NaN())
	v, p := make([]float32, 3), make([]int32, 3)
	TopKF32I32(nil, v, p, []float32{1, nan, 3, nan, 7}, TopParams{1, 5, 3})
	if !slices.Equal(p, []int32{1, 4, 2}) { // only one of the two NaNs is selected; the comment of the function odd explains this
		t.Error("NaN:", v, p)
	}
	TopKF32I32(nil, v[:1], p[:1], []float32{1, nan, 3, nan, 7}, TopParams{1, 5, 1})
	if v[0] != 7 || p[0] != 4 {
		t.Error("the largest one:", v, p)
	}
}

// TestTopKLong checks long float32 rows, in which whole groups of elements are skipped. The results
// must equal those of the same rows as float64.
func TestTopKLong(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, odd := range []float64{0, math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, n := range []int{511, 600, 3000, 5000} {
			x, y := make([]float64, 2*n), make([]float32, 2*n)
			for i := range x {
				x[i] = float64(r.IntN(50000)) * math.Exp2(-float64(i%n)/500)
				if r.IntN(n) < 2 {
					x[i] = odd
				}
				x[i] = float64(float32(x[i]))
				y[i] = float32(x[i])
			}
			for _, k := range []int{1, 2, 9, 60} {
				q := TopParams{2, n, k}
				values, places, scratch := make([]float64, 2*k), make([]int32, 2*k), make([]int32, k+1)
				got, at := make([]float32, 2*k), make([]int32, 2*k)
				for _, sorted := range []bool{true, false} {
					if sorted {
						TopKF64I32(nil, values, places, x, q)
						TopKF32I32(nil, got, at, y, q)
					} else {
						TopKUnsortedF64I32(nil, values, places, x, scratch, q)
						TopKUnsortedF32I32(nil, got, at, y, scratch, q)
					}
					if !slices.Equal(places, at) {
						t.Fatalf("%d of %d, sorted %v: %v, want %v", k, n, sorted, at, places)
					}
				}
				if a := testing.AllocsPerRun(1, func() { TopKF32I32(nil, got, at, y, q) }); a != 0 {
					t.Errorf("%v allocations", a)
				}
			}
		}
	}
}

// TestTopKUnsorted compares unsorted selections with TensorFlow 2.21's.
func TestTopKUnsorted(t *testing.T) {
	x := []float32{3, 6, 4, 2, 0, 5, 1, 7}
	for k, want := range [][]int32{2: {1, 7}, 3: {5, 1, 7}, 4: {2, 5, 1, 7}, 5: {0, 5, 2, 1, 7}, 8: {7, 1, 5, 2, 0, 3, 6, 4}} {
		if want == nil {
			continue
		}
		values, places := make([]float32, k), make([]int32, k)
		TopKUnsortedF32I32(nil, values, places, x, make([]int32, k+1), TopParams{1, len(x), k})
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
		TopKF32I32(nil, v, p, x, TopParams{2, 50, 10})
		TopKUnsortedF32I32(nil, v, p, x, s, TopParams{2, 50, 10})
		NthF32(nil, v[:2], x, x[:50], 50, 3)
		LowerBoundF32I32(p, x, v, SearchParams{1, 100, 20})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestTopKFew compares the selections made by the function few with those made by the heap.
func TestTopKFew(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for i := range 2000 {
		n := 1 + r.IntN(300)
		k := 1 + r.IntN(min(n, most+4))
		x, y := make([]float32, n), make([]float64, n)
		for j := range x {
			x[j] = float32(r.IntN(40) - 20)
			switch r.IntN(300) {
			case 0, 1, 2:
				x[j] = float32(math.Inf(r.IntN(2)*2 - 1))
			case 3:
				if i%2 == 0 {
					x[j] = float32(math.NaN())
				}
			}
			y[j] = float64(x[j])
		}
		v, at := make([]float32, k), make([]int32, k)
		w, want := make([]float64, k), make([]int32, k)
		TopKF32I32(nil, v, at, x, TopParams{1, n, k})
		TopKF64I32(nil, w, want, y, TopParams{1, n, k})
		if !slices.Equal(at, want) {
			t.Fatalf("%d of %v: %v, not %v", k, x, at, want)
		}
		for j, p := range at {
			if v[j] != x[p] && x[p] == x[p] {
				t.Fatalf("%v stands for %v", v[j], x[p])
			}
		}
	}
}
