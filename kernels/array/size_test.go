package array

import (
	"math"
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

func TestSliceRange(t *testing.T) {
	for _, c := range []struct {
		begin, end, stride, size int
		f                        SliceFlags
		first, n                 int
	}{
		{0, 5, 1, 5, SliceFlags{}, 0, 5},
		{-3, -1, 1, 5, SliceFlags{}, 2, 2},
		{1, 100, 2, 6, SliceFlags{}, 1, 3},
		{4, 1, 1, 5, SliceFlags{}, 0, 0},
		{4, 1, -2, 5, SliceFlags{}, 4, 2},
		{0, 0, -1, 5, SliceFlags{true, true}, 4, 5},
		{-100, 100, 1, 3, SliceFlags{}, 0, 3},
		{0, 0, 1, 0, SliceFlags{true, true}, 0, 0},
		{0, 0, -1, 0, SliceFlags{true, true}, 0, 0},
	} {
		first, n, err := SliceRange(c.begin, c.end, c.stride, c.size, c.f)
		if err != nil || first != c.first || n != c.n {
			t.Errorf("%+v: %d, %d, %v", c, first, n, err)
		}
	}
	if _, _, err := SliceRange(0, 1, 0, 4, SliceFlags{}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Errorf("stride 0: %v", err)
	}
}

func TestReshapeDim(t *testing.T) {
	for _, c := range []struct {
		from, dims []int
		k          int
		want       int // -1: refused
	}{
		{[]int{12}, []int{3, -1}, 1, 4},
		{[]int{12}, []int{3, -1}, 0, 3},
		{[]int{12}, []int{-1, -1}, 0, -1},
		{[]int{12}, []int{5, -1}, 1, -1},
		{[]int{12}, []int{5, 2}, 0, -1},
		{[]int{2, 0}, []int{2, 0, -1}, 2, 1},
		{[]int{0, 5}, []int{0, -1}, 1, 5},
		{[]int{0, 3}, []int{-1, 3}, 0, 0},
		{[]int{0}, []int{0, 7}, 1, 7},
		{[]int{4}, []int{0, -1}, 1, -1},
		{[]int{4}, []int{-2, -2}, 0, -1},
		{[]int{0}, []int{math.MaxInt, math.MaxInt}, 0, -1},
		{nil, nil, -1, 0},
	} {
		got, err := ReshapeDim(c.from, c.dims, c.k)
		if err != nil {
			got = -1
		}
		if got != c.want {
			t.Errorf("%v as %v, dimension %d: %d, %v", c.from, c.dims, c.k, got, err)
		}
	}
}

func TestSplitSize(t *testing.T) {
	if n, err := SplitSize(10, []int{3, -1, 2}, 1); n != 5 || err != nil {
		t.Error(n, err)
	}
	for _, sizes := range [][]int{{3, 3}, {-1, -1}, {11}, {-2, 12}} {
		if err := SplitFits(10, sizes); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("10 as %v: %v", sizes, err)
		}
	}
}

func TestUnique(t *testing.T) {
	nan, negZero := float32(math.NaN()), float32(math.Copysign(0, -1))
	x := []float32{0, nan, negZero, 3, nan, 3, 0}
	y, idx, counts := make([]float32, len(x)), make([]int32, len(x)), make([]int32, len(x))
	n, err := UniqueF32I32(nil, y, idx, x, make([]int32, UniqueScratch(len(x))), UniqueParams[int32]{Outer: 1, N: len(x), Inner: 1, Counts: counts})
	if err != nil || n != 4 || !slices.Equal(idx, []int32{0, 1, 0, 2, 3, 2, 0}) || !slices.Equal(counts[:n], []int32{3, 1, 2, 1}) {
		t.Error(n, idx, counts, err)
	}
	words := []string{"b", "a", "b", "", "a"}
	ys, is := make([]string, 5), make([]int64, 5)
	n, err = UniqueStrI64(nil, ys, is, words, make([]int32, UniqueScratch(5)), UniqueParams[int64]{Outer: 1, N: 5, Inner: 1})
	if err != nil || !slices.Equal(ys[:n], []string{"b", "a", ""}) || !slices.Equal(is, []int64{0, 1, 0, 2, 1}) {
		t.Error(n, ys, is, err)
	}
	// Columns of [2,3]: the first and the last are equal.
	n, err = UniqueF32I32(nil, y, idx[:3], []float32{1, 2, 1, 4, 5, 4}, make([]int32, UniqueScratch(3)), UniqueParams[int32]{Outer: 2, N: 3, Inner: 1})
	if err != nil || n != 2 || !slices.Equal(y[:4], []float32{1, 2, 4, 5}) {
		t.Error(n, y, err)
	}
}

func TestDiag(t *testing.T) {
	// Diagonals -1 to 1 of a 3×2 matrix, the upper ones aligned right.
	p := DiagParams{Batch: 1, Rows: 3, Cols: 2, Lo: -1, Hi: 1, Len: 2, SuperRight: true}
	got := make([]float32, 6)
	DiagPartF32(got, iota32(6), []float32{9}, p)
	if want := []float32{9, 2, 1, 4, 3, 6}; !slices.Equal(got, want) {
		t.Errorf("DiagPart %v, want %v", got, want)
	}
	back := make([]float32, 6)
	DiagF32(back, got, []float32{0}, p)
	if want := []float32{1, 2, 3, 4, 0, 6}; !slices.Equal(back, want) {
		t.Errorf("Diag %v, want %v", back, want)
	}
	if r, c, err := DiagSize(1, 1, 3, -1, -1); r != 4 || c != 4 || err != nil {
		t.Error(r, c, err)
	}
	if _, _, err := DiagSize(0, 0, 3, 2, -1); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Error(err)
	}
}

func TestRangeLen(t *testing.T) {
	if n, err := RangeLenI32([]int32{math.MinInt32}, []int32{math.MaxInt32}, []int32{1}); n != math.MaxUint32 || err != nil {
		t.Error(n, err)
	}
	if n, err := RangeLenI64([]int64{5}, []int64{0}, []int64{-2}); n != 3 || err != nil {
		t.Error(n, err)
	}
	for _, c := range [][3]float32{{0, 1, 0}, {0, 1, -1}, {1, 0, 1}, {0, float32(math.Inf(1)), 1}, {0, float32(math.NaN()), 1}} {
		if _, err := RangeLenF32(c[:1], c[1:2], c[2:]); tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%v: %v", c, err)
		}
	}
}
