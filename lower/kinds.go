package lower

import (
	"strings"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/rt/tensor"
)

// variantKind is what a tensor of variants holds.
type variantKind string

const (
	listKind     variantKind = "a list"
	mapKind      variantKind = "a map"
	optionalKind variantKind = "an optional"
	raggedKind   variantKind = "a ragged tensor"
	csrKind      variantKind = "a sparse matrix"
	sparseKind   variantKind = "a serialized sparse tensor"
)

// madeKinds are the ops that make variants, by what they make.
var madeKinds = map[string]variantKind{
	"EmptyTensorList": listKind, "TensorListReserve": listKind, "TensorListFromTensor": listKind, "TensorListSplit": listKind,
	"TensorListScatter": listKind, "TensorListScatterV2": listKind, "TensorListSetItem": listKind, "TensorListPushBack": listKind,
	"TensorListResize": listKind, "TensorListScatterIntoExistingList": listKind, "TensorListConcatLists": listKind, "TensorListPopBack": listKind,
	"EmptyTensorMap": mapKind, "TensorMapInsert": mapKind, "TensorMapErase": mapKind,
	"OptionalNone": optionalKind, "OptionalFromValue": optionalKind,
	"RaggedTensorToVariant":  raggedKind,
	"DenseToCSRSparseMatrix": csrKind, "SparseTensorToCSRSparseMatrix": csrKind,
	"SerializeSparse": sparseKind, "SerializeManySparse": sparseKind,
}

// wantedKind is what input 0 of an op must hold, "" where it may be anything.
func wantedKind(op string) variantKind {
	switch {
	case strings.HasPrefix(op, "TensorListFrom"), strings.HasPrefix(op, "TensorListSplit"), op == "TensorListScatter", op == "TensorListScatterV2", op == "TensorListPushBackBatch":
		return ""
	case strings.HasPrefix(op, "TensorList"):
		return listKind
	case strings.HasPrefix(op, "TensorMap"):
		return mapKind
	case op == "OptionalHasValue", op == "OptionalGetValue":
		return optionalKind
	case op == "RaggedTensorFromVariant":
		return raggedKind
	case op == "DeserializeSparse":
		return sparseKind
	case strings.HasPrefix(op, "CSRSparseMatrix"), strings.HasPrefix(op, "SparseMatrix"):
		return csrKind
	}
	return ""
}

// variantMaker goes back from a variant to the node that made it, nil where the graph does not tell.
func variantMaker(o ir.Out) *ir.Node {
	for range 1000 {
		n := o.Node
		if o.Index != 0 {
			return nil
		}
		if madeKinds[n.Op] != "" {
			return n
		}
		if n.Op != "Identity" && n.Op != "ZerosLike" || len(n.Ins) == 0 {
			return nil
		}
		o = n.Ins[0]
	}
	return nil
}

// Contradicts refuses a node for what it and those before it state, whatever the shapes are. It is
// asked before any pass puts other nodes in the place of this one.
func Contradicts(n *ir.Node) error {
	if err := checkInt32Attrs(n); err != nil {
		return err
	}
	switch n.Op {
	case "Copy", "CopyHost":
		return copySpec(n)
	case "PlaceholderWithDefault":
		if t, ok := n.Ins[0].Node.Attrs["value"].(*tensor.Tensor); ok && n.Ins[0].Node.Op == "Const" {
			return DefaultFits(n, ir.StaticShape(t.Shape...))
		}
		return nil
	}
	want := wantedKind(n.Op)
	if want == "" {
		return nil
	}
	for i, o := range n.Ins {
		if i > 0 && n.Op != "TensorListConcatLists" || o.Fact().DType != tensor.Variant {
			break
		}
		m := variantMaker(o)
		if m == nil {
			continue
		}
		if made := madeKinds[m.Op]; made != want {
			return tensor.Errorf(tensor.InvalidArgument, "input %d is %s, %s is required", i, made, want)
		}
		d, typed := n.Attrs["element_dtype"].(tensor.DType)
		if made, ok := m.Attrs["element_dtype"].(tensor.DType); ok && typed && made != d {
			return tensor.Errorf(tensor.InvalidArgument, "a list of %v is used as one of %v", made, d)
		}
	}
	return nil
}
