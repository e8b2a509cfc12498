package fft

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
)

func TestLengths(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 60, 97} {
		x, y, back := make([]complex128, n), make([]complex128, n), make([]complex128, n)
		for i := range x {
			x[i] = complex(r.NormFloat64(), r.NormFloat64())
		}
		p := Params{Batch: 1, Rank: 1, In: [3]int{1, 1, n}, Out: [3]int{1, 1, n}, N: [3]int{1, 1, n}}
		C128(nil, y, x, p)
		for k := range y {
			var want complex128
			for i, v := range x {
				want += v * cmplx.Rect(1, -2*math.Pi*float64(i*k%n)/float64(n))
			}
			if cmplx.Abs(y[k]-want) > 1e-11*float64(n) {
				t.Fatalf("length %d: [%d] = %v, want %v", n, k, y[k], want)
			}
		}
		p.Inverse = true
		C128(nil, back, y, p)
		for i := range x {
			if cmplx.Abs(back[i]-x[i]) > 1e-12*float64(n) {
				t.Fatalf("length %d does not come back", n)
			}
		}
	}
}

func TestReal(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, d := range [][3]int{{1, 1, 6}, {1, 3, 5}, {2, 3, 4}, {2, 2, 1}} {
		n, h := size(d), d[0]*d[1]*(d[2]/2+1)
		x, y, back := make([]float64, 2*n), make([]complex128, 2*h), make([]float64, 2*n)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		half := [3]int{d[0], d[1], d[2]/2 + 1}
		RealC128(nil, y, x, Params{Batch: 2, Rank: 3, In: d, Out: half, N: d})
		InverseF64(nil, back, y, Params{Batch: 2, Rank: 3, In: half, Out: d, N: d, Inverse: true})
		for i := range x {
			if math.Abs(back[i]-x[i]) > 1e-12 {
				t.Fatalf("%v: [%d] = %v, want %v", d, i, back[i], x[i])
			}
		}
	}
}
