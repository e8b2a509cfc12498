package vmath

import "testing"

// TestNumberInPlace checks operations on two operands, a row and a single number. The number is
// stored in the first element of the result dst, which the operation overwrites.
func TestNumberInPlace(t *testing.T) {
	for n := 1; n < 80; n++ {
		for _, c := range []struct {
			name string
			f    func(dst, a, b []float32) bool
			want func(a, b float32) float32
		}{
			{"add", Add, func(a, b float32) float32 { return a + b }},
			{"sub", Sub, func(a, b float32) float32 { return a - b }},
			{"mul", Mul, func(a, b float32) float32 { return a * b }},
			{"div", Div, func(a, b float32) float32 { return a / b }},
		} {
			for _, first := range []bool{true, false} {
				dst, row := make([]float32, n), make([]float32, n)
				dst[0] = 3
				for i := range row {
					row[i] = float32(i + 1)
				}
				a, b := dst[:1], row
				if !first {
					a, b = row, dst[:1]
				}
				if !c.f(dst, a, b) {
					t.Skip("no assembly here")
				}
				for i := range dst {
					want := c.want(3, row[i])
					if !first {
						want = c.want(row[i], 3)
					}
					if d := dst[i] - want; max(d, -d) > 1e-5 {
						t.Fatalf("%s, %d elements, number first %v: element %d is %v, want %v", c.name, n, first, i, dst[i], want)
					}
				}
			}
		}
	}
}
