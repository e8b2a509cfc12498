package order

import (
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
)

//go:generate go run -C ../_gen ./wrappers -dir ../order

// TestTypes runs every kernel at every type.
func TestTypes(t *testing.T) {
	f, out := typed.F, typed.Out
	w := func(xs ...typed.E) typed.Wants { return typed.Wants{Outs: xs} }
	s := SearchParams{Rows: 2, N: 4, Values: 3}
	sorted, values := f(1, 3, 3, 7, 0, 2, 4, 6), f(3, 0, 9, 1, 4, 6)
	typed.Check(t, "search", wrappers["LowerBound"], w(f(1, 0, 4, 1, 2, 3)), out(6), sorted, values, s)
	typed.Check(t, "search", wrappers["UpperBound"], w(f(3, 0, 4, 1, 3, 4)), out(6), sorted, values, s)
	p := TopParams{Rows: 2, N: 5, K: 3}
	x := f(4, 9, 1, 9, 3, 0, 1, 2, 3, 4)
	typed.Check(t, "largest", wrappers["TopK"], w(f(9, 9, 4, 4, 3, 2), f(1, 3, 0, 4, 3, 2)), out(6), out(6), x, p)

	typed.Check(t, "second", wrappers["Nth"], w(f(3, 1), nil), out(2), x, typed.Out(5), 5, 1)
	// TopKUnsorted may select the elements in another order, so only the sums are compared.
	for _, k := range wrappers["TopKUnsorted"] {
		outs, _ := typed.Call(k, out(6), out(6), x, typed.Seq(0, 10), p)
		got, at := typed.Read(outs[0]), typed.Read(outs[1])
		for r, want := range []float64{22, 9} {
			sum := 0.0
			for i := r * 3; i < r*3+3; i++ {
				sum += real(got[i])
				if got[i] != x[r*5+int(real(at[i]))] {
					t.Errorf("%s: %v is not at %v", typed.Name(k), got[i], at[i])
				}
			}
			if sum != want {
				t.Errorf("%s: row %d sums to %v, want %v", typed.Name(k), r, sum, want)
			}
		}
	}
}
