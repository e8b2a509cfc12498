package ir

import "strings"

// Ops whose kernel is a Go function that the user supplies. The frontend turns each node whose op
// has such a function into one of these ops, so that no rewrite mistakes the node for TensorFlow's
// op of the same name.
const (
	// GoOp computes its outputs from its inputs and attributes.
	GoOp = "_Go"
	// GoEffectOp has side effects or returns different results each time: TensorFlow calls such ops
	// stateful.
	GoEffectOp = "_GoEffect"
)

// The attributes of those ops, in addition to those of the op they replace.
const (
	GoName    = "_go_op"      // string: the op they replace
	GoFunc    = "_go_func"    // string: the function, as path.Name
	GoSizes   = "_go_sizes"   // string: the function for unknown output dimensions, as path.Name; "" for none
	GoOutputs = "_go_outputs" // list(string): the outputs' shapes; empty if TensorFlow's op defines them
	GoInputs  = "_go_inputs"  // list(string): the argument name of each input
	GoParams  = "_go_params"  // list(string): the attributes that are passed to the functions
)

// IsGoAttr reports whether an attribute belongs to GoOp and GoEffectOp. Unlike other attributes
// that begin with _, it affects what a node computes.
func IsGoAttr(name string) bool { return strings.HasPrefix(name, "_go_") }

// OpName returns a node's op for messages: for GoOp and GoEffectOp, the op they replace.
func (n *Node) OpName() string {
	if n.Op == GoOp || n.Op == GoEffectOp {
		if s, ok := n.Attrs[GoName].(string); ok {
			return s
		}
	}
	return n.Op
}
