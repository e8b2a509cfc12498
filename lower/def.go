package lower

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// Flags tell passes how they may treat an op.
type Flags uint32

// The flags.
const (
	// Stateful ops have effects, or results that differ between runs. They are never merged or
	// folded, and not removed while a fetch, target or control edge reaches them.
	Stateful Flags = 1 << iota
	// Commutative ops have two inputs that may be swapped.
	Commutative
	// Expensive ops are not worth duplicating.
	Expensive
	// NoFold ops run at run time even with constant inputs.
	NoFold
	// Forward ops pass their inputs through: output i is input i (Identity, StopGradient,
	// IdentityN).
	Forward
	// Effect ops are lowered even if their outputs are unused, once they are reachable.
	Effect
	// Flow ops are TensorFlow 1's control flow. Nodes after them may be dead or run more than once,
	// and their control edges have the same effect.
	Flow
	// Argument ops represent a function's arguments or results.
	Argument
	// Replaced ops are replaced by passes and have no lowering.
	Replaced
	// AnyRank ops make a tensor whose rank is known only at run time, and which only a fetch reads.
	// Output 0 is a vector of its elements.
	AnyRank
	// HostSide ops need no kernels in a partition on a GPU. They pass a tensor through where it is,
	// return its shape, join regions, or work on lists. Lists become tensors if everything is known
	// about them; otherwise they are on the host.
	HostSide
	// SwitchMerge ops are conditionals and loops that TensorFlow lowers to Switch and Merge.
	SwitchMerge
	// Kept ops make handles of resources that a program keeps between runs. Equal nodes refer to
	// the same resource.
	Kept
	// Leaves ops do not change the resources whose handles they get or make.
	Leaves
	// SavedTable ops make a table whose contents may be in a checkpoint: a kept table that may
	// change at any time.
	SavedTable
	// WinogradOK ops may be computed with Winograd's method: the accuracy class of convolutions.
	WinogradOK
)

// Def describes an op.
type Def struct {
	Name  string
	Level Level
	Flags Flags
	// Traits are the known properties of the function that the op computes.
	Traits Traits
	// Types lists, by type attribute, the element types that the lowering supports. Other
	// attributes accept what the op's signature allows.
	Types map[string][]tensor.DType
	// Limits briefly describes what is rejected, for the op table; "" means nothing.
	Limits string
	// Makes is the kind of variant in output 0; Wants is the kind that input 0 must hold. "" means
	// unspecified.
	Makes, Wants VariantKind
	// Holding describes the op's use of containers; nil means none.
	Holding *Holding
	// Contradicts rejects a node whose own attributes contradict each other, before any pass
	// replaces it. nil rejects nothing.
	Contradicts func(*ir.Node) error
	// Access returns what a node of the op accesses besides its tensors; nil means NoAccess.
	Access func(*ir.Node) (a Access, what string)
	// Shape infers the outputs' facts. It is called after the inputs' facts are known.
	Shape func(*Shaper) error
	// Gradient builds the nodes of the op's gradient; nil means none, see NoGradient. The table may
	// set it, too.
	Gradient Gradient
	// GPU describes how GPUs compute the op; nil means on the host. The table sets it from its
	// families.
	GPU *GPU
	// Lower appends kernel calls. It is nil for ops that only passes handle (function calls,
	// variables). Such ops must be gone before lowering.
	Lower func(*Builder) error
}

// Has reports whether all flags f are set.
func (d *Def) Has(f Flags) bool { return d.Flags&f == f }
