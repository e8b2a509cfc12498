package lower

import (
	"slices"
	"strings"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// hostSide are ops that a partition on a GPU computes without a kernel of its own: they
// hand on a tensor where it is, say what its shape is, join regions, or name state that
// the host keeps.
var hostSide = map[string]bool{
	"Const": true, "Placeholder": true, "PlaceholderWithDefault": true, "NoOp": true,
	"Identity": true, "IdentityN": true, "StopGradient": true, "PreventGradient": true, "Snapshot": true, "EnsureShape": true,
	"Reshape": true, "Squeeze": true, "ExpandDims": true, "Bitcast": true,
	"Shape": true, "ShapeN": true, "Size": true, "Rank": true,
	"Switch": true, "RefSwitch": true, "_SwitchN": true, "Merge": true, "RefMerge": true, "Enter": true, "RefEnter": true, "Exit": true, "RefExit": true,
	"NextIteration": true, "RefNextIteration": true, "LoopCond": true, "ControlTrigger": true,
	"If": true, "StatelessIf": true, "Case": true, "StatelessCase": true, "While": true, "StatelessWhile": true, "For": true,
}

// HostSide reports an op that needs no kernel in a partition on a GPU. All that has to do
// with a resource or a list is among them, since the host keeps those.
func HostSide(n *ir.Node) bool { return hostSide[n.Op] || isList(n.Op) || HasState(n) }

// isList reports the ops of TensorLists, which become tensors where all is known of them
// and are the host's elsewhere.
func isList(op string) bool { return strings.HasPrefix(op, "TensorList") || op == "EmptyTensorList" }

// HasState reports an op that takes or gives a handle or a reference.
func HasState(n *ir.Node) bool {
	d := opdef.Lookup(n.Op)
	if d == nil {
		return false
	}
	return slices.ContainsFunc(append(slices.Clone(d.Ins), d.Outs...), func(a opdef.Arg) bool { return a.Ref || a.DType == tensor.Resource })
}
