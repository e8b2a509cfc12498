package pool

import (
	"math"
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/mem"
	"github.com/graphc/graphc/rt/tensor"
)

func TestFractionalSize(t *testing.T) {
	for _, c := range []struct {
		n     int
		ratio float32
		want  int
	}{{6, 1, 6}, {6, 1.5, 4}, {7, 2, 3}, {6, 6, 1}, {6, 7, 0}, {0, 1, 0}, {6, 0.5, 0}, {6, float32(math.NaN()), 0}, {6, float32(math.Inf(1)), 0}} {
		got, err := FractionalSize(c.n, c.ratio)
		if got != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%d by %v: %d, %v", c.n, c.ratio, got, err)
		}
	}
}

// fractional describes a picture of 2 by 5 pixels with 2 channels. Its regions are 1 row high and 2
// or 3 columns wide.
var fractional = FractionalParams{N: 1, H: 2, W: 5, C: 2, ON: 1, OH: 2, OW: 2, OC: 2}

var fracRows, fracCols = []int64{0, 1, 2}, []int64{0, 2, 5}

func pictures[T pooled]() []T {
	return []T{1, 9, 2, 8, 3, 7, 4, 6, 5, 5, 6, 4, 7, 3, 8, 2, 9, 1, 10, 0}
}

func testFractional[T pooled](t *testing.T, largest, mean func(run *mem.Budget, out, in []T, rows, cols []int64, p FractionalParams),
	maxGrad func(run *mem.Budget, dst, in, out, grad []T, rows, cols, at []int64, p FractionalParams) error,
	avgGrad func(run *mem.Budget, dst, grad []T, rows, cols []int64, sum []float64, p FractionalParams) error) {
	t.Helper()
	in, out := pictures[T](), make([]T, 8)
	p := fractional
	equal := func(what string, got, want []T) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	largest(nil, out, in, fracRows, fracCols, p)
	equal("max", out, []T{2, 9, 5, 7, 7, 4, 10, 2})
	grad, dst, at := []T{1, 2, 3, 4, 5, 6, 7, 8}, make([]T, 20), make([]int64, 8)
	if err := maxGrad(nil, dst, in, out, grad, fracRows, fracCols, at, p); err != nil {
		t.Fatal(err)
	}
	equal("max gradient", dst, []T{0, 2, 1, 0, 0, 4, 0, 0, 3, 0, 0, 6, 5, 0, 0, 8, 0, 0, 7, 0})
	mean(nil, out, in, fracRows, fracCols, p)
	half := T(17) / T(2)
	equal("mean", out, []T{T(3) / T(2), half, 4, 6, T(13) / T(2), T(7) / T(2), 9, 1})
	if err := avgGrad(nil, dst, []T{2, 2, 3, 3, 4, 4, 6, 6}, fracRows, fracCols, make([]float64, 20), p); err != nil {
		t.Fatal(err)
	}
	equal("mean gradient", dst, []T{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2})
	p.Overlap = true
	largest(nil, out, in, fracRows, fracCols, p)
	equal("max, overlapping", out, []T{8, 9, 10, 7, 8, 4, 10, 2})
}

func TestFractional(t *testing.T) {
	testFractional(t, FractionalMaxF32, FractionalAvgF32, FractionalMaxGradF32, FractionalAvgGradF32)
	testFractional(t, FractionalMaxF64, FractionalAvgF64, FractionalMaxGradF64, FractionalAvgGradF64)
	testFractional(t, FractionalMaxI32, FractionalAvgI32, FractionalMaxGradI32, FractionalAvgGradI32)
	testFractional(t, FractionalMaxI64, FractionalAvgI64, FractionalMaxGradI64, FractionalAvgGradI64)
}

func TestFractionalRefuses(t *testing.T) {
	in := pictures[float32]()
	out := make([]float32, 8)
	FractionalMaxF32(nil, out, in, fracRows, fracCols, fractional)
	for _, c := range []struct {
		what       string
		rows, cols []int64
		change     func(p *FractionalParams)
		ofMax      bool // whether the gradient of maximum pooling accepts the arguments
		ofMean     bool // whether the gradient of average pooling accepts the arguments
	}{
		{"nothing", fracRows, fracCols, nil, true, true},
		{"few rows", fracRows[:2], fracCols, nil, false, false},
		{"few columns", fracRows, fracCols[:1], nil, false, false},
		{"a negative row", []int64{-1, 1, 2}, fracCols, nil, false, false},
		{"many rows", []int64{0, 1, 2, 2}, fracCols, nil, false, true},
		{"other regions", []int64{0, 2, 2}, fracCols, nil, false, true},
		{"regions beyond the image", []int64{0, math.MaxInt64, math.MaxInt64}, fracCols, nil, false, true},
		{"falling regions", []int64{2, 1, 0}, fracCols, nil, false, true},
		{"more images", fracRows, fracCols, func(p *FractionalParams) { p.N = 0 }, false, false},
		{"more channels", fracRows, fracCols, func(p *FractionalParams) { p.C = 1 }, false, false},
	} {
		p := fractional
		if c.change != nil {
			c.change(&p)
		}
		err := FractionalMaxGradF32(nil, make([]float32, 20), in, out, out, c.rows, c.cols, make([]int64, 8), p)
		if (err == nil) != c.ofMax || err != nil && tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%s: gradient of the largest: %v", c.what, err)
		}
		err = FractionalAvgGradF32(nil, make([]float32, 20), out, c.rows, c.cols, make([]float64, 20), p)
		if (err == nil) != c.ofMean || err != nil && tensor.CodeOf(err) != tensor.InvalidArgument {
			t.Errorf("%s: gradient of the mean: %v", c.what, err)
		}
	}
	if err := FractionalMaxGradF32(nil, nil, nil, nil, nil, []int64{0}, []int64{0}, nil, FractionalParams{}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Error(err)
	}
	if err := FractionalAvgGradF32(nil, nil, nil, []int64{0}, []int64{0}, nil, FractionalParams{}); tensor.CodeOf(err) != tensor.InvalidArgument {
		t.Error(err)
	}
}

func TestMaxUnsigned(t *testing.T) {
	p := Params{N: 1, H: 2, W: 2, C: 1, KH: 2, KW: 2, OH: 1, OW: 1, StrideH: 1, StrideW: 1}
	a, b := make([]uint32, 1), make([]uint64, 1)
	MaxU32(nil, a, []uint32{1, math.MaxUint32, 3, 0}, p)
	MaxU64(nil, b, []uint64{1, 2, math.MaxUint64, 0}, p)
	if a[0] != math.MaxUint32 || b[0] != math.MaxUint64 {
		t.Error(a, b)
	}
}
