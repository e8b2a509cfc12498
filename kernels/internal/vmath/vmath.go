// Package vmath computes rows of float32 with AVX-512 or AVX2.
//
// A function reports whether this machine has it, cpu's limit being heeded; if
// not it has done nothing, and the caller's own loop is the portable twin. dst
// may be an operand itself and otherwise overlaps none; nothing is read or
// written beyond the rows, which may begin anywhere and be empty.
//
// Errors against exact results are at most 0.6 units in the last place for
// exponentials, logarithms, Pow, Tanh and Sigmoid, 0.8 for Expm1 and Elu, 1 for Erf,
// 1.8 for Selu, 3.2 for Swish, 0.51 for what is computed in doubles: sines, inverse and
// hyperbolic functions, Erfc. Arithmetic and roots are rounded as Go's are. The Gelus
// lose to cancellation what TensorFlow's own formulas lose: up to 4·2^-24·|x|. NaN
// stays NaN, signs of zeros are kept, overflow is infinite.
// Exponentials below the normal numbers, and what is made of them, are 0: TensorFlow's
// threads flush denormals.
package vmath

// chunk is how many floats one call of assembly is given: goroutines are not
// preempted in it.
const chunk = 1 << 14
