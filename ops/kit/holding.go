package kit

import (
	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
)

// SameLength returns the length of a list that is as long as the list in input 0.
func SameLength(l *lower.Length) *sym.Expr { return l.Of(0) }
