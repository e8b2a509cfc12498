package layout

import (
	"testing"

	"github.com/graphc/graphc/kernels/internal/typed"
)

//go:generate go run -C ../_gen ./wrappers -dir ../layout

// TestTypes transposes and converts at every type.
func TestTypes(t *testing.T) {
	f, out := typed.F, typed.Out
	w := func(xs ...float64) typed.Wants { return typed.Wants{Outs: []typed.E{f(xs...)}} }
	typed.Check(t, "two matrices", wrappers[""], w(1, 3, 5, 2, 4, 6, 7, 9, 11, 8, 10, 12), out(12), typed.Seq(1, 12), 2, 3, 2)
	typed.Check(t, "none", wrappers[""], w(), out(0), f(), 0, 3, 2)
	typed.Check(t, "widened", wrappers["Widen"], w(0, 1, 100), out(3), f(0, 1, 100))
	typed.Check(t, "narrowed", wrappers["Narrow"], w(0, 1.5, -100), out(3), f(0, 1.5, -100))
	typed.Check(t, "half to even", []any{WidenF64, WidenI32, WidenI64, WidenU32, WidenU64}, w(1<<24, 1<<24+4), out(2), f(1<<24+1, 1<<24+3))
}
