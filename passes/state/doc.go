// Package state has what becomes of variables, tables and references: one form for all, constants of those that nothing writes, and the first values of others.
package state
