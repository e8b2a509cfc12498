// Package state handles variables, tables and references. It converts the old and the new kinds of
// variables to one form, makes constants of the variables that no node writes, and sets the initial
// values of the other variables.
package state
