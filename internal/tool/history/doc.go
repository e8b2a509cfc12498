// Package history records what the passes do to a model's graphs while it is compiled, and answers what became of a
// node. The commands dump, explain and view share it.
package history
