package kit

import (
	"sync"

	"github.com/graphc/graphc/plan/scalar"
	"github.com/graphc/graphc/rt/tensor"
)

// Formulas returns the ops' formulas over real numbers, and those over complex numbers.
var Formulas = sync.OnceValues(func() (Functions, Functions) { return realFunctions(), complexFunctions() })

// FormulaOf returns the formula of an op for elements of type d. The formula is the first result
// for an op of one operand, and the second for an op of two operands. If the op has no formula,
// both are nil.
func FormulaOf(op string, d tensor.DType) (Unary, Binary) {
	f, c := Formulas()
	if scalar.PartType(d) != tensor.Invalid {
		f = c
	}
	return f.Unary[op], f.Binary[op]
}
