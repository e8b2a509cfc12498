package placer

import (
	"slices"
	"strings"

	"github.com/graphc/graphc/frontend/opdef"
	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// Type is the type of an input or output: its element type, and whether it is a reference.
type Type struct {
	DType tensor.DType
	Ref   bool // a reference to a variable's buffer
}

// shared reports whether a value of the type refers to memory on a device. If so, readers of the
// value must be on that device.
func (t Type) shared() bool { return t.Ref || t.DType == tensor.Resource }

// typesOf returns the types of n's inputs and outputs that the definition of n's op declares. If
// the definition does not declare a type, as for graphc's own ops, the result is the type inferred
// for the tensor.
func typesOf(n *ir.Node) (ins, outs []Type) {
	ins, outs = make([]Type, len(n.Ins)), make([]Type, len(n.Outs))
	for i, o := range n.Ins {
		if o.Node != nil && o.Index >= 0 && o.Index < len(o.Node.Outs) {
			ins[i].DType = o.Fact().DType
		}
	}
	for i := range outs {
		outs[i].DType = n.Outs[i].DType
	}
	if op := opdef.Lookup(n.Op); op != nil {
		declared(n, op.Ins, ins)
		declared(n, op.Outs, outs)
	}
	return ins, outs
}

// declared overwrites elements of the parameter types with the types that the argument definitions
// in the parameter args declare.
func declared(n *ir.Node, args []opdef.Arg, types []Type) {
	at := 0
	set := func(d tensor.DType, ref bool) bool {
		if at == len(types) {
			return false
		}
		if d != tensor.Invalid {
			types[at].DType = d
		}
		types[at].Ref = ref
		at++
		return true
	}
	for _, a := range args {
		switch {
		case a.TypeListAttr != "":
			for _, d := range n.DTypes(a.TypeListAttr) {
				if !set(d, a.Ref) {
					return
				}
			}
		case a.NumberAttr != "":
			d := a.DType
			if a.TypeAttr != "" {
				d = n.DType(a.TypeAttr)
			}
			for range n.Int(a.NumberAttr) {
				if !set(d, a.Ref) {
					return
				}
			}
		default:
			d := a.DType
			if a.TypeAttr != "" {
				d = n.DType(a.TypeAttr)
			}
			if !set(d, a.Ref) {
				return
			}
		}
	}
}

func statefulOp(op string) bool {
	o := opdef.Lookup(op)
	return o != nil && o.Stateful
}

// exempt reports whether an op may be on another device than its resource inputs. Examples are
// calls, and datasets whose functions capture values: they pass the inputs to nodes that are placed
// separately.
func exempt(op string) bool {
	switch op {
	case "PartitionedCall", "StatefulPartitionedCall", "IdentityN", "DeleteMultiDeviceIterator":
		return true
	}
	return strings.Contains(op, "Dataset") && captures(op)
}

// captures reports whether an op has a function and a list of captured values.
func captures(op string) bool {
	o := opdef.Lookup(op)
	return o != nil && slices.ContainsFunc(o.Attrs, func(a opdef.Attr) bool { return a.Kind == "func" }) &&
		slices.ContainsFunc(o.Ins, func(a opdef.Arg) bool { return a.TypeListAttr != "" })
}

// isDataset reports whether n's only output is a dataset. Datasets have the type variant.
func isDataset(n *node) bool {
	if len(n.outs) != 1 || n.outs[0].DType != tensor.Variant {
		return false
	}
	name := strings.TrimRight(n.op, "0123456789")
	return n.op == "DatasetFromGraph" || strings.HasSuffix(n.op, "Dataset") || name != n.op && strings.HasSuffix(name, "DatasetV")
}

// isCall reports whether op calls a function that is placed separately.
func isCall(op string) bool { return op == "PartitionedCall" || op == "StatefulPartitionedCall" }

// isMetadata reports whether op reads only the shape of its input.
func isMetadata(op string) bool { return op == "Shape" || op == "Size" || op == "Rank" }

func isIdentity(op string) bool { return op == "Identity" || op == "RefIdentity" }

// listElement returns the type of the list's elements if n is an op on a TensorList, and Invalid
// otherwise.
func listElement(n *ir.Node) tensor.DType {
	if n == nil || n.Op != "EmptyTensorList" && !strings.HasPrefix(n.Op, "TensorList") {
		return tensor.Invalid
	}
	return n.DType("element_dtype")
}

// hostOnly reports whether values of the type are in host memory on every device.
func hostOnly(d tensor.DType) bool { return d == tensor.String || d == tensor.Resource }

// handsOn reports whether op only passes its inputs on and accepts any variant. Such an op must be
// on the device where the content of the variant is.
func handsOn(op string) bool {
	switch strings.TrimPrefix(op, "Ref") {
	case "Identity", "IdentityN", "Switch", "_SwitchN", "Merge", "Enter", "Exit", "NextIteration", "Select", "LoopCond",
		"If", "StatelessIf", "While", "StatelessWhile", "Case", "StatelessCase", "_Retval", "_DeviceRetval",
		ir.YieldOp, ir.MergeOp, ir.LoopVarOp, ir.NextOp:
		return true
	}
	return isCall(op)
}
