// Package vmath computes rows of float32 with AVX-512, AVX2 or NEON.
//
// A function returns true if this machine can compute it with the vector instructions that package
// cpu allows. If a function returns false, it has done nothing, and the caller uses a portable loop
// instead. dst may be the same slice as an operand, but must not overlap an operand otherwise.
// Nothing is read or written beyond the ends of the rows. Rows may begin at any address, and they
// may be empty.
//
// The errors of the results, in units in the last place, are at most 0.6 for exponentials,
// logarithms, Pow, Tanh and Sigmoid, 0.8 for Expm1 and Elu, 1 for Erf, 1.8 for Selu and 3.2 for
// Swish. They are at most 0.51 for functions that are computed in float64: the trigonometric
// functions, the inverse and hyperbolic functions, and Erfc. Arithmetic and roots are rounded as in
// Go. The error of the Gelu functions is at most 4·2^-24·|x|, since their formulas subtract numbers
// of similar size, as TensorFlow's formulas do. NaN stays NaN, zeros keep their signs, and overflow
// gives an infinity. Exponentials that would be denormal are 0, and so are results computed from
// them, because TensorFlow's threads flush denormals.
package vmath

// chunk is the largest number of floats that one call of assembly processes. It is limited because
// goroutines are not preempted during a call.
const chunk = 1 << 14
