// Package history records what the passes do to a model's graphs during compilation, and finds out what became
// of a node. The commands dump, explain and view share it.
package history
