package lower

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// Flags tell passes what they may do with an op.
type Flags uint32

// The flags.
const (
	// Stateful ops have effects or answers of their own: never merged, folded,
	// or removed while a fetch, target or control edge reaches them.
	Stateful Flags = 1 << iota
	// Commutative ops have two inputs that may change places.
	Commutative
	// Expensive ops are not worth duplicating.
	Expensive
	// NoFold ops are left to the run even with constant inputs.
	NoFold
	// Forward ops hand on what they get: output i is input i (Identity, StopGradient, IdentityN).
	Forward
	// Effect ops are lowered even when nobody reads their outputs, once they are reachable.
	Effect
	// Flow ops are the control flow of TensorFlow 1: the nodes after them may be dead, or run more than
	// once, and then control edges carry that, too.
	Flow
	// Argument ops stand for what a function gets or returns.
	Argument
	// Replaced ops are those that passes make others of: nothing lowers them.
	Replaced
	// AnyRank ops make a tensor of a rank that only a run tells, of which nothing but a fetch reads:
	// output 0 is a vector of its elements.
	AnyRank
	// HostSide ops need no kernel of their own in a partition on a GPU: they hand on a tensor where it is, say
	// what its shape is, join regions, or work on lists, which become tensors where all is known of them and are
	// the host's elsewhere.
	HostSide
	// SwitchMerge ops are conditionals and loops that TensorFlow lowers to Switch and Merge.
	SwitchMerge
	// Kept ops make handles of what a program keeps between runs; nodes alike name the same.
	Kept
	// Leaves ops leave the resources as they are whose handles they get or make.
	Leaves
	// SavedTable ops make a table whose contents a checkpoint may have: one that is kept and may be
	// changed at any time.
	SavedTable
	// WinogradOK ops may be computed with Winograd's method: the accuracy class of convolutions.
	WinogradOK
)

// Def describes an op.
type Def struct {
	Name  string
	Level Level
	Flags Flags
	// Traits say what is known of the function that the op computes.
	Traits Traits
	// Types lists, by type attribute, the element types the lowering takes;
	// attributes not named take what the op's signature allows.
	Types map[string][]tensor.DType
	// Limits says in a few words what is refused, for the op table; "" is nothing.
	Limits string
	// Makes is what output 0, a variant, holds, and Wants what input 0 must hold; "" where nothing is said.
	Makes, Wants VariantKind
	// Holding is what the op does with containers; nil where that is nothing.
	Holding *Holding
	// Contradicts refuses a node for what it states itself, before any pass puts other nodes in the place of it;
	// nil refuses nothing.
	Contradicts func(*ir.Node) error
	// Access says what a node of the op touches beside its tensors; nil is NoAccess.
	Access func(*ir.Node) (a Access, what string)
	// Shape infers the outputs' facts. It is called after the inputs' facts are known.
	Shape func(*Shaper) error
	// Gradient makes the nodes of the op's gradient, nil where it has none; see NoGradient. The table fills it in, too.
	Gradient Gradient
	// GPU says how GPUs compute the op; nil where the host does. The table fills it in from its families.
	GPU *GPU
	// Lower appends kernel calls. nil for ops that only passes handle (function
	// calls, variables): the graph must not hold them any more when it is lowered.
	Lower func(*Builder) error
}

// Has reports whether all flags f are set.
func (d *Def) Has(f Flags) bool { return d.Flags&f == f }
