package edit

import (
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// Options configure Run.
type Options struct {
	// Ops describes all ops; it must be given.
	Ops *lower.Table
	// NoOpt leaves out every pass that is not required.
	NoOpt bool
	// Without lists the names of optional passes to leave out. An unknown or required pass is
	// InvalidArgument.
	Without []string
	// SoftPlacement moves nodes that request a missing device to the CPU.
	SoftPlacement bool
	// Place sets Node.Device of every node to a full name, which later passes keep. nil: only CPUs
	// exist, and they act as one device.
	Place func(*ir.Graph) error
	// PlaceUnpruned places nodes before unneeded ones are dropped. Then unneeded nodes, too, must
	// request devices that exist and call only functions that can be inlined.
	PlaceUnpruned bool
	// Limits bound how far passes may grow a graph: only Inlined, Calls, FoldNode and FoldTotal
	// apply here. The graph's Deadline bounds the time.
	Limits ir.Limits
	// MaxFolded is the size in bytes of the largest constant that pass fold stores. It only lowers
	// the pass's own bound; 0 leaves that bound.
	MaxFolded int
	// Fuel is the number of edits that all optional passes together may still make; each edit
	// reduces it by one. nil: unlimited. Bisection over Fuel finds the edit that makes an answer
	// wrong.
	Fuel *int
	// Check runs ir.Check after every pass; a failure is Internal and names the pass.
	Check bool
	// Values returns the value of a variable by the name of its node, or FailedPrecondition if the
	// variable has none. nil: no variable has a value.
	Values func(node string) (*tensor.Tensor, error)
	// Keys returns the saved key of a variable, and the part of that key's tensor, by the name of
	// the variable's node. The key is "" for a variable that is not saved. If the result told is
	// false, or if Keys is nil, a variable is saved under its own name.
	Keys func(node string) (key, slice string, told bool)
	// Table returns the initial content of a table by the name of its node; nil means empty. The
	// result names holds the names under which the table's keys and values are saved in a
	// checkpoint: "" for a part that is not saved, nil if the names are unknown. A nil Table makes
	// all tables begin empty.
	Table func(node string) (keys, values *tensor.Tensor, names []string, err error)
	// Needed returns an error for a node whose state is in a checkpoint but is not loaded. nil: no
	// node is an error.
	Needed func(node string) error
	// Written reports whether some signature of the program writes a variable, which is given by
	// the name of its node or by its ops.VariableKey. The answer comes from the results of Writers
	// for the graphs of all signatures. nil: only this graph's nodes write.
	Written func(variable string) bool
	// Device is the type of the partition's device; "" means CPU. Passes that make nodes for CPU
	// kernels skip partitions of other devices.
	Device string
	// Watch returns whether a tensor that the graph computes is watched or checked; nil: none is.
	// Tensors in regions cannot be watched.
	Watch func(ir.Out) (Watch, error)
	// Eval computes the fetches of a graph that has no feeds. nil: passes evaluate nothing.
	Eval func(*ir.Graph) ([]*tensor.Tensor, error)
	// Apart makes RunWhole treat a graph on one device like one on several: the caller will divide
	// it further.
	Apart bool
	// Dump is called after every pass that ran: with "fold" in the first round, and with "fold.2"
	// in the second if the pass changed the graph again.
	Dump func(pass string, g *ir.Graph)
}

// Watch is the set of extra uses of a tensor.
type Watch uint8
