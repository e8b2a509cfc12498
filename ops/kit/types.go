package kit

import (
	"slices"

	"github.com/graphc/graphc/ir/sym"
	"github.com/graphc/graphc/lower"
	"github.com/graphc/graphc/rt/tensor"
)

// DataTypes are the element types that ops can move without computing.
var DataTypes = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16,
	tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64,
	tensor.Bool, tensor.String, tensor.Complex64, tensor.Complex128,
	tensor.QInt8, tensor.QUint8, tensor.QInt16, tensor.QUint16, tensor.QInt32}

// Moves are the Types of an op that moves elements of type attribute T.
var Moves = map[string][]tensor.DType{"T": DataTypes}

// Passes are the Types of an op that passes on whole tensors of type attribute T, including
// handles.
var Passes = map[string][]tensor.DType{"T": append(slices.Clone(DataTypes), tensor.Resource, tensor.Variant)}

var FloatTypes = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16}

// IsInt reports whether e is an integer known at compile time.
func IsInt(e *sym.Expr) bool { _, ok := e.IsInt(); return ok }

var (
	HalfFloats  = []tensor.DType{tensor.Half, tensor.Float32, tensor.Float64}
	RateTypes   = []tensor.DType{tensor.Half, tensor.Float32, tensor.Float64, tensor.Int32, tensor.Int64}
	DoubleTypes = []tensor.DType{tensor.Float32, tensor.Float64}
)

// MadeByPasses is the text in the field Limits of a lower.Def for ops whose nodes are created only by
// compiler passes.
const MadeByPasses = "made by passes only"

var DistanceTypes = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16, tensor.Complex64, tensor.Complex128,
	tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64, tensor.Bool, tensor.String}

// NumberTypes are the integers, floats and complex numbers, without quantized types and bool.
var NumberTypes = []tensor.DType{tensor.Float32, tensor.Float64, tensor.Half, tensor.BFloat16,
	tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64,
	tensor.Complex64, tensor.Complex128}

// Looks holds the flags of ops that only read a resource. Changes holds the flags of ops that
// change a resource.
const (
	Looks   = lower.Stateful | lower.NoFold
	Changes = lower.Stateful | lower.Effect | lower.NoFold
)

// SoftmaxTypes lists the element types of ops whose attribute T may be any float type.
var SoftmaxTypes = map[string][]tensor.DType{"T": {tensor.Float32, tensor.Float64, tensor.BFloat16, tensor.Half}}

// AttrTypes returns the Types of an op that accepts the types ds in type attribute attr.
func AttrTypes(attr string, ds []tensor.DType) map[string][]tensor.DType {
	return map[string][]tensor.DType{attr: ds}
}

// WithTypes adds the types of one more attribute.
func WithTypes(m map[string][]tensor.DType, attr string, ds []tensor.DType) map[string][]tensor.DType {
	m[attr] = ds
	return m
}
