// Package state handles variables, tables and references. It gives them one form, turns variables
// that nothing writes into constants, and sets the initial values of the others.
package state
