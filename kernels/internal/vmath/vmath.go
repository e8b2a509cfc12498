// Package vmath computes rows of float32 with AVX-512, AVX2 or NEON.
//
// Functions return true if this machine, within the limit set in package cpu, can compute them. If a
// function returns false, it has done nothing, and the caller uses a portable loop instead. dst may
// be the same slice as an operand, but must not overlap an operand otherwise. Nothing is read or
// written beyond the rows. They may begin at any address and be empty.
//
// Errors against exact results are at most 0.6 units in the last place for exponentials, logarithms,
// Pow, Tanh and Sigmoid, 0.8 for Expm1 and Elu, 1 for Erf, 1.8 for Selu and 3.2 for Swish. They are
// at most 0.51 for functions computed in doubles: sines, inverse and hyperbolic functions, Erfc.
// Arithmetic and roots are rounded as in Go. The Gelus lose as much to cancellation as TensorFlow's
// own formulas: up to 4·2^-24·|x|. NaN stays NaN, zeros keep their signs, and overflow gives an
// infinity. Exponentials that would be denormal are 0, and so are results computed from them, because
// TensorFlow's threads flush denormals.
package vmath

// chunk is the largest number of floats that one call of assembly processes. It is limited because
// goroutines are not preempted during a call.
const chunk = 1 << 14
