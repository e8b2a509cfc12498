package state

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/ops/kit"
)

// gradients are the gradients of reads.
var gradients = map[string]lower.Gradient{
	"ReadVariableOp": kit.UnaryGradient(func(b *lower.GradientBuilder, x, dy ir.Out) ir.Out { return b.Same("Identity", dy) }),
}
