package ops

import "github.com/graphc/graphc/ir"

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
	"VarHandleOp": true, "VarIsInitializedOp": true, "ReadVariableOp": true, "AssignVariableOp": true, "VariableShape": true, "DestroyResourceOp": true,
}

// HostSide reports an op that needs no kernel in a partition on a GPU.
func HostSide(n *ir.Node) bool { return hostSide[n.Op] }
