package edit

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// Options say what Run does.
type Options struct {
	// Ops describes all ops; it must be given.
	Ops *lower.Table
	// NoOpt leaves out every pass that is not required.
	NoOpt bool
	// Without names optional passes to leave out; the name of none, or of a
	// required one, is InvalidArgument.
	Without []string
	// SoftPlacement puts nodes that ask for a device which does not exist on the CPU.
	SoftPlacement bool
	// Place gives every node its device: a full name in Node.Device, which passes
	// after it keep. nil: there are CPUs only, which run what asks for them as one.
	Place func(*ir.Graph) error
	// PlaceUnpruned places nodes before the ones that nothing needs are dropped:
	// these must stand on devices that exist, too, and be calls of functions that
	// can be inlined.
	PlaceUnpruned bool
	// Limits bound what passes make of a graph: Inlined, Calls, FoldNode and FoldTotal
	// count here. How long they may take the graph's Deadline says.
	Limits ir.Limits
	// MaxFolded is the size in bytes of the largest constant that pass fold stores, if
	// it is less than what the pass allows; 0 is no bound.
	MaxFolded int
	// Fuel is the number of edits the optional passes may still make, counted
	// down over all of them; nil: any number. The edit at which an answer turns
	// wrong is found by bisection over it.
	Fuel *int
	// Check runs ir.Check after every pass; a failure is Internal and names the pass.
	Check bool
	// Values returns the value of a variable by the name of its node, and
	// FailedPrecondition for a variable that has none. nil: no variable has a value.
	Values func(node string) (*tensor.Tensor, error)
	// Keys returns the name, and the part of the tensor of that name, under which a
	// variable's value is saved, by the name of its node; the key is "" for one that
	// is not saved. Where it is not told, and with nil, variables are saved under
	// their own names.
	Keys func(node string) (key, slice string, told bool)
	// Table returns what a table holds at first, by the name of its node, nil for
	// nothing, and the names under which its keys and values are saved, which are "" for
	// one that is not and nil where it is not told. nil: tables begin empty.
	Table func(node string) (keys, values *tensor.Tensor, names []string, err error)
	// Needed returns an error for a node whose state a checkpoint has and nothing
	// loads. nil: there is none.
	Needed func(node string) error
	// Written reports whether some signature of the program writes a variable, by
	// the name of its node or its ops.VariableKey: what Writers returns of the
	// graphs of all signatures. nil: only this graph's own nodes write.
	Written func(variable string) bool
	// Device is the type of the device that a partition stands on; "" is CPU. Passes
	// that make nodes for the kernels of CPUs leave those of others alone.
	Device string
	// Watch says of each tensor that the graph computes whether it is watched or
	// checked; nil: none is. Tensors in regions cannot be watched.
	Watch func(ir.Out) (Watch, error)
	// Eval computes the fetches of a graph that has no feeds. nil: nothing is
	// evaluated when compiling.
	Eval func(*ir.Graph) ([]*tensor.Tensor, error)
	// Apart has RunWhole keep apart what stands on one device, too: the graph is going
	// to be divided further.
	Apart bool
	// Dump is called after every pass that ran, with "fold" in the first round
	// and, where the pass changed the graph again, "fold.2" in the second.
	Dump func(pass string, g *ir.Graph)
}

// Watch says what becomes of a tensor beside its use.
type Watch uint8
