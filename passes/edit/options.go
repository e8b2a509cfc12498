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
	// NoOpt disables all optional passes.
	NoOpt bool
	// Without lists the names of optional passes to leave out. The name of a required pass, or an
	// unknown name, is an InvalidArgument error.
	Without []string
	// SoftPlacement moves nodes that request a missing device to the CPU.
	SoftPlacement bool
	// Place sets Node.Device of each node to the full name of a device, which later passes do not
	// change. If Place is nil, there are only CPUs, which are treated as a single device.
	Place func(*ir.Graph) error
	// PlaceUnpruned says that nodes are placed before the unneeded ones are removed. It is then an
	// error, even for unneeded nodes, to request a missing device or to call a function that cannot
	// be inlined.
	PlaceUnpruned bool
	// Limits bounds the size to which passes may increase a graph. Only its fields Inlined, Calls,
	// FoldNode and FoldTotal are used. The time is bounded by the Deadline of the graph.
	Limits ir.Limits
	// MaxFolded is the size in bytes of the largest constant that the pass named fold stores, if it
	// is less than the limit of the pass itself. 0 means that there is only the limit of the pass.
	MaxFolded int
	// Fuel is the number of edits that all optional passes together may still make. Each edit
	// decrements it. If it is nil, the number is unlimited. A binary search with different numbers
	// finds the edit that makes a result wrong.
	Fuel *int
	// Check runs ir.Check after every pass; a failure is Internal and names the pass.
	Check bool
	// Values returns the value of the variable whose node has the given name. It returns
	// FailedPrecondition if the variable has no value. If Values is nil, no variable has a value.
	Values func(node string) (*tensor.Tensor, error)
	// Keys returns the place in a checkpoint where a variable is saved. The parameter is the name
	// of the variable's node. The result key is the key of a tensor in the checkpoint, or "" if the
	// variable is not saved; slice is the part of this tensor that belongs to the variable. If told
	// is false, or if Keys is nil, the key is the name of the variable's node.
	Keys func(node string) (key, slice string, told bool)
	// Table returns the initial contents of a table. The parameter is the name of the table's node.
	// If keys is nil, the table is empty. names holds the names under which the table's keys and
	// its values are saved in a checkpoint. A name is "" if this part is not saved; names is nil if
	// the names are unknown. If Table is nil, all tables are empty at first.
	Table func(node string) (keys, values *tensor.Tensor, names []string, err error)
	// Needed returns an error if the state of a node is in a checkpoint but has not been loaded.
	// The parameter is the name of the node. If Needed is nil, there are no such errors.
	Needed func(node string) error
	// Written reports whether any signature of the program writes to a variable. The parameter is
	// the name of the variable's node, or its lower.VariableKey. The caller finds the written
	// variables by calling Writers for the graphs of all signatures. If Written is nil, only nodes
	// in this graph write to variables.
	Written func(variable string) bool
	// Device is the type of the partition's device; "" means CPU. Passes that make nodes for CPU
	// kernels skip partitions of other devices.
	Device string
	// Watch returns what each run has to do with a tensor that the graph computes: pass it to a
	// watcher, or check it for NaN and Inf. If Watch is nil, nothing is to be done. Watch is not
	// called for tensors in regions.
	Watch func(ir.Out) (Watch, error)
	// Eval computes the fetches of a graph that has no feeds. nil: passes evaluate no constant
	// subgraphs.
	Eval func(*ir.Graph) ([]*tensor.Tensor, error)
	// Apart says that the caller will divide the graph into several parts after RunWhole, even if
	// all nodes are on the same device. RunWhole then handles the graph as if its nodes were on
	// several devices.
	Apart bool
	// Dump is called after each pass that has run, with the name of the pass. Some passes, such as
	// fold, run in two rounds. If the second round changes the graph, the name is "fold.2".
	Dump func(pass string, g *ir.Graph)
}

// Watch is a set of bits. Each bit says what a run does with a tensor in addition to computing it:
// it passes the tensor to a watcher, or checks it.
type Watch uint8
