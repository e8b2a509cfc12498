package fft

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/graphc/graphc/rt/cpu"
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

// reference is the recursive transform of radix 2.
func reference(x []complex128) []complex128 {
	n := len(x)
	if n == 1 {
		return []complex128{x[0]}
	}
	even, odd := make([]complex128, n/2), make([]complex128, n/2)
	for i := range even {
		even[i], odd[i] = x[2*i], x[2*i+1]
	}
	even, odd = reference(even), reference(odd)
	y := make([]complex128, n)
	for k := range even {
		v := odd[k] * cmplx.Rect(1, -2*math.Pi*float64(k)/float64(n))
		y[k], y[k+n/2] = even[k]+v, even[k]-v
	}
	return y
}

// TestPowers compares batches of transforms whose lengths are powers of two with the reference, with each kind
// of vector instructions.
func TestPowers(t *testing.T) {
	defer cpu.SetLimit(cpu.SetLimit(cpu.AVX512))
	r := rand.New(rand.NewPCG(5, 6))
	for _, level := range []cpu.Level{cpu.AVX512, cpu.AVX2, cpu.Portable} {
		cpu.SetLimit(level)
		for _, n := range []int{1, 2, 4, 8, 16, 32, 128, 512, 1024, 2 * MostTogether, 4 * MostTogether} {
			batch := 13
			if n > 1024 {
				batch = 1
			}
			x, y, back := make([]complex128, batch*n), make([]complex128, batch*n), make([]complex128, batch*n)
			for i := range x {
				x[i] = complex(r.NormFloat64(), r.NormFloat64())
			}
			p := Params{Batch: batch, Rank: 1, In: [3]int{1, 1, n}, Out: [3]int{1, 1, n}, N: [3]int{1, 1, n}}
			C128(nil, y, x, p)
			p.Inverse = true
			C128(nil, back, y, p)
			for b := range batch {
				for k, want := range reference(x[b*n : (b+1)*n]) {
					if got := y[b*n+k]; cmplx.Abs(got-want) > 1e-13*float64(n) {
						t.Fatalf("%v, length %d, sequence %d: [%d] = %v, want %v", level, n, b, k, got, want)
					}
				}
			}
			for i := range x {
				if cmplx.Abs(back[i]-x[i]) > 1e-13*float64(n) {
					t.Fatalf("%v: length %d does not come back", level, n)
				}
			}
		}
	}
}

// TestPlace: Place is a permutation.
func TestPlace(t *testing.T) {
	for n := 1; n <= 1024; n *= 2 {
		seen := make([]bool, n)
		for j := range n {
			seen[Place(j, n)] = true
		}
		if slices.Contains(seen, false) {
			t.Errorf("length %d", n)
		}
	}
}

func BenchmarkReal(b *testing.B) {
	for _, c := range [][2]int{{49, 1024}, {1, 1024}, {1, 1 << 18}, {49, 1000}} {
		b.Run(fmt.Sprintf("%dx%d", c[0], c[1]), func(b *testing.B) {
			n := c[1]
			p := Params{Batch: c[0], Rank: 1, In: [3]int{1, 1, n}, Out: [3]int{1, 1, n/2 + 1}, N: [3]int{1, 1, n}}
			x, y := make([]float32, c[0]*n), make([]complex64, c[0]*(n/2+1))
			for i := range x {
				x[i] = float32(i % 7)
			}
			for range b.N {
				RealC64(nil, y, x, p)
			}
		})
	}
}
