// Package ops lists the families of ops. Each family is a separate package below this one. Every
// fact about an op is in its lower.Def.
package ops

import (
	"sync"

	"github.com/graphc/graphc/lower"
	arrayops "github.com/graphc/graphc/ops/array"
	flowops "github.com/graphc/graphc/ops/flow"
	"github.com/graphc/graphc/ops/gotypes"
	imageops "github.com/graphc/graphc/ops/image"
	indexops "github.com/graphc/graphc/ops/index"
	linalgops "github.com/graphc/graphc/ops/linalg"
	mathops "github.com/graphc/graphc/ops/math"
	nnops "github.com/graphc/graphc/ops/nn"
	quantops "github.com/graphc/graphc/ops/quant"
	raggedops "github.com/graphc/graphc/ops/ragged"
	randomops "github.com/graphc/graphc/ops/random"
	sparseops "github.com/graphc/graphc/ops/sparse"
	stateops "github.com/graphc/graphc/ops/state"
	textops "github.com/graphc/graphc/ops/text"
	trainops "github.com/graphc/graphc/ops/train"
)

// Ops returns the table of all ops that graphc compiles.
var Ops = sync.OnceValue(func() *lower.Table {
	return lower.NewTable(mathops.Ops(), arrayops.Ops(), indexops.Ops(), linalgops.Ops(), randomops.Ops(), imageops.Ops(), nnops.Ops(), quantops.Ops(), sparseops.Ops(), raggedops.Ops(), stateops.Ops(), textops.Ops(), trainops.Ops(), flowops.Ops(), gotypes.Ops())
})

// Lookup returns the description of an op, or nil if the op is unknown.
func Lookup(op string) *lower.Def { return Ops().Lookup(op) }

// All returns the descriptions of all ops, sorted by name, except for the ops with the flag
// lower.Replaced.
func All() []*lower.Def { return Ops().All() }
