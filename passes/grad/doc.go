// Package grad builds the gradients of functions, and those of ops from descriptions of their
// gradients.
package grad
