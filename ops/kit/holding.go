package kit

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
)

// SameLength is the length of a list that has as many elements as the list that is input 0.
func SameLength(l *lower.Length) *sym.Expr { return l.Of(0) }
