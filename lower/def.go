package lower

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// Flags tell passes how they may treat an op.
type Flags uint32

// The flags.
const (
	// Stateful ops have effects, or have results that differ between runs. They are never merged or
	// folded, and they are not removed while a fetch, target or control edge reaches them.
	Stateful Flags = 1 << iota
	// Commutative ops have two inputs that may be swapped.
	Commutative
	// Expensive ops are not worth duplicating.
	Expensive
	// NoFold ops are never computed at compile time, even if their inputs are constant.
	NoFold
	// Forward ops pass their inputs through: output i equals input i (Identity, StopGradient,
	// IdentityN).
	Forward
	// Effect ops are lowered if they are reachable, even if nothing uses their outputs.
	Effect
	// Flow ops are TensorFlow 1's control flow. Nodes after a Flow op may be dead or run more than
	// once, even nodes that only have a control edge from the op.
	Flow
	// Argument ops represent a function's arguments or results.
	Argument
	// Replaced ops are replaced by passes and have no lowering.
	Replaced
	// AnyRank ops compute a tensor whose rank is known only at run time. Only a fetch reads the
	// tensor. Output 0 is a vector of the tensor's elements.
	AnyRank
	// HostSide ops need no GPU kernels in a partition on a GPU. They pass a tensor through without
	// moving it between host and device, return a tensor's shape, join regions, or work on lists.
	// If everything about a list is known at compile time, tensors replace it. Otherwise the list
	// is on the host.
	HostSide
	// SwitchMerge ops are conditionals and loops that TensorFlow replaces by Switch and Merge
	// nodes.
	SwitchMerge
	// Kept ops return handles of resources that a program keeps between runs. Equal nodes refer to
	// the same resource.
	Kept
	// Leaves marks ops that do not change the resources whose handles they read or return.
	Leaves
	// SavedTable ops create a table whose contents may be in a checkpoint. The program keeps such a
	// table between runs, and its contents may change at any time.
	SavedTable
	// WinogradOK ops may be computed with Winograd's method, because their results need only the
	// accuracy that is required of convolutions.
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
	// Makes is the kind of variant in output 0, and Wants is the kind that input 0 must hold; ""
	// means that the kind is not specified.
	Makes, Wants VariantKind
	// Holding describes the op's use of containers; nil means none.
	Holding *Holding
	// Contradicts rejects a node whose own attributes contradict each other, before any pass
	// replaces it. nil accepts all nodes.
	Contradicts func(*ir.Node) error
	// Access returns what a node of the op accesses besides its tensors; nil means NoAccess.
	Access func(*ir.Node) (a Access, what string)
	// Shape infers the outputs' facts. The facts of the inputs are known when Shape is called.
	Shape func(*Shaper) error
	// Batch reports whether a node of the op keeps the items of a batch apart; see BatchSize. If it
	// is nil, this depends on the traits ElementWise and Renames. NewTable sets the field from
	// Family.Batch.
	Batch BatchRule
	// Gradient builds the nodes of the op's gradient. It is nil if the op has no gradient. This
	// differs from the trait NoGradient, which stands for a gradient of zero. NewTable sets the
	// field for the gradients that a Family lists separately.
	Gradient Gradient
	// GPU describes how GPUs compute the op; nil means that the host computes it. NewTable sets
	// this field from Family.GPU.
	GPU *GPU
	// Lower appends kernel calls. It is nil for ops that passes replace, such as function calls and
	// variables. No such op may be in the graph when it is lowered.
	Lower func(*Builder) error
}

// Has reports whether all flags in f are set.
func (d *Def) Has(f Flags) bool { return d.Flags&f == f }
