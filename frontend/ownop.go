package frontend

import (
	"maps"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
)

// OwnOp is an op whose kernel is a Go function that the user wrote: an op that TensorFlow does not
// have, or a replacement for one of TensorFlow's. Its nodes become nodes of ir.GoOp, or of
// ir.GoEffectOp if the signature is stateful.
type OwnOp struct {
	Signature *opdef.Op
	Func      string // name of the Go function: its import path, a dot, and its name in the package
	// name, in the form of Func, of the function that returns the outputs' sizes; "" for none
	Sizes   string
	Outputs []string // the outputs' shapes; nil if TensorFlow's op defines them
}

// take changes n, which is a node of this op, into a node that calls the user's function. starts
// holds the index of each argument's first input, and count is the number of the node's inputs.
func (o *OwnOp) take(n *ir.Node, starts []int, count int) {
	used := map[string]bool{}
	for _, args := range [][]opdef.Arg{o.Signature.Ins, o.Signature.Outs} {
		for _, a := range args {
			used[a.TypeAttr], used[a.NumberAttr], used[a.TypeListAttr] = true, true, true
		}
	}
	var params []string
	for _, a := range o.Signature.Attrs {
		if !used[a.Name] {
			params = append(params, a.Name)
		}
	}
	names := make([]string, count)
	for i, a := range o.Signature.Ins {
		for k := starts[i]; k < count; k++ {
			names[k] = a.Name
		}
	}
	maps.Copy(n.Attrs, map[string]ir.Attr{ir.GoName: n.Op, ir.GoFunc: o.Func, ir.GoSizes: o.Sizes, ir.GoOutputs: o.Outputs,
		ir.GoInputs: names, ir.GoParams: params})
	if n.Op = ir.GoOp; o.Signature.Stateful {
		n.Op = ir.GoEffectOp
	}
}
