package lower

import (
	"strconv"

	"github.com/graphc/graphc/ir"
	"github.com/graphc/graphc/ir/sym"
)

// ReadAnyRank reads a variable of any rank to be fetched; pass anyrank makes it.
// Its output 0 is a vector of the variable's elements. Nothing but a fetch
// reads it, which has the variable's shape.
const ReadAnyRank = "_ReadAnyRank"

// DecodeImageAny is DecodeImage with expand_animations of what nothing but a fetch reads:
// a vector of the elements, of 4 dimensions for a GIF file and else 3; see pass anyrank.
const DecodeImageAny = "_DecodeImageAny"

// FreshDim is the symbol of dimension axis of a fed tensor that none of taken
// has: names of tensors may differ where identifiers made of them do not. It is
// added to taken.
func FreshDim(taken map[string]bool, name string, axis int) *sym.Expr {
	base := DimName(name, axis)
	fresh := base
	for k := 1; taken[fresh]; k++ {
		fresh = base + "_" + strconv.Itoa(k)
	}
	taken[fresh] = true
	return sym.Var(fresh)
}

// TableKeys and TableValues are the attributes of a table's node that hold what is in
// the table at first, which pass state finds in the checkpoint; TableCheckpoint those
// that hold the names under which keys and values are saved, "" for a table that is not.
const (
	TableKeys       = "_table_keys"
	TableValues     = "_table_values"
	TableCheckpoint = "_table_checkpoint"
)

// ParseTensorAny and ParseTensorFlat are ParseTensor of a tensor of any rank, as a
// vector of its elements; see pass anyrank. Nothing but a fetch reads the first, which has the
// tensor's shape.
const (
	ParseTensorAny  = "_ParseTensorAny"
	ParseTensorFlat = "_ParseTensorFlat"
)

// ParsedRank is the attribute of ParseTensor in which pass anyrank notes the rank
// that an EnsureShape behind it demands; the run checks it.
const ParsedRank = "_rank"

// MayBeEmpty is an attribute of a node that passes made: an index may name a slice
// without elements.
const MayBeEmpty = "_may_be_empty"

// RowOfList is an attribute of a node that passes made of one that reads or writes an
// element of a list or an array: an index outside is an error on GPUs, too.
const RowOfList = "_row_of_list"

// SomeRows hands on its input, which must have rows: an error of the code that
// attribute code is where it has none. Pass arrays makes it of a read of all
// elements of a container whose element shape nobody stated.
const SomeRows = "_SomeRows"

// AnonymousName is the shared name of variables of which every execution makes a new one.
const AnonymousName = "cd2c89b7-88b7-44c8-ad83-06c2a9158347"

// VariableValue is the attribute of a variable's node that holds its first
// value, which pass freeze finds in the checkpoint.
const VariableValue = "_value"

// VariableCheckpoint and VariableSlice are the attributes of a variable's node that
// hold the name under which its value is saved, "" for one that is not, and which
// part of the tensor of that name it is where it is not the whole.
const (
	VariableCheckpoint = "_checkpoint"
	VariableSlice      = "_slice"
)

// Validates reports whether an assignment refuses another shape than the variable's.
func Validates(n *ir.Node) bool {
	if v, given := n.Attrs["validate_shape"].(bool); given {
		return v
	}
	return n.Op == "Assign"
}
