// Package history records how the passes change a model's graphs during compilation. For each node,
// it determines what the passes did with the node. The commands dump, explain and view use it.
package history
