// Package state handles variables, tables and references. It converts the old and the new kinds of
// variables to one form, turns variables that nothing writes into constants, and sets the initial
// values of the others.
package state
