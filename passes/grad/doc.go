// Package grad builds the gradients of functions, and of the ops that SymbolicGradient names by what their descriptions say.
package grad
