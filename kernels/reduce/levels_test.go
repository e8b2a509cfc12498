package reduce

import (
	"math"
	"testing"

	"github.com/graphc/graphc/rt/cpu"
)

// TestLevels checks reductions of float32 numbers: each set of vector instructions must give the
// same results as portable code. Sums may differ slightly. It varies the lengths of rows and
// columns, and includes NaN, infinities and zeros of both signs.
func TestLevels(t *testing.T) {
	defer cpu.SetLimit(cpu.SetLimit(cpu.AVX512))
	odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, float32(math.Copysign(0, -1)), 1e-40}
	type kernel struct {
		name string
		f    func(dst, src []float32, d Dims)
		sum  bool
	}
	acc64, acc32 := make([]float64, MaxColumns), make([]float32, MaxColumns)
	kernels := []kernel{
		{"sum", func(dst, src []float32, d Dims) { SumF32(dst, src, d, acc64) }, true},
		{"mean", func(dst, src []float32, d Dims) { MeanF32(dst, src, d, acc64) }, true},
		{"max", func(dst, src []float32, d Dims) { MaxF32(dst, src, d, acc32) }, false},
		{"min", func(dst, src []float32, d Dims) { MinF32(dst, src, d, acc32) }, false},
	}
	var shapes []Dims
	for _, n := range []int{1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 48, 63, 64, 65, 100, 127, 128, 129, 500, 513, 1000} {
		for _, rows := range []int{1, 2, 5, 50} {
			shapes = append(shapes, dims(rows, n), dims(1, rows, n), dims(2, rows, n), dims(1, rows, 2, 3, n), dims(2, 3, 2, n))
		}
	}
	shapes = append(shapes, dims(1, 5000, 16), dims(2, 140000))
	for _, d := range shapes {
		n, out := 1, 1
		for i, k := range d.D[:d.N] {
			n *= k
			if i%2 == 0 {
				out *= k
			}
		}
		for _, special := range []bool{false, true} {
			src := make([]float32, n)
			for i := range src {
				src[i] = float32(i*7919%1000)/100 - 4
				if special && i%11 == 3 {
					src[i] = odd[i/11%len(odd)]
				}
			}
			want, got := make([]float32, out), make([]float32, out)
			for _, k := range kernels {
				cpu.SetLimit(cpu.Portable)
				k.f(want, src, d)
				for l := cpu.AVX2; l <= cpu.Available(); l++ {
					cpu.SetLimit(l)
					clear(got)
					k.f(got, src, d)
					for i, w := range want {
						g := got[i]
						same := g == w || g != g && w != w
						if k.sum && !same {
							same = math.Abs(float64(g-w)) <= 1e-6*math.Abs(float64(w))+1e-6
						}
						if !same {
							t.Fatalf("%s of %v at %v: result %d is %v, want %v", k.name, d.D[:d.N], l, i, g, w)
						}
					}
				}
			}
		}
	}
}

// TestArgLevels checks searches for the largest and the smallest element: each set of vector
// instructions must give the same results as portable code.
func TestArgLevels(t *testing.T) {
	defer cpu.SetLimit(cpu.SetLimit(cpu.AVX512))
	odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, float32(math.Copysign(0, -1)), -math.MaxFloat32}
	for n := 1; n <= 300; n++ {
		for kind := range 5 {
			const outer = 3
			src := make([]float32, outer*n)
			for i := range src {
				switch kind {
				case 0:
					src[i] = float32(i * 7919 % 1000)
				case 1:
					src[i] = odd[i*5%len(odd)]
				case 2:
					src[i] = odd[0]
				case 3:
					src[i] = odd[2]
				case 4:
					src[i] = float32(i * 31 % 5)
				}
			}
			p := Axis{Outer: outer, N: n, Inner: 1}
			for _, f := range []func([]int64, []float32, Axis){ArgMaxF32, ArgMinF32} {
				want, got := make([]int64, outer), make([]int64, outer)
				cpu.SetLimit(cpu.Portable)
				f(want, src, p)
				for l := cpu.AVX2; l <= cpu.Available(); l++ {
					cpu.SetLimit(l)
					f(got, src, p)
					for i := range want {
						if got[i] != want[i] {
							t.Fatalf("kind %d, row %d of %d at %v: %d, want %d", kind, i, n, l, got[i], want[i])
						}
					}
				}
			}
		}
	}
}
