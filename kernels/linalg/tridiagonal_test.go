package linalg

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/graphc/graphc/rt/tensor"
)

// dense returns the n×n matrix with the diagonals d.
func dense(d []complex128, n int) []complex128 {
	a := make([]complex128, n*n)
	for i := range n {
		a[i*n+i] = d[n+i]
		if i+1 < n {
			a[i*n+i+1] = d[i]
		}
		if i > 0 {
			a[i*n+i-1] = d[2*n+i]
		}
	}
	return a
}

func apply(a, x []complex128, n, k int) []complex128 {
	y := make([]complex128, n*k)
	for i := range n {
		for j := range n {
			for c := range k {
				y[i*k+c] += a[i*n+j] * x[j*k+c]
			}
		}
	}
	return y
}

func TestTridiagonal(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for n := range 8 {
		const k = 2
		d, b := random(r, 3*n), random(r, n*k)
		for i := range n {
			d[n+i] += 3
		}
		dr, br := make([]float64, 3*n), make([]float64, n*k)
		d32, b32 := make([]float32, 3*n), make([]float32, n*k)
		dc, bc := make([]complex64, 3*n), make([]complex64, n*k)
		for i, v := range d {
			dr[i], d32[i], dc[i] = real(v), float32(real(v)), complex64(v)
		}
		for i, v := range b {
			br[i], b32[i], bc[i] = real(v), float32(real(v)), complex64(v)
		}
		x, xr, x32, xc := make([]complex128, n*k), make([]float64, n*k), make([]float32, n*k), make([]complex64, n*k)
		for _, p := range []TridiagonalParams{{Pivot: true}, {}, {Pivot: true, Perturb: true}} {
			p.Batch, p.M, p.K = 1, n, k
			TridiagonalC128(nil, x, d, b, p)
			closeTo(t, "c128", apply(dense(d, n), x, n, k), b, 1e-10)
			TridiagonalF64(nil, xr, dr, br, p)
			closeTo(t, "f64", apply(dense(complexes(dr), n), complexes(xr), n, k), complexes(br), 1e-10)
			TridiagonalF32(nil, x32, d32, b32, p)
			closeTo(t, "f32", complexes(x32), complexes(xr), 1e-4)
			TridiagonalC64(nil, xc, dc, bc, p)
			closeTo(t, "c64", complexes(xc), x, 1e-4)
		}
		p := TridiagonalParams{Batch: 1, M: n, K: k}
		TridiagonalProductC128(nil, x, d[:n], d[n:2*n], d[2*n:], b, p)
		closeTo(t, "product", x, apply(dense(d, n), b, n, k), 1e-12)
		TridiagonalProductF64(nil, xr, dr[:n], dr[n:2*n], dr[2*n:], br, p)
		TridiagonalProductF32(nil, x32, d32[:n], d32[n:2*n], d32[2*n:], b32, p)
		closeTo(t, "product f32", complexes(x32), complexes(xr), 1e-5)
		TridiagonalProductC64(nil, xc, dc[:n], dc[n:2*n], dc[2*n:], bc, p)
		closeTo(t, "product c64", complexes(xc), x, 1e-5)
	}
}

func TestTridiagonalSingular(t *testing.T) {
	b := []float64{4, 1, .5, 2, 5, 1, .3, 1, 6}
	x := make([]float64, 9)
	for _, c := range []struct {
		what string
		d    []float64
		n    int
	}{
		{"no diagonals", []float64{1, 2, 0, 0, 0, 0, 0, 0, 1}, 3},
		{"a zero at the end", []float64{0, 0, 0, 1, 1, 0, 0, 0, 0}, 3},
		{"zeros at first", []float64{1, 1, 0, 0, 1, 1, 0, 0, 0}, 3},
		{"one zero", []float64{0, 0, 0}, 1},
	} {
		for _, pivot := range []bool{false, true} {
			TridiagonalF64(nil, x, c.d, b, TridiagonalParams{Batch: 1, M: c.n, K: 3, Pivot: pivot})
			if x[0] == x[0] {
				t.Errorf("%s: %v", c.what, x)
			}
		}
	}
	z := make([]complex128, 3)
	TridiagonalC128(nil, z, []complex128{0, 0, 0}, []complex128{1, 2, 3}, TridiagonalParams{Batch: 1, M: 1, K: 3, Pivot: true})
	closeTo(t, "complex", z, []complex128{0, 0, 0}, 0)
	// The wanted values are TensorFlow 2.21's results with Perturb.
	b32, x32 := make([]float32, 9), make([]float32, 9)
	for i, v := range b {
		b32[i] = float32(v)
	}
	TridiagonalF32(nil, x32, []float32{1, 2, 0, 0, 0, 0, 0, 0, 1}, b32, TridiagonalParams{Batch: 1, M: 3, K: 3, Pivot: true, Perturb: true})
	want := []complex128{1.5518925e+07, 0, -2.3068672e+07, 0.3, 1, 6, 1, 2.5, .5}
	for i, w := range complexes(x32) {
		if d := w - want[i]; math.Abs(real(d)) > 1e-6*max(1, math.Abs(real(want[i]))) {
			t.Errorf("%v, want %v", x32, want)
			break
		}
	}
}

func TestMovePivot(t *testing.T) {
	for _, c := range []struct {
		pivot, row, want, wantRow float64
	}{
		{2, 1e300, 2, 1e300},
		{.5, 1, .5, 1},
		{0, 0, 1e-16, 0},
		{-1e-310, 1e-310, -1e-310 / leastNormal, 1e-310 / leastNormal},
		{1e-3, 1e308, 1e-3 + 1e-16, 1e308}, // the pivot must be moved until the quotient of row and pivot is finite
	} {
		p, row := c.pivot, []float64{c.row}
		movePivot(&p, row, 1e-16, leastNormal)
		if math.Abs(p-c.want) > 1e-12*math.Abs(c.want) && c.row != 1e308 || math.Abs(row[0]-c.wantRow) > 1e-12*math.Abs(c.wantRow) {
			t.Errorf("%v with %v becomes %v with %v", c.pivot, c.row, p, row)
		}
		if q := row[0] / p; math.IsInf(q, 0) {
			t.Errorf("%v with %v: the quotient is %v", c.pivot, c.row, q)
		}
	}
}

func TestBanded(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	const n, k = 5, 2
	for bands := 1; bands <= 6; bands++ {
		for form := range 4 {
			p := BandedParams{Batch: 1, Bands: bands, M: n, K: k, Lower: form%2 == 0, Adjoint: form > 1}
			w, b := random(r, bands*n), random(r, n*k)
			a := make([]complex128, n*n)
			for h := range bands {
				for i := range n {
					j := i - h
					if !p.Lower {
						j = i + bands - 1 - h
					}
					if i == j {
						w[h*n+i] += 3
					}
					if j >= 0 && j < n {
						a[i*n+j] = w[h*n+i]
					}
				}
			}
			if p.Adjoint {
				adjoint(a, n)
			}
			x := make([]complex128, n*k)
			if err := BandedC128(nil, x, w, b, p, BatchParams{}); err != nil {
				t.Fatal(err)
			}
			closeTo(t, "c128", apply(a, x, n, k), b, 1e-10)
			w64, b64, x64 := make([]complex64, len(w)), make([]complex64, len(b)), make([]complex64, len(b))
			for i, v := range w {
				w64[i] = complex64(v)
			}
			for i, v := range b {
				b64[i] = complex64(v)
			}
			if err := BandedC64(nil, x64, w64, b64, p, BatchParams{}); err != nil {
				t.Fatal(err)
			}
			closeTo(t, "c64", complexes(x64), x, 1e-3)
		}
	}
	// In the first case, one matrix is used for two right-hand sides. In the second case, one
	// right-hand side is used for two matrices, and the second matrix is zero.
	x := make([]float64, 2)
	q := BatchParams{D: [MaxBatchRank]int{11: 2}, B: [MaxBatchRank]int{11: 1}}
	if err := BandedF64(nil, x, []float64{2}, []float64{4, 6}, BandedParams{Batch: 2, Bands: 1, M: 1, K: 1, Lower: true}, q); err != nil || x[0] != 2 || x[1] != 3 {
		t.Errorf("%v, %v", x, err)
	}
	x32 := make([]float32, 2)
	q = BatchParams{D: [MaxBatchRank]int{11: 2}, A: [MaxBatchRank]int{11: 1}}
	if err := BandedF32(nil, x32, []float32{2, 0}, []float32{4}, BandedParams{Batch: 2, Bands: 1, M: 1, K: 1}, q); err != nil || x32[0] != 2 || !math.IsInf(float64(x32[1]), 1) {
		t.Errorf("%v, %v", x32, err)
	}
	if err := BandedF32(nil, x32, []float32{0, 1}, []float32{4}, BandedParams{Batch: 2, Bands: 1, M: 1, K: 1}, q); codeOf(err) != tensor.InvalidArgument {
		t.Error(err)
	}
	if err := BandedF32(nil, nil, nil, nil, BandedParams{Batch: 1, Bands: 1}, BatchParams{}); err != nil {
		t.Error(err)
	}
}
