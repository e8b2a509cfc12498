// Package elem holds element-wise kernels: arithmetic, comparisons, logic,
// activations, special functions and their gradients.
//
// The exported kernels are generated, one for each element type. They call row functions: loops
// over contiguous elements, written once for a class of types. A binary kernel joins two operands
// by TensorFlow's broadcasting, which Dims describes. dst may be the same slice as an operand of
// the result's shape; otherwise it must not overlap an operand. Operands may be empty.
//
// F16 and BF16 are computed in float32 and rounded half to even at the end. Some kernels also round
// between two operations, as TensorFlow does. Integers wrap around. Products are rounded before
// they are added.
package elem

//go:generate go run -C ../_gen ./elem -kernels ../elem -ops ../../ops/bytype

type signed interface{ int8 | int16 | int32 | int64 }

type unsigned interface {
	uint8 | uint16 | uint32 | uint64
}

type integer interface{ signed | unsigned }

type float interface{ float32 | float64 }

type cmplxT interface{ complex64 | complex128 }

type realT interface{ integer | float }

type number interface{ realT | cmplxT }
