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
	// Without lists the names of optional passes to leave out. The name of a required pass, or an
	// unknown name, is an InvalidArgument error.
	Without []string
	// SoftPlacement moves nodes that request a missing device to the CPU.
	SoftPlacement bool
	// Place sets Node.Device of every node to a full name, which later passes keep. nil: only CPUs
	// exist, and they act as one device.
	Place func(*ir.Graph) error
	// PlaceUnpruned places nodes before unneeded ones are dropped. Unneeded nodes then must also
	// request devices that exist and call only functions that can be inlined.
	PlaceUnpruned bool
	// Limits bound how far passes may grow a graph: only Inlined, Calls, FoldNode and FoldTotal
	// apply here. The graph's Deadline bounds the time.
	Limits ir.Limits
	// MaxFolded is the size in bytes of the largest constant that pass fold stores. It can only
	// lower the limit that the pass itself has; 0 means no further limit.
	MaxFolded int
	// Fuel is the number of edits that all optional passes together may still make; each edit
	// reduces it by one. nil: unlimited. Bisection over Fuel finds the edit that makes an answer
	// wrong.
	Fuel *int
	// Check runs ir.Check after every pass; a failure is Internal and names the pass.
	Check bool
	// Values returns the value of a variable, which is identified by the name of its node. It
	// returns FailedPrecondition if the variable has no value. nil: no variable has a value.
	Values func(node string) (*tensor.Tensor, error)
	// Keys returns where a variable is saved in a checkpoint, given the name of the variable's
	// node: the key, and the slice of the saved tensor that belongs to the variable. The key is ""
	// for a variable that is not saved. If the result told is false, or if Keys is nil, a variable
	// is saved under the name of its node.
	Keys func(node string) (key, slice string, told bool)
	// Table returns the initial content of a table, given the name of its node; nil keys mean an
	// empty table. The result names holds the names under which the table's keys and values are
	// saved in a checkpoint: "" for a part that is not saved, nil if the names are unknown. If
	// Table is nil, all tables are empty at the beginning.
	Table func(node string) (keys, values *tensor.Tensor, names []string, err error)
	// Needed returns an error for a node, given its name, if the node's state is in a checkpoint
	// but was not loaded. nil: no such errors.
	Needed func(node string) error
	// Written reports whether some signature of the program writes a variable. The variable is
	// given by the name of its node or by its lower.VariableKey. The caller collects the answer by
	// calling Writers for the graphs of all signatures. nil: only this graph's nodes write.
	Written func(variable string) bool
	// Device is the type of the partition's device; "" means CPU. Passes that make nodes for CPU
	// kernels skip partitions of other devices.
	Device string
	// Watch returns whether a tensor that the graph computes is to be watched, or checked for NaN
	// and Inf, in each run. nil: no tensor is. Tensors in regions cannot be watched.
	Watch func(ir.Out) (Watch, error)
	// Eval computes the fetches of a graph that has no feeds. nil: passes evaluate no constant
	// subgraphs.
	Eval func(*ir.Graph) ([]*tensor.Tensor, error)
	// Apart is set if the caller will divide the graph further after RunWhole, even if all nodes
	// are on one device. RunWhole then treats the graph like one on several devices.
	Apart bool
	// Dump is called after every pass that ran, with the name of the pass. If a pass such as fold
	// changes the graph again in the second round, the name is "fold.2".
	Dump func(pass string, g *ir.Graph)
}

// Watch is a bit set of what each run does with a tensor in addition: pass it to a watcher, or
// check it.
type Watch uint8
