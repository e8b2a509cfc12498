package elem

import (
	"fmt"
	"testing"

	"github.com/graphc/graphc/rt/cpu"
)

// TestPlanes compares the kernels that process several rows at once with the portable
// ones, over shapes with short and long rows and broadcasts of both sides.
func TestPlanes(t *testing.T) {
	defer cpu.SetLimit(cpu.SetLimit(cpu.AVX512))
	kernels := []struct {
		name string
		f    func(dst, a, b []float32, s Dims)
		most float32 // largest relative difference
	}{
		{"add", AddF32, 0}, {"sub", SubF32, 0}, {"mul", MulF32, 0}, {"maximum", MaximumF32, 0}, {"minimum", MinimumF32, 0}, {"squared difference", SquaredDifferenceF32, 0}, {"prelu", PreluF32, 0},
		{"div", func(dst, a, b []float32, s Dims) { DivF32(dst, a, b, s) }, 0}, {"gated tanh", GatedTanhF32, 5e-7},
	}
	var shapes []struct{ a, b []int }
	for _, n := range []int{1, 2, 3, 7, 16, 17, 31, 33, 64, 100} {
		for _, rows := range []int{1, 2, 5, 400} {
			shapes = append(shapes, []struct{ a, b []int }{
				{[]int{rows, n}, []int{1, n}}, {[]int{1, n}, []int{rows, n}}, {[]int{rows, n}, []int{rows, 1}}, {[]int{rows, 1}, []int{1, n}},
				{[]int{2, rows, n}, []int{2, 1, n}}, {[]int{2, 1, n}, []int{1, rows, 1}}, {[]int{2, rows, 3, n}, []int{1, rows, 1, n}},
			}...)
		}
	}
	shapes = append(shapes, broadcasts...)
	shapes = append(shapes, []struct{ a, b []int }{{[]int{2, 140000}, []int{1, 140000}}, {[]int{2, 140000}, []int{2, 1}}}...)
	for _, s := range shapes {
		d := Dims{N: len(s.a), A: dims8(s.a), B: dims8(s.b)}
		n := 1
		for i := range s.a {
			n *= max(s.a[i], s.b[i])
			if s.a[i] == 0 || s.b[i] == 0 {
				n = 0
			}
		}
		a, b := make([]float32, size(s.a)), make([]float32, size(s.b))
		for i := range a {
			a[i] = float32(i%37) - 9.5
		}
		for i := range b {
			b[i] = float32(i%23)*0.75 - 7.3
		}
		want, got := make([]float32, n), make([]float32, n)
		for _, k := range kernels {
			cpu.SetLimit(cpu.Portable)
			k.f(want, a, b, d)
			for l := cpu.AVX2; l <= cpu.Available(); l++ {
				cpu.SetLimit(l)
				clear(got)
				k.f(got, a, b, d)
				for i := range want {
					if d := got[i] - want[i]; !(max(d, -d) <= k.most*max(want[i], -want[i])) {
						t.Fatalf("%s of %s at %v: element %d is %v, want %v", k.name, fmt.Sprint(s.a, s.b), l, i, got[i], want[i])
					}
				}
			}
		}
	}
}
