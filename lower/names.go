package lower

import (
	"strconv"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
)

// ReadAnyRank is an op that reads a variable whose rank may be unknown, for a fetch. The pass anyrank
// creates such nodes. Output 0 is a vector of the variable's elements. Only a fetch reads the vector;
// the fetched tensor has the variable's shape.
const ReadAnyRank = "_ReadAnyRank"

// DecodeImageAny is a DecodeImage with expand_animations whose result only a fetch reads. The result
// is a vector of the image's elements. The fetched tensor has the image's shape, with 4 dimensions
// for a GIF file and 3 otherwise; see the pass anyrank.
const DecodeImageAny = "_DecodeImageAny"

// FreshDim returns a symbol for a dimension, given by axis, of the fed tensor with the given name. It
// chooses a symbol that is not in the given set, and adds it to the set. The set is needed because two
// different tensor names may lead to equal identifiers.
func FreshDim(taken map[string]bool, name string, axis int) *sym.Expr {
	base := DimName(name, axis)
	fresh := base
	for k := 1; taken[fresh]; k++ {
		fresh = base + "_" + strconv.Itoa(k)
	}
	taken[fresh] = true
	return sym.Var(fresh)
}

// TableKeys and TableValues are attributes of a table's node that hold the table's initial
// contents. The pass named state reads these from the checkpoint. The attribute TableCheckpoint holds
// the names under which the keys and values are saved, or "" for a table that is not saved.
const (
	TableKeys       = "_table_keys"
	TableValues     = "_table_values"
	TableCheckpoint = "_table_checkpoint"
)

// ParseTensorAny and ParseTensorFlat are ParseTensor for a tensor whose rank is known only at run
// time. Their result is a vector of the tensor's elements; see the pass anyrank. Only a fetch reads
// the result of ParseTensorAny, and the fetched tensor has the parsed tensor's shape.
const (
	ParseTensorAny  = "_ParseTensorAny"
	ParseTensorFlat = "_ParseTensorFlat"
)

// ParsedRank is an attribute of ParseTensor. The pass anyrank sets it to the rank that a following
// EnsureShape requires. The program checks this rank at run time.
const ParsedRank = "_rank"

// MayBeEmpty is an attribute of nodes made by passes: it means that an index may refer to a slice
// without elements.
const MayBeEmpty = "_may_be_empty"

// RowOfList is an attribute of nodes made by passes. It means that the node replaces a read or a
// write of an element of a list or an array. For such a node, an index out of range is an error on
// GPUs, too.
const RowOfList = "_row_of_list"

// SomeRows is an op that passes its input through. If the input has no rows, the op fails with the
// error code in its attribute code. The pass named arrays creates such nodes when it replaces a read
// of all elements of a container whose element shape is not specified.
const SomeRows = "_SomeRows"

// AnonymousName is the shared name of variables that are created anew each time their node runs.
const AnonymousName = "cd2c89b7-88b7-44c8-ad83-06c2a9158347"

// VariableValue is the attribute of a variable's node that holds the variable's first value. The
// passes named state and freeze read the value from the checkpoint.
const VariableValue = "_value"

// VariableCheckpoint is the attribute of a variable's node that holds the name of the checkpoint's
// tensor with the variable's value, or "" if the value is not saved. If the value is only a part of
// that tensor, the attribute VariableSlice selects the part.
const (
	VariableCheckpoint = "_checkpoint"
	VariableSlice      = "_slice"
)

// Validates reports whether an assignment rejects a value whose shape differs from the variable's.
func Validates(n *ir.Node) bool {
	if v, given := n.Attrs["validate_shape"].(bool); given {
		return v
	}
	return n.Op == "Assign"
}
