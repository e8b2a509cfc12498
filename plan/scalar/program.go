// Package scalar describes element-wise work as programs on single numbers. A program is what a GPU
// kernel computes for each item of an iteration space. Programs are built from nodes, fused (Fuse,
// Chain) and simplified. Package plan/ptx prints them as kernels.
package scalar

import (
	"math"
	"slices"

	"github.com/graphc/graphc/rt/tensor"
)

// Program computes one item's elements of the outputs from elements of the inputs. It is a list of
// operations in single-assignment form. It does not depend on sizes; a Work adds the sizes.
type Program struct {
	// Dims is the rank of the iteration space, at least 1. Items are numbered in row-major order.
	Dims int
	// Args is the number of integers that a run passes besides sizes and strides.
	Args int
	Ins  []Input
	Ops  []Op
	Outs []Output
}

// Access says which element of a tensor belongs to an item.
type Access uint8

// The kinds of access.
const (
	// Contiguous selects the element with the item's number.
	Contiguous Access = iota
	// Scalar selects element 0 for all items.
	Scalar
	// Strided selects element offset + Σ coordinate·stride over the iteration space.
	Strided
	// Indexed selects the element whose number is operand 0 of the Load.
	Indexed
)

// Step is the known stride of the last dimension of a Strided access.
type Step uint8

// The steps.
const (
	AnyStep  Step = iota
	NoStep        // stride 0
	UnitStep      // stride 1
)

// Input is a tensor that a program reads.
type Input struct {
	DType  tensor.DType
	Access Access
	Step   Step   // Strided only
	Name   string // for comments; ignored by Equal
}

// Output is a tensor that a program writes, one element for each item. Its access is Contiguous or
// Strided.
type Output struct {
	DType  tensor.DType
	Value  Value
	Access Access
	Step   Step
	Name   string // for comments; ignored by Equal
}

// Value identifies the result of an operation by the number of the operation in its program.
type Value int

// Op is an operation. Its operands are earlier operations.
type Op struct {
	Code  Code
	DType tensor.DType // of the result
	Args  []Value
	// Number is the number of an input for a Load, a dimension for a Coord, and an index of
	// Work.Values for an Arg.
	Number int
	// Guarded is set for a Load whose last operand is a bool. If that operand is false, the Load
	// reads nothing and its result is 0.
	Guarded bool
	// Func is the name of the function that a Call calls.
	Func string
	// Bits are the stored bits of a Const. For complex numbers, these are the bits of the real and
	// the imaginary part.
	Bits [2]uint64
	Note string // the node's name, for comments; ignored by Equal
}

// The method named of returns a copy of the operation for another program. In the copy, each
// operand v is replaced by to[v].
func (o Op) of(to []Value) Op {
	o.Args = slices.Clone(o.Args)
	for k, v := range o.Args {
		o.Args[k] = to[v]
	}
	return o
}

// Code is an operation's kind.
type Code uint8

// The codes. All operands and the result have the same type unless noted. Half and BFloat16 are
// computed in Float32 and rounded after each operation. Integers wrap around.
const (
	Invalid Code = iota
	Const
	Item  // the item's number, an Int64
	Coord // the item's coordinate along dimension Number, an Int64
	Arg   // one of the integers that a run passes, an Int64; Number is its index
	Load

	Neg      // the operand may be complex
	Abs      // the operand is real; the least integer stays unchanged
	Not      // logical for bools, bitwise for integers
	Sqrt     // rounded correctly
	Floor    // the operand is a float, as for Ceil, Trunc and Rint
	Ceil     //
	Trunc    //
	Rint     // ties to even
	PopCount // the number of bits set in an integer, as a Uint8
	Real     // the result has the type of the complex number's parts
	Imag     //
	Cast     // conversion between any types of numbers and bools, with the rules of package kernels/cast
	Bits     // the bits of the operand as a value of another type of the same size

	Add
	Sub
	Mul
	Div // an integer quotient is rounded toward zero; if the divisor is 0, all bits of the quotient are set
	Rem // an integer remainder has the sign of the dividend; if the divisor is 0, the remainder is the dividend
	Max // the result is NaN if an operand is NaN, as for Min
	Min //
	And // the operands are bools or integers, as for the next two operations
	Or  //
	Xor //
	Shl // shifts by operand 1, which is at least 0 and less than the width
	Shr // an arithmetic shift for signed integers, a logical shift for unsigned ones
	Pow // operand 0 to the power of operand 1, or 1 if operand 1 is negative; the operands are integers
	Complex

	Eq // the result is a Bool, as for all comparisons
	Ne
	Lt // the operands are real, as for the next three comparisons; false if one is NaN
	Le
	Gt
	Ge

	Select // operand 1 if operand 0, a Bool, is true; otherwise operand 2

	Call // calls Func, a function on floats
	lastCode
)

var codeNames = [...]string{Const: "const", Item: "item", Coord: "coord", Arg: "arg", Load: "load", Neg: "neg", Abs: "abs", Not: "not",
	Sqrt: "sqrt", Floor: "floor", Ceil: "ceil", Trunc: "trunc", Rint: "rint", PopCount: "popcount", Real: "real", Imag: "imag", Cast: "cast", Bits: "bits",
	Add: "add", Sub: "sub", Mul: "mul", Div: "div", Rem: "rem", Max: "max", Min: "min", And: "and", Or: "or", Xor: "xor", Shl: "shl", Shr: "shr", Pow: "pow",
	Complex: "complex", Eq: "eq", Ne: "ne", Lt: "lt", Le: "le", Gt: "gt", Ge: "ge", Select: "select", Call: "call"}

// String returns the code's name as in the text form.
func (c Code) String() string {
	if int(c) < len(codeNames) && codeNames[c] != "" {
		return codeNames[c]
	}
	return "invalid"
}

// arity returns the number of operands of a code. The number varies for Load and Call.
func (c Code) arity() int {
	switch {
	case c >= Const && c <= Load:
		return 0
	case c >= Neg && c <= Bits:
		return 1
	case c == Select:
		return 3
	}
	return 2
}

// Compares reports whether the result is a Bool for all operand types.
func (c Code) Compares() bool { return c >= Eq && c <= Ge }

// Plain returns the type in which an element of type d is stored: for a quantized type, this is its
// integer type.
func Plain(d tensor.DType) tensor.DType {
	switch d {
	case tensor.QInt8:
		return tensor.Int8
	case tensor.QUint8:
		return tensor.Uint8
	case tensor.QInt16:
		return tensor.Int16
	case tensor.QUint16:
		return tensor.Uint16
	case tensor.QInt32:
		return tensor.Int32
	}
	return d
}

// Takes reports whether programs support elements of type d.
func Takes(d tensor.DType) bool {
	switch Plain(d) {
	case tensor.Half, tensor.BFloat16, tensor.Float32, tensor.Float64, tensor.Bool, tensor.Complex64, tensor.Complex128:
		return true
	}
	return IsInteger(d)
}

// IsInteger reports whether d is an integer type, including quantized types.
func IsInteger(d tensor.DType) bool { return IsSigned(d) || IsUnsigned(d) }

// IsSigned reports whether d is a signed integer type.
func IsSigned(d tensor.DType) bool {
	switch Plain(d) {
	case tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64:
		return true
	}
	return false
}

// IsUnsigned reports whether d is an unsigned integer type.
func IsUnsigned(d tensor.DType) bool {
	switch Plain(d) {
	case tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64:
		return true
	}
	return false
}

// IsFloat reports whether d is a real floating-point type.
func IsFloat(d tensor.DType) bool {
	switch d {
	case tensor.Half, tensor.BFloat16, tensor.Float32, tensor.Float64:
		return true
	}
	return false
}

// PartType returns the type of a complex number's parts, or Invalid for other types.
func PartType(d tensor.DType) tensor.DType {
	switch d {
	case tensor.Complex64:
		return tensor.Float32
	case tensor.Complex128:
		return tensor.Float64
	}
	return tensor.Invalid
}

// UsesDims reports whether the program needs the coordinates of its items.
func (p *Program) UsesDims() bool {
	for _, in := range p.Ins {
		if in.Access == Strided {
			return true
		}
	}
	for _, o := range p.Outs {
		if o.Access == Strided {
			return true
		}
	}
	return slices.ContainsFunc(p.Ops, func(o Op) bool { return o.Code == Coord })
}

// Ints returns the number of integers that a launch passes: the number of items, the sizes of the
// dimensions if there are several, the offset and strides of each strided input and then of each
// strided output, and Args integers.
func (p *Program) Ints() int {
	n := 1 + p.Args
	if p.Dims > 1 {
		n += p.Dims
	}
	for _, in := range p.Ins {
		if in.Access == Strided {
			n += 1 + p.Dims
		}
	}
	for _, o := range p.Outs {
		if o.Access == Strided {
			n += 1 + p.Dims
		}
	}
	return n
}

// Equal reports whether two programs are the same except for names and notes.
func (p *Program) Equal(q *Program) bool {
	return p.Dims == q.Dims && p.Args == q.Args &&
		slices.EqualFunc(p.Ins, q.Ins, func(a, b Input) bool { a.Name, b.Name = "", ""; return a == b }) &&
		slices.EqualFunc(p.Outs, q.Outs, func(a, b Output) bool { a.Name, b.Name = "", ""; return a == b }) &&
		slices.EqualFunc(p.Ops, q.Ops, func(a, b Op) bool { return a.same(&b) })
}

// same reports whether two operations are the same except for notes.
func (o *Op) same(q *Op) bool {
	return o.Code == q.Code && o.DType == q.DType && o.Number == q.Number && o.Guarded == q.Guarded && o.Func == q.Func && o.Bits == q.Bits && slices.Equal(o.Args, q.Args)
}

// ConstBits converts v to type d, with rounding or wrapping as in a conversion, and returns the
// bits of the result.
func ConstBits(d tensor.DType, v float64) [2]uint64 {
	switch d = Plain(d); d {
	case tensor.Half:
		return [2]uint64{uint64(tensor.ToF16(float32(v)))}
	case tensor.BFloat16:
		return [2]uint64{uint64(tensor.ToBF16(float32(v)))}
	case tensor.Float32, tensor.Complex64:
		return [2]uint64{uint64(math.Float32bits(float32(v)))}
	case tensor.Float64, tensor.Complex128:
		return [2]uint64{math.Float64bits(v)}
	case tensor.Bool:
		if v != 0 {
			return [2]uint64{1}
		}
		return [2]uint64{}
	}
	return [2]uint64{uint64(int64(v)) & (1<<(8*d.Size()-1)<<1 - 1)}
}
