// Package grad builds the gradients of functions and of ops. For an op, package lower has a
// description of the gradient.
package grad
