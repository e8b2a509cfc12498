// Package grad builds gradients: of functions, and of each op that SymbolicGradient may name.
package grad
