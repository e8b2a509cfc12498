package ir

import "strings"

// The ops whose kernel is a Go function of the user's. They are graphc's own: the
// frontend makes them of the nodes of ops that have been given such a function, so
// that no rewrite takes them for TensorFlow's op of that name.
const (
	// GoOp computes its outputs from its inputs and attributes.
	GoOp = "_Go"
	// GoEffectOp does something besides, or gives other answers each time: TensorFlow
	// calls such ops stateful.
	GoEffectOp = "_GoEffect"
)

// The attributes of those ops, besides those of the op they stand for.
const (
	GoName    = "_go_op"      // string: the op they stand for
	GoFunc    = "_go_func"    // string: the function, as path.Name
	GoSizes   = "_go_sizes"   // string: the function that tells sizes, as path.Name; "" for none
	GoOutputs = "_go_outputs" // list(string): the outputs' shapes; none where TensorFlow's op tells
	GoInputs  = "_go_inputs"  // list(string): for each input the name of its argument
	GoParams  = "_go_params"  // list(string): the attributes that are handed to the functions
)

// IsGoAttr reports whether an attribute is one of those of GoOp and GoEffectOp: unlike other attributes that begin
// with _ it says what a node computes.
func IsGoAttr(name string) bool { return strings.HasPrefix(name, "_go_") }

// OpName is the op of a node for messages: the one it stands for.
func (n *Node) OpName() string {
	if n.Op == GoOp || n.Op == GoEffectOp {
		if s, ok := n.Attrs[GoName].(string); ok {
			return s
		}
	}
	return n.Op
}
