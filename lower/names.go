package lower

import (
	"strconv"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
)

// ReadAnyRank reads a variable of any rank to be fetched; pass anyrank makes it. Output 0 is a
// vector of the variable's elements. Only a fetch reads it; the fetch has the variable's shape.
const ReadAnyRank = "_ReadAnyRank"

// DecodeImageAny is a DecodeImage with expand_animations whose result only a fetch reads. Its
// result is a vector of the elements, which has 4 dimensions for a GIF file and 3 otherwise; see
// pass anyrank.
const DecodeImageAny = "_DecodeImageAny"

// FreshDim returns a symbol for dimension axis of a fed tensor that is not in taken, and adds it to
// taken. Different tensor names may give equal identifiers.
func FreshDim(taken map[string]bool, name string, axis int) *sym.Expr {
	base := DimName(name, axis)
	fresh := base
	for k := 1; taken[fresh]; k++ {
		fresh = base + "_" + strconv.Itoa(k)
	}
	taken[fresh] = true
	return sym.Var(fresh)
}

// TableKeys and TableValues are attributes of a table's node with its initial contents, which pass
// state reads from the checkpoint. TableCheckpoint has the names under which the keys and values
// are saved, or "" for a table that is not saved.
const (
	TableKeys       = "_table_keys"
	TableValues     = "_table_values"
	TableCheckpoint = "_table_checkpoint"
)

// ParseTensorAny and ParseTensorFlat are ParseTensor for a tensor of any rank. Their result is a
// vector of its elements; see pass anyrank. Only a fetch reads the first, and has the tensor's
// shape.
const (
	ParseTensorAny  = "_ParseTensorAny"
	ParseTensorFlat = "_ParseTensorFlat"
)

// ParsedRank is an attribute of ParseTensor. Pass anyrank stores in it the rank that a following
// EnsureShape demands. The run checks it.
const ParsedRank = "_rank"

// MayBeEmpty is an attribute of nodes made by passes: an index may refer to a slice without
// elements.
const MayBeEmpty = "_may_be_empty"

// RowOfList is an attribute of nodes that passes made from a node that reads or writes an element
// of a list or an array. An index out of range is an error on GPUs, too.
const RowOfList = "_row_of_list"

// SomeRows passes its input through. If the input has no rows, it fails with the code in attribute
// code. Pass arrays makes it from a read of all elements of a container of unspecified element
// shape.
const SomeRows = "_SomeRows"

// AnonymousName is the shared name of variables that are made anew in every execution.
const AnonymousName = "cd2c89b7-88b7-44c8-ad83-06c2a9158347"

// VariableValue is the attribute of a variable's node with its first value, which pass freeze reads
// from the checkpoint.
const VariableValue = "_value"

// VariableCheckpoint is the attribute of a variable's node with the name under which its value is
// saved, or "" if it is not saved. VariableSlice selects the part of that tensor that the variable
// is, unless it is all of it.
const (
	VariableCheckpoint = "_checkpoint"
	VariableSlice      = "_slice"
)

// Validates reports whether an assignment rejects a shape that differs from the variable's.
func Validates(n *ir.Node) bool {
	if v, given := n.Attrs["validate_shape"].(bool); given {
		return v
	}
	return n.Op == "Assign"
}
