// Package grad builds the gradients of functions, and of ops by their descriptions.
package grad
