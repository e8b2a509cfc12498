package segment

import (
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
)

// TestHostile checks that extreme numbers in segment ids are refused and cause no overflow.
func TestHostile(t *testing.T) {
	list := func(n int) typed.FedList { return typed.FedList(n) }
	for _, f := range []any{RowsI32, RowsI64} {
		typed.Hostile(t, "Rows", f, list(2))
	}
	typed.Hostile(t, "Sum", SumF32I64, make([]float32, 4), make([]float32, 4), list(2), 2, 2)
	typed.Hostile(t, "UnsortedSum", UnsortedSumF32I64, make([]float32, 4), make([]float32, 4), list(2), 2, 2)
}
