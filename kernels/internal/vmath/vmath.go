// Package vmath computes rows of float32 with AVX-512, AVX2 or NEON.
//
// A function reports whether this machine, within the limit set in package cpu, can run it. If
// not, the function has done nothing, and the caller uses a portable loop instead. dst may be
// an operand itself and otherwise overlaps none. Nothing is read or written beyond the rows,
// which may begin anywhere and be empty.
//
// Errors against exact results are at most 0.6 units in the last place for exponentials,
// logarithms, Pow, Tanh and Sigmoid, 0.8 for Expm1 and Elu, 1 for Erf, 1.8 for Selu and 3.2
// for Swish. They are at most 0.51 for functions computed in doubles: sines, inverse and
// hyperbolic functions, Erfc. Arithmetic and roots are rounded as in Go. The Gelus lose to
// cancellation as much as TensorFlow's own formulas: up to 4·2^-24·|x|. NaN stays NaN, signs
// of zeros are kept, overflow is infinite. Exponentials below the normal numbers, and
// results computed from them, are 0: TensorFlow's threads flush denormals.
package vmath

// chunk is how many floats one call of assembly processes. It is limited because goroutines
// are not preempted during a call.
const chunk = 1 << 14
