package kit

import (
	"sync"

	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// Formulas are the ops' formulas over real and over complex numbers.
var Formulas = sync.OnceValues(func() (Functions, Functions) { return realFunctions(), complexFunctions() })

// FormulaOf is the op's formula for elements of type d: a unary or a binary one, or none.
func FormulaOf(op string, d tensor.DType) (Unary, Binary) {
	f, c := Formulas()
	if scalar.PartType(d) != tensor.Invalid {
		f = c
	}
	return f.Unary[op], f.Binary[op]
}
